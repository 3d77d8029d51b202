"""How two snapshots differ, or one and the stores of now: counts and refs, never a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from sunrise.adapters.row_hashes import EMPTY_CELL
from sunrise.adapters.sqlite_copies import differences
from sunrise.adapters.sqlite_ledger import LEDGER_FILE
from sunrise.bootstrap import Home
from sunrise.domain.records import memory_ref, observation_ref
from sunrise.domain.snapshots import SnapshotFault, refused
from sunrise.ports import MemoryTable
from tasks.snapshot_check import check_tag
from tasks.snapshot_manifest import LEDGER_COPY, Snapshot

MAX_SHOWN = 20
"""Refs of one kind that a difference names."""


@dataclass(frozen=True, slots=True)
class StoreDiff:
    """What one store has more, less, and otherwise; ``fields`` counts the changed rows by field."""

    added: int
    removed: int
    changed: int
    fields: Mapping[str, int]
    refs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether the rows are the same."""
        return not (self.added or self.removed or self.changed)

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as JSON takes it."""
        return asdict(self)


def diff(
    home: Home, table: MemoryTable | None, old: Snapshot, new: Snapshot | None
) -> tuple[StoreDiff, StoreDiff | None]:
    """
    Return how ledger and memories of a snapshot differ from another one, or from now.

    The second is None where one of the two holds no memories. Observations are told apart by key.

    Raises:
        DataError: A copy or a tag is missing or was moved; a snapshot's fault as reason.
        StoreError: A store cannot be read.
    """
    return diff_ledgers(home, old, new), diff_memories(table, old, new)


def diff_ledgers(home: Home, old: Snapshot, new: Snapshot | None) -> StoreDiff:
    """Return how the observations differ."""
    found = differences(_ledger_of(home, old), _ledger_of(home, new), refs=MAX_SHOWN)
    kinds = ("added", "removed", "changed")
    refs = {kind: tuple(observation_ref(one) for one in found[f"{kind}_ids"]) for kind in kinds}
    return StoreDiff(found["added"], found["removed"], found["changed"], found["fields"], refs)


def diff_memories(table: MemoryTable | None, old: Snapshot, new: Snapshot | None) -> StoreDiff | None:
    """Return how the memories differ, cell by cell; None where one of the two holds none."""
    if old.version is None or (table is None if new is None else new.version is None):
        return None
    check_tag(table, old)
    if new is not None:
        check_tag(table, new)
    if table is None:
        return None
    before, after = _cells(table, old.tag), _cells(table, new.tag if new else None)
    names = sorted({*before.columns, *after.columns} - {"id"})
    pairs = _filled(before, names).join(_filled(after, names), on="id", suffix=" after")
    unlike = pairs.select("id", *(pl.col(name) != pl.col(f"{name} after") for name in names))
    counts = unlike.select(pl.col(name).sum() for name in names).row(0) if names else ()
    changed = unlike.filter(pl.any_horizontal(names)) if names else unlike.clear()
    added, removed = after.join(before, on="id", how="anti"), before.join(after, on="id", how="anti")
    return StoreDiff(
        added.height,
        removed.height,
        changed.height,
        {name: int(count) for name, count in zip(names, counts, strict=True) if count},
        {"added": _refs(added), "removed": _refs(removed), "changed": _refs(changed)},
    )


def _ledger_of(home: Home, snapshot: Snapshot | None) -> Path:
    if snapshot is None:
        return home.path / LEDGER_FILE
    path = home.backups / snapshot.tag / LEDGER_COPY
    if not path.is_file():
        raise refused(SnapshotFault.LEDGER_MISSING, f"{snapshot.tag!r} has no copy of the ledger")
    return path


def _cells(table: MemoryTable, tag: str | None) -> pl.DataFrame:
    batches = list(table.cell_hashes(tag))
    if not batches:
        return pl.DataFrame(schema={"id": pl.String})
    # An id that is there twice stands for its first row: nothing can be said of the others.
    frame = pl.DataFrame(pa.Table.from_batches(batches))
    return frame.unique("id", keep="first", maintain_order=True)


def _filled(frame: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    # A column that is not there holds nothing in every row.
    empty = pl.lit(int(EMPTY_CELL), dtype=pl.UInt64)
    return frame.select("id", *(pl.col(one) if one in frame.columns else empty.alias(one) for one in names))


def _refs(frame: pl.DataFrame) -> tuple[str, ...]:
    shown = frame["id"].drop_nulls().sort().head(MAX_SHOWN)
    return tuple(memory_ref(one) for one in shown)
