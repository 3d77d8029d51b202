"""
What a version of a local table consists of, read from its manifest: columns, fragments, and their files.

lancedb tells none of this. A manifest is a message of protocol buffers, and before it stands the change that
made the version (https://github.com/lancedb/lance/blob/main/protos/table.proto).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MALFORMED: Final = (IndexError, KeyError, OverflowError, ValueError, struct.error)
"""What reading a manifest of another format may raise."""

NEWEST_FIRST: Final = 2**64 - 1
"""lancedb names a manifest by what its version lacks to this number, so that the newest is listed first."""

_FOOTER: Final = struct.Struct("<Q4x4x")
"""Where the message begins, two numbers of the format, the end."""

_LENGTH: Final = struct.Struct("<I")
_VARINT: Final = 0
_FIXED: Final = {1: 8, 5: 4}

# Numbers of fields in the messages Manifest, Field, DataFragment and DataFile.
_FIELD, _FRAGMENT, _METADATA, _READER_FLAGS = 1, 2, 5, 9
_FIELD_NAME, _FIELD_ID = 2, 3
_NUMBER, _FILE, _PHYSICAL_ROWS = 1, 2, 4
_PATH, _FIELDS_OF_FILE = 1, 2

_STABLE_ROW_IDS: Final = 2
"""The flag of a table whose row ids are no addresses."""


@dataclass(frozen=True, slots=True)
class TableVersion:
    """
    A version of a table: all that its schema says, its columns, and its fragments, both by number.

    Two fragments with the same bytes hold the same rows with the same values.
    """

    version: int
    schema: frozenset[tuple[object, ...]]
    columns: Mapping[int, str]
    fragments: Mapping[int, bytes]


def read_version(folder: Path, version: int) -> TableVersion | None:
    """
    Return what a version consists of.

    None where its manifest is gone or reads otherwise, and where row ids are no addresses.
    """
    for name in manifest_names(version):
        with suppress(FileNotFoundError, *MALFORMED):
            return _version(version, message_of((folder / "_versions" / name).read_bytes()))
    return None


def manifest_names(version: int) -> tuple[str, str]:
    """Return the names that the manifest of a version may have: as lancedb names it now, and did before."""
    return f"{NEWEST_FIRST - version:020}.manifest", f"{version}.manifest"


def fragments_in(message: bytes) -> dict[int, bytes]:
    """Return the fragments of a manifest's message by their numbers."""
    parts = (bytes(part) for field, part in _fields(message) if field == _FRAGMENT)
    return {_number_of(part): part for part in parts}


def physical_rows(fragment: bytes) -> int:
    """Return how many rows were written to a fragment, those counted that were deleted since."""
    return int(dict(_fields(fragment)).get(_PHYSICAL_ROWS, 0))


def data_files(fragment: bytes) -> dict[int, bytes]:
    """Return the data file of each column of a fragment, by the number of the column."""
    found: dict[int, bytes] = {}
    for field, message in _fields(fragment):
        if field == _FILE:
            file = dict(_fields(bytes(message)))
            found |= dict.fromkeys(_packed(bytes(file[_FIELDS_OF_FILE])), bytes(file[_PATH]))
    return found


def message_of(content: bytes) -> bytes:
    """Return the message of a manifest's file."""
    begin = message_start(content)
    (length,) = _LENGTH.unpack_from(content, begin)
    return content[begin + _LENGTH.size :][:length]


def message_start(content: bytes) -> int:
    """Return where the message begins; before it stands the change that made the version."""
    return int(_FOOTER.unpack(content[-_FOOTER.size :])[0])


def _version(version: int, message: bytes) -> TableVersion | None:
    schema, columns, fragments = set[tuple[object, ...]](), dict[int, str](), dict[int, bytes]()
    for field, value in _fields(message):
        if field == _READER_FLAGS and int(value) & _STABLE_ROW_IDS:
            return None
        if not isinstance(value, bytes):
            continue
        if field == _FRAGMENT:
            fragments[_number_of(value)] = value
        elif field in (_FIELD, _METADATA):
            # What is said of a column stands in another order in each version.
            parts = [*_fields(value)]
            schema.add((field, *sorted(parts, key=repr)))
            column = dict(parts)
            if field == _FIELD:
                columns[int(column.get(_FIELD_ID, 0))] = bytes(column[_FIELD_NAME]).decode()
    return TableVersion(version, frozenset(schema), columns, fragments)


def _number_of(fragment: bytes) -> int:
    # It stands first, and is left out where it is zero.
    field, value = next(_fields(fragment), (0, 0))
    return int(value) if field == _NUMBER else 0


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the fields of a message of protocol buffers: number, and value."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        kind = tag & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield tag >> 3, value
            continue
        length, at = (_FIXED[kind], at) if kind in _FIXED else _varint(message, at)
        yield tag >> 3, message[at : at + length]
        at += length


def _packed(numbers: bytes) -> Iterator[int]:
    """Yield the numbers of a packed field; a negative one takes ten bytes and is above all others."""
    at = 0
    while at < len(numbers):
        number, at = _varint(numbers, at)
        yield number


def _varint(message: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = message[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at
