"""Writes a table ``memories`` as OpenClaw's memory-lancedb plugin does, for the demo and for tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import lancedb
import numpy as np
import pyarrow as pa

from sunrise.errors import ConfigurationError

TABLE = "memories"
_ADDS = 3
"""The plugin adds one by one; a few adds leave fragments and versions to tidy up just as well."""


@dataclass(frozen=True, slots=True)
class PluginMemory:
    """
    One memory with the plugin's own columns, but for the vector, which is made from the text.

    A ``scope`` is written by engines that keep scopes apart; the plugin of the gateway knows none.
    """

    id: str
    text: str
    importance: float
    category: str
    created_at_ms: int
    scope: str | None = None


def plugin_schema(dimension: int = 1536, *, with_scope: bool = False) -> pa.Schema:
    """Return the six columns of the plugin, all nullable; ``createdAt`` is a float, as JavaScript has it."""
    scope = [pa.field("scope", pa.string())] if with_scope else []
    return pa.schema(
        [
            pa.field("id", pa.string()),
            pa.field("text", pa.string()),
            pa.field("vector", pa.list_(pa.float32(), dimension)),
            pa.field("importance", pa.float64()),
            pa.field("category", pa.string()),
            pa.field("createdAt", pa.float64()),
            *scope,
        ]
    )


def write_plugin_table(uri: Path, rows: Sequence[PluginMemory], *, dimension: int = 1536) -> None:
    """
    Create the table from one ``__schema__`` row, delete that, and add the memories.

    The vectors are placeholders: the same text always has the same unit vector, which means nothing.

    Raises:
        ConfigurationError: There is a table of this name already; it is left alone.
    """
    uri.mkdir(parents=True, exist_ok=True)
    db = lancedb.connect(str(uri))
    if TABLE in db.list_tables().tables:
        raise ConfigurationError(f"{uri} already holds a table {TABLE}; choose another directory")
    schema = plugin_schema(dimension, with_scope=any(row.scope for row in rows))
    seed = pa.Table.from_pylist([_seed_row(dimension)], schema=schema)
    table = db.create_table(TABLE, seed)
    table.delete("id = '__schema__'")
    size = max(1, -(-len(rows) // _ADDS))
    for start in range(0, len(rows), size):
        table.add(_frame(rows[start : start + size], schema, dimension))


def placeholder_vector(text: str, dimension: int) -> np.ndarray:
    """Return a float32 unit vector that depends on the text alone."""
    blocks = -(-dimension // 8)
    stream = b"".join(sha256(f"{text}\x1f{block}".encode()).digest() for block in range(blocks))
    values = np.frombuffer(stream, dtype="<i4")[:dimension].astype(np.float64)
    return (values / np.linalg.norm(values)).astype(np.float32)


def _seed_row(dimension: int) -> dict[str, object]:
    return {
        "id": "__schema__",
        "text": "",
        "vector": [0.0] * dimension,
        "importance": 0.0,
        "category": "other",
        "createdAt": 0.0,
    }


def _frame(rows: Sequence[PluginMemory], schema: pa.Schema, dimension: int) -> pa.Table:
    vectors = np.concatenate([placeholder_vector(row.text, dimension) for row in rows])
    columns = [
        pa.array([row.id for row in rows]),
        pa.array([row.text for row in rows]),
        pa.FixedSizeListArray.from_arrays(pa.array(vectors), dimension),
        pa.array([row.importance for row in rows], pa.float64()),
        pa.array([row.category for row in rows]),
        pa.array([float(row.created_at_ms) for row in rows], pa.float64()),
        pa.array([row.scope for row in rows], pa.string()),
    ]
    return pa.Table.from_arrays(columns[: len(schema)], schema=schema)
