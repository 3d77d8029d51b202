"""The whole day on a demo home, in this process and in two at once."""

from __future__ import annotations

import multiprocessing
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from flows.day import run_day
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.domain.receipts import RunStatus
from sunrise.domain.schedule import FLOW_NAMES
from tasks.demo.home import DemoHome, write_demo_home
from tasks.receipt_files import read_receipts
from tests.flows.killing import PRELOAD, run_day_slowly

NOW_MS = time.time_ns() // 1_000_000


@pytest.fixture
def demo(tmp_path: Path) -> DemoHome:
    return write_demo_home(tmp_path / "home", now_ms=NOW_MS)


def test_a_day_leaves_ten_receipts_that_add_up_and_a_page_for_each(demo: DemoHome) -> None:
    day = run_day.fn(home=str(demo.home))

    receipts, unreadable = read_receipts(demo.home / "receipts")
    by_flow = {receipt.flow: receipt for receipt in receipts}
    assert day.status is RunStatus.OK
    assert unreadable == ()
    assert set(by_flow) == set(FLOW_NAMES)
    assert len(receipts) == 10
    assert all(receipt.balances and receipt.adds_up for receipt in receipts)
    assert {path.stem for path in (demo.home / "reports" / "runs").iterdir()} == {r.run_id for r in receipts}
    assert (demo.home / "reports" / "index.html").is_file()
    assert {r.parent_run_id for r in receipts if r.flow != "sunrise"} == {day.run_id}


def test_the_receipts_of_a_day_count_what_the_demo_holds(demo: DemoHome) -> None:
    run_day.fn(home=str(demo.home))

    counts = {r.flow: r.counts for r in read_receipts(demo.home / "receipts")[0]}
    found = _some(counts["harvest"], "seen", "inserted", "duplicate", "collapsed", "quarantined")
    assert found == (240, 235, 2, 2, 1)
    assert counts["harvest"]["redacted"] == demo.redacted
    # Eleven of the 235 came with a grade of their operator's own.
    assert _some(counts["grade"], "total_seen", "graded_filled", "skipped_existing") == (235, 224, 11)
    assert _some(counts["writeback"], "checked", "updated", "missing") == (40, 40, 0)
    assert counts["lifecycle"]["seen"] == 235 + 40
    assert counts["index"]["rows"] == 40
    assert counts["index"]["unindexed_after"] == 0
    assert counts["evaluate"]["queries"] == demo.questions
    assert _some(counts["snapshot"], "stores", "copied") == (2, 2)


def test_a_second_day_changes_nothing(demo: DemoHome) -> None:
    run_day.fn(home=str(demo.home))
    before = _governed(demo.home)

    run_day.fn(home=str(demo.home))

    assert _governed(demo.home) == before
    second = read_receipts(demo.home / "receipts")[0][-10:]
    counts = {receipt.flow: receipt.counts for receipt in second}
    assert counts["harvest"]["inserted"] == 0
    assert counts["grade"]["graded_filled"] == 0
    assert counts["writeback"]["updated"] == 0
    assert counts["lifecycle"]["archived"] == 0
    assert counts["snapshot"]["copied"] == 0


def test_a_dry_day_writes_receipts_and_nothing_else(demo: DemoHome) -> None:
    table = LanceMemories.open(demo.table_uri)
    version = table.state().version

    day = run_day.fn(home=str(demo.home), dry_run=True)

    assert day.dry_run
    assert table.state().version == version
    with closing(sqlite3.connect(demo.home / "ledger.sqlite")) as ledger:
        for name in ("observations", "changes", "quarantine", "offsets", "watermarks", "notes", "outbox"):
            assert ledger.execute(f"SELECT count(*) FROM {name}").fetchone() == (0,), name
    receipts = read_receipts(demo.home / "receipts")[0]
    harvest = next(receipt for receipt in receipts if receipt.flow == "harvest")
    assert harvest.counts["inserted"] == demo.inserted
    assert all(receipt.dry_run for receipt in receipts)
    assert not list((demo.home / "backups").glob("*"))


@pytest.mark.kill
@pytest.mark.xdist_group("fork server")
def test_of_two_days_at_once_one_runs_and_the_other_is_busy(demo: DemoHome, tmp_path: Path) -> None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    started, go, verdict = tmp_path / "started", tmp_path / "go", tmp_path / "verdict"
    first = context.Process(target=run_day_slowly, args=(str(demo.home), str(started), str(go), str(verdict)))
    first.start()
    _wait_for(started)

    second = run_day.fn(home=str(demo.home))
    go.touch()
    first.join(timeout=60)

    assert second.status is RunStatus.BUSY
    assert second.counts == {}
    assert verdict.read_text() == "ok"
    with closing(sqlite3.connect(demo.home / "ledger.sqlite")) as ledger:
        assert ledger.execute("SELECT count(*) FROM observations").fetchone() == (demo.inserted,)
        assert ledger.execute("SELECT count(*) FROM leases").fetchone() == (0,)
        flows = ledger.execute(
            "SELECT flow, count(*) FROM runs WHERE status != 'busy' GROUP BY flow"
        ).fetchall()
    assert dict(flows) == dict.fromkeys(FLOW_NAMES, 1)


def test_a_secret_of_the_capture_is_in_no_file_of_the_home(demo: DemoHome) -> None:
    token = _secret_of(demo.spool).encode()
    size = demo.spool.stat().st_size
    run_day.fn(home=str(demo.home))

    files = [path for path in demo.home.rglob("*") if path.is_file()]
    assert len(files) > 30
    assert not [path for path in files if token in path.read_bytes()]
    assert demo.spool.stat().st_size == size


def _secret_of(spool: Path) -> str:
    marker = "ghp_"
    text = spool.read_text(encoding="utf-8")
    start = text.index(marker)
    return text[start : start + 40]


def _some(counts: dict[str, int] | Any, *names: str) -> tuple[int, ...]:
    return tuple(counts[name] for name in names)


def _governed(home: Path) -> dict[str, Any]:
    with closing(sqlite3.connect(home / "ledger.sqlite")) as ledger:
        rows = {
            name: ledger.execute(f"SELECT * FROM {name}").fetchall()
            for name in ("observations", "usage", "changes", "quarantine", "offsets", "watermarks", "notes")
        }
    state = LanceMemories.open(home / "lance").state()
    return {**rows, "version": state.version, "tags": dict(state.tags)}


def _wait_for(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.02)
