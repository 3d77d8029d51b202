"""Puts rows of observations into the Arrow columns that harvest hands to the ledger."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from sunrise.adapters.capture_jsonl import CAPTURE_SCHEMA
from sunrise.domain.capture import CaptureRow


def capture_table(rows: Sequence[CaptureRow]) -> pa.Table:
    """Return rows as a table of :data:`sunrise.adapters.capture_jsonl.CAPTURE_SCHEMA`."""
    columns = zip(*rows, strict=True) if rows else ((),) * len(CAPTURE_SCHEMA)
    arrays = [pa.array(column, type=spec.type) for column, spec in zip(columns, CAPTURE_SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=CAPTURE_SCHEMA)
