"""The flow that goes back to a snapshot."""

from __future__ import annotations

from functools import partial
from typing import Any

from tasks.lazy_flow import flow
from tasks.prefect_bridge import as_state
from tasks.restore import restore_stores
from tasks.run_frame import Run, run_flow


@flow(name="restore")
def restore_snapshot(name: str, home: str | None = None, dry_run: bool = False) -> Any:
    """
    Put ledger and memories back to what a snapshot holds, and check by hash that they hold it.

    Refuses a snapshot that is not whole, before anything is touched, and runs only while no other flow does.
    The stores as they were are kept as a snapshot of their own. Killed anywhere, it is finished by running it
    again; until then no other flow runs. The receipt shows stores = restored + kept, and what came and went.
    """
    body = partial(restore, name=name)
    return as_state(run_flow("restore", body, home=home, dry_run=dry_run))


def restore(run: Run, *, name: str) -> None:
    """Check the snapshot, then restore both stores."""
    restore_stores(run, name)
