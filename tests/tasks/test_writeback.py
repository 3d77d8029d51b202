from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

from flows.writeback import writeback
from sunrise.bootstrap import Home, open_home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.settings import load_settings
from tasks.writeback import FIELDS, compare, newest_values, newly_missing
from tests.fakes import FrozenClock
from tests.homes import observation, observations, position, run_body

EMPTY: dict[str, Any] = dict.fromkeys(FIELDS)
TYPES: dict[str, Any] = {name: pl.Float64 if name == "importance" else pl.String for name in FIELDS}


def wanted(*rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame([{**EMPTY, **row} for row in rows], schema={"memory_id": pl.String, **TYPES})


def held(*rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame([{**EMPTY, **row} for row in rows], schema={"id": pl.String, **TYPES})


def test_only_what_is_empty_is_filled() -> None:
    plan = compare(
        wanted(
            {"memory_id": "a", "importance": 0.9, "importance_label": "must_remember", "scope": "ops"},
            {"memory_id": "b", "scope": "ops"},
            {"memory_id": "c", "scope": ""},
            {"memory_id": "gone", "scope": "ops"},
        ),
        held({"id": "a", "importance": 0.0, "scope": " "}, {"id": "b", "scope": "hers"}, {"id": "c"}),
    )
    assert (plan.checked, plan.memories, plan.skipped, plan.missing) == (4, 1, 2, ["gone"])
    assert [(c.record_ref, c.field, c.before, c.after) for c in plan.changes] == [
        ("mem:a", "importance_label", "null", '"must_remember"'),
        ("mem:a", "scope", '" "', '"ops"'),
    ]
    assert plan.checked == plan.memories + plan.skipped + len(plan.missing)


def test_of_several_observations_the_newest_value_of_each_field_counts() -> None:
    rows = pl.DataFrame(
        [
            {**EMPTY, "memory_id": "a", "observation_id": 3, "scope": "new"},
            {**EMPTY, "memory_id": "a", "observation_id": 1, "scope": "old", "importance": 0.4},
            {**EMPTY, "memory_id": "b", "observation_id": 2},
        ],
        schema={"memory_id": pl.String, "observation_id": pl.Int64, **TYPES},
    )
    first, second = newest_values(rows).rows(named=True)
    assert (first["memory_id"], first["scope"], first["importance"]) == ("a", "new", 0.4)
    assert (second["memory_id"], second["scope"]) == ("b", None)


@pytest.fixture
def linked(home_path: Path, clock: FrozenClock) -> Path:
    """A home whose ledger knows something of three memories, one of which is gone."""
    with open_home(load_settings(home_path), clock=clock) as home:
        home.ledger.commit_harvest(
            observations(
                observation(
                    "1", memory_id="m-tea", importance_score=0.6, importance_label="nice_to_have", scope="me"
                ),
                observation("2", memory_id="m-zh", trust_tier="trusted", detail_json='{"category": "rule"}'),
                observation("3", memory_id="m-gone", scope="me"),
                observation("4"),
            ),
            rejected=(),
            position=position(),
        )
    return home_path


def memories(home_path: Path, *names: str) -> dict[str, dict[str, Any]]:
    with open_home(load_settings(home_path)) as home:
        table = home.memories()
        assert table is not None
        return {row.pop("id"): row for row in table.scan(["id", *names]).to_pylist()}


def write(home_path: Path, *, dry_run: bool = False) -> RunReceipt:
    return run_body(home_path, writeback, flow="writeback", dry_run=dry_run)


def test_the_ledger_fills_the_memories_once(linked: Path) -> None:
    texts = memories(linked, "text", "vector", "importance", "category", "createdAt")
    receipt = write(linked)
    assert (receipt.status, receipt.counts["checked"]) == (RunStatus.ANOMALY, 3)
    counts = ("updated", "skipped", "missing", "overwritten", "overwrittenFields")
    assert {name: receipt.counts[name] for name in counts} == {
        "updated": 2, "skipped": 0, "missing": 1, "overwritten": 0, "overwrittenFields": 0,
    }  # fmt: skip
    # The plugin's own importance and category are there already, and stand.
    assert receipt.groups["filled_by_field"] == {"importance_label": 1, "scope": 1, "trust_tier": 1}
    assert receipt.refs["missingIds"] == ("m-gone",)
    assert [one.code for one in receipt.anomalies] == ["missing_ids"]
    assert memories(linked, "text", "vector", "importance", "category", "createdAt") == texts
    now = memories(linked, "importance_label", "scope", "trust_tier")
    assert now["m-tea"] == {"importance_label": "nice_to_have", "scope": "me", "trust_tier": None}
    assert now["m-zh"]["trust_tier"] == "trusted"
    again = write(linked)
    # A memory that is gone is told of once.
    assert (again.status, again.counts["updated"], again.counts["skipped"]) == (RunStatus.OK, 0, 2)
    with open_home(load_settings(linked)) as home:
        assert len(home.ledger.changes(run_id=receipt.run_id)) == 3
        assert home.ledger.changes(run_id=again.run_id) == ()


def test_a_dry_run_counts_the_same_and_fills_nothing(linked: Path) -> None:
    receipt = write(linked, dry_run=True)
    assert (receipt.counts["updated"], receipt.counts["missing"]) == (2, 1)
    assert list(memories(linked, "scope")["m-tea"]) == []
    assert write(linked).counts["updated"] == 2


def test_an_id_that_stands_in_the_table_twice_is_refused_not_guessed(linked: Path) -> None:
    with open_home(load_settings(linked)) as home:
        table = home.memories()
        assert table is not None
        table.add(pa.table({"id": ["m-tea"], "text": ["a double"]}))
    receipt = write(linked)
    assert receipt.groups["quarantined_by_reason"] == {"id.not_unique": 2}
    assert (receipt.counts["updated"], receipt.counts["missing"]) == (1, 2)
    assert receipt.adds_up


def test_a_memory_comes_back_into_the_news_after_it_was_there_again(home: Home) -> None:
    assert newly_missing(home, ["a", "b"], dry_run=True) == ["a", "b"]
    assert newly_missing(home, ["a", "b"], dry_run=False) == ["a", "b"]
    assert newly_missing(home, ["a", "c"], dry_run=False) == ["c"]
    assert newly_missing(home, ["b"], dry_run=False) == ["b"]
    assert json.loads(home.ledger.get_note("writeback.missing_ids") or "") == ["b"]
