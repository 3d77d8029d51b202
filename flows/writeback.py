"""The flow that writes what the ledger knows back to the agent's memories."""

from __future__ import annotations

from typing import Any

from tasks.lazy_flow import flow
from tasks.memories import change_memories, open_memories
from tasks.prefect_bridge import as_state
from tasks.run_frame import Run, run_flow
from tasks.writeback import newly_missing, plan_writeback, quarantine_distrusted, screen_memories


@flow(name="writeback")
def write_back(home: str | None = None, dry_run: bool = False) -> Any:
    """
    Fill the empty governance columns of the memories that observations name.

    First it puts memories that nobody harvested and that look like instructions to the model into quarantine.
    Overwrites nothing, and never touches a text or a vector. Each field that is filled stands in the audit
    trail; running it again finds nothing to fill. The receipt has openclaw-mem's names: checked = updated +
    skipped + missing.
    """
    return as_state(run_flow("writeback", writeback, home=home, dry_run=dry_run))


def writeback(run: Run) -> None:
    """Look at what others wrote, compare ledger and table, fill what is empty, name what is gone."""
    run.balance("checked", "updated", "skipped", "missing")
    run.count(overwritten=0, overwrittenFields=0)
    run.facts.update(forceOverwrite="no", forceFields="none")
    table = open_memories(run)
    found = run.step(screen_memories, run.home, table)
    quarantine_distrusted(run, table, found)
    plan = plan_writeback(run, table, distrusted=found.distrusted)
    if plan.changes and not run.dry_run:
        change_memories(run, table, plan.changes)
    run.count(checked=plan.checked, updated=plan.memories, skipped=plan.skipped, missing=len(plan.missing))
    for made in plan.changes:
        run.tally("filled_by_field", made.field)
    run.name("missingIds", plan.missing)
    gone = run.step(newly_missing, run.home, plan.missing, dry_run=run.dry_run)
    if gone:
        run.anomaly("missing_ids", "observations name memories that the table lacks", len(gone))


if __name__ == "__main__":
    write_back()
