"""A file of memories, read from its start: JSON lines, or one JSON array, some records at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from sunrise.adapters.jsonl_lines import MAX_LINE_BYTES, parse_object
from sunrise.domain.capture import RejectReason
from sunrise.domain.memory_lines import LineFault
from sunrise.errors import ConfigurationError, DataError, StoreError
from sunrise.ports import ReadRecord

MAX_ARRAY_BYTES = 64 * 1024 * 1024
"""One array is held in memory whole. What is larger has to come in lines."""

_BATCH_BYTES = 16 * 1024 * 1024
_SAMPLED_BYTES = 16_000
_BOM = b"\xef\xbb\xbf"
_WRAPPED = ("memories", "items", "rows")


class MemoryFile:
    """
    Implements :class:`sunrise.ports.RecordSource` on a stream of bytes.

    What begins with a bracket is an array, everything else lines; an object that holds the array under
    ``memories`` or ``items`` is read too, where it is all on one line.
    """

    def __init__(self, stream: BinaryIO, *, name: str) -> None:
        self.name = name
        self._stream = stream

    def batches(self, *, rows: int) -> Iterator[Sequence[ReadRecord]]:
        """
        Yield the records in batches of so many, or fewer where they are large.

        Raises:
            StoreError: The file cannot be read.
            ConfigurationError: It is one array, and too large for that.
        """
        batch: list[ReadRecord] = []
        taken = 0
        try:
            for record in self._records():
                batch.append(record)
                taken += len(record.raw)
                if len(batch) >= rows or taken >= _BATCH_BYTES:
                    yield batch
                    batch, taken = [], 0
        except OSError as error:
            raise StoreError(f"cannot read {self.name}: {error}") from error
        if batch:
            yield batch

    def _records(self) -> Iterator[ReadRecord]:
        offset = 0
        for number, (raw, length) in enumerate(_lines(self._stream), start=1):
            body = raw.removeprefix(_BOM) if number == 1 else raw
            if number == 1 and body.lstrip()[:1] == b"[":
                yield from _array(body + self._rest(len(body)))
                return
            if body.strip():
                yield from _of_line(body, offset, number)
            offset += length

    def _rest(self, read: int) -> bytes:
        rest = self._stream.read(MAX_ARRAY_BYTES + 1 - read)
        if read + len(rest) > MAX_ARRAY_BYTES:
            raise ConfigurationError(
                f"{self.name} is one JSON array of more than {MAX_ARRAY_BYTES >> 20} MiB: make it JSON lines"
            )
        return rest


def opened_memories(path: Path) -> BinaryIO:
    """
    Open a file of memories.

    Raises:
        ConfigurationError: It is not there, is a folder, or may not be read.
    """
    try:
        return path.open("rb")
    except OSError as error:
        raise ConfigurationError(f"cannot read {path}: {error.strerror or error}") from error


def _lines(stream: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield lines with their ends, and their lengths; of one that is too long only its beginning."""
    while raw := stream.readline(MAX_LINE_BYTES + 1):
        length, more = len(raw), raw
        while len(more) > MAX_LINE_BYTES and not more.endswith(b"\n"):
            # What is left of it is no line of its own.
            more = stream.readline(MAX_LINE_BYTES + 1)
            length += len(more)
        yield raw, length


def _of_line(raw: bytes, offset: int, number: int) -> Iterator[ReadRecord]:
    body = raw.strip(b" \t\r\n")
    if len(raw) > MAX_LINE_BYTES:
        yield _refused(str(offset), number, body, RejectReason.LINE_TOO_LONG)
        return
    try:
        record = parse_object(body)
    except DataError as error:
        # A line without an end that does not parse was cut off while it was written.
        is_torn = error.reason == RejectReason.MALFORMED_JSON and not raw.endswith(b"\n")
        yield _refused(str(offset), number, body, LineFault.TORN_LINE if is_torn else error.reason)
        return
    inner = next((record[name] for name in _WRAPPED if isinstance(record.get(name), list)), None)
    if inner is not None and "text" not in record:
        yield from (_item(one, f"{offset}:{place}", number) for place, one in enumerate(inner))
    else:
        yield ReadRecord(str(offset), number, body, record)


def _array(body: bytes) -> Iterator[ReadRecord]:
    try:
        # The reader of lines reads half an emoji too, which the quicker one refuses; it wants an object.
        items = parse_object(b'{"items":' + body.strip() + b"}")["items"]
    except DataError as error:
        yield _refused("0", 1, body, error.reason)
        return
    if not isinstance(items, list):
        yield _refused("0", 1, body, RejectReason.MALFORMED_JSON)
        return
    for place, one in enumerate(items):
        yield _item(one, f"item:{place}", place + 1)


def _item(value: Any, position: str, number: int) -> ReadRecord:
    raw = _raw(value)
    if isinstance(value, dict):
        return ReadRecord(position, number, raw, value)
    return _refused(position, number, raw, RejectReason.NOT_AN_OBJECT)


def _raw(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        return repr(value).encode("utf-8", "replace")


def _refused(position: str, number: int, raw: bytes, reason: str) -> ReadRecord:
    return ReadRecord(position, number, raw[:_SAMPLED_BYTES], reason=str(reason))
