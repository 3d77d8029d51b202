"""The flow that writes what the ledger knows back to the agent's memories."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from tasks.lazy_flow import flow
from tasks.memories import open_memories
from tasks.prefect_bridge import as_state
from tasks.run_frame import Run, run_flow
from tasks.writeback import (
    FILL,
    Writeback,
    count_plan,
    finish_writeback,
    linked_up_to,
    plan_writeback,
    tell_unresolved,
    write_plan,
)


@flow(name="writeback")
def write_back(
    home: str | None = None,
    dry_run: bool = False,
    force: bool = False,
    force_fields: Sequence[str] = (),
    limit: int | None = None,
    batch: int | None = None,
    everything: bool = False,
) -> Any:
    """
    Fill the empty governance columns of the memories that observations name.

    Looks at what is new since the last run, or at everything. Overwrites nothing but the fields that are
    forced, after a snapshot, and never touches a text or a vector. What a run changes stands in the audit
    trail and can be undone; running it again finds nothing to write. The receipt has openclaw-mem's names:
    checked = updated + skipped + missing + ambiguous + deferred.
    """
    asked = Writeback.asked(
        force=force, force_fields=force_fields, limit=limit, batch=batch, everything=everything
    )
    return as_state(run_flow("writeback", partial(writeback, asked=asked), home=home, dry_run=dry_run))


def writeback(run: Run, *, asked: Writeback = FILL) -> None:
    """Compare ledger and table, write what is empty or forced, name what is gone."""
    run.balance("checked", "updated", "skipped", "missing", "ambiguous", "deferred")
    run.facts.update(
        forceOverwrite="yes" if asked.force else "no", forceFields=", ".join(asked.force) or "none"
    )
    table = open_memories(run)
    up_to = run.step(linked_up_to, run.home)
    plan = plan_writeback(run, table, asked, up_to=up_to)
    count_plan(run, plan, asked)
    tell_unresolved(run, plan, up_to=up_to)
    if run.dry_run:
        return
    write_plan(run, table, plan, asked)
    run.step(finish_writeback, run.home, plan, up_to=up_to)


if __name__ == "__main__":
    write_back()
