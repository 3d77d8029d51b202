"""Reads a file of JSON lines that somebody may be appending to: offsets, torn lines, refused lines."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from sunrise.domain.capture import MAX_DEPTH, RejectReason, map_strings
from sunrise.domain.records import Rejected, SourcePosition
from sunrise.domain.secrets import redact
from sunrise.domain.text.cleaning import clean
from sunrise.errors import DataError, StoreError

MAX_LINE_BYTES = 16 * 1024 * 1024
BATCH_BYTES = 64 * 1024 * 1024
"""A stretch ends here even when it has few lines, so that memory stays bounded."""

_SEEN_BYTES = 4096
"""So much of a file's head, and of what was read last, is looked at to know it again."""


_LOOKED_AT = 64 * 1024

BLOCK_BYTES = 1024 * 1024
"""What is read at once."""

Gate = Callable[[list[bytes]], list[bool]]
"""Tells of lines, many at a time, whether each is harmless: it holds no hint of a secret."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some lines of a file that were taken: where the next one begins, and which were refused."""

    position: SourcePosition
    rejected: tuple[Rejected, ...]
    bytes: int


@contextmanager
def opened(path: Path, *, what: str) -> Iterator[BinaryIO | None]:
    """
    Lend a file for reading, or None where there is none (yet); ``what`` it is stands in the error.

    Raises:
        StoreError: The file is there and cannot be read.
    """
    with ExitStack() as stack:
        try:
            file = _open(path)
            yield stack.enter_context(file) if file else None
        except OSError as error:
            raise StoreError(f"cannot read the {what} {path}: {error}") from error


def _open(path: Path) -> BinaryIO | None:
    try:
        return path.open("rb")
    except FileNotFoundError:
        return None


