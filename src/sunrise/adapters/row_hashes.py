"""
A hash for each cell and each row of Arrow tables, without a loop over rows, and one for rows in any order.

The hashes are arithmetic of our own over the values alone: they are the same in every process, on every
version of Arrow, and whatever the files beneath look like.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Hashes = npt.NDArray[np.uint64]

EMPTY_CELL: Final = np.uint64(0x9E3779B97F4A7C15)
"""The hash of every cell that holds nothing."""

_ROWS_AT_ONCE: Final = 1024
_LANES: Final = (np.uint64(0xA0761D6478BD642F), np.uint64(0xE7037ED1A0B428DB))


class RowSum:
    """
    Rows added up to one hash, the same in whatever order and batches they come.

    Each row counts as often as it is there: one row more or less, or one cell that differs, is another sum.
    """

    def __init__(self) -> None:
        self.rows = 0
        self._sums = [0, 0]

    def add(self, batch: pa.RecordBatch | pa.Table) -> None:
        """Add the rows of a batch."""
        rows = row_hashes(batch)
        self.rows += len(rows)
        for lane, salt in enumerate(_LANES):
            self._sums[lane] = (self._sums[lane] + int(_mixed(rows ^ salt).sum(dtype=np.uint64))) % 2**64

    def hexdigest(self) -> str:
        """Return the hash of the rows so far."""
        text = f"{self.rows}:{self._sums[0]:016x}{self._sums[1]:016x}"
        return hashlib.sha256(text.encode()).hexdigest()


def row_hashes(batch: pa.RecordBatch | pa.Table) -> Hashes:
    """Return a hash of each row, of the names and values of all its cells."""
    total = np.zeros(batch.num_rows, np.uint64)
    for name, cells in cell_hashes(batch, batch.schema.names).items():
        total += _mixed(cells ^ _of_bytes(name.encode()))
    return total


def cell_hashes(batch: pa.RecordBatch | pa.Table, columns: Iterable[str]) -> dict[str, Hashes]:
    """Return a hash of each cell of the named columns; an empty cell has one of its own."""
    return {name: _cells(_whole(batch.column(name))) for name in columns}


def schema_hash(schema: pa.Schema) -> str:
    """
    Return a hash of the columns, in order: name, type, nullability, and what is noted at each.

    >>> schema_hash(pa.schema([("id", pa.string())]))[:16]
    '57b3749d78c9e4c7'
    """
    digest = hashlib.sha256()
    for field in schema:
        noted = sorted((field.metadata or {}).items())
        digest.update(f"{field.name}\t{field.type}\t{field.nullable}\t{noted!r}\n".encode())
    return digest.hexdigest()


def _whole(column: Any) -> pa.Array:
    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks or [_none(column)])


def _none(column: pa.ChunkedArray) -> pa.Array:
    return pa.array([], column.type)


def _cells(column: pa.Array) -> Hashes:
    kind = column.type
    if pa.types.is_fixed_size_list(kind) and _is_plain(kind.value_type):
        hashes = _vectors(column)
    elif _is_plain(kind):
        hashes = _mixed(_bits_of(column).astype(np.uint64))
    else:
        hashes = _texts(column)
    if column.null_count:
        hashes = np.where(column.is_null().to_numpy(zero_copy_only=False), EMPTY_CELL, hashes)
    return hashes


def _is_plain(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_timestamp(kind))


def _bits_of(column: pa.Array) -> npt.NDArray[Any]:
    # The bits of a number, not its value: 0.0 and -0.0 are told apart, and every NaN from every other.
    kind = np.dtype(f"<u{column.type.bit_width // 8}")
    buffer = column.buffers()[1]
    if buffer is None:
        return np.zeros(len(column), kind)
    # A buffer may be padded to more than whole numbers.
    raw = np.frombuffer(buffer, kind, count=buffer.size // kind.itemsize)
    return raw[column.offset : column.offset + len(column)]


def _vectors(column: pa.Array) -> Hashes:
    size = column.type.list_size
    values = column.values.slice(column.offset * size, len(column) * size)
    raw = _bits_of(values).reshape(len(column), size)
    holes = None
    if values.null_count:
        holes = values.is_null().to_numpy(zero_copy_only=False).reshape(len(column), size)
    weights = _mixed(np.arange(1, size + 1, dtype=np.uint64)) | np.uint64(1)
    sums = np.empty(len(column), np.uint64)
    # A few rows at a time stay in the processor's cache.
    for start in range(0, len(column), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        wide = raw[rows].astype(np.uint64)
        if holes is not None:
            wide[holes[rows]] = EMPTY_CELL
        sums[rows] = wide @ weights
    return _mixed(sums)


def _texts(column: pa.Array) -> Hashes:
    # Of a category there are a few: each value is hashed once.
    if _is_text(column.type):
        encoded = column.dictionary_encode()
        words = encoded.dictionary.cast(pa.large_binary()).to_pylist()
        places = encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)
        known = _joined(hashlib.blake2b(word, digest_size=8).digest() for word in words)
        return known[places] if len(known) else np.zeros(len(column), np.uint64)
    return _joined(
        hashlib.blake2b(repr(value).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for value in column.to_pylist()
    )


def _is_text(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
    )


def _joined(digests: Iterable[bytes]) -> Hashes:
    return np.frombuffer(b"".join(digests), dtype="<u8")


def _of_bytes(text: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little"))


def _mixed(bits: Hashes) -> Hashes:
    # Spreads each bit over all of them (the finalizer of SplitMix64), so that sums tell rows apart.
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: Hashes = bits ^ (bits >> np.uint64(31))
    return result
