"""A day that is killed at any moment, and run again, ends as one that nobody disturbed."""

from __future__ import annotations

import multiprocessing
import shutil
import signal
import sqlite3
from contextlib import closing
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest

from flows.day import run_day
from reports import charts
from sunrise.adapters.clock import SystemClock
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.sqlite_upkeep import verify_backup
from sunrise.domain.receipts import RunStatus
from tasks.demo.home import write_demo_home
from tests.flows.killing import NOW_MS, PRELOAD, run_day_until

POINTS = 12
"""Moments are spread evenly over the whole day; see `moment_of`."""


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    # A fork server loads the libraries once, without starting a thread, and hands out fresh processes.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    return context


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("template") / "home"
    write_demo_home(home, now_ms=NOW_MS)
    (home / "sunrise.toml").write_text("[memories]\n", encoding="utf-8")
    return home


@pytest.fixture(scope="module")
def undisturbed(
    template: Path, processes: ForkServerContext, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Any], int]:
    home = tmp_path_factory.mktemp("undisturbed") / "home"
    moments = _run(processes, template, home, moment=0)
    return _left_by(home), moments


@pytest.mark.kill
@pytest.mark.xdist_group("fork server")
@pytest.mark.parametrize("point", range(POINTS))
def test_a_day_killed_anywhere_and_run_again_ends_as_if_undisturbed(
    point: int,
    template: Path,
    processes: ForkServerContext,
    undisturbed: tuple[dict[str, Any], int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected, moments = undisturbed
    home = tmp_path / "home"
    moment = 1 + (moments - 1) * point // (POINTS - 1)

    assert _run(processes, template, home, moment=moment) == -signal.SIGKILL
    # The one that is killed is a process of its own; the one that mends need not be.
    monkeypatch.setattr(SystemClock, "now_ms", lambda _self: NOW_MS)
    monkeypatch.setattr(charts, "_svg", lambda _chart, *, label: charts.Svg(f"<svg aria-label='{label}'/>"))
    assert run_day.fn(home=str(home)).status is RunStatus.OK

    left = _left_by(home)
    for store in expected:
        assert left[store] == expected[store], f"{store} differs after a kill at moment {moment} of {moments}"
    assert _verdicts(home) <= {"ok", "crashed"}


def _run(processes: ForkServerContext, template: Path, home: Path, *, moment: int) -> int:
    """Run a day and return how many moments it had, or the exit code if it did not end well."""
    shutil.copytree(template, home)
    report = home / "moments"
    process = processes.Process(target=run_day_until, args=(str(home), moment, str(report)))
    process.start()
    process.join(timeout=60)
    if process.exitcode != 0:
        process.kill()
        assert process.exitcode is not None, "the day hangs"
        return process.exitcode
    return int(report.read_text(encoding="utf-8"))


def _left_by(home: Path) -> dict[str, Any]:
    """Return every row of both stores, without run ids: which run did the work is all that may differ."""
    queries = {
        "observations": "SELECT * FROM observations ORDER BY id",
        "changes": "SELECT record_ref, field, before, after, reason, at_ms FROM changes"
        " ORDER BY record_ref, field, id",
        "outbox": "SELECT * FROM outbox",
        "quarantine": "SELECT source, position, line, reason, sample FROM quarantine ORDER BY id",
        "watermarks": "SELECT * FROM watermarks ORDER BY name",
        "notes": "SELECT * FROM notes ORDER BY name",
        "usage": "SELECT * FROM usage ORDER BY record_ref",
    }
    with closing(sqlite3.connect(home / "ledger.sqlite")) as ledger:
        rows: dict[str, Any] = {
            name: [_moved(row, home) for row in ledger.execute(sql)] for name, sql in queries.items()
        }
        rows["integrity"] = ledger.execute("PRAGMA integrity_check").fetchall()
    memories = LanceMemories.open(home / "lance")
    columns = memories.schema().names
    rows["memories"] = sorted(memories.scan(columns).to_pylist(), key=lambda row: str(row["id"]))
    rows["columns"] = columns
    rows["unindexed"] = [(i.column, i.unindexed_rows) for i in memories.state().indices]
    for backup in home.glob("backups/*/ledger.sqlite"):
        verify_backup(backup)
    return rows


def _moved(row: tuple[Any, ...], home: Path) -> tuple[Any, ...]:
    return tuple(value.replace(str(home), "HOME") if isinstance(value, str) else value for value in row)


def _verdicts(home: Path) -> set[str]:
    with closing(sqlite3.connect(home / "ledger.sqlite")) as ledger:
        return {status for (status,) in ledger.execute("SELECT DISTINCT status FROM runs")}
