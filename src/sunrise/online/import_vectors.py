"""Vectors out of a file: taken where they are of the model that answers, left behind where they are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

import pyarrow as pa

from sunrise.domain.vector_space import Fault, VectorSpace, active_space, fault_in
from sunrise.ports import MemoryReader

NO_SPACE: Final = "no_vectors_in_table"
UNKNOWN_MODEL: Final = "unknown_model"
OTHER_MODEL: Final = "other_model"
WRONG_DIMENSION: Final = "wrong_dimension"
WRONG_TYPE: Final = "wrong_type"
_LARGEST: Final = 3.4e38
"""What a number of a vector can hold: half as many bytes as in the file."""


@dataclass(frozen=True, slots=True)
class VectorDoor:
    """The column that a vector may enter, and of which model it must be (empty: of any that is named)."""

    space: VectorSpace | None

    def fault(self, record: Mapping[str, Any]) -> str | None:
        """Return why the vector of a record is left behind; None where it may enter, or there is none."""
        vector = record.get("vector")
        if vector is None:
            return None
        if self.space is None:
            return NO_SPACE
        if not _holds_numbers(vector):
            return WRONG_TYPE
        if len(vector) != self.space.dimension:
            return WRONG_DIMENSION
        return _model_fault(record.get("embedding_model"), self.space) or _number_fault(vector)

    def columns(self, records: Sequence[Mapping[str, Any]], kept: Sequence[bool]) -> dict[str, pa.Array]:
        """Return the columns of the vectors that are kept, and of their models; none where none is."""
        if self.space is None or not any(kept):
            return {}
        vectors = [record["vector"] if keep else None for record, keep in zip(records, kept, strict=True)]
        models = [
            record["embedding_model"] if keep else None for record, keep in zip(records, kept, strict=True)
        ]
        kind = pa.list_(pa.float32(), self.space.dimension)
        return {
            self.space.column: pa.array(vectors, kind),
            "embedding_model": pa.array(models, pa.string()),
        }


def vector_door(table: MemoryReader | None) -> VectorDoor:
    """Return the column of vectors that answers, or that of whoever made the table."""
    spaces = () if table is None else table.spaces()
    return VectorDoor(active_space(spaces) or next((one for one in spaces if one.is_legacy), None))


def _holds_numbers(vector: object) -> TypeGuard[Sequence[float | int | None]]:
    return isinstance(vector, list) and all(type(one) in (float, int) or one is None for one in vector)


def _model_fault(model_id: object, space: VectorSpace) -> str | None:
    if not isinstance(model_id, str) or not model_id.strip():
        return UNKNOWN_MODEL
    return None if space.model_id in ("", model_id) else OTHER_MODEL


def _number_fault(vector: Sequence[float | int | None]) -> str | None:
    fault = fault_in(vector)
    if fault is None and any(not -_LARGEST < (number or 0) < _LARGEST for number in vector):
        fault = Fault.NOT_FINITE
    return None if fault is None else str(fault)
