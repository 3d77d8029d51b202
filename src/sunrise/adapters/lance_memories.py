"""The memories table on LanceDB: reads, merges by id, and the upkeep that its traps ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import pyarrow as pa

from sunrise.adapters import lance_merge, lance_queries, lance_rows, lance_sweep
from sunrise.adapters.held_columns import OutdatedError
from sunrise.adapters.held_rows import SKETCHED_FROM, HeldRows
from sunrise.adapters.lance_border import connect, is_remote, located, retry_conflicts, told_as_ours
from sunrise.adapters.lance_erasure import LanceErasure
from sunrise.adapters.lance_holding import LanceHolding
from sunrise.adapters.lance_places import LancePlaces
from sunrise.adapters.lance_snapshots import LanceSnapshots
from sunrise.adapters.lance_upkeep import LanceUpkeep
from sunrise.adapters.lance_vectors import LanceVectors
from sunrise.adapters.memory_schema import GOVERNANCE_COLUMNS, memories_schema
from sunrise.adapters.newest_version import NewestVersion
from sunrise.adapters.table_shape import TableShape, TableShapes
from sunrise.adapters.unanalysed_rows import search_unanalysed
from sunrise.domain.filters import sql_text
from sunrise.domain.secret_spans import MemorySecrets
from sunrise.domain.vector_space import VectorSpace
from sunrise.errors import DataError, StoreError
from sunrise.ports import Embedder

_SCANNED_ROWS: Final = 16_384
_IDS_FROM_MEMORY: Final = 256
"""More than a few ids are looked for in another way, where the table is asked."""

_TAG_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def exists(
    uri: str | Path, table: str = "memories", *, storage_options: dict[str, str] | None = None
) -> bool:
    """Return whether the table is there. Looking makes no directory, unlike a connection."""
    if not is_remote(uri):
        return (Path(located(uri)) / f"{table}.lance").is_dir()
    with told_as_ours("cannot look for the memories table"):
        return table in connect(uri, storage_options=storage_options).list_tables().tables


class LanceMemories(LancePlaces, LanceVectors, LanceUpkeep, LanceSnapshots, LanceErasure):
    """
    Implements :class:`sunrise.ports.MemoryTable` on lancedb.

    A table that OpenClaw's plugin made is read as it is; columns are only ever added, nullable, by
    :meth:`adopt`. Each call sees the newest version, whoever wrote it.
    """

    def __init__(self, table: Any) -> None:
        self._table = table
        self._newest = NewestVersion(table)
        self._holding = LanceHolding(table, self._newest)
        self._shapes = TableShapes(table, self._newest, self._holding)

    @classmethod
    def open(
        cls, uri: str | Path, *, table: str = "memories", storage_options: dict[str, str] | None = None
    ) -> Self:
        """
        Open a table that exists.

        Raises:
            StoreError: There is none, or it cannot be read.
        """
        found = cls.find(uri, table=table, storage_options=storage_options)
        if found is None:
            msg = f"there is no memories table {table!r} in {located(uri)}"
            raise StoreError(msg)
        return found

    @classmethod
    def find(
        cls, uri: str | Path, *, table: str = "memories", storage_options: dict[str, str] | None = None
    ) -> Self | None:
        """
        Open a table, or return None where there is none. Looking makes no directory.

        Raises:
            StoreError: The table is there and cannot be read, or its storage does not answer.
        """
        if not is_remote(uri) and not exists(uri, table):
            return None
        with told_as_ours("cannot open the memories table"):
            database = connect(uri, storage_options=storage_options)
            try:
                return cls(database.open_table(table))
            except ValueError as error:
                # Object storage is not asked first whether it is there: each question takes its time.
                if is_remote(uri) and "was not found" in str(error):
                    return None
                raise

    @classmethod
    def create(
        cls,
        uri: str | Path,
        *,
        dimension: int,
        table: str = "memories",
        storage_options: dict[str, str] | None = None,
    ) -> Self:
        """
        Create an own table, or open the one that is there: two processes may both call this.

        Raises:
            StoreError: The place cannot be written or read.
        """
        found = cls.find(uri, table=table, storage_options=storage_options)
        if found is not None:
            return found
        with told_as_ours("cannot create the memories table"):
            database = connect(uri, storage_options=storage_options)
            try:
                made = database.create_table(table, schema=memories_schema(dimension), exist_ok=True)
            except ValueError:
                # Another process was quicker and made it with other columns: theirs stands.
                made = database.open_table(table)
            return cls(made)

    def newest_version(self) -> int:
        """Return the number of the newest version."""
        with told_as_ours("cannot read the memories table"):
            return self._newest.number()

    def is_in_memory(self) -> bool:
        """Return whether rows are held in memory, where a search is short and all of it Python's."""
        return self._holding.is_held

    def schema(self) -> pa.Schema:
        """Return the table's Arrow schema as it is now."""
        with told_as_ours("cannot read the memories table"):
            return self._shapes.newest().schema

    def spaces(self) -> tuple[VectorSpace, ...]:
        """Return the columns of vectors and what each is, as of the newest version."""
        with told_as_ours("cannot read the memories table"):
            return self._shapes.newest().spaces

    def scan(self, columns: Sequence[str], *, where: str | None = None) -> pa.Table:
        """Return the named columns that exist, of all rows that ``where`` (a SQL filter) lets through."""
        with told_as_ours("cannot scan the memories table"):
            shape = self._shapes.newest()
            names = lance_rows.existing(columns, schema=shape.schema)
            return self._scanned(shape.version, names or ["id"], where).select(names)

    def batches(self, columns: Sequence[str], *, where: str | None = None) -> Iterator[pa.RecordBatch]:
        """Yield what :meth:`scan` returns, some thousand rows at a time."""
        with told_as_ours("cannot scan the memories table"):
            names = lance_rows.existing(columns, schema=self._table.schema)
            query = self._table.search().select(names or ["id"])
            for batch in (query.where(where) if where else query).to_batches(_SCANNED_ROWS):
                yield batch.select(names)

    def by_ids(self, ids: Sequence[str], columns: Sequence[str]) -> pa.Table:
        """Return the rows with these ids, in no order; unknown ids are left out."""
        with told_as_ours("cannot read the memories"):
            shape = self._shapes.newest()
            names = lance_rows.existing(columns, schema=shape.schema)
            if 0 < len(ids) <= _IDS_FROM_MEMORY:
                where = f"id IN ({', '.join(map(sql_text, ids))})"
                return self._scanned(shape.version, names or ["id"], where).select(names)
            return lance_merge.rows_by_ids(self._table, ids, names or ["id"]).select(names)

    def search_terms(self, terms: str, *, columns: Sequence[str], where: str | None, limit: int) -> pa.Table:
        """
        Return the best rows for analysed terms by BM25, best first, with ``_score``.

        A small table without an index of terms is read whole: what was just stored is found at once.

        Raises:
            DataError: The terms are not indexed yet; reason ``no_terms_index``.
        """
        with told_as_ours("cannot search the memories by words"):
            shape = self._shapes.newest()
            names = lance_rows.existing(columns, schema=shape.schema)
            if "terms" not in shape.schema.names and terms.strip():
                found = search_unanalysed(self._table, terms, columns=names, where=where, limit=limit)
                if found is not None:
                    return lance_rows.ranked(found, by="_score", descending=True)
            held = self._with_terms(shape, {*names, "terms"})
            if not terms.strip():
                return _no_hits(shape.schema, names, measure="_score")
            found = self._by_words(terms, names, where, limit, held=held)
            return lance_rows.ranked(found, by="_score", descending=True)

    def search_vector(
        self,
        vector: np.ndarray,
        *,
        column: str = "vector",
        columns: Sequence[str],
        where: str | None,
        limit: int,
        is_exact: bool = True,
    ) -> pa.Table:
        """
        Return the nearest rows by the vectors of one column, nearest first, with cosine ``_distance``.

        With ``is_exact`` unset the order and the distances may be those of an index, one byte a number, or of
        rows held in memory, with two bytes a number: for what measures the vectors again by itself.

        Raises:
            DataError: The vector is zero, not finite, or of another dimension than the column.
        """
        with told_as_ours("cannot search the memories by vector"):
            shape = self._shapes.newest()
            checked = lance_rows.query_vector(vector, schema=shape.schema, column=column)
            names = lance_rows.existing(columns, schema=shape.schema)
            found = None if is_exact else self._held(checked, column, shape.version, names, where, limit)
            if found is None:
                found = lance_queries.by_vector(
                    self._table,
                    checked,
                    column=column,
                    columns=names,
                    where=where,
                    limit=limit,
                    is_exact=is_exact,
                )
            return lance_rows.ranked(found, by="_distance", descending=False)

    def adopt(self) -> tuple[str, ...]:
        """Add the governance columns that are missing, nullable; return their names."""
        with told_as_ours("cannot adopt the memories table"):
            return retry_conflicts(self._add_missing_columns, refresh=self._table.checkout_latest)

    def merge(self, rows: pa.Table) -> int:
        """
        Overwrite the given columns of the rows with these ids; return how many rows were met.

        The touched scalar indices stay uncovered until :meth:`optimize`, so merge in one batch and then
        optimize.

        Raises:
            DataError: The ids are missing or ambiguous, or a column does not fit the table.
        """
        lance_rows.check_merge_keys(rows)
        if rows.num_rows == 0 or rows.num_columns == 1:
            return 0
        with told_as_ours("cannot merge into the memories table"):
            return lance_merge.merge_own(self._table, rows)

    def overwrite(self, rows: pa.Table, *, read: pa.Table, version: int) -> int:
        """
        Merge rows in place of those that were *read* at a version; return how many were written.

        Both have the same columns, ``id`` among them. A field that another writer changed since the reading
        keeps what that writer put there.

        Raises:
            DataError: The ids are missing or ambiguous, or a column does not fit the table.
        """
        lance_rows.check_merge_keys(rows)
        with told_as_ours("cannot merge into the memories table"):
            return lance_merge.overwrite(self._table, rows, read=read, version=version)

    def add(self, rows: pa.Table) -> None:
        """
        Append new memories; columns that are missing become null.

        Raises:
            DataError: A column or a vector does not fit the table.
        """
        if rows.num_rows == 0:
            return
        with told_as_ours("cannot add to the memories table"):
            self._table.checkout_latest()
            self._table.add(lance_rows.fitted(rows, schema=self._table.schema))
            if self._holding.is_held:
                # The next answer does not have to wait for what this caller knows.
                self._holding.at(self._newest.number())

    def delete(self, ids: Sequence[str]) -> int:
        """Delete the rows with these ids from the newest version; return how many there were."""
        with told_as_ours("cannot delete from the memories table"):
            return lance_merge.delete(self._table, ids)

    def tag(self, name: str) -> int:
        """
        Tag the newest version and return it. A name that exists is moved.

        Raises:
            DataError: The name would poison the table's tags; reason ``bad_tag_name``.
        """
        _check_tag_name(name)
        with told_as_ours("cannot tag the memories table"):
            self._table.checkout_latest()
            version = int(self._table.version)
            tags = self._table.tags
            place = tags.update if name in tags.list() else tags.create
            place(name, version)
            return version

    def untag(self, name: str) -> None:
        """Remove a tag; removing one that is not there is no error."""
        _check_tag_name(name)
        with told_as_ours("cannot remove a tag of the memories table"):
            if name in self._table.tags.list():
                self._table.tags.delete(name)

    def find_secrets(self) -> MemorySecrets:
        """Look at every text of every version, and return what holds a secret; nothing is written."""
        with told_as_ours("cannot look for secrets in the memories table"):
            return lance_sweep.find(self._table)

    def redact_rows(self, found: MemorySecrets, *, embedder: Embedder, now_ms: int) -> int:
        """Put texts without their secrets into the newest version; return how many rows were met."""
        with told_as_ours("cannot redact the memories table"):
            return lance_sweep.redact(self._table, found.rows, embedder=embedder, now_ms=now_ms)

    def forget_secrets(self, found: MemorySecrets) -> int:
        """Leave no file that holds what was found; return how many versions were deleted."""
        with told_as_ours("cannot delete versions of the memories table"):
            return lance_sweep.forget(self._table, found)

    def _scanned(self, version: int, names: list[str], where: str | None) -> pa.Table:
        held = self._holding.at(version, names)
        if held is not None and not held.vectors.keys() & set(names):
            with suppress(OutdatedError):
                return held.scan(self._table, names, where=where)
        query = self._table.search().select(names)
        return (query.where(where) if where else query).to_arrow()

    def _with_terms(self, shape: TableShape, names: set[str]) -> HeldRows | None:
        """Return rows that are held with their terms, or None where the index of terms answers."""
        held = self._holding.at(shape.version, names)
        if held is not None and held.has_terms:
            return held
        is_indexed = self._shapes.has_terms_index(shape.version)
        # Rows held without their vectors would only be in the way of those who want them.
        if not is_indexed or not shape.spaces or any(one.column in names for one in shape.spaces):
            most_rows = self._holding.reads_at_once if is_indexed else SKETCHED_FROM
            held = self._holding.few(shape.version, names, most_rows=most_rows)
            if held is not None and held.has_terms:
                return held
        if not is_indexed:
            raise DataError("the memories have no index of terms yet", reason="no_terms_index")
        if not shape.spaces:
            self._holding.want(shape.version, names)
        return None

    def _by_words(
        self, terms: str, names: list[str], where: str | None, limit: int, *, held: HeldRows | None
    ) -> pa.Table:
        if held is not None:
            with suppress(OutdatedError):
                return held.best(self._table, terms, columns=names, where=where, limit=limit)
        return lance_queries.by_words(self._table, terms, columns=names, where=where, limit=limit)

    def _held(
        self,
        vector: np.ndarray,
        column: str,
        version: int,
        names: list[str],
        where: str | None,
        limit: int,
    ) -> pa.Table | None:
        wanted = {*names, column}
        held = self._holding.few(version, wanted, most_rows=self._holding.reads_at_once)
        if held is not None:
            with suppress(OutdatedError):
                return held.nearest(
                    self._table, vector, column=column, columns=names, where=where, limit=limit
                )
        self._holding.want(version, wanted)
        return None

    def _add_missing_columns(self) -> tuple[str, ...]:
        present = set(self._table.schema.names)
        missing = [field for field in GOVERNANCE_COLUMNS if field.name not in present]
        if missing:
            self._table.add_columns(missing)
        return tuple(field.name for field in missing)


def _check_tag_name(name: str) -> None:
    # lancedb accepts a name beyond ASCII, and then no tag can be listed and no optimize succeeds any more.
    if _TAG_NAME.fullmatch(name) is None:
        msg = f"not a tag name: {name!r} (letters, digits, dot, dash and underscore)"
        raise DataError(msg, reason="bad_tag_name")


def _no_hits(schema: pa.Schema, names: Sequence[str], *, measure: str) -> pa.Table:
    empty = schema.empty_table().select(list(names))
    return empty.append_column(measure, pa.array([], pa.float32()))
