"""The columns of vectors of the memories table: whose each is, what is wrong in it, and the switch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from sunrise.adapters import lance_merge, lance_rows
from sunrise.adapters.lance_border import retry_conflicts, told_as_ours
from sunrise.adapters.memory_schema import spaces_of
from sunrise.domain.vector_space import (
    Fault,
    SpaceState,
    VectorSpace,
    column_of,
    described,
    restated,
)
from sunrise.errors import DataError

_SCANNED_ROWS: Final = 4096


class LanceVectors:
    """What a memories table knows and does of its columns of vectors; a part of ``LanceMemories``."""

    _table: Any

    def spaces(self) -> tuple[VectorSpace, ...]:
        """Return the columns of vectors and what each is, as of the newest version."""
        with told_as_ours("cannot read the memories table"):
            return spaces_of(self._table.schema)

    def vector_faults(self, column: str) -> pa.Table:
        """Return ``id`` and ``fault`` of the rows whose vector is there and of no use; reads the column."""
        with told_as_ours("cannot look through the vectors"):
            ids: list[str | None] = []
            faults: list[str] = []
            for batch in self._batches(column):
                for row, fault in _faults(batch.column(column)):
                    ids.append(batch.column("id")[row].as_py())
                    faults.append(fault)
            return pa.table({"id": pa.array(ids, pa.string()), "fault": pa.array(faults, pa.string())})

    def count_vectors(self, column: str) -> int:
        """Return how many rows have a vector in a column, whatever is in it; reads the column."""
        with told_as_ours("cannot look through the vectors"):
            if column not in self._table.schema.names:
                return 0
            # A filter on a column of vectors would hold all of it in memory at once.
            return sum(len(batch) - batch.column(column).null_count for batch in self._batches(column))

    def prepare_space(self, model_id: str, dimension: int) -> str:
        """
        Return the column of a model, made if it is missing, that vectors can be put into.

        Raises:
            DataError: There is a column of this name that is something else; reason ``column_is_taken``.
        """
        column = column_of(model_id)
        space = VectorSpace(column, model_id, dimension, SpaceState.BUILDING)

        def once() -> None:
            schema = self._table.schema
            known = next((one for one in spaces_of(schema) if one.column == column), None)
            if column in schema.names and (known is None or known.dimension != dimension):
                msg = f"the column {column} holds other things than vectors of {model_id}"
                raise DataError(msg, reason="column_is_taken")
            if known is None:
                kind = pa.list_(pa.float32(), dimension)
                self._table.add_columns([pa.field(column, kind, metadata=described(space))])
            elif known.state is SpaceState.RETIRED:
                self._restate({column: SpaceState.BUILDING})

        with told_as_ours("cannot add a column of vectors"):
            retry_conflicts(once, refresh=self._table.checkout_latest)
        return column

    def write_vectors(self, column: str, ids: Sequence[str], vectors: np.ndarray) -> int:
        """
        Put vectors into a column of ours; return how many rows were met. Ids that are gone are no error.

        Raises:
            DataError: The column is not ours, an id stands there twice, or a vector is zero or not finite.
        """
        with told_as_ours("cannot write vectors"):
            self._table.checkout_latest()
            dimension = {one.column: one.dimension for one in self._own()}.get(column, 0)
            flat = checked(vectors, dimension=dimension, rows=len(ids))
            if not len(ids):
                return 0
            listed = pa.FixedSizeListArray.from_arrays(pa.array(flat.ravel()), dimension)
            rows = pa.table({"id": pa.array(ids, pa.string()), column: listed})
            lance_rows.check_merge_keys(rows)
            return lance_merge.merge_own(self._table, rows)

    def activate(self, column: str) -> None:
        """
        Let a column answer, and none beside it: one commit, so that no reader ever sees two, or none.

        Raises:
            DataError: The column is not ours; reason ``not_our_column``.
        """

        def once() -> None:
            own = {one.column: one.state for one in self._own(column)}
            others = [name for name, state in own.items() if state is SpaceState.ACTIVE and name != column]
            if others or own[column] is not SpaceState.ACTIVE:
                self._restate({column: SpaceState.ACTIVE, **dict.fromkeys(others, SpaceState.RETIRED)})

        with told_as_ours("cannot switch the vectors"):
            retry_conflicts(once, refresh=self._table.checkout_latest)

    def drop_space(self, column: str) -> None:
        """
        Drop a column of ours that does not answer; older versions hold it on.

        Raises:
            DataError: The column is not ours (``not_our_column``), or it answers (``column_is_active``).
        """

        def once() -> None:
            if any(one.column == column and one.state is SpaceState.ACTIVE for one in self._own(column)):
                raise DataError(f"{column} is the column that answers", reason="column_is_active")
            self._table.drop_columns([column])

        with told_as_ours("cannot drop a column of vectors"):
            retry_conflicts(once, refresh=self._table.checkout_latest)

    def _own(self, column: str | None = None) -> list[VectorSpace]:
        own = [one for one in spaces_of(self._table.schema) if not one.is_legacy]
        if column is not None and column not in {one.column for one in own}:
            raise DataError(f"{column} is no column of vectors of ours", reason="not_our_column")
        return own

    def _restate(self, states: dict[str, SpaceState]) -> None:
        self._table.update_field_metadata(
            *({"path": column, "metadata": restated(state)} for column, state in states.items())
        )

    def _batches(self, column: str) -> Iterator[pa.RecordBatch]:
        yield from self._table.search().select(["id", column]).to_batches(_SCANNED_ROWS)


def checked(vectors: np.ndarray, *, dimension: int, rows: int) -> np.ndarray:
    """
    Return vectors as float32, ready to be stored.

    Raises:
        DataError: Reason ``wrong_dimension``, ``non_finite_vector`` or ``zero_vector``.
    """
    flat = np.asarray(vectors, dtype=np.float32)
    if flat.shape != (rows, dimension) or not dimension:
        msg = f"vectors of shape {flat.shape} for {rows} rows of dimension {dimension}"
        raise DataError(msg, reason="wrong_dimension")
    if not np.isfinite(flat).all():
        raise DataError("a vector is not finite", reason="non_finite_vector")
    if not flat.any(axis=1).all():
        raise DataError("a vector is zero", reason="zero_vector")
    return flat


def _faults(vectors: pa.FixedSizeListArray) -> Iterator[tuple[int, Fault]]:
    there = np.flatnonzero(vectors.is_valid().to_numpy(zero_copy_only=False))
    dimension = vectors.type.list_size
    elements = vectors.drop_null().flatten()
    gaps = elements.is_null().to_numpy(zero_copy_only=False).reshape(-1, dimension).any(axis=1)
    flat = elements.to_numpy(zero_copy_only=False).reshape(-1, dimension)
    strange = ~np.isfinite(flat).all(axis=1)
    zero = ~flat.any(axis=1)
    for place in np.flatnonzero(gaps | strange | zero):
        fault = Fault.GAP if gaps[place] else Fault.NOT_FINITE if strange[place] else Fault.ZERO
        yield int(there[place]), fault
