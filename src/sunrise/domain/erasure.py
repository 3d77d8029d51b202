"""What an erasure found in the stores, and where a text still stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sunrise.domain.receipts import RunReceipt

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


def erasure_to_dict(receipt: RunReceipt) -> dict[str, Any]:
    """Return what an erasure did as plain values, under the names that agents read."""
    return {
        "runId": receipt.run_id,
        "status": receipt.status.value,
        "complete": is_complete(receipt),
        "byText": receipt.facts.get("by_text", ""),
        "places": {place: dict(counts) for place, counts in places(receipt).items()},
        "foundIn": list(receipt.refs.get("found_in", ())),
        "stillHolds": [{"path": one.name, "kind": one.kind.value} for one in still_holding(receipt)],
    }
