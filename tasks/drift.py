"""Steps of the drift watch: count labels and scopes, compare with the baseline, renew a quiet one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import polars as pl

from reports.sections import Section
from sunrise.bootstrap import Home
from sunrise.domain.drift import DriftFinding, DriftThresholds, DriftVerdict, compare
from sunrise.domain.importance import ImportanceLabel
from sunrise.domain.retention import DAY_MS
from sunrise.ports import MemoryTable

_NOTE = "drift.baseline"
_NO_VALUE = "none"

Statistics = dict[str, dict[str, int]]
"""Counts by category, by the name of the statistic."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The distributions that a run is compared with, and when they were taken (epoch ms)."""

    taken_ms: int
    statistics: Statistics


def ledger_distribution(home: Home) -> pl.DataFrame:
    """Return how many observations have each label and scope."""
    return pl.DataFrame(home.ledger.distribution())


def memory_distribution(table: MemoryTable) -> pl.DataFrame:
    """Return how many memories have each label and scope."""
    held = pl.DataFrame(table.scan(["importance_label", "scope"]))
    absent = [pl.lit(None, dtype=pl.String).alias(n) for n in ("importance_label", "scope") if n not in held]
    counted = held.with_columns(absent).group_by("importance_label", "scope").len("rows")
    return counted.select("importance_label", "scope", pl.col("rows").cast(pl.Int64))


def statistics_of(store: str, rows: pl.DataFrame) -> Statistics:
    """Return the label and scope counts of one store; rows without a label count as unknown."""
    return {
        f"{store}.importance_label": _counts(rows, "importance_label", empty=str(ImportanceLabel.UNKNOWN)),
        f"{store}.scope": _counts(rows, "scope", empty=_NO_VALUE),
    }


def read_baseline(home: Home) -> Baseline | None:
    """Return the baseline, or None before the first run."""
    text = home.ledger.get_note(_NOTE)
    return Baseline(**json.loads(text)) if text else None


def judge_statistics(
    home: Home, statistics: Mapping[str, dict[str, int]], baseline: Baseline | None
) -> list[DriftFinding]:
    """Compare each statistic with the baseline."""
    limits = home.settings.drift
    thresholds = DriftThresholds(warn=limits.warn, alarm=limits.alarm, min_rows=limits.min_rows)
    before = baseline.statistics if baseline else {}
    return [
        compare(name, baseline=before.get(name), current=counts, thresholds=thresholds)
        for name, counts in sorted(statistics.items())
    ]


def renew_baseline(
    home: Home, statistics: Statistics, baseline: Baseline | None, findings: list[DriftFinding]
) -> bool:
    """
    Take a new baseline for what has none, and for all once the old one is old and nothing moved.

    While something is moving the baseline stays: a slow drift must not carry its own measure along.
    """
    now = home.clock.now_ms()
    fresh = {f.statistic for f in findings if f.verdict in (DriftVerdict.BASELINE, DriftVerdict.INSUFFICIENT)}
    quiet = all(
        f.verdict is not DriftVerdict.DRIFTED and f.verdict is not DriftVerdict.SHIFTED for f in findings
    )
    old = baseline is None or now - baseline.taken_ms >= home.settings.drift.baseline_days * DAY_MS
    if quiet and old:
        kept = statistics
    else:
        kept = {**(baseline.statistics if baseline else {}), **{n: statistics[n] for n in sorted(fresh)}}
    renewed = Baseline(now if (quiet and old) or baseline is None else baseline.taken_ms, kept)
    if baseline is not None and renewed.statistics == baseline.statistics:
        return False
    home.ledger.put_note(_NOTE, json.dumps(asdict(renewed), ensure_ascii=False, sort_keys=True))
    return True


def findings_section(findings: list[DriftFinding]) -> Section:
    """Return the table of verdicts for the page."""
    return Section(
        title="Statistics",
        note="Population stability index against the baseline.",
        columns=("statistic", "verdict", "index", "rows", "baseline rows"),
        rows=tuple((f.statistic, str(f.verdict), f.index, f.rows, f.baseline_rows) for f in findings),
    )


def _counts(rows: pl.DataFrame, column: str, *, empty: str) -> dict[str, int]:
    grouped = rows.group_by(pl.col(column).fill_null(empty)).agg(pl.col("rows").sum()).sort(column)
    return {str(value): int(count) for value, count in grouped.iter_rows()}
