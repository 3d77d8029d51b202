"""What an erasure found in the stores, and where a text still stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sunrise.domain.forget import ForgetResult
from sunrise.domain.receipts import Anomaly, RunReceipt

ERASE: Final = "erase"
"""Name of the flow that takes forgotten texts out of every store."""

_PREFIX: Final = "still_holds_"


class HolderKind(StrEnum):
    """
    What may still hold a text.

    ``memory`` is a live memory that says it too: forget that one. ``snapshot`` is a tagged version of the
    memories table, ``table`` a file of the table, ``backup`` a file of a snapshot. ``golden`` is a golden
    set, which is the operator's. ``intent`` keeps the text until an erasure is finished.
    """

    MEMORY = "memory"
    SNAPSHOT = "snapshot"
    TABLE = "table"
    BACKUP = "backup"
    GOLDEN = "golden"
    LEDGER = "ledger"
    INTENT = "intent"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoriesHolding:
    """
    What a look through every version of the memories table found.

    ``holders`` are live memories that say a text of those that are erased, and are not among them. Stained is
    what reads a file that holds one: fragments of the newest version, other versions, and tags.
    ``unfinished`` tells of an erasure, or a sweep, that was killed.
    """

    holders: tuple[str, ...] = ()
    stained_fragments: frozenset[int] = frozenset()
    stained_versions: tuple[int, ...] = ()
    stained_tags: tuple[str, ...] = ()
    unfinished: bool = False


@dataclass(frozen=True, slots=True)
class StillHolds:
    """A place that still holds a text: a file, a tag or a memory."""

    name: str
    kind: HolderKind


def told_in(kind: HolderKind) -> str:
    """
    Return under which name a receipt lists what still holds a text.

    >>> told_in(HolderKind.BACKUP)
    'still_holds_backup'
    """
    return f"{_PREFIX}{kind}"


def still_holding(receipt: RunReceipt) -> tuple[StillHolds, ...]:
    """Return what still holds a text, as far as the receipt of an erasure names it."""
    return tuple(
        StillHolds(name, kind) for kind in HolderKind for name in receipt.refs.get(told_in(kind), ())
    )


def is_complete(receipt: RunReceipt) -> bool:
    """Return whether nothing holds a text any more, as an erasure says in its receipt."""
    return receipt.facts.get("complete") == "yes"


def places(receipt: RunReceipt) -> Mapping[str, Mapping[str, int]]:
    """Return of each place that was searched how much was found, taken out and left there."""
    found, left = (receipt.groups.get(name, {}) for name in ("found_by_place", "left_by_place"))
    erased = receipt.groups.get("erased_by_place", {})
    return {
        place: {"found": found[place], "erased": erased.get(place, 0), "left": left.get(place, 0)}
        for place in found
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureReceipt:
    """
    What an erasure did, of each place and as a whole; refs, counts and codes, never a text.

    ``status`` is that of its run: ``busy`` where another flow was at work, and nothing was erased. What
    ``still_holds`` a text keeps it from being ``complete``. ``by_text`` says whether the text was searched
    for, or why rows alone could be.
    """

    run_id: str
    status: str
    complete: bool
    by_text: str
    reason: str | None = None
    places: Mapping[str, Mapping[str, int]]
    found_in: tuple[str, ...] = ()
    still_holds: tuple[StillHolds, ...] = ()
    anomalies: tuple[Anomaly, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values under the names that agents read."""
        return {
            "runId": self.run_id,
            "status": self.status,
            "reason": self.reason,
            "complete": self.complete,
            "byText": self.by_text,
            "places": {place: dict(counts) for place, counts in self.places.items()},
            "foundIn": list(self.found_in),
            "stillHolds": [{"path": one.name, "kind": one.kind.value} for one in self.still_holds],
            "anomalies": [
                {"code": one.code, "message": one.message, "count": one.count} for one in self.anomalies
            ],
        }


@dataclass(frozen=True, slots=True)
class EraseResult:
    """What was forgotten, and what its erasure did; None where nothing was there to be erased."""

    forgotten: ForgetResult
    erasure: ErasureReceipt | None = None


def erasure_of(receipt: RunReceipt) -> ErasureReceipt:
    """Return what the run of an erasure tells."""
    return ErasureReceipt(
        run_id=receipt.run_id,
        status=receipt.status.value,
        reason=receipt.reason,
        complete=is_complete(receipt),
        by_text=receipt.facts.get("by_text", ""),
        places=places(receipt),
        found_in=tuple(receipt.refs.get("found_in", ())),
        still_holds=still_holding(receipt),
        anomalies=receipt.anomalies,
    )
