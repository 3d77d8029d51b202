"""Rows of the memories table as an operator sees them, and the times and ids that order them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import tzinfo
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sunrise.domain.memory_filter import END_OF_TIME
from sunrise.domain.ranking import PLUGIN_SEED_ID
from sunrise.domain.record_views import MemoryView
from sunrise.domain.records import memory_ref
from sunrise.domain.secrets import redact
from sunrise.domain.times import written_time
from sunrise.domain.trust import QUARANTINED

VIEW_COLUMNS: Final = (
    "id", "text", "createdAt", "scope", "category", "importance", "importance_label", "trust_tier", "state",
    "source_kind", "source_ref", "lang", "agentId", "embedding_model", "archived_at_ms", "updated_at_ms",
    "expires_at_ms", "review_at_ms",
)  # fmt: skip
KEY_COLUMNS: Final = ("id", "createdAt")

_TEXTS: Final = {
    "scope": "scope", "category": "category", "importance_label": "importance_label",
    "trust_tier": "trust_tier", "state": "state", "source_kind": "source_kind", "source_ref": "source_ref",
    "lang": "lang", "agentId": "agent_id", "embedding_model": "embedding_model",
}  # fmt: skip

_MOMENTS: Final = ("archived_at_ms", "updated_at_ms", "expires_at_ms", "review_at_ms")

Times = npt.NDArray[np.float64]


def times_of(rows: pa.Table | pa.RecordBatch, *, unknown: float) -> Times:
    """Return when rows were created; what is no moment of any calendar becomes ``unknown``."""
    if "createdAt" not in rows.schema.names:
        return np.full(rows.num_rows, unknown)
    said = pc.cast(rows.column("createdAt"), pa.float64(), safe=False)
    times: Times = np.asarray(pc.fill_null(said, np.nan), dtype=np.float64)
    return np.where((times >= 0) & (times < END_OF_TIME), times, unknown)


def memories_in(rows: pa.Table | pa.RecordBatch) -> pa.Table:
    """Return the rows that are memories, and not what a gateway made its table with; no id is null."""
    table = pa.Table.from_batches([rows]) if isinstance(rows, pa.RecordBatch) else rows
    ids = pc.fill_null(table.column("id").cast(pa.string()), "")
    held = table.set_column(table.schema.get_field_index("id"), "id", ids)
    return held.filter(pc.not_equal(ids, PLUGIN_SEED_ID))


def named(rows: pa.Table | pa.RecordBatch) -> pa.Table:
    """Return the memories that have an id."""
    held = memories_in(rows)
    return held.filter(pc.not_equal(held.column("id"), ""))


def views_of(rows: pa.Table, *, with_quarantined_texts: bool, zone: tzinfo) -> Iterator[MemoryView]:
    """Yield the rows as an operator sees them: no secret, and no quarantined text unless asked for."""
    for row in rows.to_pylist():
        is_shown = with_quarantined_texts or row.get("trust_tier") != QUARANTINED
        yield _view(row, is_shown=is_shown, zone=zone)


def moment(value: Any) -> int | None:
    """
    Return a time as whole milliseconds, or None for what is none.

    >>> moment(5.7), moment(float("nan")), moment(None)
    (5, None, None)
    """
    return int(value) if isinstance(value, float | int) and 0 <= value < END_OF_TIME else None


def _view(row: dict[str, Any], *, is_shown: bool, zone: tzinfo) -> MemoryView:
    score = row.get("importance")
    created_at_ms = moment(row.get("createdAt"))
    texts = {field: _shown(row.get(column)) for column, field in _TEXTS.items()}
    moments = {name: moment(row.get(name)) for name in _MOMENTS}
    values: dict[str, Any] = {**texts, **moments}
    return MemoryView(
        ref=memory_ref(str(row["id"])),
        text=redact(row.get("text") or "").text if is_shown else None,
        importance=score if isinstance(score, float | int) and math.isfinite(score) else None,
        created_at_ms=created_at_ms,
        date=written_time(created_at_ms, zone=zone),
        **values,
    )


def _shown(value: Any) -> str | None:
    return redact(value).text if isinstance(value, str) and value else None
