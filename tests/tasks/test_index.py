from __future__ import annotations

import random
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import tasks.index
from flows.index import index
from sunrise.adapters.lance_upkeep import LanceUpkeep
from sunrise.bootstrap import existing_memories
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.retention import DAY_MS
from sunrise.ports import IndexState, MemoryTable, TableFiles, TableState
from sunrise.sections.batch import IndexSettings
from sunrise.settings import load_settings
from tasks.index import TableLook, build_indices, count_doubled_ids, passed_thresholds
from tests.fakes import FakeMemoryTable, FrozenClock
from tests.homes import MEMORIES, NOW, run_body

COLUMNS = ("category", "createdAt", "id", "importance_label", "scope", "state", "terms", "trust_tier")
GOOD = TableLook(
    TableState(1, 10, 10, 20, 500, {}, (IndexState("id_idx", "id", "btree", 0),)), TableFiles(1 << 30, 0, 0)
)
"""Each figure is as large as the thresholds allow."""


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from flows.index import index
from tests.homes import run_body

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, 2 << 20))
receipt = run_body(Path(sys.argv[1]), index, flow="index")
print(receipt.status, receipt.reason, [one.message for one in receipt.anomalies])
"""
"""No file may grow beyond 2 MiB: room for the ledger and the receipt, and none for a compaction."""


def go(path: Path, *, dry_run: bool = False, later_ms: int = 0) -> RunReceipt:
    return run_body(path, index, flow="index", dry_run=dry_run, clock=FrozenClock(NOW + later_ms))


def table_of(path: Path) -> MemoryTable:
    table = existing_memories(load_settings(path))
    assert table is not None
    return table


def folder_of(path: Path) -> Path:
    return path / "lance" / "memories.lance"


def answers(path: Path) -> dict[str, bool]:
    return {one.column: one.ok for one in table_of(path).probe_indices(seed=1)}


def test_each_threshold_asks_for_an_optimize() -> None:
    settings = IndexSettings()
    assert passed_thresholds(GOOD, settings) == ()
    assert passed_thresholds(replace(GOOD, files=None), settings) == ()
    uncovered = replace(GOOD.state, indices=(IndexState("id_idx", "id", "btree", 1),))
    assert passed_thresholds(replace(GOOD, state=uncovered), settings) == ("uncovered_rows",)
    many = replace(GOOD.state, fragments=21)
    assert passed_thresholds(replace(GOOD, state=many), settings) == ("fragments",)
    old = replace(GOOD.state, versions=501)
    assert passed_thresholds(replace(GOOD, state=old), settings) == ("versions",)
    more = TableFiles((1 << 30) + 1, 0, 0)
    assert passed_thresholds(replace(GOOD, files=more), settings) == ("dead_bytes",)


def test_a_plugins_table_becomes_searchable(home_path: Path) -> None:
    before = table_of(home_path).scan(["id", "text", "vector"]).sort_by("id")
    receipt = go(home_path)
    assert receipt.status is RunStatus.OK
    counts = receipt.counts
    assert (counts["rows"], counts["backfilled"], counts["indices_built"]) == (6, 6, 8)
    assert (counts["probes"], counts["probes_ok"], counts["unindexed_after"]) == (8, 8, 0)
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


def test_a_quiet_table_is_optimized_once_a_day(home_path: Path) -> None:
    go(home_path)
    table_of(home_path).add(pa.table({"id": ["new"], "text": ["violins"]}))
    assert go(home_path).facts["optimized_because"] == "uncovered_rows"
    assert "optimized" not in go(home_path, later_ms=DAY_MS - 1).counts
    assert go(home_path, later_ms=DAY_MS).facts["optimized_because"] == "schedule"
    assert "optimized" not in go(home_path, later_ms=DAY_MS + 1).counts


def test_a_dry_run_says_what_it_would_do(home_path: Path) -> None:
    version = table_of(home_path).state().version
    receipt = go(home_path, dry_run=True)
    assert (receipt.counts["backfilled"], receipt.counts["probes"]) == (6, 0)
    assert table_of(home_path).state().version == version


def test_a_dry_run_mends_no_index(home_path: Path) -> None:
    go(home_path)
    shutil.rmtree(folder_of(home_path) / "_indices")
    receipt = go(home_path, dry_run=True)
    assert (receipt.counts["probes_failed"], receipt.status) == (8, RunStatus.ANOMALY)
    assert not any(answers(home_path).values())


def test_rows_that_came_since_are_indexed(home_path: Path) -> None:
    go(home_path)
    table_of(home_path).add(pa.table({"id": ["new"], "text": ["violins"]}))
    receipt = go(home_path)
    assert (receipt.counts["backfilled"], receipt.counts["optimized"]) == (1, 1)
    assert (receipt.counts["unindexed_before"], receipt.counts["unindexed_after"]) == (1, 0)


def test_an_id_that_stands_there_twice_is_told_of(home_path: Path) -> None:
    go(home_path)
    table_of(home_path).add(pa.table({"id": ["m-backup"], "text": ["a double"], "terms": ["doubl"]}))
    receipt = go(home_path, later_ms=1)
    assert (receipt.status, receipt.counts["doubled_ids"]) == (RunStatus.ANOMALY, 1)
    assert [one.code for one in receipt.anomalies] == ["doubled_ids"]
    # Until somebody mends it, each run says so, and none reads all ids of a table that did not change.
    again = go(home_path, later_ms=2)
    assert (again.status, again.counts["doubled_ids"]) == (RunStatus.ANOMALY, 1)
    assert "count doubled ids" not in [one.name for one in again.steps]
    table_of(home_path).add(pa.table({"id": ["m-tea"], "text": ["a double"], "terms": ["doubl"]}))
    assert go(home_path, later_ms=3).counts["doubled_ids"] == 2


def test_rows_without_an_id_are_no_doubles() -> None:
    assert count_doubled_ids(FakeMemoryTable(pa.table({"id": ["a", None, "b", None, "a", "a"]}))) == 2


@pytest.mark.parametrize("damage", ["gone", "cut"])
def test_broken_indices_are_built_anew_before_anything_uses_them(home_path: Path, damage: str) -> None:
    go(home_path)
    # Taking it in is a merge by id, which fails on a broken index of ids.
    table_of(home_path).add(pa.table({"id": ["new"], "text": ["violins"]}))
    for path in [one for one in (folder_of(home_path) / "_indices").rglob("*") if one.is_file()]:
        if damage == "gone":
            path.unlink()
        else:
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    receipt = go(home_path)
    assert (receipt.status, receipt.counts["indices_repaired"]) == (RunStatus.OK, 8)
    assert (receipt.counts["backfilled"], receipt.counts["probes_ok"]) == (1, 8)
    assert answers(home_path) == dict.fromkeys(COLUMNS, True)
    assert "indices_repaired" not in go(home_path).counts


def test_one_broken_index_is_named_and_the_others_stay(home_path: Path) -> None:
    go(home_path)
    before = {path.name for path in (folder_of(home_path) / "_indices").iterdir()}
    table = table_of(home_path)
    assert build_indices(table) == ()
    for path in (folder_of(home_path) / "_indices").rglob("*tokens.lance"):
        path.unlink()
    assert [name for name, ok in answers(home_path).items() if not ok] == ["terms"]
    receipt = go(home_path)
    assert receipt.facts["indices_repaired"] == "terms_idx"
    assert len({path.name for path in (folder_of(home_path) / "_indices").iterdir()} - before) == 1


def test_an_index_that_cannot_be_mended_is_an_anomaly(
    home_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go(home_path)
    shutil.rmtree(folder_of(home_path) / "_indices")
    monkeypatch.setattr(LanceUpkeep, "rebuild_indices", lambda _, columns: tuple(columns))
    receipt = go(home_path)
    assert (receipt.status, receipt.counts["indices_repaired"]) == (RunStatus.ANOMALY, 0)
    assert {one.code for one in receipt.anomalies} == {"index_does_not_answer"}
    assert receipt.counts["probes_failed"] == 8


def test_the_page_shows_each_index_and_how_the_table_grew(home_path: Path) -> None:
    first = go(home_path)
    table_of(home_path).add(pa.table({"id": ["new"], "text": ["violins"]}))
    second = go(home_path)
    (page,) = (home_path / "reports").rglob(f"*{second.run_id}*.html")
    text = page.read_text(encoding="utf-8")
    assert all(f"{column}_idx" in text for column in COLUMNS)
    assert "Growth" in text
    assert first.run_id in text
    assert (first.counts["rows"], second.counts["rows"]) == (6, 7)


def test_a_full_disk_fails_the_run_and_leaves_the_table_whole(home_path: Path) -> None:
    go(home_path)
    table = table_of(home_path)
    for turn in range(8):
        # Nothing that can be packed: together far larger than a file may be.
        texts = [random.Random(number).randbytes(256).hex() for number in range(turn, 1_500 + turn)]
        ids = [f"{turn}-{number}" for number in range(1_500)]
        table.add(pa.table({"id": ids, "text": texts, "terms": ["word"] * 1_500}))
    before = table.scan(["id", "text", "terms"]).sort_by("id")
    ended = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(home_path)], capture_output=True, text=True, check=False
    )
    assert ended.stdout.startswith("failed store ['cannot optimize the memories table: "), ended.stderr
    assert table.scan(["id", "text", "terms"]).sort_by("id") == before
    receipt = go(home_path)
    assert (receipt.status, receipt.counts["unindexed_after"]) == (RunStatus.OK, 0)
    assert table.scan(["id", "text", "terms"]).sort_by("id") == before


@pytest.mark.parametrize(("allowed", "times"), [(0.0, 2), (1.0, 1)])
def test_indices_are_asked_again_only_where_the_run_wrote_one(
    home_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: float, times: int
) -> None:
    go(home_path)
    table_of(home_path).add(pa.table({"id": ["new"], "text": ["violins"]}))
    assert go(home_path, later_ms=1).counts["optimized"] == 1
    table_of(home_path).add(pa.table({"id": ["newer"], "text": ["flutes"]}))
    monkeypatch.setattr(tasks.index, "MANY_ROWS", 1)
    monkeypatch.setattr(tasks.index, "ALLOWED_UNCOVERED", allowed)
    receipt = go(home_path, later_ms=2)
    assert (receipt.counts["backfilled"], receipt.counts["probes_ok"]) == (1, 8)
    assert [step.name for step in receipt.steps].count("probe indices") == times
