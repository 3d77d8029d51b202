from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.drift import DriftThresholds, DriftVerdict, compare, population_stability_index

COUNTS = st.dictionaries(st.sampled_from("abcde"), st.integers(0, 1000), max_size=5)
FEW = st.dictionaries(st.sampled_from("abcde"), st.integers(0, 20), max_size=5)
LIMITS = DriftThresholds(warn=0.1, alarm=0.25, min_rows=4)


def test_the_index_worked_by_hand() -> None:
    # Half a row more each: shares 3.5/5 and 1.5/5 against 1.5/5 and 3.5/5.
    assert population_stability_index({"a": 3, "b": 1}, {"a": 1, "b": 3}) == pytest.approx(
        0.8 * math.log(7 / 3)
    )
    # A category that is new: 4.5/5, 0.5/5 against 2.5/5, 2.5/5.
    wanted = 0.4 * math.log(0.9 / 0.5) + 0.4 * math.log(0.5 / 0.1)
    assert population_stability_index({"a": 4}, {"a": 2, "b": 2}) == pytest.approx(wanted)


def test_nothing_against_nothing_is_no_drift() -> None:
    assert population_stability_index({}, {}) == 0.0


@given(one=COUNTS, other=COUNTS)
def test_the_index_is_symmetric_and_never_negative(one: dict[str, int], other: dict[str, int]) -> None:
    index = population_stability_index(one, other)
    assert index == pytest.approx(population_stability_index(other, one), abs=1e-12)
    assert index >= 0


@given(one=FEW, other=FEW)
def test_the_index_is_zero_only_for_equal_shares(one: dict[str, int], other: dict[str, int]) -> None:
    names = sorted(one.keys() | other.keys())

    def share(counts: dict[str, int], name: str) -> float:
        return (counts.get(name, 0) + 0.5) / (sum(counts.values()) + 0.5 * len(names))

    equal = all(math.isclose(share(one, name), share(other, name), abs_tol=1e-9) for name in names)
    assert (population_stability_index(one, other) < 1e-12) == equal


@pytest.mark.parametrize(
    ("baseline", "current", "verdict"),
    [
        (None, {"a": 9}, DriftVerdict.BASELINE),
        (None, {}, DriftVerdict.BASELINE),
        ({"a": 3}, {"a": 9}, DriftVerdict.INSUFFICIENT),
        ({"a": 9}, {"a": 3}, DriftVerdict.INSUFFICIENT),
        ({"a": 50, "b": 50}, {"a": 50, "b": 50}, DriftVerdict.STABLE),
        ({"a": 50, "b": 50}, {"a": 70, "b": 30}, DriftVerdict.SHIFTED),
        ({"a": 50, "b": 50}, {"a": 90, "b": 10}, DriftVerdict.DRIFTED),
    ],
)
def test_verdicts(baseline: dict[str, int] | None, current: dict[str, int], verdict: DriftVerdict) -> None:
    found = compare("s", baseline=baseline, current=current, thresholds=LIMITS)
    assert found.verdict is verdict
    assert (found.statistic, found.rows) == ("s", sum(current.values()))
    assert found.baseline_rows == sum((baseline or {}).values())


def test_a_limit_belongs_to_the_worse_verdict() -> None:
    index = compare(
        "s", baseline={"a": 5, "b": 5}, current={"a": 6, "b": 4}, thresholds=DriftThresholds(min_rows=1)
    ).index
    exact = population_stability_index({"a": 5, "b": 5}, {"a": 6, "b": 4})
    assert index == round(exact, 6)
    for limits, verdict in (
        (DriftThresholds(warn=exact, alarm=1, min_rows=1), DriftVerdict.SHIFTED),
        (DriftThresholds(warn=exact / 2, alarm=exact, min_rows=1), DriftVerdict.DRIFTED),
    ):
        found = compare("s", baseline={"a": 5, "b": 5}, current={"a": 6, "b": 4}, thresholds=limits)
        assert found.verdict is verdict
