from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa

from flows.index import index
from sunrise.bootstrap import existing_memories
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.errors import StoreError
from sunrise.ports import IndexState, MemoryTable, TableState
from sunrise.settings import load_settings
from tasks.index import (
    backfill_terms,
    build_indices,
    count_without_terms,
    needs_optimizing,
    probe_indices,
)
from tests.fakes import FakeMemoryTable
from tests.homes import MEMORIES, run_body


def go(path: Path, *, dry_run: bool = False) -> RunReceipt:
    return run_body(path, index, flow="index", dry_run=dry_run)


def table_of(path: Path) -> MemoryTable:
    table = existing_memories(load_settings(path))
    assert table is not None
    return table


def test_texts_that_another_writer_added_are_analysed_once() -> None:
    table = FakeMemoryTable()
    table.add(
        pa.table(
            {
                "id": ["a", "b", "c", None, "d"],
                "text": ["Backups run", None, "茶", "no id", "kept"],
                "terms": [None, None, None, None, "as it was"],
            }
        )
    )
    assert count_without_terms(table) == 4
    assert backfill_terms(table) == 3
    assert table.scan(["id", "terms"]).to_pylist() == [
        {"id": "a", "terms": "backup run"},
        {"id": "b", "terms": ""},
        {"id": "c", "terms": "茶"},
        {"id": None, "terms": None},
        {"id": "d", "terms": "as it was"},
    ]
    version = table.version
    assert backfill_terms(table) == 0
    assert table.version == version


def test_a_table_without_the_column_has_no_terms_at_all() -> None:
    assert count_without_terms(FakeMemoryTable(pa.table({"id": ["a", "b"]}))) == 2


def state(*unindexed: int, fragments: int = 1) -> TableState:
    indices = tuple(IndexState(f"i{n}", f"c{n}", "btree", rows) for n, rows in enumerate(unindexed))
    return TableState(1, 10, 10, fragments, 1, {}, indices)


def test_what_asks_for_optimizing() -> None:
    assert not needs_optimizing(state(0, 0, fragments=20), max_fragments=20)
    assert needs_optimizing(state(0, 1), max_fragments=20)
    assert needs_optimizing(state(0, fragments=21), max_fragments=20)
    assert not needs_optimizing(state(), max_fragments=20)


def test_probes_tell_an_index_that_does_not_answer() -> None:
    class Broken(FakeMemoryTable):
        def by_ids(self, ids: object, columns: object) -> pa.Table:
            raise StoreError("the index is gone")

    table = Broken()
    assert probe_indices(table) == []
    table.add(pa.table({"id": ["a"], "terms": ["backup run"]}))
    build_indices(table)
    by_id, by_terms, by_filter = probe_indices(table)
    assert (by_id.ok, by_id.detail) == (False, "the index is gone")
    assert (by_terms.ok, by_filter.ok) == (True, True)


def test_a_plugins_table_becomes_searchable(home_path: Path) -> None:
    before = table_of(home_path).scan(["id", "text", "vector"]).sort_by("id")
    receipt = go(home_path)
    assert receipt.status is RunStatus.OK
    counts = receipt.counts
    assert (counts["rows"], counts["backfilled"], counts["indices_built"]) == (6, 6, 8)
    assert (counts["probes"], counts["probes_ok"], counts["unindexed_after"]) == (3, 3, 0)
    assert counts["unindexed_before"] == len(MEMORIES)
    table = table_of(home_path)
    assert table.scan(["id", "text", "vector"]).sort_by("id") == before
    found = table.search_terms("备份", columns=["id"], where=None, limit=5)
    assert found.column("id").to_pylist() == ["m-zh"]


def test_a_table_in_good_order_gets_no_new_version(home_path: Path) -> None:
    go(home_path)
    again = go(home_path)
    assert again.facts["version_before"] == again.facts["version_after"]
    assert (again.counts["backfilled"], again.counts["indices_built"]) == (0, 0)
    assert "optimized" not in again.counts


def test_a_dry_run_says_what_it_would_do(home_path: Path) -> None:
    version = table_of(home_path).state().version
    receipt = go(home_path, dry_run=True)
    assert (receipt.counts["backfilled"], receipt.counts["probes"]) == (6, 0)
    assert table_of(home_path).state().version == version


def test_rows_that_came_since_are_indexed(home_path: Path) -> None:
    go(home_path)
    table_of(home_path).add(pa.table({"id": ["new"], "text": ["violins"]}))
    receipt = go(home_path)
    assert (receipt.counts["backfilled"], receipt.counts["optimized"]) == (1, 1)
    assert (receipt.counts["unindexed_before"], receipt.counts["unindexed_after"]) == (1, 0)


def test_an_id_that_stands_there_twice_is_told_of(home_path: Path) -> None:
    go(home_path)
    table_of(home_path).add(pa.table({"id": ["m-backup"], "text": ["a double"], "terms": ["doubl"]}))
    receipt = go(home_path)
    assert (receipt.status, receipt.counts["probes_failed"]) == (RunStatus.ANOMALY, 1)
    assert [one.code for one in receipt.anomalies] == ["index_does_not_answer"]


def test_indices_whose_files_are_gone_are_built_again(home_path: Path) -> None:
    go(home_path)
    shutil.rmtree(home_path / "lance" / "memories.lance" / "_indices")
    receipt = go(home_path)
    assert receipt.status is RunStatus.OK
    assert receipt.counts["indices_built"] == 8
    assert all(probe.ok for probe in probe_indices(table_of(home_path)))
    assert go(home_path).counts["indices_built"] == 0
