"""The flow that keeps safety copies."""

from __future__ import annotations

from functools import partial
from typing import Any

from tasks.lazy_flow import flow
from tasks.memories import open_memories
from tasks.prefect_bridge import as_state
from tasks.run_frame import Run, SkipRun, run_flow
from tasks.snapshot import check_free, create, expire, find_to_remove, is_unchanged, remove, snapshots, take
from tasks.snapshot_list import snapshot_section


@flow(name="snapshot")
def take_snapshot(home: str | None = None, dry_run: bool = False) -> Any:
    """
    Tag the memories table and copy the ledger under one name, check the copy by opening it, expire old ones.

    Changes no record. Running it again while nothing changed makes no new snapshot. The receipt shows
    stores = copied + unchanged, the tag, and what expired.
    """
    return as_state(run_flow("snapshot", snapshot, home=home, dry_run=dry_run))


@flow(name="snapshot-create")
def create_snapshot(
    name: str | None = None, home: str | None = None, dry_run: bool = False, note: str = ""
) -> Any:
    """Take a snapshot by hand, whether or not anything changed; it expires by its own setting."""
    body = partial(create_one, name=name, note=note)
    return as_state(run_flow("snapshot", body, home=home, dry_run=dry_run))


@flow(name="snapshot-delete")
def delete_snapshot(name: str, home: str | None = None, dry_run: bool = False) -> Any:
    """Remove one snapshot, the tag first. Versions that only it held go with a later clean-up."""
    return as_state(run_flow("snapshot", partial(delete_one, name=name), home=home, dry_run=dry_run))


def snapshot(run: Run) -> None:
    """Copy what changed, then clear what is too old."""
    run.balance("stores", "copied", "unchanged")
    table = _table(run)
    stores = 1 if table is None else 2
    unchanged = run.step(is_unchanged, run.home, table)
    run.count(stores=stores, unchanged=stores if unchanged else 0, copied=0 if unchanged else stores)
    tag = run.write(take, run.home, table, reason="daily")
    if tag:
        run.facts["tag"] = tag
    expired = run.write(expire, run.home, table) or []
    run.count(expired=len(expired), kept=len(run.step(snapshots, run.home)))
    run.name("expired", expired)
    run.sections.append(snapshot_section(run.home))


def create_one(run: Run, *, name: str | None = None, note: str = "") -> None:
    """Copy both stores under the name."""
    run.balance("stores", "copied")
    table = _table(run)
    stores = 1 if table is None else 2
    run.step(check_free, run.home, table, name)
    tag = run.write(create, run.home, table, name=name, note=note)
    run.count(stores=stores, copied=stores)
    if tag:
        run.facts["tag"] = tag
    run.sections.append(snapshot_section(run.home))


def delete_one(run: Run, *, name: str) -> None:
    """Remove the snapshot."""
    table = _table(run)
    run.step(find_to_remove, run.home, table, name)
    run.write(remove, run.home, table, name)
    run.count(deleted=1, kept=len(run.step(snapshots, run.home)))
    run.name("deleted", [name])
    run.sections.append(snapshot_section(run.home))


def _table(run: Run) -> Any:
    try:
        return open_memories(run)
    except SkipRun:
        return None


if __name__ == "__main__":
    take_snapshot()
