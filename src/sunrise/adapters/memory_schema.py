"""The columns of the memories table: what an own table has, and what adoption adds to a plugin's."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from sunrise.domain.vector_space import SpaceState, VectorSpace, space_in

PLUGIN_COLUMNS: Final = ("id", "text", "vector", "importance", "category", "createdAt", "agentId")
"""Written by OpenClaw's memory-lancedb plugin, with its names and types; adoption never touches them."""

GOVERNANCE_COLUMNS: Final[tuple[pa.Field, ...]] = (
    pa.field("importance_label", pa.string()),
    pa.field("scope", pa.string()),
    pa.field("trust_tier", pa.string()),
    pa.field("source_kind", pa.string()),
    pa.field("source_ref", pa.string()),
    pa.field("lang", pa.string()),
    pa.field("terms", pa.string()),
    pa.field("state", pa.string()),
    pa.field("archived_at_ms", pa.int64()),
    pa.field("updated_at_ms", pa.int64()),
    pa.field("embedding_model", pa.string()),
    pa.field("expires_at_ms", pa.int64()),
    pa.field("review_at_ms", pa.int64()),
)
"""Added where missing. All nullable: the plugin could not append to a table with a column it must fill."""


_TERMS: Final = "sunrise.terms"


def memories_schema(dimension: int) -> pa.Schema:
    """
    Return the schema of an own table; dimension 0 (lexical only) leaves the vector out.

    >>> memories_schema(512).field("vector").type.list_size
    512
    """
    vector = [pa.field("vector", pa.list_(pa.float32(), dimension))] if dimension else []
    return pa.schema(
        [
            pa.field("id", pa.string()),
            pa.field("text", pa.string()),
            *vector,
            pa.field("importance", pa.float64()),
            pa.field("category", pa.string()),
            # A float of epoch milliseconds, because that is what JavaScript's Date.now() becomes.
            pa.field("createdAt", pa.float64()),
            pa.field("agentId", pa.string()),
            *GOVERNANCE_COLUMNS,
        ]
    )


def spaces_of(schema: pa.Schema) -> tuple[VectorSpace, ...]:
    """Return the columns of vectors that a table of this schema has, by what their fields say."""
    found = (
        space_in(field.name, int(field.type.list_size), _said(field))
        for field in schema
        if pa.types.is_fixed_size_list(field.type)
    )
    return tuple(space for space in found if space is not None)


def vector_columns(schema: pa.Schema) -> list[str]:
    """Return the columns of vectors that somebody searches, or soon will; a retired one wants no index."""
    return [space.column for space in spaces_of(schema) if space.state is not SpaceState.RETIRED]


def own_columns(schema: pa.Schema) -> list[str]:
    """Return the columns of vectors that are ours alone, whatever their state."""
    return [space.column for space in spaces_of(schema) if not space.is_legacy]


def terms_made_as(schema: pa.Schema) -> str | None:
    """Return how the terms of the rows were made, by what their field says; None where nobody said."""
    return _said(schema.field("terms")).get(_TERMS) if "terms" in schema.names else None


def terms_described(made_as: str) -> dict[str, str]:
    """Return what the field of the terms says of how they were made."""
    return {_TERMS: made_as}


def _said(field: pa.Field) -> dict[str, str]:
    return {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
