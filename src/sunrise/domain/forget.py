"""What is asked of forget and what it answers: the request, candidates, and a receipt without any text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from sunrise.domain.filters import check_scope, sql_text
from sunrise.domain.record_requests import MAX_CANDIDATES
from sunrise.domain.records import memory_ref
from sunrise.errors import DataError

FORGET_SCHEMA: Final = "sunrise.forget.v1"
_MAX_REASON: Final = 200


class ForgetStatus(StrEnum):
    """
    What became of a request.

    ``candidates`` are memories that the query may mean: nothing was forgotten, name one by its id.
    ``ambiguous`` is an id, or a beginning of one, that several memories have: each candidate has a ref that
    is its alone. ``already`` was forgotten before.
    """

    FORGOTTEN = "forgotten"
    CANDIDATES = "candidates"
    AMBIGUOUS = "ambiguous"
    ALREADY = "already"
    NOT_FOUND = "not_found"


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """
    One memory to be forgotten, named by its ``id`` (or ref, or the beginning of the id), or by a ``query``.

    Without a ``scope`` a memory of any scope is meant. ``with_derived`` forgets also the memories that were
    made of it. ``everywhere`` keeps the text out of all scopes, and not only out of that of the memory. Where
    it ``may_take_trusted`` not, nothing is forgotten that is trusted, or whose trust nobody knows any more.

    Raises:
        DataError: Neither or both of id and query are there, or a value makes no sense; reasons
            ``bad_target``, ``bad_prefix``, ``bad_limit``, ``bad_reason`` and ``bad_text``.
    """

    id: str | None = None
    query: str | None = None
    scope: str | None = None
    reason: str = "asked"
    with_derived: bool = False
    everywhere: bool = False
    limit: int = 5
    may_take_trusted: bool = True

    def __post_init__(self) -> None:
        check_scope(self.scope)
        for text in (self.id, self.query, self.reason):
            sql_text(text or "")
        if (self.id is None) == (self.query is None):
            raise DataError("name either an id or a query", reason="bad_target")
        if self.id is not None and not self.name:
            raise DataError("the id is empty", reason="bad_prefix")
        if self.query is not None and not self.query.strip():
            raise DataError("the query is empty: name an id or what the memory says", reason="bad_target")
        if not 1 <= self.limit <= MAX_CANDIDATES:
            raise DataError(f"limit must be between 1 and {MAX_CANDIDATES}", reason="bad_limit")
        if not 0 < len(self.reason.strip()) <= len(self.reason) <= _MAX_REASON:
            raise DataError(f"a reason has 1 to {_MAX_REASON} characters", reason="bad_reason")

    @property
    def name(self) -> str:
        """
        The id, or the beginning of one, without what makes it a ref.

        >>> ForgetRequest(id="mem:3f0c").name
        '3f0c'
        """
        return (self.id or "").strip().removeprefix(memory_ref(""))


@dataclass(frozen=True, slots=True)
class Tombstone:
    """
    A memory that is forgotten. Its text is hashed before it is kept.

    One that no id tells apart is named by what it holds, see :mod:`sunrise.domain.row_names`. Without a
    ``scope`` the text is kept out of all. ``state`` is what the memory was.
    """

    memory_id: str
    text: str
    scope: str | None
    reason: str
    state: str | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A memory that is gone: its id, the run by which the audit trail knows that, and when it was."""

    memory_id: str
    run_id: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class ForgetCandidate:
    """A memory that a query or an id may mean, with as much of it as tells it from others."""

    ref: str
    text: str
    scope: str
    score: float | None = None
    created_at_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetReceipt:
    """
    What was forgotten, in refs, counts and codes; never a text.

    ``twins`` are memories of the same scope that said the same and went with it. ``derived`` are records that
    were made of it: they are told, and forgotten only if that was asked for. ``archived`` are observations of
    the ledger that are hidden now; they, older versions of the table and copies hold the text until it is
    erased.
    """

    at_ms: int
    status: ForgetStatus
    scope: str | None = None
    refs: tuple[str, ...] = ()
    twins: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    archived: int = 0
    deleted: int = 0
    candidates: int = 0
    has_more: bool = False
    run_id: str | None = None
    latency_ms: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values under the names that agents read."""
        return {
            "schema": FORGET_SCHEMA,
            "atMs": self.at_ms,
            "status": self.status.value,
            "scope": self.scope,
            "refs": list(self.refs),
            "twins": list(self.twins),
            "derived": list(self.derived),
            "archivedObservations": self.archived,
            "deleted": self.deleted,
            "candidates": self.candidates,
            "moreCandidates": self.has_more,
            "runId": self.run_id,
            "latencyMs": dict(self.latency_ms),
        }


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """What became of a request, the memories that are gone, those that it may have meant, and the receipt."""

    status: ForgetStatus
    refs: tuple[str, ...]
    candidates: tuple[ForgetCandidate, ...]
    receipt: ForgetReceipt
