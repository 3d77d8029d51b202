from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunrise.domain.context_budget import (
    CLIP_MARK,
    BudgetPolicy,
    Dropped,
    DropReason,
    OverflowAction,
    Slot,
    fitted,
)
from sunrise.domain.fence import FencedItem, parse, render
from sunrise.domain.text.cleaning import clip
from sunrise.domain.token_counts import estimated_tokens
from sunrise.errors import DataError
from tests.library.domain.test_fence import ANY_TEXT

EMPTY_FENCE = len(render([]))
OVERHEAD = len(render([FencedItem(ref="a", text="")])) - EMPTY_FENCE


def slot(ref: str, chars: int, created_ms: int | None = None, *, pinned: bool = False) -> Slot:
    return Slot(FencedItem(ref=ref, text="x" * chars, pinned=pinned), created_ms)


def room(*texts: int) -> int:
    """Return what items of one-letter refs and texts of these lengths take, fence and all."""
    return EMPTY_FENCE + sum(OVERHEAD + chars for chars in texts)


LONG_TEXT = st.builds(lambda text, times: text * times, ANY_TEXT, st.integers(1, 40))
SLOTS = st.lists(
    st.builds(
        Slot,
        st.builds(FencedItem, ref=ANY_TEXT, scope=ANY_TEXT, text=LONG_TEXT, pinned=st.booleans()),
        st.one_of(st.none(), st.integers(-(10**6), 10**6)),
    ),
    max_size=6,
)
POLICIES = st.builds(
    BudgetPolicy,
    max_chars=st.integers(0, 1500),
    max_tokens=st.one_of(st.none(), st.integers(0, 400)),
    min_recent_slots=st.integers(0, 4),
    overflow_action=st.sampled_from(OverflowAction),
)


@settings(deadline=None)
@given(SLOTS, POLICIES)
def test_a_budget_holds_whatever_the_texts(slots: list[Slot], policy: BudgetPolicy) -> None:
    kept = fitted(slots, policy)
    assert len(kept.text) <= policy.max_chars
    assert policy.max_tokens is None or estimated_tokens(kept.text) <= policy.max_tokens
    # The fence is closed, and what is in it is what is said to be.
    assert kept.items == (parse(kept.text) if kept.text else ())
    assert (kept.after_chars, kept.after_tokens) == (len(kept.text), estimated_tokens(kept.text))


@settings(deadline=None)
@given(SLOTS, POLICIES)
def test_every_slot_is_shown_or_dropped_and_a_cut_text_is_a_beginning(
    slots: list[Slot], policy: BudgetPolicy
) -> None:
    slots = [Slot(replace_ref(one.item, str(n)), one.created_ms) for n, one in enumerate(slots)]
    kept = fitted(slots, policy)
    shown = [item.ref for item in kept.items]
    assert shown == sorted(shown)
    assert sorted([*shown, *(one.ref for one in kept.dropped)]) == [str(n) for n in range(len(slots))]
    whole = {one.item.ref: one.item.text for one in slots}
    for item in kept.items:
        text = whole[item.ref]
        if item.ref not in kept.clipped:
            assert item.text == text
            continue
        beginning = item.text.removesuffix(CLIP_MARK)
        assert item.text == beginning + CLIP_MARK
        assert any(clip(text, n).rstrip() == beginning for n in range(len(text)))
    assert set(kept.clipped) <= set(shown)
    assert (kept.action is None) == (not kept.dropped and not kept.clipped and kept.text == whole_text(slots))


def replace_ref(item: FencedItem, ref: str) -> FencedItem:
    return FencedItem(ref=ref, scope=item.scope, text=item.text, pinned=item.pinned)


def whole_text(slots: list[Slot]) -> str:
    return render([one.item for one in slots]) if slots else ""


@settings(deadline=None)
@given(SLOTS, POLICIES)
def test_nothing_is_dropped_while_more_would_fit(slots: list[Slot], policy: BudgetPolicy) -> None:
    whole = whole_text(slots)
    if len(whole) <= policy.max_chars and (
        policy.max_tokens is None or estimated_tokens(whole) <= policy.max_tokens
    ):
        assert fitted(slots, policy).text == whole
        assert fitted(slots, policy).action is None


def test_the_oldest_go_first_and_the_order_of_the_others_stays() -> None:
    slots = [slot("a", 100, 30), slot("b", 100, 10), slot("c", 100, None), slot("d", 100, 20)]
    kept = fitted(slots, BudgetPolicy(max_chars=room(100, 100)))
    assert [item.ref for item in kept.items] == ["a", "d"]
    assert kept.dropped == (Dropped("c", DropReason.OLDEST), Dropped("b", DropReason.OLDEST))
    assert kept.after_chars == room(100, 100)


def test_of_one_age_the_later_in_order_goes_first() -> None:
    kept = fitted([slot("a", 90, 5), slot("b", 90, 5)], BudgetPolicy(max_chars=room(90)))
    assert [item.ref for item in kept.items] == ["a"]


def test_the_tail_goes_first_but_for_the_newest() -> None:
    slots = [slot("a", 100, 1), slot("b", 100, 2), slot("c", 100, 4), slot("d", 100, 3)]
    policy = BudgetPolicy(max_chars=room(100, 100), overflow_action=OverflowAction.TRUNCATE_TAIL)
    kept = fitted(slots, policy)
    assert [item.ref for item in kept.items] == ["a", "c"]
    assert kept.dropped == (Dropped("d", DropReason.TAIL), Dropped("b", DropReason.TAIL))


