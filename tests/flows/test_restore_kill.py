"""A restore, killed anywhere and run again, ends in both stores as the snapshot has them."""

from __future__ import annotations

import multiprocessing
import shutil
import signal
from functools import partial
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest

from sunrise.adapters.lance_memories import LanceMemories
from sunrise.domain.receipts import RunStatus
from tasks.restore_intent import INTENT, read_intent
from tasks.snapshot import read_snapshots
from tests.flows.killing import _around, _draw_no_charts, _Moments
from tests.restoring import Everything, change_both, everything, go, go_back, opened, take_first

PRELOAD = ["flows.restore", "lancedb", "polars", "tests.restoring"]
POINTS = 12


def restore_until(home: str, moment: int, report: str) -> None:
    """Restore ``first``; at the given moment (counted from 1) the process kills itself. 0 never comes."""
    from sunrise.adapters import sqlite_copies
    from tasks import receipt_files, restore, restore_intent, run_frame, snapshot

    passed = _Moments(moment)
    _draw_no_charts()
    _around(run_frame.Run, "step", passed)
    for name in ("stage", "bring_back", "discard", "is_same"):
        _around(sqlite_copies, name, passed)
    for name in ("tag", "restore", "content"):
        _around(LanceMemories, name, passed)
    for module in (receipt_files, snapshot, restore_intent):
        _around(module, "write_whole", passed)
    _around(restore, "remove_intent", passed)
    assert go_back(Path(home)).status is RunStatus.OK
    Path(report).write_text(str(passed.count), encoding="utf-8")


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    return context


@pytest.fixture(scope="module")
def template(home_template: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Everything]:
    """A home that was changed since its snapshot, and what the snapshot has."""
    home = shutil.copytree(home_template, tmp_path_factory.mktemp("restore") / "home")
    before = everything(take_first(home))
    change_both(home)
    assert everything(home) != before
    return home, before


@pytest.fixture(scope="module")
def moments(
    template: tuple[Path, Everything], processes: ForkServerContext, tmp_path_factory: pytest.TempPathFactory
) -> int:
    """How many moments an undisturbed restore has."""
    home = shutil.copytree(template[0], tmp_path_factory.mktemp("undisturbed") / "home")
    assert run(processes, home, moment=0) == 0
    assert everything(home) == template[1]
    return int((home / "moments").read_text(encoding="utf-8"))


@pytest.mark.kill
@pytest.mark.xdist_group("fork server")
@pytest.mark.parametrize("point", range(POINTS))
def test_a_restore_that_was_killed_is_finished_by_the_same_one(
    point: int, template: tuple[Path, Everything], processes: ForkServerContext, moments: int, tmp_path: Path
) -> None:
    home = shutil.copytree(template[0], tmp_path / "home")
    moment = 1 + (moments - 1) * point // (POINTS - 1)
    assert run(processes, home, moment=moment) == -signal.SIGKILL

    # Whatever was reached: both stores can be read, and nothing else runs before it is finished.
    everything(home)
    intent = read_intent(home)
    other = go(home, lambda _run: None, flow="grade", later=6000)
    assert (other.reason == "restore_unfinished") is (intent is not None)
    done = go_back(home)
    assert done.status is RunStatus.OK, (moment, done.reason, done.anomalies)
    assert everything(home) == template[1], f"a kill at moment {moment} of {moments}"
    assert not (home / INTENT).exists()
    assert not list(home.glob("restore.sqlite*"))
    with opened(home, later=7000) as place:
        assert {one.status for one in place.ledger.runs(flow="restore")} <= {RunStatus.OK, RunStatus.CRASHED}


@pytest.mark.kill
@pytest.mark.xdist_group("fork server")
@pytest.mark.parametrize("point", range(6))
def test_the_way_back_is_there_however_a_restore_was_killed(
    point: int, template: tuple[Path, Everything], processes: ForkServerContext, moments: int, tmp_path: Path
) -> None:
    changed = everything(template[0])
    home = shutil.copytree(template[0], tmp_path / "home")
    moment = 1 + (moments - 1) * point // 5
    assert run(processes, home, moment=moment) == -signal.SIGKILL
    assert go_back(home).status is RunStatus.OK
    # After a kill at the very end the second restore keeps what the first had restored.
    kept = [one.tag for one in read_snapshots(home / "backups") if one.reason == "before-restore"]
    assert go_back(home, kept[-1]).status is RunStatus.OK
    assert everything(home) == changed


def run(processes: ForkServerContext, home: Path, *, moment: int) -> int:
    process = processes.Process(target=partial(restore_until, str(home), moment, str(home / "moments")))
    process.start()
    process.join(timeout=60)
    if process.exitcode is None:
        process.kill()
    assert process.exitcode is not None, "the restore hangs"
    return process.exitcode
