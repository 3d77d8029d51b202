"""Reads capture files of openclaw-mem: JSON lines that a gateway may be appending to at this moment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from sunrise.adapters.arrow_rows import table_of
from sunrise.adapters.jsonl_lines import (
    BATCH_BYTES,
    MAX_LINE_BYTES,
    JsonLines,
    Stretch,
    dump_json,
    opened,
)
from sunrise.adapters.reading_process import MUCH_BYTES, can_pay
from sunrise.adapters.secret_gate import harmless_lines
from sunrise.domain.capture import CaptureRow, capture_row
from sunrise.domain.capture_origin import LOCAL, ClaimLimits
from sunrise.domain.capture_stamp import opened as opened_stamp
from sunrise.domain.records import Rejected, SourcePosition
from sunrise.domain.times import time_of
from sunrise.domain.trust import CEILINGS

CAPTURE_SCHEMA = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("ts_ms", pa.int64(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("tool_name", pa.string()),
        pa.field("summary", pa.string(), nullable=False),
        pa.field("summary_en", pa.string()),
        pa.field("lang", pa.string(), nullable=False),
        pa.field("scope", pa.string()),
        pa.field("session_key", pa.string()),
        pa.field("agent_id", pa.string()),
        pa.field("trust_tier", pa.string()),
        pa.field("source_kind", pa.string(), nullable=False),
        pa.field("source_ref", pa.string()),
        pa.field("importance_score", pa.float64()),
        pa.field("importance_label", pa.string()),
        pa.field("memory_id", pa.string()),
        pa.field("detail_json", pa.string(), nullable=False),
        pa.field("ts_flag", pa.string()),
        pa.field("terms", pa.string(), nullable=False),
        pa.field("created_at_ms", pa.int64(), nullable=False),
    ]
)
"""The columns of a batch, in the order of :class:`sunrise.domain.capture.CaptureRow`."""


@dataclass(frozen=True, slots=True)
class CaptureBatch:
    """
    What one stretch of a capture file holds: ``seen == rows.num_rows + len(rejected)``.

    Rows with the same key are left in; the first one is the one to keep. ``position`` is to be stored in the
    same transaction as the rows.
    """

    rows: pa.Table
    rejected: tuple[Rejected, ...]
    position: SourcePosition
    seen: int
    redacted: int
    bytes: int
    episodes: pa.Table | None = None
    origin_not_believed: int = 0


@dataclass(frozen=True, slots=True)
class CaptureFile:
    """
    One capture file as a source of observations; it is called by its path.

    Times in it that name no zone are in ``zone``. Its lines are believed within ``limits``; without them each
    line has a stamp that says how far.
    """

    path: Path
    zone: tzinfo = field(default=UTC, kw_only=True)
    limits: ClaimLimits | None = field(default=LOCAL, kw_only=True)

    @property
    def name(self) -> str:
        """What positions and quarantine rows call it."""
        return str(self.path)

    def batches(
        self, position: SourcePosition | None, *, now_ms: int, batch_lines: int
    ) -> Iterator[CaptureBatch]:
        """Yield what came since ``position``, as :func:`capture_batches` does."""
        read = capture_batches
        if _is_much(self.path, position):
            # To start a second process takes longer than to read a small file.
            from sunrise.adapters.capture_process import batches_from_process  # noqa: PLC0415

            read = batches_from_process
        return read(
            self.path,
            source=self.name,
            position=position,
            now_ms=now_ms,
            batch_lines=batch_lines,
            zone=self.zone,
            limits=self.limits,
        )

    def retry(self, position: str, *, now_ms: int) -> CaptureBatch | None:
        """
        Read one refused line again, by its byte offset; None when there is no line there any more.

        Raises:
            StoreError: The file is there and cannot be read.
        """
        with opened(self.path, what="capture") as file:
            if file is None:
                return None
            reader = JsonLines(file, source=self.name, position=None)
            reading = _Reading(now_ms, fallback_ms=reader.changed_ms, zone=self.zone, limits=self.limits)
            stretch = reader.one_at(int(position), reading.take)
        return reading.close_batch(stretch) if stretch else None


def capture_batches(
    path: Path,
    *,
    source: str,
    position: SourcePosition | None,
    now_ms: int,
    batch_lines: int = 20_000,
    zone: tzinfo = UTC,
    limits: ClaimLimits | None = LOCAL,
) -> Iterator[CaptureBatch]:
    """
    Yield what stands in a capture file behind ``position``, in batches; nothing when it has not grown.

    A file that was replaced or truncated is read from its start. A last line that is still being written is
    left for the next time. A file that does not exist (yet) yields nothing.

    Raises:
        StoreError: The file is there and cannot be read.
    """
    with opened(path, what="capture") as file:
        if file is not None:
            reader = JsonLines(file, source=source, position=position)
            # A resumed reading dates as an undisturbed one.
            pick = partial(_time_of, zone=zone, limits=limits)
            fallback_ms = reader.last_before(pick) or reader.changed_ms
            reading = _Reading(now_ms, fallback_ms=fallback_ms, zone=zone, limits=limits, lines=reader)
            yield from _batches(reader, reading, lines=batch_lines)


def _is_much(path: Path, position: SourcePosition | None) -> bool:
    try:
        size = path.stat().st_size
    except OSError:
        return False
    return size - (position.offset if position else 0) >= MUCH_BYTES and can_pay()


@dataclass(slots=True)
class _Reading:
    """The rows that a batch has gathered, and the time of the last one that had a good one."""

    now_ms: int
    fallback_ms: int
    zone: tzinfo
    limits: ClaimLimits | None
    rows: list[CaptureRow] = field(default_factory=list)
    redacted: int = 0
    origin_not_believed: int = 0
    lines: JsonLines | None = None

    def take(self, line: dict[str, Any]) -> None:
        record, limits = _opened(line, self.limits)
        row, redacted = capture_row(
            record,
            dumps=dump_json,
            fallback_ms=self.fallback_ms,
            now_ms=self.now_ms,
            zone=self.zone,
            harmless=self.lines is not None and self.lines.harmless,
            limits=limits,
        )
        self.rows.append(row)
        self.redacted += redacted
        claimed = record.get("source_kind")
        if isinstance(claimed, str) and claimed != row.source_kind and claimed in CEILINGS:
            self.origin_not_believed += 1
        if row.ts_flag is None:
            self.fallback_ms = row.ts_ms

    def close_batch(self, stretch: Stretch) -> CaptureBatch:
        batch = CaptureBatch(
            rows=table_of(self.rows, CAPTURE_SCHEMA),
            rejected=stretch.rejected,
            position=stretch.position,
            seen=len(self.rows) + len(stretch.rejected),
            redacted=self.redacted,
            bytes=stretch.bytes,
            origin_not_believed=self.origin_not_believed,
        )
        self.rows, self.redacted, self.origin_not_believed = [], 0, 0
        return batch


def _opened(line: dict[str, Any], limits: ClaimLimits | None) -> tuple[dict[str, Any], ClaimLimits]:
    return opened_stamp(line) if limits is None else (line, limits)


def _time_of(line: dict[str, Any], *, zone: tzinfo, limits: ClaimLimits | None) -> int | None:
    return time_of(_opened(line, limits)[0], zone=zone)


def _batches(reader: JsonLines, reading: _Reading, *, lines: int) -> Iterator[CaptureBatch]:
    stretches = reader.stretches(
        reading.take, lines=lines, max_bytes=BATCH_BYTES, max_line_bytes=MAX_LINE_BYTES, gate=harmless_lines
    )
    for stretch in stretches:
        yield reading.close_batch(stretch)
