"""The flow that takes back what a run changed."""

from __future__ import annotations

from functools import partial
from typing import Any

from tasks.lazy_flow import flow
from tasks.prefect_bridge import as_state
from tasks.run_frame import Run, run_flow
from tasks.undo import undo_changes


@flow(name="undo")
def undo_run(run_id: str, home: str | None = None, dry_run: bool = False, over_later: bool = False) -> Any:
    """
    Put back what a run changed, in ledger and memories, each field as it was before that run.

    Refuses a sweep, and a run whose records a later run changed in the same fields, unless it is told to go
    over those. A field that holds anything but what was last written is left alone. An undo leaves changes of
    its own, so it can be undone. Running it again restores nothing. The receipt shows seen = restored +
    already_so + skipped, in fields of records.
    """
    body = partial(undo, run_id=run_id, over_later=over_later)
    return as_state(run_flow("undo", body, home=home, dry_run=dry_run))


def undo(run: Run, *, run_id: str, over_later: bool = False) -> None:
    """Look whether it can be done, then restore both stores."""
    undo_changes(run, run_id, over_later=over_later)
