"""Grade, regrade and undo, killed anywhere and run again, end as if nobody had disturbed them."""

from __future__ import annotations

import hashlib
import multiprocessing
import signal
import sqlite3
from contextlib import closing
from functools import partial
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest

from reports import charts
from sunrise.adapters.clock import SystemClock
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.plugin_table import PluginMemory, write_plugin_table
from sunrise.bootstrap import open_home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.retention import DAY_MS
from sunrise.domain.use import Served
from sunrise.settings import load_settings
from tasks import undo
from tests.fakes import FrozenClock
from tests.flows.killing import NOW_MS, _around, _draw_no_charts, _freeze_the_clock, _Moments, run_apart
from tests.homes import MEMORIES, observation, observations
from tests.ledgers import WHOLE, grades

FLOWS = ("grade", "regrade", "undo")
POINTS = 10
ROWS = 250
PRELOAD = [
    "flows.grade",
    "flows.lifecycle",
    "flows.regrade",
    "flows.undo",
    "lancedb",
    "contracts.observations",
]
CONFIG = """\
[embedder]
name = "none"
[grade]
batch_rows = 100

[lifecycle]
max_archived_share = 1.0
"""
TEXTS = ("Rule: always back up before a deploy", "ls", "We decided: tabs", "備份完成，沒有錯誤")


def run_named(flow: str, home: str) -> RunReceipt:
    """Run one of the three; what is undone is the lifecycle run of the home."""
    from flows.grade import grade_importance
    from flows.regrade import regrade_importance
    from flows.undo import undo_run

    # Small enough that a kill falls between two batches.
    undo.BATCH = 90
    if flow == "undo":
        with open_home(load_settings(home)) as place:
            (archived,) = place.ledger.runs(flow="lifecycle")
        run = partial(undo_run.fn, archived.run_id)
    else:
        run = {"grade": grade_importance, "regrade": regrade_importance}[flow].fn
    receipt: RunReceipt = run(home=home)
    return receipt


def run_until(flow: str, home: str, moment: int, report: str) -> None:
    """Run a flow; at the given moment (counted from 1) the process kills itself. 0 never comes."""
    from sunrise.adapters import sqlite_observations, sqlite_undo
    from sunrise.adapters.sqlite_connection import SqliteConnection
    from tasks import receipt_files, run_frame, snapshot

    passed = _Moments(moment)
    _freeze_the_clock()
    _draw_no_charts()
    _around(run_frame.Run, "step", passed)
    _around(SqliteConnection, "commit", passed)
    for name in ("_lay_out", "_judge", "_restore", "write_grades"):
        _around(sqlite_undo, name, passed)
    _around(sqlite_observations, "write_grades", passed)
    for name in ("merge", "tag", "adopt"):
        _around(LanceMemories, name, passed)
    for module in (receipt_files, snapshot):
        _around(module, "write_whole", passed)
    run_named(flow, home)
    Path(report).write_text(str(passed.count), encoding="utf-8")


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    return context


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A home for each flow: ungraded rows, rows with other grades, rows and memories that were archived."""
    made = {flow: tmp_path_factory.mktemp(flow) / "home" for flow in FLOWS}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SystemClock, "now_ms", lambda _self: NOW_MS)
        patch.setattr(charts, "_svg", lambda _chart, *, label: charts.Svg("<svg></svg>"))
        for flow, home in made.items():
            home.mkdir()
            _fill(home, flow)
    return made


@pytest.fixture(scope="module")
def undisturbed(
    templates: dict[str, Path], processes: ForkServerContext, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[dict[str, Any], int]]:
    found = {}
    for flow in FLOWS:
        home = tmp_path_factory.mktemp("undisturbed") / "home"
        moments = run_apart(processes, run_until, templates[flow], home, flow, moment=0)
        found[flow] = (_left_by(home), moments)
        assert found[flow][0]["observations"] != _left_by(templates[flow])["observations"]
    return found


@pytest.mark.kill
@pytest.mark.xdist_group("fork server")
@pytest.mark.parametrize("point", range(POINTS))
@pytest.mark.parametrize("flow", FLOWS)
def test_a_flow_that_was_killed_and_run_again_ends_as_if_undisturbed(
    flow: str,
    point: int,
    templates: dict[str, Path],
    processes: ForkServerContext,
    undisturbed: dict[str, tuple[dict[str, Any], int]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected, moments = undisturbed[flow]
    home = tmp_path / "home"
    moment = 1 + (moments - 1) * point // (POINTS - 1)
    assert run_apart(processes, run_until, templates[flow], home, flow, moment=moment) == -signal.SIGKILL

    monkeypatch.setattr(undo, "BATCH", undo.BATCH)
    monkeypatch.setattr(SystemClock, "now_ms", lambda _self: NOW_MS)
    monkeypatch.setattr(charts, "_svg", lambda _chart, *, label: charts.Svg("<svg></svg>"))
    assert run_named(flow, str(home)).status is RunStatus.OK

    left = _left_by(home)
    for store in expected:
        assert left[store] == expected[store], f"{store} differs after a kill at moment {moment} of {moments}"


def _fill(home: Path, flow: str) -> None:
    (home / "sunrise.toml").write_text(CONFIG, encoding="utf-8")
    write_plugin_table(home / "lance", [PluginMemory(*row) for row in MEMORIES], dimension=8)
    with open_home(load_settings(home), clock=FrozenClock(NOW_MS)) as place:
        rows = [
            observation(
                str(number),
                summary=f"{TEXTS[number % 4]} {number}",
                ts_ms=NOW_MS - 200 * DAY_MS,
                importance_label="ignore" if number % 5 == 0 or flow == "undo" else None,
            )
            for number in range(ROWS)
        ]
        place.ledger.commit_harvest(observations(*rows), rejected=(), position=None)
        place.ledger.note_served(Served(NOW_MS - 200 * DAY_MS))
        if flow == "regrade":
            stale = [(number, number / 1000, "ignore") for number in range(1, ROWS + 1)]
            held = grades(*stale).set_column(3, "method", [["heuristic-v1"] * ROWS])
            place.ledger.save_grades(held, run_id="before", seen_up_to=ROWS)
    if flow == "undo":
        from flows.lifecycle import archive_unused

        assert archive_unused.fn(home=str(home)).counts["archived"] > ROWS


def _left_by(home: Path) -> dict[str, Any]:
    """Return every row of both stores, the observations by a hash of all their columns; runs left out."""
    queries = {
        "changes": "SELECT record_ref, field, before, after, reason FROM changes ORDER BY 1, 2, 3, 4, 5",
        "outbox": "SELECT * FROM outbox",
        "watermarks": "SELECT * FROM watermarks ORDER BY name",
    }
    with closing(sqlite3.connect(home / "ledger.sqlite")) as ledger:
        rows: dict[str, Any] = {name: ledger.execute(sql).fetchall() for name, sql in queries.items()}
        digest = hashlib.sha256()
        for row in ledger.execute("SELECT * FROM observations ORDER BY id"):
            digest.update(repr(row).encode())
        rows["observations"] = digest.hexdigest()
    with open_home(load_settings(home)) as place:
        rows["health"] = dict(place.ledger.check())
        assert rows["health"] == WHOLE
    memories = LanceMemories.open(home / "lance")
    columns = [name for name in memories.schema().names if name != "vector"]
    rows["memories"] = sorted(memories.scan(columns).to_pylist(), key=lambda row: str(row["id"]))
    return rows
