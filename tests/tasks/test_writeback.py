"""The writeback fills what is empty, overwrites what is forced, and says what it could not resolve."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import tasks.writeback
from flows.writeback import write_back, writeback
from sunrise.bootstrap import Home, open_home
from sunrise.domain.links import AMBIGUOUS, MISSING
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.records import fields_changed
from sunrise.errors import DataError
from sunrise.settings import load_settings
from tasks.memory_updates import MemoryUpdates
from tasks.snapshot import snapshots
from tasks.writeback import (
    FIELDS,
    FILL,
    FORCED,
    Writeback,
    WritebackPlan,
    begin_reading,
    compare,
    linked_up_to,
    newest_values,
    read_memories,
)
from tests.fakes import FakeMemoryTable, FrozenClock
from tests.homes import observation, observations, position, run_body

EMPTY: dict[str, Any] = dict.fromkeys(FIELDS)
TYPES: dict[str, Any] = {name: pl.Float64 if name == "importance" else pl.String for name in FIELDS}


def wanted(*rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame([{**EMPTY, **row} for row in rows], schema={"memory_id": pl.String, **TYPES})


def held(*rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame([{**EMPTY, **row} for row in rows], schema={"id": pl.String, **TYPES})


def images(updates: MemoryUpdates) -> list[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    rows = updates.images().to_pylist()
    return [(r["record_ref"], r["reason"], json.loads(r["before"]), json.loads(r["after"])) for r in rows]


KNOWN = wanted(
    {"memory_id": "a", "importance": 0.9, "importance_label": "must_remember", "scope": "ops"},
    {"memory_id": "b", "scope": "ops"},
    {"memory_id": "c", "scope": ""},
    {"memory_id": "gone", "scope": "ops"},
    {"memory_id": "twice", "scope": "ops"},
)
HELD = held({"id": "a", "importance": 0.85, "scope": " "}, {"id": "b", "scope": "hers"}, {"id": "c"})


def test_only_what_is_empty_is_filled() -> None:
    plan = compare(KNOWN, HELD, FILL, version=3, ambiguous=["twice"])
    assert (plan.checked, len(plan.updates), plan.deferred) == (5, 1, 0)
    assert plan.unresolved == {"gone": MISSING, "twice": AMBIGUOUS}
    assert images(plan.updates) == [
        ("mem:a", "fill_empty", {"scope": " "}, {"importance_label": "must_remember", "scope": "ops"}),
    ]
    assert plan.updates.rows().to_pylist() == [
        {"id": "a", "importance_label": "must_remember", "scope": "ops"},
    ]


def test_a_forced_field_is_overwritten_where_the_ledger_says_otherwise() -> None:
    plan = compare(KNOWN, HELD, Writeback.asked(force_fields=["scope"]), version=3)
    assert images(plan.updates) == [
        ("mem:a", "fill_empty", {"scope": " "}, {"importance_label": "must_remember", "scope": "ops"}),
        ("mem:b", "forced", {"scope": "hers"}, {"scope": "ops"}),
    ]
    # What does not change in a row is handed back as it was.
    assert plan.updates.rows().to_pylist()[1] == {"id": "b", "importance_label": None, "scope": "ops"}
    plan = compare(KNOWN, HELD, Writeback.asked(force=True), version=3)
    assert images(plan.updates)[0][2:] == (
        {"importance": 0.85, "scope": " "},
        {"importance": 0.9, "importance_label": "must_remember", "scope": "ops"},
    )


@pytest.mark.parametrize(
    ("own", "ledger", "filled"),
    [
        # A score that stands alone says which label belongs to it, whatever the ledger's judge thinks.
        ({"importance": 0.8}, (0.3, "ignore"), {"importance_label": "must_remember"}),
        ({"importance": 0.5}, (0.9, "must_remember"), {"importance_label": "nice_to_have"}),
        ({"importance": 0.0}, (0.9, "must_remember"), {"importance_label": "ignore"}),
        ({"importance": 0.8}, (None, None), {"importance_label": "must_remember"}),
        # A label that stands alone gets a score of its own.
        ({"importance_label": "must_remember"}, (0.3, "ignore"), {"importance": 0.8}),
        ({"importance_label": "must_remember"}, (0.95, "must_remember"), {"importance": 0.95}),
        ({"importance_label": "must_remember"}, (None, None), {"importance": 0.8}),
        # What is no score, and no label, says nothing.
        ({"importance": 7.0}, (0.9, "must_remember"), {"importance_label": "must_remember"}),
        ({"importance_label": "soon"}, (0.9, "must_remember"), {"importance": 0.9}),
        ({}, (0.3, "ignore"), {"importance": 0.3, "importance_label": "ignore"}),
        ({"importance": 0.8, "importance_label": "ignore"}, (0.3, "ignore"), None),
    ],
)
def test_score_and_label_of_a_memory_agree(
    own: dict[str, Any], ledger: tuple[float | None, str | None], filled: dict[str, Any] | None
) -> None:
    known = wanted({"memory_id": "a", "importance": ledger[0], "importance_label": ledger[1]})
    plan = compare(known, held({"id": "a", **own}), FILL, version=1)
    assert [after for *_, after in images(plan.updates)] == ([] if filled is None else [filled])


def test_what_is_no_number_is_kept_in_the_image() -> None:
    plan = compare(
        wanted({"memory_id": "a", "importance": 0.5}),
        held({"id": "a", "importance": float("nan")}),
        Writeback.asked(force_fields=["importance"]),
        version=1,
    )
    ((_, reason, before, after),) = images(plan.updates)
    assert (reason, str(before["importance"]), after) == ("forced", "nan", {"importance": 0.5})


def test_a_limit_puts_the_rest_off() -> None:
    known = wanted(*({"memory_id": str(n), "scope": "ops"} for n in range(5)))
    plan = compare(known, held(*({"id": str(n)} for n in range(5))), Writeback(limit=2), version=1)
    assert (len(plan.updates), plan.deferred) == (2, 3)
    assert [len(part) for part in plan.updates.batches(1)] == [1, 1]
    empty = WritebackPlan(0, MemoryUpdates(plan.updates.frame.clear(), plan.updates.fields, 1))
    assert (empty.updates.batches(5), empty.updates.images().num_rows) == ([], 0)


def test_of_several_observations_the_newest_value_of_each_field_counts() -> None:
    rows = pl.DataFrame(
        [
            {**EMPTY, "memory_id": "a", "observation_id": 3, "scope": "new", "trust_tier": "trusted"},
            {**EMPTY, "memory_id": "a", "observation_id": 1, "scope": "old", "importance": 0.4},
            {**EMPTY, "memory_id": "b", "observation_id": 2},
        ],
        schema={
            "memory_id": pl.String, "observation_id": pl.Int64, "importance_from": pl.String, **TYPES
        },
    )  # fmt: skip
    first, second = newest_values(rows).rows(named=True)
    assert (first["memory_id"], first["scope"], first["importance"], first["trust_tier"]) == (
        "a", "new", 0.4, None,
    )  # fmt: skip
    assert (second["memory_id"], second["scope"]) == ("b", None)


def test_what_is_asked_for_is_checked() -> None:
    assert Writeback.asked(force=True).force == FORCED
    assert "trust_tier" not in FORCED
    assert Writeback.asked(force=True, force_fields=["trust_tier", "scope"]).force == ("scope", "trust_tier")
    assert (Writeback.asked(limit=3).everything, Writeback.asked(force=True).everything) == (False, True)
    with pytest.raises(DataError, match="no such field: text, vector"):
        Writeback.asked(force_fields=["vector", "text", "scope"])
    with pytest.raises(DataError, match="begin at 1"):
        Writeback.asked(limit=0)


def put(path: Path, *rows: dict[str, Any]) -> None:
    with open_home(load_settings(path), clock=FrozenClock()) as home:
        home.ledger.commit_harvest(observations(*rows), rejected=(), position=position())


@pytest.fixture
def linked(home_path: Path) -> Path:
    """A home whose ledger knows something of three memories, one of which is gone."""
    put(
        home_path,
        observation(
            "1", memory_id="m-tea", importance_score=0.6, importance_label="nice_to_have", scope="me"
        ),
        observation("2", memory_id="m-zh", trust_tier="trusted", detail_json='{"category": "rule"}'),
        observation("3", memory_id="m-gone", scope="me"),
        observation("4", tool_name="memory_store"),
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
    counts = ("updated", "skipped", "missing", "overwritten", "overwrittenFields", "unlinked")
    assert {name: receipt.counts[name] for name in counts} == {
        "updated": 2, "skipped": 0, "missing": 1, "overwritten": 0, "overwrittenFields": 0, "unlinked": 1,
    }  # fmt: skip
    # The plugin's own importance and category are there already, and stand.
    assert receipt.groups["filled_by_field"] == {
        "importance_label": 2, "scope": 1, "trust_tier": 1, "source_kind": 2, "lang": 2, "state": 2,
    }  # fmt: skip
    assert (receipt.refs["missingIds"], receipt.refs["unlinked"]) == (("m-gone",), ("obs:4",))
    assert [one.code for one in receipt.anomalies] == ["missing_ids"]
    assert memories(linked, "text", "vector", "importance", "category", "createdAt") == texts
    now = memories(linked, "importance_label", "scope", "trust_tier", "source_kind")
    assert now["m-tea"] == {
        "importance_label": "nice_to_have", "scope": "me", "trust_tier": None, "source_kind": "agent",
    }  # fmt: skip
    assert now["m-zh"]["trust_tier"] == "trusted"
    again = write(linked)
    # A memory that is gone is looked for again, and told of once; what was told is not looked at again.
    assert (again.status, again.counts["checked"], again.counts["missing"]) == (RunStatus.OK, 1, 1)
    with open_home(load_settings(linked)) as home:
        assert len(home.ledger.changes(run_id=receipt.run_id)) == 2
        assert home.ledger.changes(run_id=again.run_id) == ()


def test_one_merge_makes_one_version_and_the_indices_cover_all(linked: Path) -> None:
    run_body(linked, lambda run: None, flow="index")
    with open_home(load_settings(linked)) as home:
        table = home.memories()
        assert table is not None
        table.adopt()
        table.build_missing_indices()
        before = table.newest_version()
    write(linked)
    with open_home(load_settings(linked)) as home:
        table = home.memories()
        assert table is not None
        state = table.state()
    assert {index.column: index.unindexed_rows for index in state.indices if index.unindexed_rows} == {}
    write(linked)
    with open_home(load_settings(linked)) as home:
        table = home.memories()
        assert table is not None
        assert table.newest_version() == state.version > before


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
    counts = ("updated", "missing", "ambiguous")
    assert [receipt.counts[name] for name in counts] == [1, 1, 1]
    assert receipt.refs["ambiguousIds"] == ("m-tea",)
    assert {one.code for one in receipt.anomalies} == {"missing_ids", "ambiguous_ids"}
    assert receipt.adds_up
    assert write(linked).anomalies == ()


def test_a_memory_that_came_later_is_filled_and_one_that_goes_again_is_news(linked: Path) -> None:
    write(linked)
    with open_home(load_settings(linked)) as home:
        table = home.memories()
        assert table is not None
        table.add(pa.table({"id": ["m-gone"], "text": ["there it is"]}))
    assert write(linked).counts["updated"] == 1
    assert memories(linked, "scope")["m-gone"] == {"scope": "me"}
    put(linked, observation("5", memory_id="m-never", scope="me"))
    receipt = write(linked)
    assert (receipt.refs["missingIds"], receipt.anomalies[0].count) == (("m-never",), 1)


def test_what_changes_in_the_ledger_later_reaches_the_memory(linked: Path) -> None:
    with open_home(load_settings(linked)) as home:
        table = home.memories()
        assert table is not None
        table.add(pa.table({"id": ["m-gone"], "text": ["it has no score of its own"]}))
    write(linked)
    grades = pa.table(
        {
            "id": [3],
            "score": [0.9],
            "label": ["must_remember"],
            "method": ["m"],
            "version": [1],
            "rationale": ["r"],
        }
    )
    with open_home(load_settings(linked)) as home:
        home.ledger.save_grades(grades, run_id="grade", seen_up_to=4)
    receipt = write(linked)
    assert receipt.groups["filled_by_field"] == {"importance": 1, "importance_label": 1}
    assert memories(linked, "importance_label")["m-gone"] == {"importance_label": "must_remember"}


def test_a_forced_run_takes_a_snapshot_and_says_what_it_overwrote(linked: Path) -> None:
    write(linked)
    put(linked, observation("6", memory_id="m-tea", scope="home", trust_tier="untrusted"))
    receipt = write_back.fn(home=str(linked), force_fields=["scope"])
    counts = ("checked", "updated", "overwritten", "overwrittenFields", "missing")
    assert [receipt.counts[name] for name in counts] == [3, 1, 1, 1, 1]
    assert receipt.groups["overwritten_by_field"] == {"scope": 1}
    assert (receipt.facts["forceOverwrite"], receipt.facts["forceFields"]) == ("yes", "scope")
    assert memories(linked, "scope", "trust_tier")["m-tea"] == {"scope": "home", "trust_tier": "untrusted"}
    with open_home(load_settings(linked)) as home:
        assert [one.reason for one in snapshots(home)] == ["before-forced-writeback"]
        (whole,) = home.ledger.changes(run_id=receipt.run_id)
    assert [(one.field, one.before, one.after) for one in fields_changed(whole)] == [
        ("scope", '"me"', '"home"'), ("trust_tier", "null", '"untrusted"'),
    ]  # fmt: skip


def test_a_limited_run_goes_on_where_it_ended(linked: Path) -> None:
    first = write_back.fn(home=str(linked), limit=1)
    assert (first.counts["updated"], first.counts["deferred"]) == (1, 1)
    second = write_back.fn(home=str(linked), limit=1, batch=1)
    assert (second.counts["updated"], second.counts["deferred"], second.counts["skipped"]) == (1, 0, 1)
    assert write(linked).counts["checked"] == 1


def test_changes_are_noted_by_the_id_of_their_memory() -> None:
    known = wanted(*({"memory_id": name, "scope": "ops"} for name in ("c", "a", "b")))
    plan = compare(known, held(*({"id": name} for name in "abc")), FILL, version=1)
    assert [ref for ref, *_ in images(plan.updates)] == ["mem:a", "mem:b", "mem:c"]


@pytest.mark.parametrize("many", [1, 3])
def test_reading_all_memories_beside_the_ledger_tells_what_their_ids_would(
    home: Home, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    monkeypatch.setattr(tasks.writeback, "MANY_LINKS", many)
    rows = [observation(name, memory_id=name) for name in ("m1", "gone")]
    home.ledger.commit_harvest(observations(*rows), rejected=(), position=None)
    ids = ["m1", "m2", "m1", None]
    table = FakeMemoryTable(pa.table({"id": ids, "scope": ["a", "b", "c", "d"]}))
    with ThreadPoolExecutor(1) as pool:
        begun = begin_reading(pool, home, table, up_to=linked_up_to(home), everything=False)
        assert (begun is None) == (many == 3)
        found, version = read_memories(table, pl.Series(["m1", "gone"]), begun)
    assert version == table.newest_version()
    assert sorted(found.select("id", "scope", "state").rows()) == [("m1", "a", None), ("m1", "c", None)]
