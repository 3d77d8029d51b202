"""Memories without an id, or with that of another one, get an id of their own."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final
from uuid import uuid4

import polars as pl

from sunrise.bootstrap import Home
from sunrise.domain.filters import DEFAULT_SCOPE
from sunrise.domain.receipts import RunReceipt
from sunrise.domain.record_requests import asked_ref
from sunrise.domain.records import Change, memory_ref
from sunrise.domain.row_names import ROW_COLUMNS, keeps_id, of_ids, row_name
from sunrise.domain.schedule import IDS
from sunrise.online.named_memory import ambiguous_ids, rows_named
from sunrise.ports import Ledger, MemoryReader, MemoryTable
from tasks.memories import change_memories, open_memories
from tasks.placed_rows import ID
from tasks.run_frame import Run, run_flow

REASON: Final = "own_id"
"""The reason in the audit trail."""

Rows = list[dict[str, Any]]


def mend_ids(home: str | None, *, dry_run: bool) -> RunReceipt:
    """
    Give rows without an id a new one, and of rows that share one all but one, as a run that can be undone.

    Which keeps it, see :func:`sunrise.domain.row_names.keeps_id`; what the ledger knows of the id stays with
    that row. The receipt shows found = mended + kept + left.
    """
    return run_flow(IDS, _carry_out, home=home, dry_run=dry_run)


def count_ambiguous(table: MemoryReader) -> tuple[int, int]:
    """Return how many rows have no id, and how many have that of another row."""
    ids = pl.DataFrame(table.scan([ID]))[ID].fill_null("")
    named = ids.filter(ids != "")
    return len(ids) - len(named), len(named) - named.n_unique()


def judge_ids(table: MemoryTable | None, wanted: pl.DataFrame, reason: str) -> list[tuple[Change, str]]:
    """Return the change that takes each id back, and its verdict: restored, already_so or skipped."""
    columns = wanted.select("record_ref", "expected", "target").iter_rows()
    changes = [Change(ref, ID, expected or "null", target, reason) for ref, expected, target in columns]
    images = [(json.loads(one.before), json.loads(one.after)) for one in changes]
    there = _there(table, [image for both in images for image in both])
    return [
        (one, "restored" if _key(was) in there else "already_so" if was and _key(new) in there else "skipped")
        for one, (was, new) in zip(changes, images, strict=True)
    ]


def _there(table: MemoryTable | None, images: Sequence[Any]) -> set[str]:
    """Return the ids and the names of rows among some images of a change that the table holds."""
    if table is None:
        return set()
    ids = [image for image in images if isinstance(image, str)]
    called = rows_named([image["row"] for image in images if isinstance(image, dict)], (), memories=table)
    return {*table.by_ids(ids, [ID]).column(ID).to_pylist(), *map(row_name, called.to_pylist())}


def _key(image: Any) -> str | None:
    key: str | None = image["row"] if isinstance(image, dict) else image
    return key


def _carry_out(run: Run) -> None:
    run.balance("found", "mended", "kept", "left")
    table = open_memories(run)
    rows = run.step(_unnamed, table)
    changes = run.step(plan_ids, run.home.ledger, rows)
    renamed = [json.loads(one.before)["row"] for one in changes]
    run.count(found=len(rows), without_id=sum(not row[ID] for row in rows), kept=len(rows) - len(changes))
    run.name("renamed", [memory_ref(name) for name in renamed])
    if run.dry_run or not changes:
        run.count(mended=len(changes), left=0)
        return
    run.step(_note_used, run.home, changes, at_ms=run.started_ms)
    mended = change_memories(run, table, changes)
    run.count(mended=mended, left=len(changes) - mended)
    run.name("ids", [one.record_ref for one in changes])


def plan_ids(ledger: Ledger, rows: Sequence[dict[str, Any]]) -> list[Change]:
    """Return the changes that leave each of some rows an id of its own."""
    by_id: dict[str, Rows] = defaultdict(list)
    for row in rows:
        by_id[row[ID] or ""].append(row)
    kept = {name: keeps_id(mine, _told(ledger, name)) for name, mine in by_id.items() if name}
    return [
        _change(row) for name, mine in by_id.items() for at, row in enumerate(mine) if at != kept.get(name)
    ]


def _change(row: dict[str, Any]) -> Change:
    new = str(uuid4())
    was = {ID: row[ID], "row": row_name(row)}
    return Change(memory_ref(new), ID, json.dumps(was), json.dumps(new), REASON)


def _told(ledger: Ledger, memory_id: str) -> list[tuple[str, str]]:
    """Return what the observations say that are linked to an id, and where, the newest first."""
    linked = [asked_ref(ref).row_id for ref in ledger.linked_observations(memory_id)]
    rows = sorted(ledger.observations_by_ids(linked), key=lambda one: one.at_ms, reverse=True)
    return [(one.text or "", one.scope or DEFAULT_SCOPE) for one in rows]


def _unnamed(table: MemoryReader) -> Rows:
    """Return the rows without an id, and those that share one, in the order of their names."""
    ambiguous = ambiguous_ids(table)
    rows: Rows = table.scan(ROW_COLUMNS, where=of_ids(ambiguous)).to_pylist() if ambiguous else []
    return sorted(rows, key=row_name)


def _note_used(home: Home, changes: Sequence[Change], *, at_ms: int) -> None:
    # What was used under no id was counted nowhere, so that the lifecycle would take it for unused.
    for one in changes:
        home.ledger.note_used(one.record_ref, at_ms=at_ms)
