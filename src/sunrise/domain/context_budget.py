"""Hold what is put before a prompt within a budget, counted over the rendered text with its fence closed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from sunrise.domain.fence import FencedItem, render
from sunrise.domain.text.cleaning import clip
from sunrise.domain.token_counts import estimated_tokens
from sunrise.errors import DataError

CLIP_MARK: Final = "…"
"""Ends a text that was cut."""

LEAST_TEXT: Final = 80
"""A text is not cut shorter than this while something else can go instead: less says too little."""

Rendering = Callable[[Sequence[FencedItem]], str]


class OverflowAction(StrEnum):
    """What goes first when there is too much: the oldest, or the last of the selected order."""

    TRUNCATE_OLDEST = "truncate_oldest"
    TRUNCATE_TAIL = "truncate_tail"


class DropReason(StrEnum):
    """Why a slot is not in the text; PINNED and NO_ROOM say that nothing else was left to leave out."""

    OLDEST = "budget_oldest"
    TAIL = "budget_tail"
    PINNED = "budget_pinned"
    NO_ROOM = "budget_no_room"


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetPolicy:
    """
    How much may be put before a prompt, in characters and, where ``max_tokens`` is set, in tokens.

    The ``min_recent_slots`` newest of those that are not pinned go last of all.

    Raises:
        DataError: A bound is negative; reason ``bad_budget``.
    """

    enabled: bool = True
    max_chars: int = 1800
    max_tokens: int | None = None
    min_recent_slots: int = 1
    overflow_action: OverflowAction = OverflowAction.TRUNCATE_OLDEST

    def __post_init__(self) -> None:
        if min(self.max_chars, self.max_tokens or 0, self.min_recent_slots) < 0:
            raise DataError("a bound of the context budget is negative", reason="bad_budget")

    def holds(self, text: str) -> bool:
        """Return whether a text keeps within both bounds."""
        if len(text) > self.max_chars:
            return False
        return self.max_tokens is None or estimated_tokens(text) <= self.max_tokens


@dataclass(frozen=True, slots=True)
class Slot:
    """One item with its age; one without a date counts as the oldest."""

    item: FencedItem
    created_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Dropped:
    """An item that is not in the text."""

    ref: str
    why: DropReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """
    What is put before the prompt, and what it cost to make it fit.

    ``dropped`` is in the order of dropping; ``clipped`` names the items of which only the beginning is there.
    ``text`` is empty when nothing is left to show, ``whole`` is that of all slots.
    """

    items: tuple[FencedItem, ...]
    text: str
    whole: str = field(repr=False)
    dropped: tuple[Dropped, ...] = ()
    clipped: tuple[str, ...] = ()
    action: OverflowAction | None = None

    @property
    def before_chars(self) -> int:
        """How long the text of all slots was."""
        return len(self.whole)

    @property
    def after_chars(self) -> int:
        """How long the text is."""
        return len(self.text)

    @property
    def before_tokens(self) -> int:
        """About how many tokens the text of all slots was."""
        return estimated_tokens(self.whole)

    @property
    def after_tokens(self) -> int:
        """About how many tokens the text is."""
        return estimated_tokens(self.text)

    def to_dict(self) -> dict[str, Any]:
        """Return the marker of a receipt; ``action`` is None when everything fitted."""
        return {
            "beforeChars": self.before_chars,
            "afterChars": self.after_chars,
            "beforeTokens": self.before_tokens,
            "afterTokens": self.after_tokens,
            "droppedCount": len(self.dropped),
            "droppedIds": [one.ref for one in self.dropped],
            "dropped": [{"ref": one.ref, "reason": str(one.why)} for one in self.dropped],
            "clippedIds": list(self.clipped),
            "action": None if self.action is None else str(self.action),
        }


def fitted(
    slots: Sequence[Slot], policy: BudgetPolicy | None = None, rendering: Rendering = render
) -> Fitted:
    """
    Return the text of *slots* in their order, and leave out or cut as much of them as the budget asks for.

    First go those that are neither pinned nor protected. Then the texts of the protected are cut, down to
    :data:`LEAST_TEXT`. Then go the pinned from the end, then the protected but for one, whose text is cut as
    far as it must be. A text ends on a whole character, with :data:`CLIP_MARK`.

    >>> slots = [Slot(FencedItem(ref=f"mem:{n}", text="tea " * 20), n) for n in (3, 1, 2)]
    >>> kept = fitted(slots, BudgetPolicy(max_chars=450))
    >>> [item.ref for item in kept.items], [one.ref for one in kept.dropped], kept.after_chars <= 450
    (['mem:3', 'mem:2'], ['mem:1'], True)
    """
    policy = policy or BudgetPolicy()
    whole = _Kept(tuple(slots), rendering)
    before = whole.text
    kept = whole if not policy.enabled or policy.holds(before) else _made_to_fit(whole, policy)
    return Fitted(
        items=tuple(slot.item for slot in kept.slots),
        text=before if kept is whole else kept.text,
        whole=before,
        dropped=kept.dropped,
        clipped=kept.clipped,
        action=None if kept is whole else policy.overflow_action,
    )


@dataclass(frozen=True, slots=True)
class _Kept:
    slots: tuple[Slot, ...]
    rendering: Rendering
    dropped: tuple[Dropped, ...] = ()
    clipped: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return self.rendering([slot.item for slot in self.slots]) if self.slots else ""

    def without(self, going: Sequence[_Going]) -> _Kept:
        """Leave out the slots of some places."""
        gone = {one.place for one in going}
        dropped = tuple(Dropped(self.slots[one.place].item.ref, one.why) for one in going)
        return replace(
            self, slots=tuple(s for place, s in enumerate(self.slots) if place not in gone), dropped=dropped
        )

    def cut_to(self, longest: int) -> _Kept:
        """Cut the texts of what is not pinned, or of the last that is left."""
        slots = list(self.slots)
        clipped = []
        for place, slot in enumerate(slots):
            item = slot.item
            if (not item.pinned or len(slots) == 1) and len(item.text) > longest:
                text = clip(item.text, longest).rstrip() + CLIP_MARK
                slots[place] = replace(slot, item=replace(item, text=text))
                clipped.append(item.ref)
        return replace(self, slots=tuple(slots), clipped=tuple(clipped))


@dataclass(frozen=True, slots=True)
class _Going:
    place: int
    why: DropReason


def _made_to_fit(whole: _Kept, policy: BudgetPolicy) -> _Kept:
    free, bound = _order_of_going(whole.slots, policy)
    staying = _largest(0, len(free), lambda count: policy.holds(_without_free(whole, free, count).text))
    if staying is not None:
        return _without_free(whole, free, staying)
    for count in range(len(bound)):
        kept = _cut(whole.without([*free, *bound[:count]]), policy)
        if kept is not None:
            return kept
    return whole.without([*free, *bound])


def _cut(kept: _Kept, policy: BudgetPolicy) -> _Kept | None:
    """Cut the texts as little as the budget allows; None where cutting alone does not help."""
    if policy.holds(kept.text):
        return kept
    least = LEAST_TEXT if len(kept.slots) > 1 else 1
    most = max(len(slot.item.text) for slot in kept.slots)
    longest = _largest(least, most, lambda chars: policy.holds(kept.cut_to(chars).text))
    return None if longest is None else kept.cut_to(longest)


def _without_free(whole: _Kept, free: Sequence[_Going], staying: int) -> _Kept:
    return whole.without(free[: len(free) - staying])


def _order_of_going(slots: Sequence[Slot], policy: BudgetPolicy) -> tuple[list[_Going], list[_Going]]:
    """Return what goes before anything is cut, and what goes after, each in the order of going."""
    places = range(len(slots))
    by_age = sorted(places, key=lambda place: (_age(slots[place]), -place))
    unpinned = [place for place in by_age if not slots[place].item.pinned]
    oldest_first = policy.overflow_action is OverflowAction.TRUNCATE_OLDEST
    why = DropReason.OLDEST if oldest_first else DropReason.TAIL
    order = unpinned if oldest_first else sorted(unpinned, reverse=True)
    protected = set(unpinned[max(0, len(unpinned) - policy.min_recent_slots) :])
    if len(unpinned) == len(slots):
        # Something is shown, as much of it as fits.
        protected = protected or set(order[-1:])
    free = [_Going(place, why) for place in order if place not in protected]
    pinned = [_Going(place, DropReason.PINNED) for place in reversed(places) if slots[place].item.pinned]
    return free, [*pinned, *(_Going(place, DropReason.NO_ROOM) for place in order if place in protected)]


def _age(slot: Slot) -> float:
    return -math.inf if slot.created_ms is None else slot.created_ms


def _largest(least: int, most: int, fits: Callable[[int], bool]) -> int | None:
    """Return the largest number that fits, where all below it do; None where *least* does not."""
    if least > most or not fits(least):
        return None
    while least < most:
        middle = (least + most + 1) // 2
        if fits(middle):
            least = middle
        else:
            most = middle - 1
    return least
