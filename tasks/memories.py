"""The memories table as the flows use it: opened, adopted, and changed through the outbox."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sunrise.bootstrap import Home
from sunrise.domain.records import Change, fields_changed, memory_ref, split_ref
from sunrise.online.burial import finish_burials
from sunrise.online.store import finish_stores
from sunrise.ports import MemoryTable
from tasks.placed_rows import ID, put_named, write_ids
from tasks.run_frame import Run, SkipRun

if TYPE_CHECKING:
    from tasks.memory_updates import MemoryUpdates


FINISHED = "finished_from_killed_run"
"""The count of memories to which a run brought what a killed one had left in the outbox."""


def open_memories(run: Run) -> MemoryTable:
    """
    Open and adopt the memories table, and finish what a killed run had begun to write to it.

    Raises:
        SkipRun: The agent has not made the table yet.
        StoreError: The table is there and cannot be opened.
    """
    table = run.step(_open, run.home)
    if table is None:
        raise SkipRun("no_memories_table")
    run.facts["memories"] = run.home.settings.memories_uri
    added = run.write(adopt, table)
    if added:
        run.facts["columns_added"] = ", ".join(added)
    if run.home.ledger.count("outbox"):
        finished = run.write(apply_outbox, run.home, table)
        run.count(**{FINISHED: finished or 0})
    if run.home.ledger.unfinished_burials():
        run.write(finish_forgetting, run.home, table)
    if run.home.ledger.pending_stores():
        stored = run.write(bring_stores, run.home, table)
        run.count(**{FINISHED: stored or 0})
    return table


def adopt(table: MemoryTable) -> tuple[str, ...]:
    """Add the governance columns that the table lacks."""
    return table.adopt()


def bring_stores(home: Home, table: MemoryTable) -> int:
    """Bring to the table what killed stores left in the ledger; return how many memories."""
    return finish_stores(memories=table, ledger=home.ledger)


def finish_forgetting(home: Home, table: MemoryTable) -> int:
    """Delete what is forgotten and still in the table; return how many memories."""
    return finish_burials(memories=table, ledger=home.ledger)


def change_memories(run: Run, table: MemoryTable, changes: Sequence[Change]) -> int:
    """
    Change memories so that a kill at any moment loses and doubles nothing; return the memories changed.

    The changes are in the ledger's audit trail and outbox before the table sees them, and leave the outbox
    after it holds them.
    """
    run.step(_record, run.home, changes, run_id=run.run_id)
    return run.step(apply_outbox, run.home, table)


def record_updates(home: Home, updates: MemoryUpdates, *, run_id: str) -> range:
    """Note updates in the audit trail, and put them in the outbox; return the ids of the changes."""
    return home.ledger.record_change_frame(updates.images(), run_id=run_id)


def apply_updates(table: MemoryTable, updates: MemoryUpdates) -> int:
    """Write updates to the table in one merge; return the memories changed."""
    rows, read = updates.rows_and_read
    return table.overwrite(rows, read=read, version=updates.version)


def clear_outbox(home: Home, pending: Sequence[range]) -> None:
    """Take changes out of the outbox that the table holds now."""
    for ids in pending:
        home.ledger.clear_outbox(ids)


def apply_outbox(home: Home, table: MemoryTable) -> int:
    """
    Write what stands in the outbox to the table in one merge; return how many memories changed.

    A field that no longer holds what the change expects was written by somebody else since: theirs stands.
    """
    pending = home.ledger.outbox()
    if not pending:
        return 0
    by_memory: dict[str, dict[str, tuple[Any, Any]]] = {}
    ids = [change for _, change in pending if change.field == ID]
    written = write_ids(table, ids) if ids else 0
    others = (pended for _, pended in pending if pended.field != ID)
    for change in (one for pended in others for one in fields_changed(pended)):
        _, memory_id = split_ref(change.record_ref)
        fields = by_memory.setdefault(memory_id, {})
        before = fields.get(change.field, (json.loads(change.before), None))[0]
        fields[change.field] = (before, json.loads(change.after))
    if by_memory:
        written += put_named(table, by_memory) + _put(table, by_memory)
    home.ledger.clear_outbox([change_id for change_id, _ in pending])
    return written


def change(memory_id: str, field: str, *, before: Any, after: Any, reason: str) -> Change:
    """Return the change of one field of one memory."""
    return change_of(memory_ref(memory_id), field, before=before, after=after, reason=reason)


def change_of(record_ref: str, field: str, *, before: Any, after: Any, reason: str) -> Change:
    """Return the change of one field of one record of either store."""
    return Change(record_ref, field, json.dumps(before), json.dumps(after), reason)


def is_empty(value: Any) -> bool:
    """Return whether a governance field holds nothing: null, or the empty text that a plugin may write."""
    return value is None or (isinstance(value, str) and not value.strip())


def _open(home: Home) -> MemoryTable | None:
    return home.memories()


def _record(home: Home, changes: Sequence[Change], *, run_id: str) -> None:
    home.ledger.record_changes(changes, run_id=run_id)


def _put(table: MemoryTable, wanted: dict[str, dict[str, tuple[Any, Any]]]) -> int:
    fields = sorted({field for changes in wanted.values() for field in changes})
    schema = pa.schema([table.schema().field(name) for name in ("id", *fields)])
    version = table.newest_version()
    held, rows = [], []
    there = table.by_ids(sorted(wanted), schema.names).to_pylist()
    times = Counter(row["id"] for row in there)
    # Of an id that stands there twice nobody knows which is meant.
    for row in (row for row in there if times[row["id"]] == 1):
        changed = {
            field: after
            for field, (before, after) in wanted[row["id"]].items()
            if row[field] == before or (is_empty(row[field]) and is_empty(before))
        }
        if any(row[field] != after for field, after in changed.items()):
            held.append(row)
            rows.append({**row, **changed})
    if not rows:
        return 0
    read = pa.Table.from_pylist(held, schema=schema)
    return table.overwrite(pa.Table.from_pylist(rows, schema=schema), read=read, version=version)
