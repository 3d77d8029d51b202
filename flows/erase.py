"""The flow that takes what was forgotten out of every store."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from tasks.erasing import erase_forgotten
from tasks.lazy_flow import flow
from tasks.prefect_bridge import as_state
from tasks.run_frame import Run, run_flow


@flow(name="erase")
def erase_memories(
    memory_ids: Sequence[str],
    home: str | None = None,
    dry_run: bool = False,
    with_derived: bool = False,
    backups: bool = False,
) -> Any:
    """
    Take what forgotten memories said out of ledger, memories, spool, receipts, pages and all other files.

    Snapshots and their backups are listed, or removed. It runs only while no other flow does, and cannot be
    undone. Killed anywhere, it is finished by running it again. The receipt shows found = erased + left by
    place, what still holds a text, and whether nothing does.
    """
    body = partial(erase, memory_ids=tuple(memory_ids), with_derived=with_derived, backups=backups)
    return as_state(run_flow("erase", body, home=home, dry_run=dry_run))


def erase(run: Run, *, memory_ids: Sequence[str], with_derived: bool = False, backups: bool = False) -> None:
    """Find what they said, take it out of each store, and look what still holds it."""
    erase_forgotten(run, memory_ids, with_derived=with_derived, backups=backups)
