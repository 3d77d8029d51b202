"""The flow that keeps safety copies."""

from __future__ import annotations

from typing import Any

from tasks.lazy_flow import flow
from tasks.memories import open_memories
from tasks.prefect_bridge import as_state
from tasks.run_frame import Run, SkipRun, run_flow
from tasks.snapshot import expire, is_unchanged, snapshots, take


@flow(name="snapshot")
def take_snapshot(home: str | None = None, dry_run: bool = False) -> Any:
    """
    Tag the memories table and copy the ledger under one name, check the copy by opening it, expire old ones.

    Changes no record. Running it again while nothing changed makes no new snapshot. The receipt shows
    stores = copied + unchanged, the tag, and what expired.
    """
    return as_state(run_flow("snapshot", snapshot, home=home, dry_run=dry_run))


def snapshot(run: Run) -> None:
    """Copy what changed, then clear what is too old."""
    run.balance("stores", "copied", "unchanged")
    try:
        table = open_memories(run)
    except SkipRun:
        table = None
    stores = 1 if table is None else 2
    unchanged = run.step(is_unchanged, run.home, table)
    run.count(stores=stores, unchanged=stores if unchanged else 0, copied=0 if unchanged else stores)
    tag = run.write(take, run.home, table, reason="daily")
    if tag:
        run.facts["tag"] = tag
    expired = run.write(expire, run.home, table) or []
    run.count(expired=len(expired), kept=len(run.step(snapshots, run.home)))
    run.name("expired", expired)


if __name__ == "__main__":
    take_snapshot()
