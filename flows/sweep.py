"""The flow that takes out the secrets that older rules let in."""

from __future__ import annotations

from functools import partial
from typing import Any

from tasks.lazy_flow import flow
from tasks.prefect_bridge import as_state
from tasks.run_frame import Run, run_flow
from tasks.sweep import UNDO, sweep_backups, sweep_ledger, sweep_memories
from tasks.sweep_files import sweep_files
from tasks.sweep_search import search_remains


@flow(name="sweep")
def sweep_secrets(home: str | None = None, dry_run: bool = False, backups: bool = False) -> Any:
    """
    Redact every secret that the rules of today find: ledger, memories, spool, receipts, pages, quarantine.

    Nothing of it can be undone: a redaction keeps no before-image. A sweep that was killed is finished by
    the next one, and a sweep that finds nothing changes nothing. The receipt shows seen = clean + redacted,
    the kinds, the versions and snapshots that went, and the files that still hold a secret.
    """
    return as_state(run_flow("sweep", partial(sweep, backups=backups), home=home, dry_run=dry_run))


def sweep(run: Run, *, backups: bool = False) -> None:
    """Redact each store, name the backups that hold a secret or remove them, and look whether any is left."""
    run.balance("seen", "clean", "redacted")
    run.facts["undo"] = UNDO
    values = {*sweep_ledger(run), *sweep_memories(run), *sweep_files(run)}
    values |= sweep_backups(run, remove=backups)
    search_remains(run, frozenset(values), listed=run.refs.get("backups_holding", ()))


if __name__ == "__main__":
    sweep_secrets()
