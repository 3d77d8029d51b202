"""Steps of an undo: what a run changed is put back, field by field, in both stores."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from sunrise.bootstrap import Home
from sunrise.domain.erasure import ERASE
from sunrise.domain.receipts import RunStatus
from sunrise.domain.undo import UNDO, UndoneBatch, UndoPlan
from sunrise.errors import DataError
from sunrise.ports import MemoryTable
from tasks.memories import apply_updates, change_memories, clear_outbox, open_memories, record_updates
from tasks.own_ids import judge_ids
from tasks.placed_rows import ID
from tasks.run_frame import Run, SkipRun
from tasks.undo_verdicts import judge_memories

BATCH = 20_000
"""Changes in one transaction: it holds the lock for well under a second."""

_NAMED = 3


def is_known(home: Home, run_id: str) -> bool:
    """Return whether the ledger knows a run: by its receipt, or by a change that it made."""
    ledger = home.ledger
    if ledger.recorded_run(run_id) is not None:
        return True
    plan = ledger.plan_undo(run_id)
    return bool(plan.observations or plan.memories)


def plan_undo(home: Home, undone: str, *, over_later: bool) -> UndoPlan:
    """
    Look at a run that is to be taken back, and at who changed the same since.

    Raises:
        DataError: There is no such run, it cannot be taken back, or a later run changed the same fields.
        SkipRun: The run changed nothing.
    """
    ledger = home.ledger
    receipt, plan = ledger.recorded_run(undone), ledger.plan_undo(undone)
    changed = plan.observations + plan.memories
    if receipt is None and not changed:
        raise DataError("the ledger knows no such run", reason="no_such_run")
    if receipt is not None and receipt.flow in (ERASE, "sweep"):
        raise DataError("a redaction keeps no before-image", reason="redaction_keeps_no_before_image")
    if ledger.erased(run_id=undone):
        raise DataError("what the run forgot was erased since", reason="erased")
    if receipt is not None and receipt.status is RunStatus.RUNNING:
        raise DataError("the run is still at work: undo it when it has ended", reason="run_still_running")
    if not changed:
        raise SkipRun("run_changed_nothing")
    if plan.later_runs and not over_later:
        raise DataError(_refusal(plan.later_runs), reason="changed_by_a_later_run")
    return plan


def undo_changes(run: Run, undone: str, *, over_later: bool) -> None:
    """Restore what a run changed: observations batch by batch, then memories in one merge."""
    run.balance("seen", "restored", "already_so", "skipped")
    run.facts["undone"] = undone
    run.count(restored_over_later=0)
    # What a killed run still has in the outbox reaches the table first, and is then taken back.
    plan = run.step(plan_undo, run.home, undone, over_later=over_later)
    skipped = undo_in_ledger(run, plan)
    if plan.memories:
        skipped += undo_in_memories(run, plan)
    run.name("skipped", skipped)
    if plan.later_runs:
        run.name("later_runs", list(plan.later_runs))


def undo_in_ledger(run: Run, plan: UndoPlan) -> list[str]:
    """Restore fields of observations, newest change first; return records that were left alone."""
    below: int | None = None
    skipped: list[str] = []
    while plan.observations:
        batch = run.step(undo_batch, run.home, plan, run_id=run.run_id, below=below, dry_run=run.dry_run)
        for (field, verdict), fields in batch.counts.items():
            _count(run, field, verdict, fields)
        run.count(restored_over_later=batch.over_later)
        skipped += batch.skipped
        below = batch.below
        if below is None:
            break
    return skipped


def undo_batch(home: Home, plan: UndoPlan, *, run_id: str, below: int | None, dry_run: bool) -> UndoneBatch:
    """Restore one batch of fields of observations."""
    return home.ledger.undo_observations(plan, run_id=run_id, below=below, limit=BATCH, dry_run=dry_run)


def undo_in_memories(run: Run, plan: UndoPlan) -> list[str]:
    """Restore fields of memories through the outbox, in one merge; return records that were left alone."""
    try:
        table = open_memories(run)
    except SkipRun:
        table = None
        run.anomaly("no_memories_table", "the memories that the run changed are not there", plan.memories)
    wanted = run.step(memories_to_undo, run.home, plan)
    skipped = undo_ids(run, table, wanted.filter(pl.col("field") == ID), plan.undone)
    judged = run.step(judge_memories, table, wanted.filter(pl.col("field") != ID))
    for field, verdict, fields, over_later in judged.counts():
        _count(run, field, verdict, fields)
        run.count(restored_over_later=over_later)
    if table is not None and not run.dry_run:
        updates = judged.updates(f"{UNDO}{plan.undone}")
        if len(updates):
            pending = run.step(record_updates, run.home, updates, run_id=run.run_id)
            run.step(apply_updates, table, updates)
            run.step(clear_outbox, run.home, [pending])
    return [*skipped, *judged.skipped()]


def undo_ids(run: Run, table: MemoryTable | None, wanted: pl.DataFrame, undone: str) -> list[str]:
    """Take back the ids that a run gave to rows; return records that were left alone."""
    if wanted.is_empty():
        return []
    judged = run.step(judge_ids, table, wanted, f"{UNDO}{undone}")
    for _, verdict in judged:
        _count(run, ID, verdict, 1)
    changes = [change for change, verdict in judged if verdict == "restored"]
    if table is not None and changes and not run.dry_run:
        change_memories(run, table, changes)
    return [change.record_ref for change, verdict in judged if verdict == "skipped"]


def memories_to_undo(home: Home, plan: UndoPlan) -> pl.DataFrame:
    """Return the fields of memories that are to be restored."""
    return pl.DataFrame(home.ledger.memories_to_undo(plan))


def _count(run: Run, field: str, verdict: str, fields: int) -> None:
    run.count(seen=fields, **{verdict: fields})
    run.tally(f"{verdict}_by_field", field, fields)


def _refusal(later: Mapping[str, int]) -> str:
    named = ", ".join(f"{run_id} ({records} records)" for run_id, records in list(later.items())[:_NAMED])
    more = f" and {len(later) - _NAMED} more" if len(later) > _NAMED else ""
    return f"later runs changed the same fields: {named}{more}; undo those first, or use --over-later"
