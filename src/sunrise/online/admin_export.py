"""Memories into a file: in one order, some thousand at a time, without secrets unless asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, tzinfo
from typing import Any, Final

import numpy as np
import pyarrow as pa

from sunrise.domain.admin import Backend
from sunrise.domain.filters import both
from sunrise.domain.memory_lines import FIELDS, normal_row
from sunrise.domain.times import known_time
from sunrise.domain.transfer import ExportRequest, ExportResult
from sunrise.domain.trust import QUARANTINED
from sunrise.domain.vector_space import VectorSpace, active_space, fault_in
from sunrise.errors import DataError
from sunrise.online.admin_rows import named
from sunrise.online.admin_trail import NO_TABLE, AdminTrail
from sunrise.online.export_formats import writer_of
from sunrise.online.export_ranges import in_order, stretches
from sunrise.ports import ByteSink, Clock, MemoryReader, TextScreen

CHANGED_MEANWHILE: Final = "changed_meanwhile"
_ROWS: Final = 10_000
_ROWS_WITH_VECTORS: Final = 2_000
_REDACTED: Final = ("text", "category", "scope", "source_ref", "agentId")
_FOR_NUL: Final = "\ufffd"


def export_memories(
    request: ExportRequest,
    *,
    memories: MemoryReader | None,
    out: ByteSink,
    screen: TextScreen,
    clock: Clock,
    backend: Backend,
    zone: tzinfo = UTC,
) -> ExportResult:
    """
    Write memories, oldest first, equals by id, those of unknown age last; the same rows give the same bytes.

    A NUL in a text is written as U+FFFD: no reader takes it. A table that somebody writes to meanwhile is
    exported as it is found, and the receipt warns of it. What is written for people is dated in *zone*.

    Raises:
        StoreError: The table cannot be read, or the export not written: half of one is none.
    """
    trail = AdminTrail("export", clock.now_ms(), backend, request.to_dict())
    left_out: Counter[str] = Counter()
    exported = 0
    with trail.stage("total"):
        writer = writer_of(request.format, out, with_vectors=request.with_vectors, zone=zone)
        if memories is None:
            trail.reason = NO_TABLE
        else:
            trail.seen(memories)
            version = memories.newest_version()
            for rows in _rows(request, memories, screen, left_out):
                writer.write(rows)
                exported += len(rows)
            if memories.newest_version() != version:
                trail.warnings.append(CHANGED_MEANWHILE)
        writer.close()
    trail.counts.update(exported=exported, left_out=sum(left_out.values()))
    return ExportResult(exported, dict(sorted(left_out.items())), trail.receipt())


def _rows(
    request: ExportRequest, table: MemoryReader, screen: TextScreen, left_out: Counter[str]
) -> Iterator[list[dict[str, Any]]]:
    schema = table.schema()
    space = _answering(table) if request.with_vectors else None
    columns = [*FIELDS, *(["embedding_model"] if space else []), *([space.column] if space else [])]
    where = request.filter.where(schema.names)
    limit = _ROWS_WITH_VECTORS if request.with_vectors else _ROWS
    has_times = "createdAt" in schema.names
    for stretch in stretches(table, where=where, rows=limit):
        part = named(table.scan(columns, where=both(where, stretch.where(has_times=has_times))))
        yield _written(in_order(part), space, request, screen, left_out)


def _written(
    part: pa.Table,
    space: VectorSpace | None,
    request: ExportRequest,
    screen: TextScreen,
    left_out: Counter[str],
) -> list[dict[str, Any]]:
    vectors = None if space is None else part.column(space.column)
    plain = part.select([name for name in part.column_names if space is None or name != space.column])
    rows = []
    for place, record in enumerate(plain.to_pylist()):
        row = _normal(record, request, left_out)
        if row is None:
            continue
        if request.with_vectors:
            row |= _vector(vectors, place, space, record)
        rows.append(row)
    if request.redact:
        _redact(rows, screen)
    return rows


def _normal(record: dict[str, Any], request: ExportRequest, left_out: Counter[str]) -> dict[str, Any] | None:
    if record.get("trust_tier") == QUARANTINED and not request.with_quarantined:
        left_out["quarantined"] += 1
        return None
    for name, value in record.items():
        if isinstance(value, str) and "\x00" in value:
            record[name] = value.replace("\x00", _FOR_NUL)
    # A column that the table lacks says nothing, and is not there to be derived.
    record.setdefault("importance_label", None)
    # An import would refuse a row for such a time; without one it is a memory of unknown age.
    record["createdAt"] = known_time({"createdAt": record.get("createdAt")}, zone=UTC)
    try:
        return normal_row(record)
    except DataError as error:
        left_out[str(error.reason)] += 1
        return None


def _redact(rows: Sequence[dict[str, Any]], screen: TextScreen) -> None:
    for name in _REDACTED:
        # Few different values stand in most of these columns.
        values = list(dict.fromkeys(row[name] for row in rows if row[name]))
        clean, held = screen.without_secrets(values)
        if held:
            redacted = dict(zip(values, clean, strict=True))
            for row in rows:
                row[name] = redacted.get(row[name], row[name])


def _answering(table: MemoryReader) -> VectorSpace | None:
    spaces = table.spaces()
    return active_space(spaces) or next((one for one in spaces if one.is_legacy), None)


def _vector(
    vectors: pa.ChunkedArray | None, place: int, space: VectorSpace | None, record: dict[str, Any]
) -> dict[str, Any]:
    none: dict[str, Any] = {"embedding_model": None, "vector": None}
    if vectors is None or space is None or not vectors[place].is_valid:
        return none
    model_id = record.get("embedding_model") if space.is_legacy else space.model_id
    vector = vectors[place].values
    # What would poison a search is worth nothing to anybody.
    if not model_id or vector.null_count or fault_in(vector.to_pylist()):
        return none
    return {"embedding_model": model_id, "vector": np.asarray(vector, dtype=np.float32)}
