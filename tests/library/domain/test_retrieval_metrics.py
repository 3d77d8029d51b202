from __future__ import annotations

import doctest

import pytest

from sunrise.domain import filters, fusion, retrieval_metrics
from sunrise.domain.retrieval_metrics import hit_at_k, recall_at_k, reciprocal_rank

RANKED = ["x", "a", "y", "b"]


@pytest.mark.parametrize(
    ("k", "recall", "hit"), [(1, 0.0, False), (2, 0.5, True), (3, 0.5, True), (4, 1.0, True), (99, 1.0, True)]
)
def test_recall_and_hit_grow_with_k(k: int, recall: float, hit: bool) -> None:
    assert recall_at_k(RANKED, ["a", "b", "a"], k=k) == recall
    assert hit_at_k(RANKED, {"a", "b"}, k=k) is hit


def test_a_relevant_ref_ranked_twice_counts_once() -> None:
    assert recall_at_k(["a", "a"], {"a", "b"}, k=2) == 0.5


def test_the_first_relevant_rank_is_what_counts() -> None:
    assert reciprocal_rank(RANKED, {"b", "a"}) == 0.5
    assert reciprocal_rank(RANKED, {"b"}) == 0.25
    assert reciprocal_rank(RANKED, {"q"}) == 0.0
    assert reciprocal_rank([], {"q"}) == 0.0


def test_a_figure_that_cannot_exist_is_an_error() -> None:
    with pytest.raises(ValueError, match="without relevant"):
        reciprocal_rank(RANKED, set())
    with pytest.raises(ValueError, match="without relevant"):
        recall_at_k(RANKED, [], k=1)
    with pytest.raises(ValueError, match="at least 1"):
        hit_at_k(RANKED, {"a"}, k=0)


@pytest.mark.parametrize("module", [filters, fusion, retrieval_metrics], ids=lambda module: module.__name__)
def test_the_examples_hold(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]
