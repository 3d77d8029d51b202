"""The flow that softly archives what nobody uses."""

from __future__ import annotations

from typing import Any

from contracts.retention import StandingFrame
from tasks.lazy_flow import flow
from tasks.lifecycle import (
    change_observations,
    changes_of,
    changes_of_expired,
    count_judged,
    judge_rows,
    memory_standings,
    observation_standings,
    split_by_store,
)
from tasks.memories import change_memories, open_memories
from tasks.prefect_bridge import as_state
from tasks.run_frame import Run, SkipRun, run_flow
from tasks.snapshot import take


@flow(name="lifecycle")
def archive_unused(home: str | None = None, dry_run: bool = False) -> Any:
    """
    Archive records that were not used for the time of their tier, and revive those that were used again.

    Nothing is deleted: an archived record is hidden from recall, stays whole, and comes back when it is
    used. Memories whose time is over are archived too. A snapshot is taken before anything changes, and
    every change stands in the audit trail. The receipt shows seen = archived + revived + already_archived +
    protected, by tier, importance and reason.
    """
    return as_state(run_flow("lifecycle", lifecycle, home=home, dry_run=dry_run))


def lifecycle(run: Run) -> None:
    """Judge every record of both stores, then carry out the verdicts."""
    run.balance("seen", "archived", "revived", "already_archived", "protected")
    now_ms = run.started_ms
    rows = run.step(observation_standings, run.home)
    try:
        table = open_memories(run)
        rows = rows.vstack(run.step(memory_standings, run.home, table))
    except SkipRun:
        table = None
    rows = run.admit(StandingFrame, rows, source="lifecycle", key="record_ref")
    judged = run.step(judge_rows, rows, run.home, now_ms=now_ms)
    count_judged(run, judged)
    observations, memories = split_by_store(judged)
    changes = changes_of(observations, now_ms=now_ms), changes_of(memories, now_ms=now_ms)
    if table is not None:
        ended = run.step(changes_of_expired, table, memories, now_ms=now_ms)
        changes[1].extend(ended)
        run.count(expired=len({one.record_ref for one in ended}))
    if run.dry_run or not any(changes):
        return
    run.facts["snapshot"] = run.step(take, run.home, table, reason="before-lifecycle")
    run.step(change_observations, run.home, changes[0], run_id=run.run_id)
    if table is not None and changes[1]:
        change_memories(run, table, changes[1])


if __name__ == "__main__":
    archive_unused()
