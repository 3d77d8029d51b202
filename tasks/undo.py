"""Steps of an undo: what a run changed is put back, field by field, in both stores."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pyarrow as pa

from sunrise.bootstrap import Home
from sunrise.domain.receipts import RunStatus
from sunrise.domain.records import Change, split_ref
from sunrise.domain.undo import UNDO, MemoryUndo, UndoneBatch, UndoPlan
from sunrise.errors import DataError
from sunrise.ports import MemoryTable
from tasks.memories import change, change_memories, is_empty, open_memories
from tasks.run_frame import Run, SkipRun

BATCH = 20_000
"""Changes in one transaction: it holds the lock for well under a second."""

_NAMED = 3


@dataclass(frozen=True, slots=True)
class JudgedMemories:
    """What is to become of the fields of memories: their verdicts, and the changes that restore them."""

    verdicts: tuple[tuple[MemoryUndo, str], ...]
    changes: tuple[Change, ...]


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
    if receipt is not None and receipt.flow == "sweep":
        raise DataError("a redaction keeps no before-image", reason="redaction_keeps_no_before_image")
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
    judged = run.step(judge_memories, run.home, table, plan)
    for one, verdict in judged.verdicts:
        _count(run, one.field, verdict, 1)
        run.count(restored_over_later=one.over_later and verdict == "restored")
    if table is not None and judged.changes and not run.dry_run:
        change_memories(run, table, judged.changes)
    return [one.record_ref for one, verdict in judged.verdicts if verdict == "skipped"]


def judge_memories(home: Home, table: MemoryTable | None, plan: UndoPlan) -> JudgedMemories:
    """Compare what the table holds with what the run left there, and say what becomes of each field."""
    wanted = home.ledger.memories_to_undo(plan)
    held, types = _held(table, wanted)
    verdicts: list[tuple[MemoryUndo, str]] = []
    changes: list[Change] = []
    for one in wanted:
        _, memory_id = split_ref(one.record_ref)
        row = held.get(memory_id, {})
        verdict = "skipped"
        if one.field in row:
            now, target = row[one.field], _as_held(one.target, types[one.field])
            verdict = _verdict(now, target, one, types[one.field])
            if verdict == "restored":
                reason = f"{UNDO}{plan.undone}"
                changes.append(change(memory_id, one.field, before=now, after=target, reason=reason))
        verdicts.append((one, verdict))
    return JudgedMemories(tuple(verdicts), tuple(changes))


def _verdict(now: object, target: object, one: MemoryUndo, kind: pa.DataType) -> str:
    if now == target:
        return "already_so"
    if one.expected is None:
        return "skipped"
    expected = _as_held(one.expected, kind)
    is_so = now == expected or (is_empty(now) and is_empty(expected))
    return "restored" if is_so else "skipped"


def _held(
    table: MemoryTable | None, wanted: Sequence[MemoryUndo]
) -> tuple[Mapping[str, Mapping[str, Any]], Mapping[str, pa.DataType]]:
    if table is None:
        return {}, {}
    types = {one.name: one.type for one in table.schema()}
    fields = sorted({one.field for one in wanted} & types.keys())
    ids = sorted({split_ref(one.record_ref)[1] for one in wanted})
    rows = table.by_ids(ids, ["id", *fields]).to_pylist()
    # Of an id that stands there twice nobody knows which is meant, and no merge takes it.
    times = Counter(row["id"] for row in rows)
    held = {row["id"]: {name: row[name] for name in fields} for row in rows if times[row["id"]] == 1}
    return held, types


# Most fields of a run hold one of a few values.
@lru_cache(maxsize=4096)
def _as_held(text: str, kind: pa.DataType) -> object:
    # A column of single precision holds another number than the one that was written.
    return pa.scalar(json.loads(text), kind).as_py()


def _count(run: Run, field: str, verdict: str, fields: int) -> None:
    run.count(seen=fields, **{verdict: fields})
    run.tally(f"{verdict}_by_field", field, fields)


def _refusal(later: Mapping[str, int]) -> str:
    named = ", ".join(f"{run_id} ({records} records)" for run_id, records in list(later.items())[:_NAMED])
    more = f" and {len(later) - _NAMED} more" if len(later) > _NAMED else ""
    return f"later runs changed the same fields: {named}{more}; undo those first, or use --over-later"
