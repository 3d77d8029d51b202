"""A change of one memory, in the order that survives a kill: audit trail and outbox, then the table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from sunrise.domain.records import GOVERNANCE, memory_ref
from sunrise.ports import Ledger, MemoryTable


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """New values of fields of a memory that was ``read`` at a version of the table."""

    read: Mapping[str, Any]
    values: Mapping[str, Any]
    version: int


def record_change(change: MemoryChange, *, ledger: Ledger, run_id: str, reason: str) -> range:
    """Put a change into the audit trail and the outbox; return its ids."""
    images = [
        json.dumps({name: one.get(name) for name in sorted(change.values)}, ensure_ascii=False)
        for one in (change.read, change.values)
    ]
    note = {
        "record_ref": [memory_ref(change.read["id"])],
        "field": [GOVERNANCE],
        "before": [images[0]],
        "after": [images[1]],
        "reason": [reason],
    }
    return ledger.record_change_frame(pa.table(note), run_id=run_id)


def apply_change(change: MemoryChange, pending: range, *, memories: MemoryTable, ledger: Ledger) -> None:
    """
    Let the table take a change that was recorded; what another writer changed since the reading stands.

    What the table did not take stays in the outbox, and whoever opens the table next applies it.

    Raises:
        StoreError: A store failed.
    """
    names = sorted(change.values)
    schema = pa.schema([memories.schema().field(name) for name in ("id", *names)])
    before, after = (
        pa.Table.from_pylist(
            [{"id": change.read["id"], **{name: one.get(name) for name in names}}], schema=schema
        )
        for one in (change.read, change.values)
    )
    memories.overwrite(after, read=before, version=change.version)
    ledger.clear_outbox(pending)
