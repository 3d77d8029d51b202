"""The index flow on a table with broken indices, killed anywhere and run again, mends it all the same."""

from __future__ import annotations

import multiprocessing
import shutil
import signal
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from flows.index import index
from sunrise.bootstrap import existing_memories
from sunrise.domain.receipts import RunStatus
from sunrise.settings import load_settings
from tests.fakes import FrozenClock
from tests.flows.killing import NOW_MS, _around, _draw_no_charts, _freeze_the_clock, _Moments, run_apart
from tests.homes import run_body

POINTS = 12
PRELOAD = ["flows.index", "lancedb"]


def run_until(home: str, moment: int, report: str) -> None:
    """Run the index flow; at the given moment (counted from 1) the process kills itself. 0 never comes."""
    from lancedb.table import LanceTable

    from tasks import receipt_files, run_frame

    passed = _Moments(moment)
    _freeze_the_clock()
    _draw_no_charts()
    _around(run_frame.Run, "step", passed)
    for name in ("create_index", "optimize", "checkout_latest"):
        _around(LanceTable, name, passed)
    _around(receipt_files, "write_whole", passed)
    run_body(Path(home), index, flow="index", clock=FrozenClock(NOW_MS))
    Path(report).write_text(str(passed.count), encoding="utf-8")


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    return context


@pytest.fixture(scope="module")
def template(home_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose indices have lost their files, and whose newest memories no index covers."""
    home = shutil.copytree(home_template, tmp_path_factory.mktemp("broken") / "home")
    run_body(home, index, flow="index", clock=FrozenClock(NOW_MS))
    table = existing_memories(load_settings(home))
    assert table is not None
    table.add(pa.table({"id": ["new", "newer"], "text": ["violins", "cellos"]}))
    shutil.rmtree(home / "lance" / "memories.lance" / "_indices")
    return home


@pytest.fixture(scope="module")
def undisturbed(
    template: Path, processes: ForkServerContext, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Any], int]:
    home = tmp_path_factory.mktemp("undisturbed") / "home"
    moments = run_apart(processes, run_until, template, home, moment=0)
    return _left_by(home), moments


@pytest.mark.kill
@pytest.mark.xdist_group("fork server")
@pytest.mark.parametrize("point", range(POINTS))
def test_an_index_run_that_was_killed_and_run_again_ends_as_if_undisturbed(
    point: int,
    template: Path,
    processes: ForkServerContext,
    undisturbed: tuple[dict[str, Any], int],
    tmp_path: Path,
) -> None:
    expected, moments = undisturbed
    home = tmp_path / "home"
    moment = 1 + (moments - 1) * point // (POINTS - 1)
    assert run_apart(processes, run_until, template, home, moment=moment) == -signal.SIGKILL
    assert run_body(home, index, flow="index", clock=FrozenClock(NOW_MS)).status is RunStatus.OK
    assert _left_by(home) == expected, f"differs after a kill at moment {moment} of {moments}"


def _left_by(home: Path) -> dict[str, Any]:
    """Return every memory whole, and each index with what it does not cover and whether it answers."""
    table = existing_memories(load_settings(home))
    assert table is not None
    probes = {one.name: one.ok for one in table.probe_indices(seed=1)}
    assert all(probes.values())
    return {
        "rows": table.scan(table.schema().names).sort_by("id").to_pylist(),
        "indices": [(one.name, one.unindexed_rows, probes[one.name]) for one in table.state().indices],
    }