class JsonLines:
    """
    An open file, read from where ``position`` says, or from its start when it is another file by now.

    A last line that is still being written is left for the next time.
    """

    def __init__(self, file: BinaryIO, *, source: str, position: SourcePosition | None) -> None:
        stat = os.fstat(file.fileno())
        self.source = source
        self.changed_ms = int(stat.st_mtime * 1000)
        self.offset, self.line = _resume(file, position, stat)
        self.harmless = False
        """Whether the gate, where there is one, found the line that is being taken to be harmless."""
        self._file = file
        # The end is taken once: a writer without pause must not keep us reading.
        self._end = stat.st_size
        self._rejected: list[Rejected] = []
        self._start = self.offset
        self._taken = 0
        self._last = b""
        self._before = self._fingerprint()

    def stretches(
        self,
        take: Callable[[dict[str, Any]], None],
        *,
        lines: int,
        max_bytes: int = BATCH_BYTES,
        max_line_bytes: int = MAX_LINE_BYTES,
        gate: Gate | None = None,
    ) -> Iterator[Stretch]:
        """
        Give every object to ``take`` and yield after so many lines, or bytes, and at the end.

        What ``take`` refuses with a :class:`DataError` is among the stretch's rejected lines. A file that is
        cut or written anew meanwhile is left: the next reading sees that it is another and starts over.
        """
        for _ in self._walk(take, max_line_bytes, gate):
            if self._taken >= lines or self.offset - self._start >= max_bytes:
                start, stretch = self._start, self._stretch()
                if not self._stands(start, stretch.position):
                    return
                yield stretch
        if self.offset > self._start:
            start, stretch = self._start, self._stretch()
            if self._stands(start, stretch.position):
                yield stretch

    def one_at(self, offset: int, take: Callable[[dict[str, Any]], None]) -> Stretch | None:
        """Give the line at an offset to ``take``; None when no whole line begins there any more."""
        self._file.seek(max(offset - 1, 0))
        if offset and self._file.read(1) != b"\n":
            return None
        self.offset = self._start = offset
        self._read_line(take, MAX_LINE_BYTES)
        return self._stretch() if self.offset > offset else None

    def last_before(self, pick: Callable[[dict[str, Any]], int | None]) -> int | None:
        """Return what ``pick`` finds in the last object before the offset that has it."""
        window = min(self.offset, 64 * 1024)
        self._file.seek(self.offset - window)
        for line in reversed(self._file.read(window).split(b"\n")):
            try:
                found = pick(parse_object(line))
            except DataError:
                continue
            if found is not None:
                return found
        return None

    def _walk(
        self, take: Callable[[dict[str, Any]], None], max_line_bytes: int, gate: Gate | None
    ) -> Iterator[None]:
        """Take line after line; the offset is always behind the last one that was taken."""
        while self.offset < self._end:
            # Whoever asks for the lines may look elsewhere in the file meanwhile.
            self._file.seek(self.offset)
            # No line of a block can be too long.
            block = self._file.read(min(BLOCK_BYTES, max_line_bytes, self._end - self.offset))
            rows = block.split(b"\n")
            if len(rows) == 1:
                self._file.seek(self.offset)
                if not self._read_line(take, max_line_bytes):
                    return
                yield
                continue
            # What follows the last newline belongs to the next block.
            del rows[-1]
            harmless = gate(rows) if gate else [False] * len(rows)
            for raw, self.harmless in zip(rows, harmless, strict=True):
                self._take_whole(raw, take)
                self._last = raw + b"\n"
                self.offset += len(raw) + 1
                self.line += 1
                yield
            self.harmless = False

    def _stretch(self) -> Stretch:
        stretch = Stretch(self._position(), tuple(self._rejected), self.offset - self._start)
        self._rejected, self._start, self._taken = [], self.offset, 0
        return stretch

    def _position(self) -> SourcePosition:
        stat = os.fstat(self._file.fileno())
        return SourcePosition(
            source=self.source,
            device=stat.st_dev,
            inode=stat.st_ino,
            offset=self.offset,
            line=self.line,
            fingerprint=self._fingerprint(),
        )

    def _fingerprint(self) -> str:
        return fingerprint_at(self._file, self.offset)

    def _stands(self, start: int, position: SourcePosition) -> bool:
        """Say whether what was before a stretch, and its last line, are still in the file."""
        before, self._before = self._before, position.fingerprint
        last = self._last[-_SEEN_BYTES:]
        at = position.offset - len(last)
        return fingerprint_at(self._file, start) == before and _read_at(self._file, at, len(last)) == last

    def _read_line(self, take: Callable[[dict[str, Any]], None], max_line_bytes: int) -> bool:
        """Take one line; False when it is not whole yet."""
        raw = self._file.readline(max_line_bytes)
        if not raw.endswith(b"\n"):
            if len(raw) == max_line_bytes:
                return self._skip_long_line(raw)
            if not _is_whole_object(raw):
                return False
        self._take_whole(raw, take)
        self._last = raw
        self.offset += len(raw)
        self.line += raw.endswith(b"\n")
        return True

    def _take_whole(self, raw: bytes, take: Callable[[dict[str, Any]], None]) -> None:
        body = raw.strip(b" \t\r\n")
        if self.offset == 0:
            body = body.removeprefix(b"\xef\xbb\xbf").lstrip()
        if not body:
            return
        self._taken += 1
        try:
            take(parse_object(body))
        except DataError as error:
            self._reject(error.reason, sample_of(body, error.reason))

    def _skip_long_line(self, raw: bytes) -> bool:
        length = len(raw)
        while chunk := self._file.readline(1024 * 1024):
            length += len(chunk)
            if chunk.endswith(b"\n"):
                self._taken += 1
                self._reject(RejectReason.LINE_TOO_LONG, sample_of(raw, RejectReason.LINE_TOO_LONG))
                self._last = chunk
                self.offset += length
                self.line += 1
                return True
        return False

    def _reject(self, reason: str, sample: str) -> None:
        self._rejected.append(Rejected(self.source, str(self.offset), str(reason), sample, self.line + 1))


