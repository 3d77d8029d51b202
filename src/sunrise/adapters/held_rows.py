"""The rows of a memories table in memory, as they are at one version of it."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa

from sunrise.adapters import lance_queries
from sunrise.adapters.held_columns import HeldColumns, HeldMasks, OutdatedError, RowIds, RowPlaces
from sunrise.adapters.held_filters import Mask, UnreadableFilterError
from sunrise.adapters.held_terms import HeldTerms
from sunrise.adapters.held_vectors import Floats, HeldVectors, Places

SKETCHED_FROM: Final = 4096
"""Of fewer rows each vector is measured, and the words need no index."""

MOST_BYTES: Final = 256 << 20
"""What may be held: 100,000 rows of a sentence, with vectors of 512 numbers, take 140 MiB."""

SPARE: Final = 8192
"""So many rows may come or change before all are read anew."""

_FILTERS: Final = 64
_READ_ROWS: Final = 1024


@dataclass(frozen=True, slots=True)
class _Parts:
    """What is held of the rows, each part by their places; ``there`` says which rows are of the version."""

    columns: HeldColumns
    terms: HeldTerms
    vectors: Mapping[str, HeldVectors]
    places: RowPlaces
    there: Mask
    masks: HeldMasks


@dataclass(frozen=True, slots=True)
class RowChanges:
    """What changed in the rows of a table: the addresses of those that left, and the rows that came."""

    left: RowIds
    came: pa.Table


class HeldRows:
    """
    Columns and vectors of all rows, each at its place: rows of one scope lie together, later ones behind all.

    A place holds one row for good. A row that changes gets another place, so that whoever reads meanwhile
    sees it as it was.
    """

    def __init__(self, version: int, parts: _Parts, *, since: int | None = None) -> None:
        self.version = version
        self.since = version if since is None else since
        """The version at which all was read. The schema is the same since."""
        self._parts = parts
        self.names = frozenset(parts.columns.names) | frozenset(parts.vectors)
        self._let_through: Callable[[Any, str | None], Places] = lru_cache(_FILTERS)(self._asked)

    def __len__(self) -> int:
        return int(np.count_nonzero(self._parts.there))

    @property
    def has_terms(self) -> bool:
        """Whether any row was analysed."""
        return self._parts.terms.is_telling

    @property
    def vectors(self) -> Mapping[str, HeldVectors]:
        """The columns of vectors that are held."""
        return self._parts.vectors

    @property
    def is_crowded(self) -> bool:
        """Whether so many rows came one by one that there is soon no room for more."""
        return self._parts.columns.later_rows > SPARE // 2

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
            OutdatedError: The filter can be read by the table alone, and that is of a newer version.
        """
        let_through = self._let_through(table, where)
        places, distances = self._parts.vectors[column].nearest(vector, let_through, limit)
        return self._rows(places, columns, "_distance", distances)

    def best(
        self, table: Any, terms: str, *, columns: Sequence[str], where: str | None, limit: int
    ) -> pa.Table:
        """
        Return the best for some terms of the rows that a filter lets through, with ``_score``.

        Raises:
            OutdatedError: The filter can be read by the table alone, and that is of a newer version.
        """
        let_through = self._let_through(table, where)
        places, scores = self._parts.terms.best(terms.split(), let_through, limit)
        return self._rows(places, columns, "_score", scores)

    def scan(self, table: Any, columns: Sequence[str], *, where: str | None) -> pa.Table:
        """
        Return columns, none of them of vectors, of the rows that a filter lets through.

        Raises:
            OutdatedError: The filter can be read by the table alone, and that is of a newer version.
        """
        return pa.Table.from_batches([self._parts.columns.take(self._asked(table, where), columns)])

    def row_ids_in(self, fragment: int) -> RowIds:
        """Return the addresses of the rows of a fragment, ascending."""
        return self._parts.places.in_fragment(fragment)

    def values(self, row_ids: RowIds, column: str) -> pa.Array:
        """Return a column of the rows at some addresses."""
        return self._parts.columns.take(self._parts.places.of(row_ids), [column]).column(0)

    def followed(self, version: int, changes: RowChanges) -> HeldRows | None:
        """Return the rows as they are at a later version; None where there is no room for what came."""
        parts, came = self._parts, changes.came
        begin = len(parts.columns)
        if parts.columns.later_rows + len(came) > SPARE:
            return None
        gone = parts.places.of(changes.left)
        there = np.concatenate([parts.there, np.ones(len(came), np.bool_)])
        there[gone] = False
        for name, held in parts.vectors.items():
            _put(held, came.column(name), np.arange(begin, begin + len(came), dtype=np.uint32))
            held.count(len(there))
        texts = parts.columns.take(gone, ["terms"]).column(0).to_pylist()
        row_ids = came.column(lance_queries.ROW_ID).to_numpy()
        made = _Parts(
            parts.columns.followed(_one_batch(came.select(parts.columns.names))),
            parts.terms.followed(later=came.column("terms").to_pylist(), left=texts),
            parts.vectors,
            parts.places.followed(changes.left, row_ids, begin),
            there,
            parts.masks,
        )
        return HeldRows(version, made, since=self.since)

    def _asked(self, table: Any, where: str | None) -> Places:
        parts = self._parts
        if where is None:
            return np.flatnonzero(parts.there).astype(np.uint32)
        try:
            return parts.masks.let_through(where, parts.columns, parts.there)
        except UnreadableFilterError:
            places = parts.places.of(lance_queries.row_ids(table, where))
            if lance_queries.version(table) != self.version:
                raise OutdatedError from None
            return np.sort(places)

    def _rows(self, places: Places, columns: Sequence[str], measure: str, measured: Floats) -> pa.Table:
        held = self._parts.vectors
        plain = [name for name in columns if name not in held]
        taken = self._parts.columns.take(places, plain)
        vectors = {name: one.at(places) for name, one in held.items() if name in columns}
        found = [*taken.columns, *vectors.values(), pa.array(measured, pa.float32())]
        return pa.Table.from_arrays(found, names=[*plain, *vectors, measure])


