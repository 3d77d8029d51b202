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


def read_arrow(
    db: sqlite3.Connection, sql: str, schema: pa.Schema, parameters: Mapping[str, int | str]
) -> pa.Table:
    """Run a query and return its rows in the given schema, column by column in the query's order."""
    return pa.Table.from_batches(_batches(db.execute(sql, parameters), schema), schema=schema)


def _batches(cursor: sqlite3.Cursor, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    while rows := cursor.fetchmany(_BATCH_ROWS):
        columns = zip(*rows, strict=True)
        yield pa.RecordBatch.from_arrays(
            [pa.array(column, spec.type) for column, spec in zip(columns, schema, strict=True)],
            schema=schema,
        )
