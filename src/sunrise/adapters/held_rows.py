"""The rows of a memories table in memory, as they are at one version of it."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sunrise.adapters import lance_queries
from sunrise.adapters.held_terms import HeldTerms
from sunrise.adapters.held_vectors import Floats, HeldVectors, Places

LEAST_ROWS: Final = 4096
"""A smaller table answers quickly by itself."""

MOST_BYTES: Final = 256 << 20
"""What may be held: 100,000 rows of a sentence, with vectors of 512 numbers, take 140 MiB."""

_FILTERS: Final = 64
_READ_ROWS: Final = 1024

RowIds = npt.NDArray[np.uint64]


class OutdatedError(Exception):
    """Another writer was at work: what is held is of an older version than what was read."""


class HeldRows:
    """Columns and vectors of all rows, each at its place: rows of one scope lie together."""

    def __init__(
        self, version: int, columns: pa.Table, terms: HeldTerms, vectors: Mapping[str, HeldVectors]
    ) -> None:
        self.version = version
        self._vectors = dict(vectors)
        # Rows are taken out of one batch in two thirds of the time that a table needs.
        self._columns: pa.RecordBatch = columns.drop_columns([lance_queries.ROW_ID]).to_batches()[0]
        self.names = frozenset(self._columns.schema.names) | frozenset(vectors)
        self._terms = terms
        row_ids = columns.column(lance_queries.ROW_ID).to_numpy()
        self._by_row_id = np.argsort(row_ids).astype(np.uint32)
        self._row_ids = row_ids[self._by_row_id]
        self._let_through: Callable[[Any, str], Places] = lru_cache(_FILTERS)(self._asked)

    @property
    def has_terms(self) -> bool:
        """Whether any row was analysed."""
        return self._terms.is_telling

    def nearest(
        self,
        table: Any,
        vector: np.ndarray,
        *,
        column: str,
        columns: Sequence[str],
        where: str | None,
        limit: int,
    ) -> pa.Table:
        """
        Return the nearest of the rows that a filter lets through, with ``_distance``.

        Raises:
            OutdatedError: There is a newer version than this one.
        """
        let_through = self._where(table, where)
        places, distances = self._vectors[column].nearest(vector, let_through, limit)
        return self._rows(places, columns, "_distance", distances)

    def best(
        self, table: Any, terms: str, *, columns: Sequence[str], where: str | None, limit: int
    ) -> pa.Table:
        """
        Return the best for some terms of the rows that a filter lets through, with ``_score``.

        Raises:
            OutdatedError: There is a newer version than this one.
        """
        let_through = self._where(table, where)
        places, scores = self._terms.best(terms.split(), let_through, limit)
        return self._rows(places, columns, "_score", scores)

    def _where(self, table: Any, where: str | None) -> Places:
        return self._let_through(table, where) if where else np.arange(len(self._row_ids), dtype=np.uint32)

    def _asked(self, table: Any, where: str) -> Places:
        places = self._places(lance_queries.row_ids(table, where))
        if lance_queries.version(table) != self.version:
            raise OutdatedError
        return np.sort(places)

    def _places(self, row_ids: RowIds) -> Places:
        at = np.searchsorted(self._row_ids, row_ids)
        if len(at) and at.max() >= len(self._row_ids):
            raise OutdatedError
        return self._by_row_id[at]

    def _rows(self, places: Places, columns: Sequence[str], measure: str, measured: Floats) -> pa.Table:
        plain = [name for name in columns if name not in self._vectors]
        taken = self._columns.select(plain).take(pa.array(places))
        vectors = {name: held.at(places) for name, held in self._vectors.items() if name in columns}
        found = [*taken.columns, *vectors.values(), pa.array(measured, pa.float32())]
        return pa.Table.from_arrays(found, names=[*plain, *vectors, measure])


def read_rows(
    table: Any,
    columns: Sequence[str],
    *,
    least: int = LEAST_ROWS,
    most: int = MOST_BYTES,
    most_rows: int | None = None,
) -> HeldRows | None:
    """
    Read the newest version into memory; None where it would not pay, or not fit.

    The vectors are read some at a time, so that hardly more is needed than what is held in the end.

    Raises:
        OutdatedError: Another writer was at work meanwhile.
    """
    version, schema = lance_queries.version(table), table.schema
    if not set(columns) <= set(schema.names):
        return None
    wide = {
        name: int(schema.field(name).type.list_size)
        for name in columns
        if pa.types.is_fixed_size_list(schema.field(name).type)
    }
    rows = int(table.count_rows())
    left = most - sum(HeldVectors.bytes_of(rows, dimension) for dimension in wide.values())
    if rows < least or rows > (most_rows or rows) or left < 0 or "terms" not in columns:
        return None
    plain = [name for name in columns if name not in wide]
    found = _in_order(table.search().select(plain).with_row_id(with_row_id=True).to_arrow())
    terms = HeldTerms(found.column("terms"))
    if found.nbytes + terms.nbytes > left:
        return None
    give_back()
    held = {name: _vectors(table, name, dimension, found) for name, dimension in wide.items()}
    if lance_queries.version(table) != version:
        raise OutdatedError
    return HeldRows(version, found, terms, held)


def give_back() -> None:
    """Return to the system what reading has freed: a hundred megabytes that the C library would keep."""
    pa.default_memory_pool().release_unused()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def _in_order(found: pa.Table) -> pa.Table:
    keys = [(name, "ascending") for name in ("scope", lance_queries.ROW_ID) if name in found.column_names]
    return found.sort_by(keys).combine_chunks()


def _vectors(table: Any, column: str, dimension: int, found: pa.Table) -> HeldVectors:
    row_ids = found.column(lance_queries.ROW_ID).to_numpy()
    by_row_id = np.argsort(row_ids).astype(np.uint32)
    held = HeldVectors(len(row_ids), dimension)
    for at in range(0, len(row_ids), _READ_ROWS):
        places = by_row_id[at : at + _READ_ROWS]
        # A scan would read far ahead, and have most of the column in memory once more.
        part = lance_queries.taken(table, row_ids[places], [column]).sort_by(lance_queries.ROW_ID)
        if not np.array_equal(part.column(lance_queries.ROW_ID).to_numpy(), row_ids[places]):
            raise OutdatedError
        vectors = part.column(column).combine_chunks()
        there = vectors.is_valid().to_numpy(zero_copy_only=False)
        flat = vectors.drop_null().flatten().to_numpy(zero_copy_only=False)
        held.put(places[there], flat.reshape(-1, dimension))
    held.sketch()
    return held
