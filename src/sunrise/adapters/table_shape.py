"""What a memories table is at its newest version, beside its rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from sunrise.adapters import lance_indices
from sunrise.adapters.lance_holding import LanceHolding
from sunrise.adapters.memory_schema import spaces_of
from sunrise.adapters.newest_version import NewestVersion
from sunrise.domain.vector_space import VectorSpace


@dataclass(frozen=True, slots=True)
class TableShape:
    """The schema of a version, and the columns of vectors in it."""

    version: int
    schema: pa.Schema
    spaces: tuple[VectorSpace, ...]


class TableShapes:
    """The shape of the newest version. Each search needs it, and asking costs as much as a short search."""

    def __init__(self, table: Any, newest: NewestVersion, holding: LanceHolding) -> None:
        self._table, self._newest, self._holding = table, newest, holding
        self._known: TableShape | None = None
        self._indexed: tuple[int, bool] | None = None

    def newest(self) -> TableShape:
        """Return the shape of the newest version."""
        version, known = self._newest.number(), self._known
        if known is not None and known.version != version:
            held = self._holding.at(version)
            # Rows are followed only as long as the schema stays as it was when they were read.
            is_same = held is not None and held.since <= known.version
            known = replace(known, version=version) if is_same else None
        if known is None:
            schema = self._table.schema
            known = TableShape(version, schema, spaces_of(schema))
        self._known = known
        return known

    def has_terms_index(self, version: int) -> bool:
        """Return whether a version has an index of terms."""
        known = self._indexed
        if known is None or known[0] != version:
            known = self._indexed = (version, lance_indices.has_index(self._table, "terms"))
        return known[1]
