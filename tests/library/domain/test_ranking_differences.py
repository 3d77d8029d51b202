"""Order, wrong answers, and differences between two rankings: figures worked by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.retrieval_metrics import (
    Difference,
    is_wrong_scope,
    leads_with_forbidden,
    mean,
    ndcg_at_k,
    paired_bootstrap,
    percentile,
)

FIGURES = st.floats(0, 1, allow_nan=False)


def test_gain_by_hand() -> None:
    # The places 2 and 4 gain 0.63093 and 0.43068, the best order of two 1 and 0.63093.
    assert ndcg_at_k(["x", "a", "y", "b"], {"a", "b"}, k=4) == pytest.approx(0.65092, abs=1e-5)
    assert ndcg_at_k(["x", "a", "y", "b"], {"a", "b"}, k=3) == pytest.approx(0.38685, abs=1e-5)
    assert ndcg_at_k(["a", "b"], {"b", "a"}, k=9) == 1.0
    assert ndcg_at_k(["x"], {"a"}, k=9) == 0.0


def test_more_relevant_than_places_can_still_be_perfect() -> None:
    assert ndcg_at_k(["a", "b"], {"a", "b", "c"}, k=2) == 1.0


def test_a_ref_ranked_twice_gains_once_and_at_its_first_place() -> None:
    assert ndcg_at_k(["a", "a"], {"a"}, k=2) == 1.0
    assert ndcg_at_k(["x", "a", "a"], {"a", "b"}, k=3) == pytest.approx(0.63093 / 1.63093, abs=1e-5)


def test_gain_needs_something_relevant_and_a_place() -> None:
    with pytest.raises(ValueError, match="without relevant"):
        ndcg_at_k(["a"], [], k=1)
    with pytest.raises(ValueError, match="at least 1"):
        ndcg_at_k(["a"], ["a"], k=0)


@pytest.mark.parametrize(
    ("ranked", "leads"),
    [
        (["new", "old"], False),
        (["x", "old", "new"], True),
        (["x", "old"], True),
        (["x"], False),
        ([], False),
    ],
)
def test_the_first_of_right_and_forbidden_is_what_counts(ranked: list[str], leads: bool) -> None:
    assert leads_with_forbidden(ranked, ["new"], forbidden=["old"]) is leads


def test_any_other_scope_is_wrong() -> None:
    assert is_wrong_scope(["a", "a", "b"], asked="a")
    assert not is_wrong_scope(["a", "a"], asked="a")


def test_percentiles_by_nearest_rank() -> None:
    values = [float(value) for value in range(20, 0, -1)]
    assert [percentile(values, share) for share in (0.0, 0.05, 0.5, 0.95, 1.0)] == [
        1.0,
        1.0,
        10.0,
        19.0,
        20.0,
    ]
    assert (percentile([], 0.5), mean([])) == (0.0, 0.0)


def test_a_difference_is_clear_when_its_interval_leaves_out_nothing() -> None:
    assert Difference(0.1, 0.01, 0.2, 9).is_clear
    assert Difference(-0.1, -0.2, -0.01, 9).is_clear
    assert not Difference(0.1, 0.0, 0.2, 9).is_clear
    assert not Difference(0.1, -0.1, 0.2, 9).is_clear


def test_the_interval_is_that_of_the_normal_law_for_many_pairs() -> None:
    # 100 of 400 queries gain one: the mean is 0.25, its deviation 0.02165, and 1.96 of that 0.0424.
    after = [1.0] * 100 + [0.0] * 300
    found = paired_bootstrap(after, [0.0] * 400, seed=7)
    assert (found.mean, found.pairs) == (0.25, 400)
    assert found.low == pytest.approx(0.25 - 0.0424, abs=0.006)
    assert found.high == pytest.approx(0.25 + 0.0424, abs=0.006)


def test_the_same_seed_gives_the_same_interval_and_another_may_not() -> None:
    after, before = [0.9, 0.1, 0.4, 0.7, 0.3], [0.1, 0.2, 0.3, 0.4, 0.5]
    first = paired_bootstrap(after, before, seed=1, rounds=200)
    assert first == paired_bootstrap(after, before, seed=1, rounds=200)
    assert first != paired_bootstrap(after, before, seed=2, rounds=200)


def test_a_narrower_level_gives_a_narrower_interval() -> None:
    after, before = [0.9, 0.1, 0.4, 0.7, 0.3], [0.1, 0.2, 0.3, 0.4, 0.5]
    wide, narrow = (paired_bootstrap(after, before, level=level) for level in (0.95, 0.5))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_pairs_must_be_pairs() -> None:
    with pytest.raises(ValueError, match="without pairs"):
        paired_bootstrap([], [])
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        paired_bootstrap([1.0], [])


@given(st.lists(st.tuples(FIGURES, FIGURES), min_size=1, max_size=20))
def test_the_interval_lies_within_the_differences(pairs: list[tuple[float, float]]) -> None:
    after, before = zip(*pairs, strict=True)
    found = paired_bootstrap(after, before, rounds=50)
    gains = [new - old for new, old in pairs]
    slack = 1e-9
    assert min(gains) - slack <= found.low <= found.high <= max(gains) + slack


@given(st.lists(st.sampled_from("abcdef"), max_size=8), st.sets(st.sampled_from("abc"), min_size=1))
def test_gain_is_a_share(ranked: list[str], relevant: set[str]) -> None:
    gain = ndcg_at_k(ranked, relevant, k=5)
    assert 0.0 <= gain <= 1.0 + 1e-12
    assert (gain == 0.0) is relevant.isdisjoint(ranked[:5])
    assert math.isfinite(gain)
