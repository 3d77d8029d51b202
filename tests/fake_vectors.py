"""The columns of vectors of the fake memories table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from sunrise.adapters.lance_vectors import checked
from sunrise.adapters.memory_schema import spaces_of
from sunrise.domain.vector_space import (
    Fault,
    SpaceState,
    VectorSpace,
    column_of,
    described,
    fault_in,
    restated,
)
from sunrise.errors import DataError


class FakeVectors:
    """What a fake memories table knows and does of its columns of vectors."""

    rows: pa.Table
    version: int

    def spaces(self) -> tuple[VectorSpace, ...]:
        return spaces_of(self.rows.schema)

    def vector_faults(self, column: str) -> pa.Table:
        found = [
            {"id": row["id"], "fault": str(fault)}
            for row in self.rows.select(["id", column]).to_pylist()
            if (fault := fault_in(row[column])) not in (None, Fault.MISSING)
        ]
        return pa.Table.from_pylist(found, schema=pa.schema({"id": pa.string(), "fault": pa.string()}))

    def count_vectors(self, column: str) -> int:
        if column not in self.rows.column_names:
            return 0
        return int(self.rows.num_rows - self.rows.column(column).null_count)

    def prepare_space(self, model_id: str, dimension: int) -> str:
        column = column_of(model_id)
        known = next((one for one in self.spaces() if one.column == column), None)
        if column in self.rows.column_names and (known is None or known.dimension != dimension):
            raise DataError("taken", reason="column_is_taken")
        if known is None:
            space = VectorSpace(column, model_id, dimension, SpaceState.BUILDING)
            field = pa.field(column, pa.list_(pa.float32(), dimension), metadata=described(space))
            self.rows = self.rows.append_column(field, pa.nulls(self.rows.num_rows, field.type))
            self.version += 1
        elif known.state is SpaceState.RETIRED:
            self._restate({column: SpaceState.BUILDING})
        return column

    def write_vectors(self, column: str, ids: Sequence[str], vectors: np.ndarray) -> int:
        dimension = {one.column: one.dimension for one in self.spaces() if not one.is_legacy}.get(column, 0)
        flat = checked(vectors, dimension=dimension, rows=len(ids))
        if len(set(ids)) < len(ids):
            raise DataError("an id stands there twice", reason="ambiguous_ids")
        news = dict(zip(ids, flat.tolist(), strict=True))
        olds = self.rows.to_pylist()
        met = [row for row in olds if row["id"] in news]
        for row in met:
            row[column] = news[row["id"]]
        if met:
            self.rows = pa.Table.from_pylist(olds, schema=self.rows.schema)
            self.version += 1
        return len(met)

    def activate(self, column: str) -> None:
        states = {one.column: one.state for one in self._own(column)}
        others = [name for name, state in states.items() if state is SpaceState.ACTIVE and name != column]
        if others or states[column] is not SpaceState.ACTIVE:
            self._restate({column: SpaceState.ACTIVE, **dict.fromkeys(others, SpaceState.RETIRED)})

    def drop_space(self, column: str) -> None:
        if any(one.column == column and one.state is SpaceState.ACTIVE for one in self._own(column)):
            raise DataError("it answers", reason="column_is_active")
        self.rows = self.rows.drop_columns([column])
        self.version += 1

    def _own(self, column: str) -> list[VectorSpace]:
        own = [one for one in self.spaces() if not one.is_legacy]
        if column not in {one.column for one in own}:
            raise DataError("not ours", reason="not_our_column")
        return own

    def _restate(self, states: dict[str, SpaceState]) -> None:
        self._describe({name: restated(state) for name, state in states.items()})

    def _describe(self, said: dict[str, dict[str, str]]) -> None:
        news = {name: {k.encode(): v.encode() for k, v in one.items()} for name, one in said.items()}
        fields = [
            field.with_metadata({**(field.metadata or {}), **news.get(field.name, {})})
            for field in self.rows.schema
        ]
        self.rows = self.rows.cast(pa.schema(fields))
        self.version += 1
