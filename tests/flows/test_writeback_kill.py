"""Writeback and index, killed anywhere and run again, end as if nobody had disturbed them."""

from __future__ import annotations

import multiprocessing
import signal
import sqlite3
from contextlib import closing
from datetime import timedelta
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from reports import charts
from sunrise.adapters.clock import SystemClock
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.bootstrap import open_home
from sunrise.domain.recall import RecallRequest
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.online.recall import recall
from sunrise.settings import load_settings
from tests.fakes import FrozenClock
from tests.flows.killing import NOW_MS, _around, _draw_no_charts, _freeze_the_clock, _Moments, run_apart
from tests.homes import observation, observations
from tests.ledgers import WHOLE

FLOWS = ("writeback", "forced", "index")
POINTS = 12
ROWS = 300
PRELOAD = ["flows.writeback", "flows.index", "lancedb", "contracts.governance"]
CONFIG = '[embedder]\nname = "none"\n'


def run_named(flow: str, home: str) -> RunReceipt:
    from flows.index import index_memories
    from flows.writeback import write_back

    if flow == "index":
        receipt: RunReceipt = index_memories.fn(home=home)
        return receipt
    fields = ["scope", "category"] if flow == "forced" else []
    forced: RunReceipt = write_back.fn(home=home, force_fields=fields, batch=120)
    return forced


def run_until(flow: str, home: str, moment: int, report: str) -> None:
    """Run a flow; at the given moment (counted from 1) the process kills itself. 0 never comes."""
    from sunrise.adapters.sqlite_connection import SqliteConnection
    from tasks import receipt_files, run_frame

    passed = _Moments(moment)
    _freeze_the_clock()
    _draw_no_charts()
    _around(run_frame.Run, "step", passed)
    _around(SqliteConnection, "commit", passed)
    for name in ("merge", "overwrite", "tag", "adopt", "optimize", "build_missing_indices"):
        _around(LanceMemories, name, passed)
    _around(receipt_files, "write_whole", passed)
    run_named(flow, home)
    Path(report).write_text(str(passed.count), encoding="utf-8")


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    return context


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose ledger knows of 300 memories what the table lacks; a fifth has other values there."""
    home = tmp_path_factory.mktemp("template") / "home"
    home.mkdir()
    (home / "sunrise.toml").write_text(CONFIG, encoding="utf-8")
    ids = [f"m{number}" for number in range(ROWS)]
    with open_home(load_settings(home), clock=FrozenClock(NOW_MS)) as place:
        rows = [
            observation(
                name, summary=f"about {name}", memory_id=name, scope=f"s{number % 3}",
                importance_score=0.6, importance_label="nice_to_have", detail_json='{"category": "fact"}',
            )
            for number, name in enumerate(ids)
        ]  # fmt: skip
        place.ledger.commit_harvest(observations(*rows), rejected=(), position=None)
        table = place.memories()
        assert table is not None
        for part in range(3):
            mine = range(part, ROWS, 3)
            table.add(
                pa.table(
                    {
                        "id": [ids[number] for number in mine],
                        "text": [f"Violin lesson {number}" for number in mine],
                        "scope": ["theirs" if number % 5 == 0 else None for number in mine],
                        "createdAt": [float(NOW_MS - number) for number in mine],
                    }
                )
            )
        table.merge(pa.table({"id": ids[:200], "terms": ["violin lesson"] * 200}))
        table.build_missing_indices()
        table.optimize(keep=timedelta(days=7))
    return home


@pytest.fixture(scope="module")
def undisturbed(
    template: Path, processes: ForkServerContext, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[dict[str, Any], int]]:
    found = {}
    for flow in FLOWS:
        home = tmp_path_factory.mktemp("undisturbed") / "home"
        moments = run_apart(processes, run_until, template, home, flow, moment=0)
        found[flow] = (_left_by(home), moments)
        assert found[flow][0]["memories"] != _left_by(template)["memories"]
    return found


@pytest.mark.kill
@pytest.mark.xdist_group("fork server")
@pytest.mark.parametrize("point", range(POINTS))
@pytest.mark.parametrize("flow", FLOWS)
def test_a_flow_that_was_killed_and_run_again_ends_as_if_undisturbed(
    flow: str,
    point: int,
    template: Path,
    processes: ForkServerContext,
    undisturbed: dict[str, tuple[dict[str, Any], int]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected, moments = undisturbed[flow]
    home = tmp_path / "home"
    moment = 1 + (moments - 1) * point // (POINTS - 1)
    assert run_apart(processes, run_until, template, home, flow, moment=moment) == -signal.SIGKILL
    # Whoever reads meanwhile gets an answer.
    assert _answers(home)

    monkeypatch.setattr(SystemClock, "now_ms", lambda _self: NOW_MS)
    monkeypatch.setattr(charts, "_svg", lambda _chart, *, label: charts.Svg("<svg></svg>"))
    assert run_named(flow, str(home)).status is RunStatus.OK
    left = _left_by(home)
    for store in expected:
        assert left[store] == expected[store], f"{store} differs after a kill at moment {moment} of {moments}"


def _answers(home: Path) -> int:
    with open_home(load_settings(home), clock=FrozenClock(NOW_MS)) as place:
        table = place.memories()
        assert table is not None
        request = RecallRequest("violin lesson", scope="s1", limit=5)
        found = recall(request, memories=table, embedder=place.embedder(), clock=place.clock)
        assert found.receipt.lexical_skipped is None
        return table.by_ids(["m7"], ["id"]).num_rows


def _left_by(home: Path) -> dict[str, Any]:
    """Return every row of both stores and the health of the indices; runs left out."""
    queries = {
        "changes": "SELECT record_ref, field, before, after, reason FROM changes ORDER BY 1, 2, 3, 4, 5",
        "outbox": "SELECT * FROM outbox",
        "watermarks": "SELECT * FROM watermarks ORDER BY name",
        "unresolved": "SELECT memory_id, reason FROM unresolved_memories ORDER BY 1",
    }
    with closing(sqlite3.connect(home / "ledger.sqlite")) as ledger:
        rows: dict[str, Any] = {name: ledger.execute(sql).fetchall() for name, sql in queries.items()}
    # Killed after it wrote and before the watermark moved, a run looks once more and finds it done.
    with open_home(load_settings(home)) as place:
        assert dict(place.ledger.check()) == WHOLE
    memories = LanceMemories.open(home / "lance")
    columns = [name for name in memories.schema().names if name != "vector"]
    rows["memories"] = sorted(memories.scan(columns).to_pylist(), key=lambda row: str(row["id"]))
    state = memories.state()
    rows["uncovered"] = {one.column: one.unindexed_rows for one in state.indices}
    return rows