def read_rows(
    table: Any,
    columns: Sequence[str],
    *,
    most: int = MOST_BYTES,
    most_rows: int | None = None,
    like: Mapping[str, HeldVectors] | None = None,
) -> HeldRows | None:
    """
    Read the newest version into memory, all columns but vectors that were not named; None if it does not fit.

    The vectors are read some at a time, so that hardly more is needed than what is held in the end. Of many
    the sketches are made along the directions of those that were held before, if there are any.

    Raises:
        OutdatedError: Another writer was at work meanwhile.
    """
    version, schema = lance_queries.version(table), table.schema
    if not {*columns, "terms"} <= set(schema.names):
        return None
    sizes = {field.name: int(field.type.list_size) for field in schema if _is_vector(field)}
    wide = {name: sizes[name] for name in columns if name in sizes}
    rows = int(table.count_rows())
    left = most - sum(HeldVectors.bytes_of(rows, dimension) for dimension in wide.values())
    if rows == 0 or rows > (most_rows or rows) or left < 0:
        return None
    plain = [field.name for field in schema if field.name not in sizes]
    found = _in_order(table.search().select(plain).with_row_id(with_row_id=True).to_arrow())
    terms = HeldTerms(found.column("terms"))
    if found.nbytes + terms.nbytes > left:
        return None
    if rows >= SKETCHED_FROM:
        give_back()
    row_ids = found.column(lance_queries.ROW_ID).to_numpy()
    held = {name: _vectors(table, name, size, row_ids, (like or {}).get(name)) for name, size in wide.items()}
    if lance_queries.version(table) != version:
        raise OutdatedError
    parts = _Parts(
        HeldColumns(_one_batch(found.drop_columns([lance_queries.ROW_ID]))),
        terms,
        held,
        RowPlaces.of_rows(row_ids),
        np.ones(len(row_ids), np.bool_),
        HeldMasks(),
    )
    return HeldRows(version, parts)


def give_back() -> None:
    """Return to the system what reading has freed: a hundred megabytes that the C library would keep."""
    pa.default_memory_pool().release_unused()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def _is_vector(field: pa.Field) -> bool:
    return bool(pa.types.is_fixed_size_list(field.type))


def _in_order(found: pa.Table) -> pa.Table:
    keys = [(name, "ascending") for name in ("scope", lance_queries.ROW_ID) if name in found.column_names]
    return found.sort_by(keys)


def _one_batch(rows: pa.Table) -> pa.RecordBatch:
    columns = [column.combine_chunks() for column in rows.columns]
    return pa.RecordBatch.from_arrays(columns, schema=rows.schema)


def _vectors(
    table: Any, column: str, dimension: int, row_ids: RowIds, like: HeldVectors | None
) -> HeldVectors:
    by_row_id = np.argsort(row_ids).astype(np.uint32)
    held = HeldVectors(len(row_ids), dimension, spare=SPARE)
    for at in range(0, len(row_ids), _READ_ROWS):
        places = by_row_id[at : at + _READ_ROWS]
        # A scan would read far ahead, and have most of the column in memory once more.
        part = lance_queries.taken(table, row_ids[places], [column]).sort_by(lance_queries.ROW_ID)
        if not np.array_equal(part.column(lance_queries.ROW_ID).to_numpy(), row_ids[places]):
            raise OutdatedError
        _put(held, part.column(column), places)
    held.count(len(row_ids))
    if len(row_ids) >= SKETCHED_FROM:
        held.sketch(like=like)
    return held


def _put(held: HeldVectors, column: pa.ChunkedArray, places: Places) -> None:
    vectors = column.combine_chunks()
    there = vectors.is_valid().to_numpy(zero_copy_only=False)
    flat = vectors.drop_null().flatten().to_numpy(zero_copy_only=False)
    held.put(places[there], flat.reshape(-1, held.dimension))
