"""Reads capture files of openclaw-mem: JSON lines that a gateway may be appending to at this moment."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import orjson
import pyarrow as pa

from sunrise.domain.capture import CaptureRow, RejectReason, capture_row, map_strings, parse_ts
from sunrise.domain.records import Rejected, SourcePosition
from sunrise.domain.secrets import redact
from sunrise.domain.text.cleaning import clean
from sunrise.errors import DataError, StoreError

MAX_LINE_BYTES = 16 * 1024 * 1024
BATCH_BYTES = 64 * 1024 * 1024
"""A batch ends here even when it has few lines, so that memory stays bounded."""

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


@dataclass(frozen=True, slots=True)
class CaptureFile:
    """One capture file as a source of observations; it is called by its path."""

    path: Path

    @property
    def name(self) -> str:
        """What positions and quarantine rows call it."""
        return str(self.path)

    def batches(
        self, position: SourcePosition | None, *, now_ms: int, batch_lines: int
    ) -> Iterator[CaptureBatch]:
        """Yield what came since ``position``, as :func:`capture_batches` does."""
        return capture_batches(
            self.path, source=self.name, position=position, now_ms=now_ms, batch_lines=batch_lines
        )


def capture_batches(
    path: Path, *, source: str, position: SourcePosition | None, now_ms: int, batch_lines: int = 20_000
) -> Iterator[CaptureBatch]:
    """
    Yield what stands in a capture file behind ``position``, in batches; nothing when it has not grown.

    A file that was replaced or truncated is read from its start. A last line that is still being written is
    left for the next time. A file that does not exist (yet) yields nothing.

    Raises:
        StoreError: The file is there and cannot be read.
    """
    try:
        with path.open("rb") as file:
            yield from _batches(file, source=source, position=position, now_ms=now_ms, lines=batch_lines)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"cannot read the capture {path}: {error}") from error


@dataclass(slots=True)
class _Reading:
    """Where the reader stands, and what the batch has gathered."""

    source: str
    now_ms: int
    offset: int
    line: int
    fallback_ms: int
    rows: list[CaptureRow] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    redacted: int = 0
    start: int = 0

    def reject(self, reason: str, sample: str) -> None:
        sample = redact(clean(sample[:4000])).text[:500]
        self.rejected.append(Rejected(self.source, str(self.offset), str(reason), sample, self.line + 1))

    def close_batch(self, file: BinaryIO) -> CaptureBatch:
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * len(CAPTURE_SCHEMA)
        arrays = [
            pa.array(column, type=spec.type) for column, spec in zip(columns, CAPTURE_SCHEMA, strict=True)
        ]
        batch = CaptureBatch(
            rows=pa.Table.from_arrays(arrays, schema=CAPTURE_SCHEMA),
            rejected=tuple(self.rejected),
            position=_position(file, source=self.source, offset=self.offset, line=self.line),
            seen=len(self.rows) + len(self.rejected),
            redacted=self.redacted,
            bytes=self.offset - self.start,
        )
        self.rows, self.rejected, self.redacted, self.start = [], [], 0, self.offset
        return batch


def _batches(
    file: BinaryIO, *, source: str, position: SourcePosition | None, now_ms: int, lines: int
) -> Iterator[CaptureBatch]:
    stat = os.fstat(file.fileno())
    offset, line = _resume(file, position, stat)
    fallback_ms = _last_ts(file, before=offset) or int(stat.st_mtime * 1000)
    reading = _Reading(source, now_ms, offset, line, fallback_ms, start=offset)
    file.seek(offset)
    # The end is taken once: a gateway that writes without pause must not keep us reading.
    while reading.offset < stat.st_size and _read_line(file, reading):
        full = len(reading.rows) + len(reading.rejected) >= lines
        if full or reading.offset - reading.start >= BATCH_BYTES:
            resume_at = file.tell()
            yield reading.close_batch(file)
            file.seek(resume_at)
    if reading.offset > reading.start:
        yield reading.close_batch(file)


def _read_line(file: BinaryIO, reading: _Reading) -> bool:
    """Take one line into the reading; False when it is not whole yet."""
    raw = file.readline(MAX_LINE_BYTES)
    if not raw.endswith(b"\n"):
        if len(raw) == MAX_LINE_BYTES:
            return _skip_long_line(file, raw, reading)
        if not _is_whole_object(raw):
            return False
    body = raw.strip(b" \t\r\n")
    if reading.offset == 0:
        body = body.removeprefix(b"\xef\xbb\xbf").lstrip()
    if body:
        _take(body, reading)
    reading.offset += len(raw)
    reading.line += raw.endswith(b"\n")
    return True


def _is_whole_object(raw: bytes) -> bool:
    # The beginning of an object is never an object, so one that parses is complete but for its newline.
    try:
        _object(raw.removeprefix(b"\xef\xbb\xbf"))
    except DataError:
        return False
    return True


def _skip_long_line(file: BinaryIO, raw: bytes, reading: _Reading) -> bool:
    length = len(raw)
    while chunk := file.readline(1024 * 1024):
        length += len(chunk)
        if chunk.endswith(b"\n"):
            reading.reject(RejectReason.LINE_TOO_LONG, raw[:4000].decode("utf-8", "replace"))
            reading.offset += length
            reading.line += 1
            return True
    return False


def _take(body: bytes, reading: _Reading) -> None:
    try:
        row, redacted = capture_row(
            _object(body), dumps=_dumps, fallback_ms=reading.fallback_ms, now_ms=reading.now_ms
        )
    except DataError as error:
        invalid = error.reason == RejectReason.INVALID_UTF8
        reading.reject(
            error.reason, body[:250].hex() if invalid else body[:16_000].decode("utf-8", "replace")
        )
        return
    reading.rows.append(row)
    reading.redacted += redacted
    if row.ts_flag is None:
        reading.fallback_ms = row.ts_ms


def _object(body: bytes) -> dict[str, Any]:
    record = _loads(body)
    if not isinstance(record, dict):
        raise DataError("not an object", reason=RejectReason.NOT_AN_OBJECT)
    return record


def _loads(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return _loads_leniently(body)


def _loads_leniently(body: bytes) -> Any:
    # JavaScript writes half an emoji, where a summary was cut, as a lone surrogate; orjson refuses those.
    try:
        return json.loads(body.decode())
    except UnicodeDecodeError as error:
        raise DataError("not UTF-8", reason=RejectReason.INVALID_UTF8) from error
    except RecursionError as error:
        raise DataError("nests too deep", reason=RejectReason.NESTING_TOO_DEEP) from error
    except ValueError as error:
        raise DataError("not JSON", reason=RejectReason.MALFORMED_JSON) from error


def _dumps(value: object) -> str:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except orjson.JSONEncodeError:
        pass
    # Left are lone surrogates, integers beyond 64 bits, and nesting, which map_strings refuses.
    cleaned = map_strings(value, clean)
    return json.dumps(cleaned, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _resume(file: BinaryIO, position: SourcePosition | None, stat: os.stat_result) -> tuple[int, int]:
    """Return offset and line to go on from: those of the position if the file is still the same."""
    if position is None or (position.device, position.inode) != (stat.st_dev, stat.st_ino):
        return 0, 0
    length = position.fingerprint.partition(":")[0]
    same = length.isdecimal() and _fingerprint(file, int(length)) == position.fingerprint
    return (position.offset, position.line) if same and position.offset <= stat.st_size else (0, 0)


def _position(file: BinaryIO, *, source: str, offset: int, line: int) -> SourcePosition:
    stat = os.fstat(file.fileno())
    return SourcePosition(
        source=source,
        device=stat.st_dev,
        inode=stat.st_ino,
        offset=offset,
        line=line,
        fingerprint=_fingerprint(file, min(4096, offset)),
    )


def _fingerprint(file: BinaryIO, length: int) -> str:
    """Return the length beside the hash: the first bytes of a short file become more as it grows."""
    file.seek(0)
    return f"{length}:{hashlib.sha256(file.read(length)).hexdigest()}"


def _last_ts(file: BinaryIO, *, before: int) -> int | None:
    """Return the last good time before an offset, so that a resumed reading dates as an undisturbed one."""
    window = min(before, 64 * 1024)
    file.seek(before - window)
    for line in reversed(file.read(window).split(b"\n")):
        try:
            ts_ms, _ = parse_ts(_object(line).get("ts"))
        except DataError:
            continue
        if ts_ms is not None:
            return ts_ms
    return None
