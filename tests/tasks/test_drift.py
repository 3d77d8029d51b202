from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa

from flows.drift import drift
from sunrise.bootstrap import Home, open_home
from sunrise.domain.drift import DriftVerdict
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.retention import DAY_MS
from sunrise.settings import load_settings
from tasks.drift import (
    Statistics,
    judge_statistics,
    memory_distribution,
    read_baseline,
    renew_baseline,
    statistics_of,
)
from tests.fakes import FakeMemoryTable, FrozenClock
from tests.homes import NOW, observation, observations, position, run_body


def test_rows_without_label_or_scope_are_counted_too() -> None:
    rows = pl.DataFrame(
        [(None, "ops", 2), ("ignore", None, 3), ("ignore", "ops", 4)],
        schema={"importance_label": pl.String, "scope": pl.String, "rows": pl.Int64},
        orient="row",
    )
    assert statistics_of("ledger", rows) == {
        "ledger.importance_label": {"ignore": 7, "unknown": 2},
        "ledger.scope": {"none": 3, "ops": 6},
    }


def test_a_table_without_governance_columns_is_all_unknown() -> None:
    table = FakeMemoryTable(pa.table({"id": ["a", "b"]}))
    rows = memory_distribution(table)
    assert rows.columns == ["importance_label", "scope", "rows"]
    table = FakeMemoryTable()
    table.add(pa.table({"id": ["a", "b", "c"], "scope": ["x", "x", None]}))
    assert statistics_of("memories", memory_distribution(table)) == {
        "memories.importance_label": {"unknown": 3},
        "memories.scope": {"none": 1, "x": 2},
    }


def judged(home: Home, statistics: Statistics) -> tuple[list[DriftVerdict], bool]:
    baseline = read_baseline(home)
    found = judge_statistics(home, statistics, baseline)
    return [one.verdict for one in found], renew_baseline(home, statistics, baseline, found)


def test_a_baseline_is_taken_first_and_then_stands_while_something_moves(
    home: Home, clock: FrozenClock
) -> None:
    even, moved = {"s": {"a": 50, "b": 50}}, {"s": {"a": 95, "b": 5}}
    assert judged(home, even) == ([DriftVerdict.BASELINE], True)
    assert judged(home, even) == ([DriftVerdict.STABLE], False)
    clock.ms += 8 * DAY_MS
    # Old as it is: what moves must not carry its own measure along.
    assert judged(home, moved) == ([DriftVerdict.DRIFTED], False)
    before = read_baseline(home)
    assert before is not None
    assert (before.taken_ms, before.statistics) == (NOW, even)
    quiet = {"s": {"a": 52, "b": 50}}
    assert judged(home, quiet) == ([DriftVerdict.STABLE], True)
    after = read_baseline(home)
    assert after is not None
    assert (after.taken_ms, after.statistics) == (clock.ms, quiet)


def test_a_young_baseline_is_not_renewed(home: Home, clock: FrozenClock) -> None:
    judged(home, {"s": {"a": 50, "b": 50}})
    clock.ms += 7 * DAY_MS - 1
    assert judged(home, {"s": {"a": 52, "b": 50}}) == ([DriftVerdict.STABLE], False)


def test_what_is_new_or_was_too_small_gets_its_baseline(home: Home) -> None:
    judged(home, {"s": {"a": 50, "b": 50}, "small": {"a": 1}})
    verdicts, renewed = judged(home, {"s": {"a": 50, "b": 50}, "small": {"a": 60}, "new": {"a": 70}})
    # By name: new, s, small.
    assert verdicts == [DriftVerdict.BASELINE, DriftVerdict.STABLE, DriftVerdict.INSUFFICIENT]
    assert renewed
    baseline = read_baseline(home)
    assert baseline is not None
    assert baseline.statistics == {"s": {"a": 50, "b": 50}, "small": {"a": 60}, "new": {"a": 70}}


def put(path: Path, clock: FrozenClock, count: int, *, label: str, first: int) -> None:
    with open_home(load_settings(path), clock=clock) as home:
        rows = [
            observation(f"k{n}", importance_label=label, scope="ops") for n in range(first, first + count)
        ]
        home.ledger.commit_harvest(observations(*rows), rejected=(), position=position())


def go(path: Path, *, dry_run: bool = False) -> RunReceipt:
    return run_body(path, drift, flow="drift", dry_run=dry_run)


def test_a_ledger_that_turns_is_told_of(home_path: Path, clock: FrozenClock) -> None:
    put(home_path, clock, 60, label="ignore", first=0)
    assert go(home_path, dry_run=True).counts["baseline"] == 4
    first = go(home_path)
    assert (first.status, first.counts["baseline"], first.counts["statistics"]) == (RunStatus.OK, 4, 4)
    again = go(home_path)
    # Sixty observations are judged, six memories are too few.
    assert (again.counts["stable"], again.counts["insufficient"]) == (2, 2)
    put(home_path, clock, 60, label="must_remember", first=100)
    turned = go(home_path)
    assert (turned.status, turned.counts["drifted"]) == (RunStatus.ANOMALY, 1)
    assert "ledger.importance_label moved" in turned.anomalies[0].message
    assert turned.figures["index.ledger.importance_label"] > 0.25
    assert turned.figures["index.ledger.scope"] == 0
    assert "Population stability index" in next(
        (home_path / "reports" / "runs").glob(f"{turned.run_id}*")
    ).read_text("utf-8")


def test_without_a_table_the_ledger_is_judged_alone(home_path: Path, tmp_path: Path) -> None:
    with (home_path / "sunrise.toml").open("a") as file:
        file.write(f'[memories]\nuri = "{tmp_path / "nowhere"}"\n')
    receipt = go(home_path)
    assert (receipt.counts["statistics"], receipt.facts["memories"]) == (2, "no_memories_table")
