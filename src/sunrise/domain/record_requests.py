"""Questions about single records, and their answers: one record whole, what stands around it, its revival."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final

from sunrise.domain.admin import AdminReceipt
from sunrise.domain.filters import DEFAULT_SCOPE, check_scope
from sunrise.domain.receipts import RunReceipt
from sunrise.domain.record_views import MemoryView, ObservationView, RecordedChange, RecordLink, Usage
from sunrise.domain.records import split_ref
from sunrise.errors import DataError

SHORTEST_PREFIX: Final = 8
"""An id may be named by so many of its first characters, where no other one begins so."""

MAX_CANDIDATES: Final = 20
"""So many memories are shown that a beginning may mean."""

LONGEST_ID: Final = 256
MAX_AROUND: Final = 200
MAX_WINDOW_MS: Final = 366 * 86_400_000


def is_within(scope: str | None, scopes: Collection[str] | None) -> bool:
    """
    Return whether a record is in one of these scopes; None are all. Without a scope it is in the default one.

    >>> is_within("", ("global",)), is_within("ops", ("global",)), is_within("ops", None)
    (True, False, True)
    """
    return scopes is None or (scope or DEFAULT_SCOPE) in scopes


@dataclass(frozen=True, slots=True)
class AskedRef:
    """A record as somebody names it: its kind, and its key or the beginning of it."""

    kind: str
    key: str

    @property
    def row_id(self) -> int:
        """The id of an observation; -1 for one that none has."""
        is_number = self.key.isascii() and self.key.isdecimal() and len(self.key) <= 18
        return int(self.key) if is_number else -1


def asked_ref(ref: str) -> AskedRef:
    """
    Return what a ref names; an id alone is that of a memory.

    >>> asked_ref("3f0c5a1e"), asked_ref(" obs:12 ")
    (AskedRef(kind='mem', key='3f0c5a1e'), AskedRef(kind='obs', key='12'))

    Raises:
        DataError: It names no memory and no observation; reason ``bad_ref``.
    """
    named = ref.strip()
    if ":" not in named:
        named = f"mem:{named}"
    try:
        kind, key = split_ref(named)
    except ValueError:
        kind, key = "", ""
    if kind not in ("mem", "obs"):
        # An id of somebody else may hold a colon.
        kind, key = "mem", ref.strip()
    if not key or len(key) > LONGEST_ID or any(char.isspace() for char in key):
        raise DataError("a ref is mem:ID, obs:NUMBER, or a memory's id", reason="bad_ref")
    return AskedRef(kind, key)


@dataclass(frozen=True, slots=True, kw_only=True)
class GetRequest:
    """
    One record by its ref, by a memory's id, or by a beginning of it that is its alone.

    Where ``scopes`` are named, there is no record outside of them.
    """

    ref: str
    with_quarantined_texts: bool = False
    history: int = 100
    scopes: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GetResult:
    """
    One record with all that is known of it; None of either kind where it was not found.

    ``candidates`` are the refs that begin so, where there are several, and ``has_more`` says that these are
    not all of them. Changes stand newest first.
    """

    receipt: AdminReceipt
    memory: MemoryView | None = None
    observation: ObservationView | None = None
    candidates: tuple[str, ...] = ()
    has_more: bool = False
    changes: tuple[RecordedChange, ...] = ()
    links: tuple[RecordLink, ...] = ()
    usage: Usage = Usage()  # noqa: RUF009  frozen

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {**asdict(self), "receipt": self.receipt.to_dict()}


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineRequest:
    """
    What was captured around a record, or around a moment: of its session, else of its scope.

    Where ``scopes`` are named, there is nothing outside of them.

    Raises:
        DataError: Neither a ref nor a moment is named, or a bound is out of range, reason ``bad_timeline``;
            the scope is no name, reason ``bad_scope``.
    """

    ref: str | None = None
    at_ms: int | None = None
    scope: str | None = None
    window_ms: int = 86_400_000
    before: int = 10
    after: int = 10
    with_quarantined_texts: bool = False
    scopes: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_scope(self.scope)
        if (self.ref is None) == (self.at_ms is None):
            raise DataError("a timeline needs a ref or a moment, one of them", reason="bad_timeline")
        if not (0 <= self.before <= MAX_AROUND and 0 <= self.after <= MAX_AROUND):
            raise DataError(f"at most {MAX_AROUND} rows before and after", reason="bad_timeline")
        if not 0 < self.window_ms <= MAX_WINDOW_MS:
            raise DataError("the window is up to 366 days wide", reason="bad_timeline")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineResult:
    """What was captured around a moment, oldest first; ``anchor`` is the record that was asked about."""

    receipt: AdminReceipt
    at_ms: int | None = None
    anchor: str | None = None
    items: tuple[ObservationView, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {**asdict(self), "receipt": self.receipt.to_dict()}


class ReviveStatus(StrEnum):
    """
    What came of a revival. What was forgotten is not revived.

    ``not_archived`` is neither archived nor superseded.
    """

    REVIVED = "revived"
    FORGOTTEN = "forgotten"
    NOT_ARCHIVED = "not_archived"
    NOT_FOUND = "not_found"
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviveResult:
    """What came of it; ``run`` is the run that can be undone, None where nothing was changed."""

    status: ReviveStatus
    ref: str | None
    receipt: AdminReceipt
    run: RunReceipt | None = None
    candidates: tuple[str, ...] = ()
    has_more: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        said: Mapping[str, Any] = {"status": str(self.status), "ref": self.ref}
        run_id = None if self.run is None else self.run.run_id
        return {
            **said,
            "runId": run_id,
            "candidates": list(self.candidates),
            "hasMore": self.has_more,
            "receipt": self.receipt.to_dict(),
        }
