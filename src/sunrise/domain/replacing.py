"""Which memories a new text replaces, as a caller names them, and why it leaves others as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sunrise.domain.filters import DEFAULT_SCOPE
from sunrise.domain.record_requests import asked_ref
from sunrise.domain.records import RecordState
from sunrise.domain.trust import QUARANTINED, least
from sunrise.errors import DataError

MAX_REPLACED: Final = 20
"""So many memories one text replaces at most."""

REPLACED_BY: Final = "replaced_by:"
"""How the reason begins of a change that puts a memory out of date; the ref of its successor follows."""


class WhyNot(StrEnum):
    """
    Why a memory that was named is not replaced.

    ``nothing_stands``: no memory that readers see holds the new text. ``not_then``: the store is told again,
    and did not replace it when it was done.
    """

    NOT_FOUND = "not_found"
    AMBIGUOUS = "ambiguous"
    ITSELF = "itself"
    TRUSTED_MORE = "trusted_more"
    ARCHIVED = "archived"
    NOTHING_STANDS = "nothing_stands"
    NOT_THEN = "not_then"


@dataclass(frozen=True, slots=True)
class NotReplaced:
    """A memory that was named and is left as it is."""

    ref: str
    reason: WhyNot


@dataclass(frozen=True, slots=True, kw_only=True)
class Successor:
    """The memory that holds a new text; ``tier`` is the least of that of the text and of the memory."""

    id: str
    scope: str
    tier: str | None
    is_current: bool = True

    @property
    def stands(self) -> bool:
        """Whether readers see it: else nothing is replaced by it."""
        return self.is_current and self.tier != QUARANTINED


def replaced_ids(refs: Sequence[str]) -> tuple[str, ...]:
    """
    Return the ids that a caller names, each once.

    >>> replaced_ids(["mem:tea", "tea", "coffee"])
    ('tea', 'coffee')

    Raises:
        DataError: There are too many, or one names no memory; reason ``bad_replaces``.
    """
    try:
        asked = () if isinstance(refs, str) else tuple(map(asked_ref, refs))
    except DataError:
        asked = ()
    if len(asked) != len(refs) or len(asked) > MAX_REPLACED or any(one.kind != "mem" for one in asked):
        msg = f"what is replaced are at most {MAX_REPLACED} refs or ids of memories"
        raise DataError(msg, reason="bad_replaces")
    return tuple(dict.fromkeys(one.key for one in asked))


def why_not(name: str, rows: Sequence[Mapping[str, Any]], successor: Successor) -> WhyNot | None:
    """
    Return why the memory of an id, whose *rows* these are, is not replaced, or None where it is.

    One of another scope is not found, as if there were none. Nobody who is trusted less puts what is trusted
    out of date.

    >>> old = {"id": "old", "scope": None, "trust_tier": "trusted", "state": None}
    >>> str(why_not("old", [old], Successor(id="new", scope="global", tier=None)))
    'trusted_more'
    """
    if not successor.stands:
        return WhyNot.NOTHING_STANDS
    if name == successor.id:
        return WhyNot.ITSELF
    within = [row for row in rows if (row.get("scope") or DEFAULT_SCOPE) == successor.scope]
    if not within:
        return WhyNot.NOT_FOUND
    if len(rows) > 1:
        return WhyNot.AMBIGUOUS
    (row,) = within
    tier = row.get("trust_tier")
    if least(tier, successor.tier) != least(tier):
        return WhyNot.TRUSTED_MORE
    return WhyNot.ARCHIVED if row.get("state") == RecordState.ARCHIVED else None
