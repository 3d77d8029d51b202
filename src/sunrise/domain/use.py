"""Use of memories: which of them a recall handed out, and which it only looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sunrise.domain.recall import RecallResult

SERVED_SINCE: Final = "recall_served_since"
"""The name of the note that says when this home first served a recall."""

MAX_RETRIEVED: Final = 10
"""
So many of the best candidates that were not handed out are noted. A leg brings forty, and each one noted
costs a place in the ledger; those further down say little.
"""

RETRIEVED_EVERY_MS: Final = 3_600_000
"""A candidate is noted anew after an hour: nobody needs it more exactly, and most notes cost nothing."""

_NOT_SERVED: Final = frozenset({"store_failed", "no_memories_table", "empty_query", "no_leg"})
"""Reasons for which nothing was looked up: no memory had a chance to be found."""


@dataclass(frozen=True, slots=True)
class Served:
    """
    What one recall did with the memories that it found.

    ``included`` were handed out, which is use. ``retrieved`` were candidates that were not handed out, which
    is none.
    """

    at_ms: int
    included: tuple[str, ...] = ()
    retrieved: tuple[str, ...] = ()


def served_of(result: RecallResult) -> Served | None:
    """Return what a recall handed out and what it only looked at; None where it could look nothing up."""
    receipt = result.receipt
    if receipt.reason in _NOT_SERVED:
        return None
    included = tuple(item.ref for item in result.items)
    return Served(receipt.at_ms, included, not_included(receipt.fused_top, included))


def not_included(candidates: tuple[str, ...], included: tuple[str, ...]) -> tuple[str, ...]:
    """Return the best candidates that were not handed out, as many as are noted."""
    return tuple(ref for ref in candidates if ref not in included)[:MAX_RETRIEVED]
