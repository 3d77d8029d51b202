"""What auto-recall is set to, and what its receipt shows, keeps and never says."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunrise.domain.auto_recall import AutoRecallPolicy, ReceiptPolicy
from sunrise.domain.auto_recall_explained import COLUMNS, LINES, explain_lines
from sunrise.domain.auto_recall_receipt import (
    AutoRecallReceipt,
    BudgetNote,
    Fate,
    Outcome,
    ScopeNote,
    WorkingSetNote,
)
from sunrise.domain.auto_recall_record import from_record, to_record
from sunrise.domain.recall import Verbosity
from sunrise.domain.retention import DAY_MS
from sunrise.domain.tier_selection import QuotaSummary, SelectionMode
from sunrise.errors import DataError

LOUD: Final = ReceiptPolicy(verbosity=Verbosity.HIGH, max_items=3)


def outcome(name: str, fate: Fate, why: str, tier: str = "must", **more: Any) -> Outcome:
    return Outcome(ref=f"mem:{name}", fate=fate, why=why, tier=tier, **more)


RECEIPT: Final = AutoRecallReceipt(
    at_ms=1_700_000_000_000,
    turn=7,
    scope=ScopeNote(scope="openclaw-mem", source="iso", fallbacks=("personal",), marker="a->b"),
    quota=QuotaSummary(must_max=2, nice_min=2, unknown_max=1, spilled=1),
    outcomes=(
        outcome("pin", Fate.PINNED, "working_set", ""),
        *(outcome(f"m{n}", Fate.SELECTED, "must", score=0.9 - n / 10) for n in range(2)),
        *(outcome(f"n{n}", Fate.SELECTED, "nice_floor", "nice", score=0.5, times=n) for n in range(2)),
        outcome("rule", Fate.SELECTED, "hard_rule", score=0.2, times=3, exempt="hard_rule"),
        outcome("told", Fate.SUPPRESSED, "repeat", score=0.3, times=2),
        outcome("said", Fate.BACKBONE, "mem:pin", score=0.8),
        outcome("task", Fate.STALE_TODO, "older_than_ttl", "nice", score=0.4),
        outcome("long", Fate.BUDGET, "oldest", "nice", score=0.4),
        outcome("m8", Fate.LEFT_OUT, "must_cap", score=0.2),
        outcome("m9", Fate.LEFT_OUT, "must_cap", score=0.1),
        outcome("u9", Fate.LEFT_OUT, "no_slot", "unknown", score=0.1),
    ),
    fts_top=("mem:m0", "mem:m1", "mem:n0", "mem:n1"),
    vec_top=("mem:n0",),
    fused_top=("mem:m0",),
    working_set=WorkingSetNote(
        generated=True, id="working_set:openclaw-mem", chars=210, sections={"goal": 1, "constraints": 2}
    ),
    budget=BudgetNote(before_chars=2100, after_chars=1790, action="truncate_oldest", dropped=("mem:long",)),
    latency_ms={"recall": 8.25, "total": 11.5},
    warnings=("dense_skipped:embedder_down",),
)


def test_the_defaults_are_those_of_the_approved_policy() -> None:
    policy = AutoRecallPolicy()
    assert policy.selection_mode == "tier_quota_v1"
    assert (policy.max_items, policy.dedupe_backbone, policy.todo_stale_ttl_days) == (6, True, 7)
    assert (policy.quotas.must_max, policy.quotas.nice_min, policy.quotas.unknown_max) == (2, 2, 1)
    assert (policy.repeats.window_turns, policy.repeats.penalty) == (6, 0.35)
    assert (policy.receipts.enabled, policy.receipts.verbosity, policy.receipts.max_items) == (True, "low", 3)


def test_the_working_set_takes_one_slot() -> None:
    policy = AutoRecallPolicy()
    assert (policy.hot_slots(has_working_set=True), policy.hot_slots(has_working_set=False)) == (5, 6)
    assert AutoRecallPolicy(max_items=0).hot_slots(has_working_set=True) == 0


@pytest.mark.parametrize(
    ("category", "created_ms", "is_stale"),
    [("todo", 3 * DAY_MS, False), ("todo", 3 * DAY_MS - 1, True), ("todo", None, False), ("fact", 0, False)],
)
def test_only_a_task_older_than_its_days_is_stale(
    category: str, created_ms: int | None, is_stale: bool
) -> None:
    assert AutoRecallPolicy().is_stale_todo(category, created_ms, now_ms=10 * DAY_MS) is is_stale


@pytest.mark.parametrize(
    "knobs", [{"max_items": -1}, {"recent_days": -1}, {"todo_stale_ttl_days": 0}, {"todo_stale_ttl_days": 91}]
)
def test_knobs_out_of_range_are_refused(knobs: dict[str, int]) -> None:
    with pytest.raises(DataError) as raised:
        AutoRecallPolicy(**knobs)  # type: ignore[arg-type]
    assert raised.value.reason == "bad_auto_recall_policy"


def test_a_receipt_lists_at_most_ten_and_not_fewer_than_none() -> None:
    assert ReceiptPolicy(max_items=50).bound == 10
    with pytest.raises(DataError) as raised:
        ReceiptPolicy(max_items=-1)
    assert raised.value.reason == "bad_receipt_policy"


def test_the_receipt_tells_all_fields_in_bounded_lists_with_whole_counts() -> None:
    assert RECEIPT.to_dict() == {
        "schema": "sunrise.auto_recall.v1",
        "verbosity": "low",
        "atMs": 1_700_000_000_000,
        "turn": 7,
        "skipped": False,
        "skipReason": None,
        "scope": {
            "scope": "openclaw-mem",
            "source": "iso",
            "fallbacks": ["personal"],
            "marker": "a->b",
            "suppressed": None,
        },
        "selectionMode": "tier_quota_v1",
        "quota": {"mustMax": 2, "niceMin": 2, "unknownMax": 1, "wildcardUsed": 0, "spilled": 1},
        "tierCounts": {
            "candidates": {"must": 7, "nice": 4, "unknown": 1, "ignore": 0},
            "selected": {"must": 3, "nice": 2, "unknown": 0, "ignore": 0},
        },
        "ftsTop": ["mem:m0", "mem:m1", "mem:n0"],
        "vecTop": ["mem:n0"],
        "fusedTop": ["mem:m0"],
        "whySummary": "tier_quota_v1 pinned=1 selected=5 suppressed_by_repeat=1 backbone_duplicate=1"
        " stale_todo=1 dropped_by_budget=1 left_out=3",
        "whyTheseIds": [
            {"ref": "mem:m0", "score": 0.9, "tier": "must", "rule": "must"},
            {"ref": "mem:m1", "score": 0.8, "tier": "must", "rule": "must"},
            {"ref": "mem:n0", "score": 0.5, "tier": "nice", "rule": "nice_floor"},
        ],
        "pinnedByWorkingSet": {"count": 1, "ids": ["mem:pin"]},
        "suppressedByRepeat": {"count": 1, "ids": ["mem:told"]},
        "excludedAsBackboneDuplicate": {"count": 1, "ids": ["mem:said"]},
        "todoGuardrail": {"count": 1, "ids": ["mem:task"]},
        "leftOut": {"must_cap": 2, "no_slot": 1},
        "workingSet": {
            "generated": True,
            "id": "working_set:openclaw-mem",
            "chars": 210,
            "sections": {"goal": 1, "constraints": 2},
            "persisted": False,
        },
        "contextBudget": {
            "beforeChars": 2100,
            "afterChars": 1790,
            "action": "truncate_oldest",
            "droppedCount": 1,
            "droppedIds": ["mem:long"],
        },
        "latencyMs": {"recall": 8.25, "total": 11.5},
        "warnings": ["dense_skipped:embedder_down"],
    }


def test_a_loud_receipt_tells_how_often_each_was_told_and_a_disabled_one_tells_nothing() -> None:
    loud = replace(RECEIPT, receipts=ReceiptPolicy(verbosity=Verbosity.HIGH, max_items=99)).to_dict()
    assert loud["whyTheseIds"][4] == {
        "ref": "mem:rule",
        "score": 0.2,
        "tier": "must",
        "rule": "hard_rule",
        "injectedBefore": 3,
        "exempt": "hard_rule",
    }
    off = replace(RECEIPT, receipts=ReceiptPolicy(enabled=False, verbosity=Verbosity.HIGH))
    assert (off.to_dict(), off.compact_comment()) == ({}, "")


def test_a_skipped_turn_says_why_and_has_nothing_else() -> None:
    skipped = AutoRecallReceipt(at_ms=0, skip_reason="greeting", receipts=LOUD)
    shown = skipped.to_dict()
    assert (shown["skipped"], shown["skipReason"], shown["whySummary"]) == (
        True,
        "greeting",
        "skipped=greeting",
    )
    assert (shown["workingSet"], shown["contextBudget"]) == (None, None)
    assert skipped.compact_comment() == "<!-- sunrise.auto_recall.v1 tier_quota_v1 skipped=greeting -->"
    assert explain_lines(skipped) == ["turn 0, scope global (default): nothing was looked up, greeting"]


def test_the_comment_holds_refs_only_and_stands_in_loud_receipts_only() -> None:
    assert RECEIPT.compact_comment() == ""
    assert replace(RECEIPT, receipts=LOUD).compact_comment() == (
        "<!-- sunrise.auto_recall.v1 tier_quota_v1 pinned=mem:pin selected=mem:m0,mem:m1,mem:n0"
        " suppressed_by_repeat=mem:told backbone_duplicate=mem:said dropped_by_budget=mem:long -->"
    )


@settings(deadline=None)
@given(st.lists(st.text(max_size=120), max_size=5))
def test_no_ref_can_end_the_comment(names: list[str]) -> None:
    outcomes = tuple(Outcome(ref=name, fate=Fate.SELECTED, why="must") for name in names)
    comment = AutoRecallReceipt(at_ms=0, outcomes=outcomes, receipts=LOUD).compact_comment()
    inside = comment.removeprefix("<!-- ").removesuffix(" -->")
    assert "--" not in inside
    assert not re.search(r"[<>\n]", inside)


texts = st.text(max_size=40)
outcomes = st.lists(
    st.builds(
        Outcome,
        ref=texts | st.integers(0, 99).map(lambda number: f"mem:{number:08}-0000-4000-8000-000000000000"),
        fate=st.sampled_from(Fate),
        why=st.sampled_from(["must", "must_cap", "no_slot", "oldest", "mem:1", "ignored", "a", "b", "c"]),
        tier=st.sampled_from(["must", "nice", "unknown", "ignore"]),
        score=st.none() | st.floats(-5, 5),
        times=st.integers(0, 6),
        exempt=st.none() | st.just("strong_hit"),
    ),
    max_size=120,
).map(tuple)
receipts = st.builds(
    AutoRecallReceipt,
    at_ms=st.integers(0, 10),
    turn=st.integers(0, 10**6),
    skip_reason=st.none() | st.just("emoji"),
    scope=st.builds(ScopeNote, scope=texts, source=texts, fallbacks=st.lists(texts).map(tuple)),
    selection_mode=st.sampled_from(SelectionMode),
    outcomes=outcomes,
    working_set=st.none() | st.builds(WorkingSetNote, sections=st.dictionaries(texts, st.integers(0, 9))),
    budget=st.none()
    | st.builds(BudgetNote, before_chars=st.integers(), after_chars=st.integers(), action=texts),
    warnings=st.lists(texts, max_size=30).map(tuple),
    latency_ms=st.dictionaries(texts, st.floats(0, 10)),
    receipts=st.builds(ReceiptPolicy, verbosity=st.sampled_from(Verbosity), max_items=st.integers(0, 20)),
)


@settings(deadline=None)
@given(receipts)
def test_an_explanation_fits_on_one_screen_whatever_happened(receipt: AutoRecallReceipt) -> None:
    lines = explain_lines(receipt)
    assert 1 <= len(lines) <= LINES
    assert all(line.isprintable() and len(line) <= COLUMNS for line in lines)


@settings(deadline=None)
@given(receipts)
def test_a_receipt_is_read_as_it_was_kept_and_what_is_shown_is_bounded(receipt: AutoRecallReceipt) -> None:
    assert from_record(json.loads(json.dumps(to_record(receipt)))) == receipt
    for value in receipt.to_dict().values():
        if isinstance(value, list):
            assert len(value) <= 10
        if isinstance(value, dict):
            assert len(value.get("ids", ())) <= receipt.receipts.bound


def test_a_record_of_a_later_version_is_read_and_a_damaged_one_refused() -> None:
    record = to_record(replace(RECEIPT, latency_ms=MappingProxyType({"total": 1.0})))
    assert from_record({**record, "later": 1}) == replace(RECEIPT, latency_ms={"total": 1.0})
    damaged: list[dict[str, Any]] = [
        {},
        {"schema": "sunrise.recall.v1"},
        {"schema": "sunrise.auto_recall.v1"},
        {**record, "selection_mode": "by_taste"},
        {**record, "outcomes": [{"ref": "mem:1", "fate": "eaten", "why": ""}]},
        {**record, "scope": "global"},
    ]
    for one in damaged:
        with pytest.raises(DataError) as raised:
            from_record(one)
        assert raised.value.reason == "auto_recall_damaged"


def test_an_explanation_answers_for_every_memory() -> None:
    assert explain_lines(RECEIPT) == [
        "turn 7, scope openclaw-mem (iso): selected 5 of 12 found",
        "looked in other scopes too: personal",
        "tier_quota_v1, found must 7, nice 4, unknown 1, ignore 0",
        "must at most 2, nice at least 2, unknown at most 1; wildcards 0, spilled 1",
        "pinned by the working set (1): mem:pin",
        "selected (5)",
        "  mem:m0       must    0.900 must",
        "  mem:m1       must    0.800 must",
        "  mem:n0       nice    0.500 nice_floor",
        "  mem:n1       nice    0.500 nice_floor, told in 1 of 6 turns",
        "  mem:rule     must    0.200 hard_rule, told in 3 of 6 turns, but hard_rule",
        "suppressed, their place went to others (1)",
        "  mem:told     must    0.300 repeat, told in 2 of 6 turns",
        "the working set says it (1): mem:said (mem:pin)",
        "dropped by the budget (1): mem:long (oldest)",
        "tasks that are too old (1): mem:task",
        "left out (3)",
        "  must_cap (2): mem:m8, mem:m9",
        "  no_slot (1): mem:u9",
        "working set: 210 characters, goal 1, constraints 2",
        "context: 2100 characters, 1790 after truncate_oldest",
        "warnings (1): dense_skipped:embedder_down",
        "took total 11.5 ms, recall 8.2 ms",
    ]


def test_long_ids_are_shown_short_as_long_as_they_can_be_told_apart() -> None:
    tail = "-aaaa-4bbb-8ccc-dddddddddddd"
    refs = [f"{head}{tail}" for head in ("11111111", "22222222")] + [f"22222222{tail[:-1]}e"]
    receipt = AutoRecallReceipt(at_ms=0, outcomes=tuple(outcome(ref, Fate.SELECTED, "must") for ref in refs))
    shown = [line.split()[0] for line in explain_lines(receipt)[-3:]]
    assert shown == ["mem:11111111", f"mem:{refs[1]}", f"mem:{refs[2]}"]


def test_what_has_no_room_is_counted() -> None:
    many = tuple(outcome(f"x{n:02}", fate, f"why{n % 7}") for fate in Fate for n in range(60))
    lines = explain_lines(AutoRecallReceipt(at_ms=0, outcomes=many))
    at = lines.index("selected (60)")
    assert lines[at + 10] == "  and 51 more"
    assert any(line.startswith("pinned by the working set (60): mem:x00, mem:x01") for line in lines)
    assert lines[1 + next(n for n, line in enumerate(lines) if line.startswith("pinned"))].endswith("more")
    assert lines[-1] == "  and 3 more"


def test_wide_letters_count_twice() -> None:
    receipt = AutoRecallReceipt(at_ms=0, scope=ScopeNote(scope="專" * 60, suppressed="invalid_scope"))
    lines = explain_lines(receipt)
    assert lines[0] == f"turn 0, scope {'專' * 32}…"
    assert lines[1] == "looked in no other scope: invalid_scope"
