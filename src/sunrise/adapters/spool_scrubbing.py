"""Blanks secrets in files of JSON lines that somebody may be appending to: in place, byte for byte."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sunrise.adapters.jsonl_lines import BLOCK_BYTES, dump_json, fingerprint_at, opened, parse_object
from sunrise.adapters.secret_gate import harmless_lines
from sunrise.domain.capture import map_strings
from sunrise.domain.records import SourcePosition
from sunrise.domain.scrubber import SECRETS, Scrubber
from sunrise.domain.secret_fields import REDACTED_FIELD, with_like_marks
from sunrise.domain.secret_spans import kinds_taken, values_taken
from sunrise.errors import DataError, StoreError

_LOST: dict[str, Any] = {"_scrubbed": True}
"""What is left of a line that nothing else fits in."""


@dataclass
class ScrubbedFile:
    """
    What was done to a file: whole lines looked at, those that changed, and the kinds of secrets.

    ``values`` are the secrets, for a search while the process lives, and never written.
    """

    lines: int = 0
    changed: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    values: set[str] = field(default_factory=set)


def scrub_file(
    path: Path,
    *,
    start: int = 0,
    end: int | None = None,
    dry_run: bool = False,
    scrubber: Scrubber = SECRETS,
) -> ScrubbedFile:
    """
    Blank the secrets in the whole lines of a file between two offsets, the first the beginning of a line.

    The file keeps its inode, its size, and the place of every line: whoever appends to it, or has read it up
    to some offset, need not know. A last line without its end is left alone. A dry run only counts.

    Raises:
        StoreError: The file is there and cannot be read or written.
    """
    done = ScrubbedFile()
    try:
        with path.open("rb" if dry_run else "r+b", buffering=0) as file:
            for at, raw, harmless in _lines(file, start, end, scrubber):
                done.lines += 1
                if not harmless and (line := scrubbed_line(raw, scrubber)) != raw:
                    _count(done, raw, scrubber)
                    if not dry_run:
                        file.seek(at)
                        _write(file, line)
    except FileNotFoundError:
        return done
    except OSError as error:
        raise StoreError(f"secrets in {path} cannot be blanked: {error}") from error
    return done


def scrubbed_line(raw: bytes, scrubber: Scrubber = SECRETS) -> bytes:
    r"""
    Return a line without its secrets, as long as before: spaces fill what becomes shorter.

    >>> scrubbed_line(b'{"text": "password: hunter2"}')
    b'{"text": "password: [*****]"}'
    """
    plain = _blanked(raw, scrubber)
    try:
        before = parse_object(raw)
    except DataError:
        return plain
    if _is_clean(raw, scrubber):
        # How a line is written may look like what none of its texts says.
        return raw
    for line in _candidates(plain, before, scrubber):
        if len(line) <= len(raw) and _is_clean(line, scrubber):
            return line.ljust(len(raw))
    # Nothing that still is an object has room; the line was hardly longer than the secret.
    return b"{}".ljust(len(raw))


def renewed_position(path: Path, position: SourcePosition) -> SourcePosition:
    """Return a position of a file with the fingerprint of the bytes that are there now."""
    with opened(path, what="file") as file:
        return (
            position if file is None else replace(position, fingerprint=fingerprint_at(file, position.offset))
        )


def _lines(file: Any, start: int, end: int | None, scrubber: Scrubber) -> Iterator[tuple[int, bytes, bool]]:
    """Yield offset, text without its newline, and whether it is harmless, of each whole line."""
    stop = file.seek(0, 2) if end is None else end
    at, rest = start, b""
    while (read_to := at + len(rest)) < stop:
        file.seek(read_to)
        block = file.read(min(BLOCK_BYTES, stop - read_to))
        if not block:
            return
        rows = (rest + block).split(b"\n")
        rest = rows.pop()
        for raw, harmless in zip(rows, harmless_lines(rows, scrubber), strict=True):
            yield at, raw, harmless
            at += len(raw) + 1


def _write(file: Any, line: bytes) -> None:
    view = memoryview(line)
    while view:
        view = view[file.write(view) :]


def _blanked(raw: bytes, scrubber: Scrubber) -> bytes:
    text = raw.decode("utf-8", "surrogateescape")
    return scrubber.blank(text).encode("utf-8", "surrogateescape").ljust(len(raw))


def _candidates(plain: bytes, before: dict[str, Any], scrubber: Scrubber) -> Iterator[bytes]:
    """Yield what may stand in place of a line, the most telling first."""
    yield plain
    # What an escape hides is no secret to whoever looks at the line, only to whoever reads its object.
    yield dump_json(scrubber.scrub_value(before)).encode()
    yield dump_json(map_strings(before, scrubber.blank)).encode()
    yield dump_json(_emptied(scrubber.scrub_value(map_strings(before, scrubber.blank)))).encode()
    yield dump_json(_LOST).encode()


def _emptied(value: object) -> Any:
    """Leave out the marks that are longer than what they stand for."""
    return map_strings(value, lambda text: text.replace(REDACTED_FIELD, ""))


def _is_clean(line: bytes, scrubber: Scrubber) -> bool:
    try:
        record = parse_object(line)
    except DataError:
        return False
    # Under a secret's name a blank is taken for the secret; it is none.
    return with_like_marks(dump_json(scrubber.scrub_value(record))) == with_like_marks(dump_json(record))


def _count(done: ScrubbedFile, raw: bytes, scrubber: Scrubber) -> None:
    done.changed += 1
    kinds, values = _taken(raw, scrubber)
    done.kinds.update(kinds)
    done.values |= values


def _taken(raw: bytes, scrubber: Scrubber) -> tuple[tuple[str, ...], frozenset[str]]:
    try:
        before = parse_object(raw)
    except DataError:
        found = scrubber.scrub(raw.decode("utf-8", "replace"))
        return found.kinds or ("secret",), found.values
    after = scrubber.scrub_value(before)
    return kinds_taken(before, after) or ("secret",), values_taken(before, after)
