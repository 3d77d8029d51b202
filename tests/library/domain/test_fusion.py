from __future__ import annotations

import pytest

from sunrise.domain.fusion import reciprocal_rank_fusion


def test_scores_are_the_sum_of_reciprocal_ranks() -> None:
    assert dict(reciprocal_rank_fusion([["a", "b"], ["b"]])) == pytest.approx(
        {"b": 1 / 62 + 1 / 61, "a": 1 / 61}
    )


def test_equals_are_ordered_by_ref_whatever_the_order_of_the_lists() -> None:
    one = reciprocal_rank_fusion([["b", "c"], ["a", "d"]])
    other = reciprocal_rank_fusion([["a", "d"], ["b", "c"]])
    assert one == other
    assert [ref for ref, _ in one] == ["a", "b", "c", "d"]


def test_a_ref_twice_in_one_list_counts_at_its_better_rank() -> None:
    assert reciprocal_rank_fusion([["a", "a", "b"]]) == reciprocal_rank_fusion([["a", "b"]])


def test_agreement_beats_one_first_place() -> None:
    assert reciprocal_rank_fusion([["x", "y"], ["z", "y"]])[0][0] == "y"


def test_a_small_k_trusts_first_places_more() -> None:
    ranked = reciprocal_rank_fusion([["x", "m", "n", "y"], ["z", "o", "p", "y"]], k=1)
    assert ranked[0][0] == "x"


@pytest.mark.parametrize("rankings", [[], [[]], [[], []]])
def test_nothing_ranked_gives_nothing(rankings: list[list[str]]) -> None:
    assert reciprocal_rank_fusion(rankings) == ()