def parse_object(body: bytes | str) -> dict[str, Any]:
    """
    Return the JSON object that a line holds.

    Raises:
        DataError: It is no JSON, or no object, or no UTF-8, or nests too deep.
    """
    try:
        record = orjson.loads(body)
    except orjson.JSONDecodeError:
        record = _loads_leniently(body)
    if not isinstance(record, dict):
        raise DataError("not an object", reason=RejectReason.NOT_AN_OBJECT)
    return record


def dump_json(value: object) -> str:
    """
    Return canonical JSON: keys sorted, no spaces, no ASCII escapes.

    Raises:
        DataError: It nests too deep.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except orjson.JSONEncodeError:
        pass
    # Left are lone surrogates, integers beyond 64 bits, and nesting, which map_strings refuses.
    # What is not finite is null, as orjson writes it: NaN is no JSON.
    cleaned = json.loads(json.dumps(map_strings(value, clean)), parse_constant=lambda _name: None)
    return json.dumps(cleaned, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def sample_of(body: bytes, reason: str) -> str:
    """Return what quarantine shows of a line: its beginning without secrets, in hex when it is no text."""
    if reason == RejectReason.INVALID_UTF8:
        return body[:250].hex()
    return redact(clean(body[:16_000].decode("utf-8", "replace")[:4000])).text[:500]


def fingerprint_at(file: BinaryIO, offset: int) -> str:
    """Return the hash of the first and the last bytes before an offset: a file written anew has others."""
    seen = _read_at(file, 0, min(_SEEN_BYTES, offset))
    if offset > _SEEN_BYTES:
        seen += _read_at(file, offset - _SEEN_BYTES, _SEEN_BYTES)
    return hashlib.sha256(seen).hexdigest()


def _is_whole_object(raw: bytes) -> bool:
    # The beginning of an object is never an object, so one that parses is complete but for its newline.
    try:
        parse_object(raw.removeprefix(b"\xef\xbb\xbf"))
    except DataError:
        return False
    return True


def _loads_leniently(body: bytes | str) -> Any:
    # JavaScript writes half an emoji, where a summary was cut, as a lone surrogate; orjson refuses those.
    try:
        return json.loads(body if isinstance(body, str) else body.decode())
    except UnicodeDecodeError as error:
        raise DataError("not UTF-8", reason=RejectReason.INVALID_UTF8) from error
    except RecursionError as error:
        raise DataError("nests too deep", reason=RejectReason.NESTING_TOO_DEEP) from error
    except ValueError as error:
        # How deep the parser itself can go differs from one Python to the next.
        deep = _depth(body) > MAX_DEPTH
        reason = RejectReason.NESTING_TOO_DEEP if deep else RejectReason.MALFORMED_JSON
        raise DataError("not JSON", reason=reason) from error


def _depth(body: bytes | str) -> int:
    """Return how many brackets are open at once in the beginning of what should be JSON, strings left out."""
    text = body[:_LOOKED_AT].decode("utf-8", "replace") if isinstance(body, bytes) else body[:_LOOKED_AT]
    depth = deepest = 0
    for bracket in re.findall(r"[\[{\]}]", re.sub(r'"(?:[^"\\]|\\.)*"', "", text)):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _resume(file: BinaryIO, position: SourcePosition | None, stat: os.stat_result) -> tuple[int, int]:
    """Return offset and line to go on from: those of the position if the file is still the same."""
    if position is None or (position.device, position.inode) != (stat.st_dev, stat.st_ino):
        return 0, 0
    same = position.offset <= stat.st_size and fingerprint_at(file, position.offset) == position.fingerprint
    return (position.offset, position.line) if same else (0, 0)


def _read_at(file: BinaryIO, start: int, length: int) -> bytes:
    # Past the buffer, which may hold what the file no longer does; Windows has no pread.
    handle = file.fileno()
    here = os.lseek(handle, 0, os.SEEK_CUR)
    try:
        os.lseek(handle, start, os.SEEK_SET)
        return os.read(handle, length)
    finally:
        os.lseek(handle, here, os.SEEK_SET)
