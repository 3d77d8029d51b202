"""Whether a distribution moved: the population stability index between a baseline and now."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class DriftVerdict(StrEnum):
    """What the index says. INSUFFICIENT: too few rows to judge; BASELINE: nothing to compare with yet."""

    STABLE = "stable"
    SHIFTED = "shifted"
    DRIFTED = "drifted"
    INSUFFICIENT = "insufficient"
    BASELINE = "baseline"


@dataclass(frozen=True, slots=True)
class DriftThresholds:
    """Index values from which a shift is noted and called drift; rows below which nothing is judged."""

    warn: float = 0.1
    alarm: float = 0.25
    min_rows: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftFinding:
    """One statistic of one run: how many rows each side had, the index, and the verdict."""

    statistic: str
    rows: int
    baseline_rows: int
    index: float
    verdict: DriftVerdict


def population_stability_index(baseline: Mapping[str, int], current: Mapping[str, int]) -> float:
    """
    Return the population stability index of two counts by category.

    ``sum((c - b) * ln(c / b))`` over shares b and c, the symmetrised Kullback-Leibler divergence (N. Siddiqi,
    Credit Risk Scorecards, 2006, which also gives the limits 0.1 and 0.25). Half a row is added to each
    category, so that one that is new or gone counts without being infinite.

    >>> population_stability_index({"a": 50, "b": 50}, {"a": 50, "b": 50})
    0.0
    """
    categories = sorted(baseline.keys() | current.keys())
    if not categories:
        return 0.0
    b = _shares(baseline, categories)
    c = _shares(current, categories)
    return sum((now - then) * math.log(now / then) for then, now in zip(b, c, strict=True))


def compare(
    statistic: str,
    *,
    baseline: Mapping[str, int] | None,
    current: Mapping[str, int],
    thresholds: DriftThresholds,
) -> DriftFinding:
    """Compare one statistic with its baseline, if there is one and both sides have rows enough."""
    rows, before = sum(current.values()), sum((baseline or {}).values())
    index = 0.0 if baseline is None else population_stability_index(baseline, current)
    verdict = _verdict(index, thresholds)
    if min(rows, before) < thresholds.min_rows:
        verdict = DriftVerdict.INSUFFICIENT
    if baseline is None:
        verdict = DriftVerdict.BASELINE
    return DriftFinding(
        statistic=statistic, rows=rows, baseline_rows=before, index=round(index, 6), verdict=verdict
    )


def _shares(counts: Mapping[str, int], categories: list[str]) -> list[float]:
    total = sum(counts.values()) + 0.5 * len(categories)
    return [(counts.get(category, 0) + 0.5) / total for category in categories]


def _verdict(index: float, thresholds: DriftThresholds) -> DriftVerdict:
    if index >= thresholds.alarm:
        return DriftVerdict.DRIFTED
    return DriftVerdict.SHIFTED if index >= thresholds.warn else DriftVerdict.STABLE
