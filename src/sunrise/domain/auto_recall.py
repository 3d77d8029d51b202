"""What auto-recall is set to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from sunrise.domain.recall import Verbosity
from sunrise.domain.repeats import DEFAULT_REPEATS, RepeatPolicy
from sunrise.domain.retention import DAY_MS
from sunrise.domain.tier_selection import DEFAULT_QUOTAS, Quotas, SelectionMode
from sunrise.errors import DataError

MAX_RECEIPT_ITEMS: Final = 10
"""However much is asked for, a receipt that is shown lists no more of one kind. The counts are whole."""

MAX_ITEMS: Final = 6
"""A turn is given no more memories than this, whatever it is set to."""

TODO: Final = "todo"
"""The category of what is to be done once, and is stale soon."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptPolicy:
    """
    How much a receipt tells. ``max_items`` above :data:`MAX_RECEIPT_ITEMS` counts as that.

    Raises:
        DataError: ``max_items`` is negative; reason ``bad_receipt_policy``.
    """

    enabled: bool = True
    verbosity: Verbosity = Verbosity.LOW
    max_items: int = 3

    def __post_init__(self) -> None:
        if self.max_items < 0:
            msg = "a receipt cannot list fewer than no items"
            raise DataError(msg, reason="bad_receipt_policy")

    @property
    def bound(self) -> int:
        """How many refs of one kind are listed."""
        return min(self.max_items, MAX_RECEIPT_ITEMS)


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoRecallPolicy:
    """
    The knobs of auto-recall.

    ``max_items`` counts the working set as one. A wildcard slot goes first to what is not older than
    ``recent_days``.

    Raises:
        DataError: A number is out of its range; reason ``bad_auto_recall_policy``.
    """

    enabled: bool = True
    skip_trivial_prompts: bool = True
    selection_mode: SelectionMode = SelectionMode.TIER_QUOTA
    max_items: int = 6
    quotas: Quotas = DEFAULT_QUOTAS
    repeats: RepeatPolicy = DEFAULT_REPEATS
    dedupe_backbone: bool = True
    todo_stale_ttl_days: int = 7
    recent_days: int = 7
    receipts: ReceiptPolicy = field(default_factory=ReceiptPolicy)

    def __post_init__(self) -> None:
        counts = 0 <= self.max_items <= MAX_ITEMS and self.recent_days >= 0
        if not counts or not 1 <= self.todo_stale_ttl_days <= 90:
            msg = (
                f"max_items lies between 0 and {MAX_ITEMS}, recent_days is at least 0,"
                " todo_stale_ttl_days lies between 1 and 90"
            )
            raise DataError(msg, reason="bad_auto_recall_policy")

    def hot_slots(self, *, has_working_set: bool) -> int:
        """
        Return how many slots are left for what answers the turn.

        >>> AutoRecallPolicy().hot_slots(has_working_set=True)
        5
        """
        return max(0, self.max_items - has_working_set)

    def is_stale_todo(self, category: str | None, created_ms: int | None, *, now_ms: int) -> bool:
        """
        Return whether a memory is a task too old to be put before the agent; without a date nobody can tell.

        >>> AutoRecallPolicy().is_stale_todo("todo", 0, now_ms=8 * 86_400_000)
        True
        """
        if category != TODO or created_ms is None:
            return False
        return now_ms - created_ms > self.todo_stale_ttl_days * DAY_MS
