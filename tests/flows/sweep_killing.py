"""A sweep in a process of its own that may kill itself, with SIGKILL, at a numbered moment."""

from __future__ import annotations

import time
from pathlib import Path

from tests.flows.killing import _around, _draw_no_charts, _freeze_the_clock, _Moments

PRELOAD = ["flows.sweep", "lancedb", "contracts.observations"]


def sweep_until(home: str, moment: int, report: str) -> None:
    """Sweep; at the given moment (counted from 1) the process kills itself. 0 never comes."""
    from flows.sweep import sweep_secrets
    from sunrise.adapters import lance_sweep, spool_scrubbing, sqlite_sweep
    from sunrise.adapters.sqlite_connection import SqliteConnection
    from tasks import receipt_files, run_frame, snapshot, sweep_files

    passed = _Moments(moment)
    _freeze_the_clock()
    _draw_no_charts()
    for name in ("_merge", "_update", "_rebuild", "_hold", "_clean_up", "_finish_holds"):
        _around(lance_sweep, name, passed)
    for name in ("_set", "_until", "_empty_log"):
        _around(sqlite_sweep, name, passed)
    _around(spool_scrubbing, "_write", passed)
    _around(SqliteConnection, "commit", passed)
    _around(run_frame.Run, "step", passed)
    for module in (receipt_files, snapshot, sweep_files):
        _around(module, "write_whole", passed)
    sweep_secrets.fn(home=home)
    Path(report).write_text(str(passed.count), encoding="utf-8")


def add_memories(home: str, ready: str, done: str) -> None:
    """Add memories as the gateway does, by a handle that is never refreshed, until a sweep is done."""
    import lancedb
    import pyarrow as pa

    table = lancedb.connect(f"{home}/lance").open_table("memories")
    number = 0
    while not Path(done).exists():
        table.add(pa.table({"id": [f"w-{number}"], "text": ["said meanwhile"], "category": ["fact"]}))
        number += 1
        Path(ready).write_text(str(number), encoding="utf-8")
        time.sleep(0.02)