def test_the_newest_slots_are_protected_by_number() -> None:
    slots = [slot("a", 100, 1), slot("b", 100, 2), slot("c", 100, 3), slot("d", 100, 4)]
    policy = BudgetPolicy(
        max_chars=room(100, 100), min_recent_slots=2, overflow_action=OverflowAction.TRUNCATE_TAIL
    )
    assert [item.ref for item in fitted(slots, policy).items] == ["c", "d"]


def test_the_pinned_outlast_what_is_neither_pinned_nor_protected() -> None:
    slots = [slot("p", 100, 1, pinned=True), slot("a", 100, 2), slot("b", 100, 3)]
    kept = fitted(slots, BudgetPolicy(max_chars=room(100, 100)))
    assert [item.ref for item in kept.items] == ["p", "b"]


def test_a_protected_text_is_cut_before_a_pinned_one_goes() -> None:
    slots = [slot("p", 100, 1, pinned=True), slot("a", 500, 2)]
    kept = fitted(slots, BudgetPolicy(max_chars=room(100, 121)))
    assert [len(item.text) for item in kept.items] == [100, 121]
    assert kept.items[1].text.endswith(CLIP_MARK)
    assert (kept.clipped, kept.dropped) == (("a",), ())


def test_the_last_pinned_goes_where_a_cut_text_would_say_too_little() -> None:
    slots = [slot("p", 100, 1, pinned=True), slot("q", 100, 1, pinned=True), slot("a", 500, 2)]
    kept = fitted(slots, BudgetPolicy(max_chars=room(100, 100, 60)))
    assert [item.ref for item in kept.items] == ["p", "a"]
    assert kept.dropped == (Dropped("q", DropReason.PINNED),)
    assert kept.after_chars == room(100, 100, 60)


def test_of_many_protected_the_oldest_goes_when_cutting_all_does_not_help() -> None:
    slots = [slot("a", 500, 1), slot("b", 500, 2)]
    kept = fitted(slots, BudgetPolicy(max_chars=room(100), min_recent_slots=5))
    assert kept.dropped == (Dropped("a", DropReason.NO_ROOM),)
    assert [len(item.text) for item in kept.items] == [100]


def test_something_is_shown_even_where_nothing_is_protected() -> None:
    slots = [slot("a", 500, 1), slot("b", 500, 2)]
    for action, ref in ((OverflowAction.TRUNCATE_OLDEST, "b"), (OverflowAction.TRUNCATE_TAIL, "a")):
        policy = BudgetPolicy(max_chars=room(50), min_recent_slots=0, overflow_action=action)
        assert [(item.ref, len(item.text)) for item in fitted(slots, policy).items] == [(ref, 50)]


def test_of_pinned_alone_the_first_is_cut_last() -> None:
    slots = [slot("p", 300, pinned=True), slot("q", 300, pinned=True)]
    kept = fitted(slots, BudgetPolicy(max_chars=room(20)))
    assert [(item.ref, len(item.text)) for item in kept.items] == [("p", 20)]


def test_a_cut_text_keeps_its_last_character_whole() -> None:
    family = "👨\u200d👩\u200d👧"
    kept = fitted([Slot(FencedItem(ref="a", text=family * 40))], BudgetPolicy(max_chars=room(200)))
    assert kept.items[0].text.removesuffix(CLIP_MARK).count("👧") * family == kept.items[0].text[:-1]


def test_where_nothing_fits_nothing_is_said() -> None:
    for policy in (BudgetPolicy(max_chars=EMPTY_FENCE + 3), BudgetPolicy(max_tokens=5)):
        kept = fitted([slot("a", 100, 1)], policy)
        assert (kept.items, kept.text, kept.after_tokens) == ((), "", 0)
        assert kept.dropped == (Dropped("a", DropReason.NO_ROOM),)


def test_no_slots_are_no_text() -> None:
    kept = fitted([])
    assert (kept.text, kept.before_chars, kept.action) == ("", 0, None)


def test_tokens_are_a_bound_of_their_own() -> None:
    slots = [Slot(FencedItem(ref=str(n), text="備份每天凌晨三點執行" * 10), n) for n in range(5)]
    kept = fitted(slots, BudgetPolicy(max_chars=10_000, max_tokens=300))
    assert 0 < kept.after_tokens <= 300 < kept.before_tokens
    assert kept.dropped


def test_without_a_budget_everything_is_shown() -> None:
    slots = [slot("a", 5000), slot("b", 5000)]
    assert len(fitted(slots, BudgetPolicy(enabled=False)).text) == room(5000, 5000)


def test_another_rendering_is_counted_as_it_is() -> None:
    def plain(items):
        return "".join(item.text for item in items)

    kept = fitted([slot("a", 30, 1), slot("b", 30, 2)], BudgetPolicy(max_chars=30), plain)
    assert kept.text == "x" * 30


def test_the_marker_tells_what_it_cost() -> None:
    kept = fitted([slot("a", 100, 1), slot("b", 300, 2)], BudgetPolicy(max_chars=room(200)))
    marker = kept.to_dict()
    tokens = {key: marker.pop(key) for key in ("beforeTokens", "afterTokens")}
    assert tokens["beforeTokens"] > tokens["afterTokens"] > 0
    assert marker == {
        "beforeChars": room(100, 300),
        "afterChars": room(200),
        "droppedCount": 1,
        "droppedIds": ["a"],
        "dropped": [{"ref": "a", "reason": "budget_oldest"}],
        "clippedIds": ["b"],
        "action": "truncate_oldest",
    }
    assert fitted([slot("a", 9)]).to_dict()["action"] is None


@pytest.mark.parametrize("bounds", [{"max_chars": -1}, {"max_tokens": -1}, {"min_recent_slots": -1}])
def test_a_negative_bound_is_refused(bounds: dict[str, int]) -> None:
    with pytest.raises(DataError) as error:
        BudgetPolicy(**bounds)
    assert error.value.reason == "bad_budget"
