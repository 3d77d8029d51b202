"""Steps of the writeback: fill the empty governance columns of the memories that observations name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from contracts.governance import GovernanceFrame, MemoryGovernanceFrame
from sunrise.bootstrap import Home
from sunrise.domain.records import Change
from sunrise.ports import MemoryTable
from tasks.memories import change, is_empty
from tasks.run_frame import Run

_MISSING = "writeback.missing_ids"
FIELDS = ("importance", "importance_label", "scope", "category", "trust_tier")


@dataclass
class WritebackPlan:
    """What a run would write, before it writes anything."""

    checked: int = 0
    missing: list[str] = field(default_factory=list)
    skipped: int = 0
    changes: list[Change] = field(default_factory=list)

    @property
    def memories(self) -> int:
        """How many memories the changes touch."""
        return len({change.record_ref for change in self.changes})


def read_governance(home: Home) -> pl.DataFrame:
    """Return what the ledger knows of the memories that its observations name."""
    return pl.DataFrame(home.ledger.linked_governance())


def newest_values(rows: pl.DataFrame) -> pl.DataFrame:
    """Return one row a memory: of each field the newest value that is not empty."""
    newest = [pl.col(name).drop_nulls().last().alias(name) for name in FIELDS]
    return rows.sort("observation_id").group_by("memory_id", maintain_order=True).agg(newest)


def read_memories(table: MemoryTable, ids: list[str]) -> pl.DataFrame:
    """Return what these memories hold now; a column that is not there yet is empty."""
    held = pl.DataFrame(table.by_ids(ids, ["id", *FIELDS]))
    absent = [
        pl.lit(None, dtype=pl.Float64 if name == "importance" else pl.String).alias(name)
        for name in FIELDS
        if name not in held.columns
    ]
    return held.with_columns(absent).select("id", *FIELDS)


def plan_writeback(run: Run, table: MemoryTable) -> WritebackPlan:
    """Compare the ledger with the table and return what is to be filled."""
    known = run.admit(
        GovernanceFrame,
        run.step(read_governance, run.home),
        source="ledger.governance",
        key="observation_id",
    )
    wanted = newest_values(known)
    ids = wanted["memory_id"].to_list()
    held = run.admit(MemoryGovernanceFrame, run.step(read_memories, table, ids), source="memories", key="id")
    return compare(wanted, held)


def compare(wanted: pl.DataFrame, held: pl.DataFrame) -> WritebackPlan:
    """
    Return the fields that are empty in the table and known to the ledger.

    A memory whose every field is filled already, or of which the ledger knows nothing more, is skipped.
    """
    by_id = {row["id"]: row for row in held.iter_rows(named=True)}
    plan = WritebackPlan(checked=wanted.height)
    for row in wanted.iter_rows(named=True):
        now = by_id.get(row["memory_id"])
        if now is None:
            plan.missing.append(row["memory_id"])
            continue
        fills = list(_fills(row, now))
        plan.skipped += not fills
        plan.changes.extend(fills)
    return plan


def newly_missing(home: Home, missing: list[str], *, dry_run: bool) -> list[str]:
    """Return the ids that the run before did not miss: a memory that was forgotten is told of once."""
    known = set(json.loads(home.ledger.get_note(_MISSING) or "[]"))
    if not dry_run and known != set(missing):
        home.ledger.put_note(_MISSING, json.dumps(sorted(missing)))
    return [memory_id for memory_id in missing if memory_id not in known]


def _fills(wanted: dict[str, Any], held: dict[str, Any]) -> Iterator[Change]:
    for name in FIELDS:
        if is_empty(held[name]) and not is_empty(wanted[name]):
            yield change(
                wanted["memory_id"], name, before=held[name], after=wanted[name], reason="fill_empty"
            )
