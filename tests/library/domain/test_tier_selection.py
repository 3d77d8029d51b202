"""Slots are shared out by quotas: caps, a floor, wildcards, what is spilled, and why one got none."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunrise.domain.tier_selection import (
    IGNORE,
    MUST,
    NICE,
    TIERS,
    UNKNOWN,
    Candidate,
    Quotas,
    QuotaSummary,
    Selection,
    SelectionMode,
    select,
)
from sunrise.errors import DataError


def candidate(name: str, score: float, created_ms: int | None = None, **more: bool) -> Candidate:
    tier = {"m": MUST, "n": NICE, "u": UNKNOWN, "i": IGNORE}[name[0]]
    return Candidate(ref=name, tier=tier, score=score, created_ms=created_ms, **more)


def rules(selection: Selection) -> dict[str, str]:
    return {one.ref: str(one.rule) for one in selection.selected}


def reasons(selection: Selection) -> dict[str, str]:
    return {one.ref: str(one.reason) for one in selection.left_out}


FULL = [
    *(candidate(f"m{n}", 0.9 - n / 100) for n in range(4)),
    *(candidate(f"n{n}", 0.5 - n / 100) for n in range(4)),
    *(candidate(f"u{n}", 0.3 - n / 100) for n in range(3)),
    candidate("i0", 0.99),
]


def test_important_ones_do_not_take_all_slots_when_nice_ones_match() -> None:
    found = [
        *(candidate("m1", 0.99, 10), candidate("m2", 0.98, 20), candidate("m3", 0.97, 30)),
        *(candidate("n1", 0.70, 40), candidate("n2", 0.69, 50), candidate("u1", 0.40, 60)),
    ]
    selection = select(found, max_items=4, quotas=Quotas(must_max=2, nice_min=2, unknown_max=1))
    assert selection.refs == ("m1", "m2", "n1", "n2")
    assert selection.quota.wildcard_used == 0


def test_equal_scores_are_told_apart_by_their_age_in_slots_that_no_quota_claims() -> None:
    found = [
        *(candidate("m-old", 0.9, 10), candidate("m-new", 0.8, 30)),
        *(candidate("u-new", 0.8, 40), candidate("u-old", 0.8, 5)),
    ]
    selection = select(found, max_items=4, quotas=Quotas(must_max=1, nice_min=0, unknown_max=0))
    assert selection.refs == ("m-old", "u-new", "m-new", "u-old")
    assert selection.quota.to_dict() == {
        "mustMax": 1,
        "niceMin": 0,
        "unknownMax": 0,
        "wildcardUsed": 3,
        "spilled": 0,
    }


def test_each_slot_names_its_rule_and_each_loser_its_reason() -> None:
    selection = select(FULL, max_items=6)
    assert rules(selection) == {
        "m0": "must",
        "m1": "must",
        "n0": "nice_floor",
        "n1": "nice_floor",
        "n2": "wildcard",
        "u0": "unknown",
    }
    assert reasons(selection) == {
        "i0": "ignored",
        "m2": "must_cap",
        "m3": "must_cap",
        "n3": "no_slot",
        "u1": "unknown_cap",
        "u2": "unknown_cap",
    }


def test_what_a_tier_cannot_fill_is_spilled_to_the_next_best() -> None:
    selection = select([one for one in FULL if one.tier != UNKNOWN], max_items=5)
    assert rules(selection)["n2"] == "spill"
    assert selection.quota == QuotaSummary(must_max=2, nice_min=2, unknown_max=1, spilled=1)


def test_a_cap_is_passed_only_when_nobody_below_a_cap_waits() -> None:
    selection = select([one for one in FULL if one.tier == MUST], max_items=4)
    assert rules(selection) == {"m0": "must", "m1": "must", "m2": "spill", "m3": "spill"}
    with_nice = select([*(one for one in FULL if one.tier == MUST), candidate("n9", 0.01)], max_items=3)
    assert "n9" in with_nice.refs


def test_only_relevant_ones_claim_the_floor() -> None:
    weak = candidate("n0", 0.01, is_relevant=False)
    found = [candidate("m0", 0.9), candidate("m1", 0.8), weak]
    assert select(found, max_items=2).refs == ("m0", "m1")
    assert rules(select(found, max_items=3))["n0"] == "spill"


def test_a_recent_memory_has_the_first_claim_to_a_wildcard_slot() -> None:
    found = [candidate("n0", 0.9), candidate("n1", 0.8), candidate("n2", 0.1, is_recent=True)]
    quotas = Quotas(must_max=0, nice_min=1, unknown_max=0)
    assert rules(select(found, max_items=2, quotas=quotas)) == {"n0": "nice_floor", "n2": "wildcard"}


def test_a_hard_rule_goes_before_every_quota_and_counts_in_its_own() -> None:
    found = [*FULL, candidate("m9", 0.001, is_hard_rule=True), candidate("i9", 1.0, is_hard_rule=True)]
    for mode in SelectionMode:
        selection = select(found, max_items=3, mode=mode)
        assert rules(selection)["m9"] == "hard_rule"
        assert reasons(selection)["i9"] == "ignored"
    assert rules(select(found, max_items=5)) == {
        "m0": "must",
        "n0": "nice_floor",
        "n1": "nice_floor",
        "u0": "unknown",
        "m9": "hard_rule",
    }


def test_without_quotas_the_important_ones_come_first_and_ignored_ones_last() -> None:
    selection = select(FULL, max_items=9, mode=SelectionMode.TIER_FIRST)
    assert selection.refs == ("m0", "m1", "m2", "m3", "n0", "n1", "n2", "n3", "u0")
    assert set(rules(selection).values()) == {"tier_first"}
    assert reasons(selection) == {"u1": "no_slot", "u2": "no_slot", "i0": "ignored"}
    assert select(FULL, max_items=12, mode=SelectionMode.TIER_FIRST).refs[-1] == "i0"


def test_odd_candidates_do_no_harm() -> None:
    odd = Candidate(ref="odd", tier="precious", score=0.5)
    broken = candidate("m0", math.nan)
    twice = [candidate("n0", 0.2), candidate("n0", 0.7)]
    selection = select([odd, broken, *twice], max_items=9)
    assert selection.refs == ("n0", "odd", "m0")
    assert selection.selected[0].candidate.score == 0.7
    assert rules(selection)["odd"] == "unknown"
    assert select(FULL, max_items=-1).refs == ()
    undated, oldest = candidate("n1", 0.5), candidate("n2", 0.5, 0)
    assert select([undated, oldest], max_items=2).refs == ("n2", "n1")


def test_a_negative_quota_is_refused() -> None:
    with pytest.raises(DataError) as raised:
        Quotas(nice_min=-1)
    assert raised.value.reason == "bad_quota"


candidates = st.lists(
    st.builds(
        Candidate,
        ref=st.integers(0, 40).map(lambda number: f"mem:{number}"),
        tier=st.sampled_from(TIERS),
        score=st.sampled_from([-0.5, 0.0, 0.1, 0.25, 0.5, 0.9]),
        created_ms=st.none() | st.integers(0, 3),
        is_relevant=st.booleans(),
        is_recent=st.booleans(),
    ),
    max_size=30,
)
quotas = st.builds(
    Quotas, must_max=st.integers(0, 4), nice_min=st.integers(0, 4), unknown_max=st.integers(0, 3)
)
sizes = st.integers(0, 10)


def counts(selection: Selection) -> dict[str, int]:
    return {tier: sum(one.candidate.tier == tier for one in selection.selected) for tier in TIERS}


@settings(deadline=None)
@given(candidates, sizes, quotas, st.sampled_from(SelectionMode))
def test_slots_are_filled_and_each_candidate_is_told_of_once(
    found: list[Candidate], size: int, shares: Quotas, mode: SelectionMode
) -> None:
    selection = select(found, max_items=size, quotas=shares, mode=mode)
    assert len(selection.refs) == min(size, len({one.ref for one in found}))
    told = [*selection.refs, *(one.ref for one in selection.left_out)]
    assert sorted(told) == sorted({one.ref for one in found})


@settings(deadline=None)
@given(candidates, sizes, quotas)
def test_caps_hold_while_a_candidate_below_a_cap_waits(
    found: list[Candidate], size: int, shares: Quotas
) -> None:
    selection = select(found, max_items=size, quotas=shares)
    taken = counts(selection)
    waits = {one.candidate.tier for one in selection.left_out}
    caps = {MUST: shares.must_max, UNKNOWN: shares.unknown_max, NICE: size}
    below = {tier for tier in waits - {IGNORE} if taken[tier] < caps[tier]}
    if below:
        assert taken[MUST] <= shares.must_max
        assert taken[UNKNOWN] <= shares.unknown_max
    if waits - {IGNORE}:
        assert taken[IGNORE] == 0


@settings(deadline=None)
@given(candidates, sizes, quotas)
def test_the_floor_is_met_as_far_as_relevant_ones_are_there(
    found: list[Candidate], size: int, shares: Quotas
) -> None:
    selection = select(found, max_items=size, quotas=shares)
    once = [one.candidate for one in selection.selected] + [one.candidate for one in selection.left_out]
    relevant = sum(one.tier == NICE and one.is_relevant for one in once)
    assert counts(selection)[NICE] >= min(shares.nice_min, relevant, size)


@settings(deadline=None)
@given(candidates, sizes, quotas, st.sampled_from(SelectionMode), st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_makes_no_difference(
    found: list[Candidate], size: int, shares: Quotas, mode: SelectionMode, chance: random.Random
) -> None:
    shuffled = chance.sample(found, len(found))
    assert select(shuffled, max_items=size, quotas=shares, mode=mode) == select(
        found, max_items=size, quotas=shares, mode=mode
    )


@settings(deadline=None)
@given(candidates, sizes, quotas)
def test_better_ones_of_a_tier_are_never_left_out_for_worse_ones(
    found: list[Candidate], size: int, shares: Quotas
) -> None:
    fair = [
        Candidate(ref=one.ref, tier=one.tier, score=one.score, created_ms=one.created_ms) for one in found
    ]
    selection = select(fair, max_items=size, quotas=shares)
    for tier in TIERS:
        worst = min(
            (one.candidate.score for one in selection.selected if one.candidate.tier == tier), default=1.0
        )
        assert all(one.candidate.score <= worst for one in selection.left_out if one.candidate.tier == tier)
    scores = [one.candidate.score for one in selection.selected]
    assert scores == sorted(scores, reverse=True)
