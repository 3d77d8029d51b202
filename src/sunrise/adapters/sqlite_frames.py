"""
Query results of the ledger as Arrow tables with a declared schema.

The standard library's SQLite reads them, and nothing else may: a second copy of SQLite in one process (an
ADBC driver, DuckDB's scanner) drops the first one's POSIX locks when it closes the file, and what follows is
a damaged ledger (https://www.sqlite.org/howtocorrupt.html, section 2.2.1).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping

import pyarrow as pa

_BATCH_ROWS = 50_000
_FETCHED = 2_000
"""Rows that are tuples at one time: the garbage collector would look through many again and again."""


def read_arrow(
    db: sqlite3.Connection, sql: str, schema: pa.Schema, parameters: Mapping[str, int | str]
) -> pa.Table:
    """Run a query and return its rows in the given schema, column by column in the query's order."""
    return pa.Table.from_batches(_batches(db.execute(sql, parameters), schema), schema=schema)


def _batches(cursor: sqlite3.Cursor, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    columns: list[list[object]] = [[] for _ in schema]
    while rows := cursor.fetchmany(_FETCHED):
        for column, values in zip(columns, zip(*rows, strict=True), strict=True):
            column.extend(values)
        if len(columns[0]) >= _BATCH_ROWS:
            yield _batch(columns, schema)
            columns = [[] for _ in schema]
    if columns[0]:
        yield _batch(columns, schema)


def _batch(columns: list[list[object]], schema: pa.Schema) -> pa.RecordBatch:
    arrays = [pa.array(column, spec.type) for column, spec in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
