"""Puts rows into the Arrow columns that readers hand to the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa


def table_of(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> pa.Table:
    """Return rows, whose values stand in the order of the schema, as a table."""
    columns = zip(*rows, strict=True) if rows else ((),) * len(schema)
    arrays = [pa.array(column, type=spec.type) for column, spec in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
