"""The hot lane in one turn, and over thirty turns of a session in which hundreds of memories must be kept."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import pytest

from sunrise.domain.auto_recall import AutoRecallPolicy
from sunrise.domain.auto_recall_explained import COLUMNS, LINES, explain_lines
from sunrise.domain.auto_recall_receipt import AutoRecallReceipt, Fate
from sunrise.domain.backbone import Saying
from sunrise.domain.hot_lane import HotLane, Turn, after_budget, hot_lane, injections
from sunrise.domain.priors import Priors
from sunrise.domain.ranking import Chosen, Fit, Memory, Ranked, chosen, in_order, ranked
from sunrise.domain.repeats import Injection, RepeatPolicy
from sunrise.domain.retention import DAY_MS
from sunrise.domain.tier_selection import Quotas, SelectionMode

NOW: Final = 100 * DAY_MS
POLICY: Final = AutoRecallPolicy()


def memory(name: str, text: str = "", *, age_days: int = 30, **more: Any) -> Memory:
    labels = {"m": "must_remember", "n": "nice_to_have", "i": "ignore", "u": None}
    return Memory(
        id=name,
        ref=f"mem:{name}",
        text=text or f"what {name} says",
        scope="global",
        importance_label=labels[name[0]],
        created_at_ms=NOW - age_days * DAY_MS,
        **more,
    )


def found(*memories: tuple[Memory, float]) -> Chosen:
    rows = [ranked(one, Fit(score, 0.1), Priors()) for one, score in memories]
    return chosen(in_order(rows), limit=100)


def fates(lane: HotLane) -> dict[str, tuple[str, str]]:
    return {one.ref.removeprefix("mem:"): (str(one.fate), one.why) for one in lane.outcomes}


def test_every_memory_of_a_turn_is_told_of_with_its_reason() -> None:
    answer = found(
        (memory("m-new"), 0.9),
        (memory("m-told"), 0.95),
        (memory("m-third"), 0.8),
        (memory("m-rule", category="hard_rule"), 0.2),
        (memory("n-task", age_days=8, category="todo"), 0.7),
        (memory("n-fresh-task", "buy milk", age_days=7, category="todo"), 0.6),
        (memory("n-said", "never deploy on Friday!"), 0.6),
        (memory("n-far"), 0.05),
        (memory("u-one"), 0.3),
        (memory("u-two"), 0.2),
        (memory("i-one"), 0.9),
        (memory("n-twice", "what m-new says"), 0.3),
    )
    turn = Turn(
        number=5,
        now_ms=NOW,
        history=(Injection(4, "mem:m-told"), Injection(4, "mem:m-rule")),
        pinned=(Saying(("mem:m-pinned",), "Never deploy on Friday"),),
    )
    lane = hot_lane(answer, turn, policy=POLICY)
    assert fates(lane) == {
        "m-pinned": ("pinned", "working_set"),
        "m-new": ("selected", "must"),
        "m-rule": ("selected", "hard_rule"),
        "n-fresh-task": ("selected", "nice_floor"),
        "u-one": ("selected", "unknown"),
        "m-third": ("selected", "spill"),
        "n-far": ("left_out", "too_weak"),
        "m-told": ("suppressed_by_repeat", "repeat"),
        "u-two": ("left_out", "unknown_cap"),
        "i-one": ("left_out", "ignored"),
        "n-said": ("backbone_duplicate", "mem:m-pinned"),
        "n-task": ("stale_todo", "older_than_ttl"),
        "n-twice": ("left_out", "near_duplicate"),
    }
    assert [one.memory.id for one in lane.selected] == ["m-new", "m-third", "n-fresh-task", "u-one", "m-rule"]
    assert injections(lane.outcomes, turn=5)[0] == Injection(5, "mem:m-new")
    rule = next(one for one in lane.outcomes if one.ref == "mem:m-rule")
    assert (rule.times, rule.exempt, rule.score) == (1, "hard_rule", 0.2)
    told = next(one for one in lane.outcomes if one.ref == "mem:m-told")
    assert (told.times, told.exempt, told.score) == (1, None, 0.6175)


def test_each_memory_that_its_own_penalty_keeps_out_is_suppressed() -> None:
    answer = found(*((memory(f"m{n}"), 0.9 - n / 10) for n in range(5)))
    history = tuple(Injection(1, f"mem:m{n}") for n in (0, 1, 2))
    quotas = Quotas(must_max=2, nice_min=0, unknown_max=0)
    lane = hot_lane(
        answer,
        Turn(number=2, now_ms=NOW, history=history),
        policy=AutoRecallPolicy(max_items=2, quotas=quotas),
    )
    # 0.9, 0.8 and 0.7 lose 35 %: 0.585 wins the second slot over 0.5, and m1 and m2 would with a whole score.
    assert fates(lane) == {
        "m3": ("selected", "must"),
        "m0": ("selected", "must"),
        "m1": ("suppressed_by_repeat", "repeat"),
        "m2": ("suppressed_by_repeat", "repeat"),
        "m4": ("left_out", "must_cap"),
    }


def test_an_operator_may_name_hard_rules_beside_those_of_the_category() -> None:
    answer = found(*((memory(f"m{n}"), 0.9 - n / 100) for n in range(8)))
    lane = hot_lane(answer, Turn(number=1, now_ms=NOW), policy=POLICY, hard_rules=["mem:m7"])
    assert fates(lane)["m7"] == ("selected", "hard_rule")


@pytest.mark.parametrize("whose", [{"trust_tier": "untrusted"}, {"origin": "agent"}, {"origin": "import"}])
def test_what_may_not_be_must_is_no_hard_rule_whatever_its_label(whose: dict[str, Any]) -> None:
    rule = memory("m9", category="hard_rule", **whose)
    answer = found(*((memory(f"m{n}"), 0.9) for n in range(8)), (rule, 0.2))
    lane = hot_lane(answer, Turn(number=1, now_ms=NOW), policy=POLICY)
    assert {one.ref: one.tier for one in lane.outcomes}["mem:m9"] == "nice"
    assert fates(lane)["m9"][1] != "hard_rule"


def test_what_the_owner_trusts_may_be_must_whoever_wrote_it() -> None:
    rule = memory("m9", category="hard_rule", trust_tier="trusted", origin="agent")
    answer = found(*((memory(f"m{n}"), 0.9) for n in range(8)), (rule, 0.2))
    assert fates(hot_lane(answer, Turn(number=1, now_ms=NOW), policy=POLICY))["m9"][1] == "hard_rule"


def test_without_backbone_dedupe_a_pinned_memory_may_stand_in_both_lanes_at_its_full_score() -> None:
    answer = found((memory("m-pinned"), 0.9))
    pinned = (Saying(("mem:m-pinned",), "what m-pinned says"),)
    turn = Turn(number=2, now_ms=NOW, history=(Injection(1, "mem:m-pinned"),), pinned=pinned)
    assert hot_lane(answer, turn, policy=POLICY).selected == ()
    both = hot_lane(answer, turn, policy=AutoRecallPolicy(dedupe_backbone=False))
    assert [(one.fate, one.score, one.exempt) for one in both.outcomes] == [
        (Fate.PINNED, None, None),
        (Fate.SELECTED, 0.9, "pinned"),
    ]


def test_a_wildcard_slot_goes_to_a_recent_memory() -> None:
    old = [(memory(f"n{n}"), 0.9 - n / 100) for n in range(9)]
    lane = hot_lane(
        found(*old, (memory("n-new", age_days=1), 0.3)), Turn(number=1, now_ms=NOW), policy=POLICY
    )
    assert fates(lane)["n-new"] == ("selected", "wildcard")


def test_what_the_budget_drops_is_told_as_dropped_and_not_counted_as_injected() -> None:
    answer = found((memory("m0"), 0.9), (memory("n0"), 0.8))
    pinned = (Saying(("mem:m1",), "tea at four"),)
    lane = hot_lane(answer, Turn(number=1, now_ms=NOW, pinned=pinned), policy=POLICY)
    outcomes = after_budget(lane.outcomes, {"mem:n0": "oldest", "mem:m1": "oldest", "mem:gone": "oldest"})
    assert [(one.ref, one.fate) for one in outcomes] == [
        ("mem:m1", Fate.BUDGET),
        ("mem:m0", Fate.SELECTED),
        ("mem:n0", Fate.BUDGET),
    ]
    assert injections(outcomes, turn=1) == (Injection(1, "mem:m0"),)


def test_nothing_found_is_nothing_selected() -> None:
    assert hot_lane(Chosen(), Turn(number=1, now_ms=NOW), policy=POLICY).outcomes == ()


TURNS: Final = 30
TOPICS: Final = ("redis", "nginx", "backup", "travel", "tea", "billing", "deploys", "vectors", "cron", "mail")
RULE: Final = memory("m-rule", "Always answer in Traditional Chinese", category="hard_rule")
PINNED: Final = (Saying(("mem:m-pinned",), "Never deploy on Friday"),)
SAID: Final = memory("m-said", "owner's rule: never deploy on Friday")


def library() -> list[tuple[Memory, str]]:
    """Return 500 memories to be remembered and 50 that are nice to have, in equal parts of ten topics."""
    must = [(memory(f"m{n:03}", f"{TOPICS[n % 10]} rule {n}"), TOPICS[n % 10]) for n in range(500)]
    nice = [(memory(f"n{n:02}", f"{TOPICS[n % 10]} hint {n}"), TOPICS[n % 10]) for n in range(50)]
    return [*must, *nice]


@cache
def asked(topic: str, *, exact: str | None = None) -> Chosen:
    """Rank the library for a question about a topic; the one of *exact* has all words of the question."""
    chance = random.Random(topic)
    rows: list[Ranked] = [
        ranked(RULE, Fit(0.15, 0.0, 0.2), Priors(importance=1.15)),
        ranked(SAID, Fit(0.8, 0.5, 0.9), Priors(importance=1.15)),
    ]
    for one, about in library():
        near = chance.uniform(0.5, 0.7) if about == topic else chance.uniform(0.0, 0.1)
        fit = Fit(0.97, 0.97, 0.9) if one.id == exact else Fit(near, 0.5 * near, near)
        rows.append(ranked(one, fit, Priors(importance=1.15 if one.id[0] == "m" else 1.05)))
    return chosen(in_order(rows), limit=100)


def question(turn: int) -> tuple[str, str | None]:
    """Ten turns stay with one topic, five ask for one memory by its words, the others go about."""
    if turn < 10:
        return "redis", None
    return ("nginx", "m041") if turn < 15 else (TOPICS[turn % 10], None)


def session(policy: AutoRecallPolicy = POLICY) -> list[HotLane]:
    lanes: list[HotLane] = []
    history: list[Injection] = []
    for number in range(TURNS):
        topic, exact = question(number)
        turn = Turn(number=number, now_ms=NOW, history=tuple(history), pinned=PINNED)
        lanes.append(hot_lane(asked(topic, exact=exact), turn, policy=policy))
        history += injections(lanes[-1].outcomes, turn=number)
    return lanes


def names(lane: HotLane, kind: str) -> list[str]:
    return [one.memory.id for one in lane.selected if one.memory.id[0] == kind]


def about(name: str) -> str:
    return TOPICS[int(name[1:]) % 10]


LANES: Final[Sequence[HotLane]] = session()


def test_relevant_nice_memories_appear_in_every_turn_beside_hundreds_that_must_be_remembered() -> None:
    for number, lane in enumerate(LANES):
        assert len(lane.selected) == 5
        assert sum(about(name) == question(number)[0] for name in names(lane, "n")) >= 2


def test_without_quotas_they_never_would() -> None:
    first = session(AutoRecallPolicy(selection_mode=SelectionMode.TIER_FIRST))
    assert all(names(lane, "n") == [] for lane in first)


def test_no_important_memory_comes_back_within_the_window_unless_just_that_is_asked_for() -> None:
    for number, lane in enumerate(LANES):
        before = {name for earlier in LANES[max(0, number - 6) : number] for name in names(earlier, "m")}
        again = set(names(lane, "m")) & before
        assert again <= {"m-rule", question(number)[1]}
        suppressed = [one for one in lane.outcomes if one.fate is Fate.SUPPRESSED]
        assert all(one.times > 0 for one in suppressed)
        assert bool(suppressed) == (number > 0) or number not in range(7)


def test_without_the_penalty_the_same_ones_would_fill_ten_turns() -> None:
    lanes = session(AutoRecallPolicy(repeats=RepeatPolicy(penalty=0.0)))
    assert len({tuple(names(lane, "m")) for lane in lanes[:10]}) == 1


def test_what_is_asked_for_by_its_words_comes_back_each_time() -> None:
    assert all("m041" in names(lane, "m") for lane in LANES[10:15])


def test_a_hard_rule_survives_every_turn() -> None:
    assert all("m-rule" in names(lane, "m") for lane in LANES)


def test_what_the_working_set_says_takes_no_second_slot() -> None:
    for lane in LANES:
        assert fates(lane)["m-pinned"] == ("pinned", "working_set")
        assert fates(lane)["m-said"] == ("backbone_duplicate", "mem:m-pinned")


def test_the_receipt_of_every_turn_answers_for_every_memory_on_one_screen() -> None:
    for number, lane in enumerate(LANES):
        receipt = AutoRecallReceipt(at_ms=NOW, turn=number, outcomes=lane.outcomes, quota=lane.quota)
        lines = explain_lines(receipt)
        assert len(lines) <= LINES
        assert max(map(len, lines)) <= COLUMNS
        screen = "\n".join(lines)
        shown = [one.ref for one in lane.outcomes if one.fate in (Fate.PINNED, Fate.SELECTED, Fate.BACKBONE)]
        assert all(ref in screen for ref in shown)
        answer = asked(*question(number)[:1], exact=question(number)[1])
        assert len(receipt.found) == len(answer.kept) + len(answer.rejected)
        assert sum(receipt.tier_candidates.values()) == len(answer.kept)


def test_the_same_session_gives_the_same_turns() -> None:
    assert session() == list(LANES)


def test_what_is_replaced_takes_a_slot_only_where_nothing_else_waits_and_is_told_last() -> None:
    answer = found(
        (memory("m-old", state="superseded", category="hard_rule"), 0.9), (memory("m-new"), 0.8),
        (memory("i-one"), 0.7), (memory("n-one"), 0.6), (memory("n-two"), 0.5),
    )  # fmt: skip
    quotas = Quotas(must_max=2, nice_min=2, unknown_max=1)
    narrow, wide = (
        hot_lane(answer, Turn(number=1, now_ms=NOW), policy=AutoRecallPolicy(max_items=slots, quotas=quotas))
        for slots in (3, 5)
    )
    assert [one.memory.id for one in narrow.selected] == ["m-new", "n-one", "n-two"]
    assert fates(narrow)["m-old"] == ("left_out", "ignored")
    assert [one.memory.id for one in wide.selected] == ["m-new", "i-one", "n-one", "n-two", "m-old"]
