"""What may go into the memories table and what may be asked of it: shapes, types and vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sunrise.errors import DataError


def fitted(rows: pa.Table, *, schema: pa.Schema) -> pa.Table:
    """
    Return the rows with the types of the table, ready to be written.

    Raises:
        DataError: A column is unknown, cannot be cast, or holds a vector that would poison the search.
    """
    unknown = [name for name in rows.column_names if name not in schema.names]
    if unknown:
        msg = f"the memories table has no column {', '.join(unknown)}: adopt it first"
        raise DataError(msg, reason="unknown_column")
    fields = [schema.field(name) for name in rows.column_names]
    try:
        fitting = rows.cast(pa.schema(fields))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        msg = f"rows do not fit the memories table: {str(error)[:200]}"
        raise DataError(msg, reason="wrong_type") from error
    if "vector" in fitting.column_names:
        _check_vectors(fitting.column("vector"))
    return fitting


def check_merge_keys(rows: pa.Table) -> None:
    """
    Check that each row names one memory and no memory is named twice.

    Raises:
        DataError: The column id is missing (``no_ids``) or names a memory twice (``ambiguous_ids``).
    """
    if "id" not in rows.column_names:
        raise DataError("rows to merge need the column id", reason="no_ids")
    # Not every string type of Arrow can be counted; all can be cast.
    ids = rows.column("id").cast(pa.string()).drop_null()
    twice = len(ids) - pc.count_distinct(ids).as_py()
    if twice:
        msg = f"{twice} rows name a memory that another row names too"
        raise DataError(msg, reason="ambiguous_ids")


def query_vector(vector: np.ndarray, *, schema: pa.Schema) -> np.ndarray:
    """
    Return the vector as float32, checked: cosine gives garbage for what fails here, and no error.

    Raises:
        DataError: Reason ``wrong_dimension``, ``non_finite_vector`` or ``zero_vector``.
    """
    query = np.asarray(vector, dtype=np.float32)
    dimension = vector_dimension(schema)
    if query.shape != (dimension,):
        msg = f"a query of shape {query.shape} meets vectors of dimension {dimension}"
        raise DataError(msg, reason="wrong_dimension")
    if not np.isfinite(query).all():
        raise DataError("the query vector is not finite", reason="non_finite_vector")
    if not query.any():
        raise DataError("the query vector is zero", reason="zero_vector")
    return query


def vector_dimension(schema: pa.Schema) -> int:
    """Return the dimension of the vector column, 0 where there is none."""
    if "vector" not in schema.names:
        return 0
    return int(getattr(schema.field("vector").type, "list_size", 0))


def existing(columns: Sequence[str], *, schema: pa.Schema) -> list[str]:
    """Return the columns that the table has, each once, in the order asked for."""
    return [name for name in dict.fromkeys(columns) if name in schema.names]


def ranked(found: pa.Table, *, by: str, descending: bool) -> pa.Table:
    """Return hits best first, equals by id, without those whose measure is not a number."""
    finite = found.filter(pc.is_finite(found.column(by)))
    keys = [(by, "descending" if descending else "ascending")]
    if "id" in finite.column_names:
        keys.append(("id", "ascending"))
    return finite.sort_by(keys)


def _check_vectors(column: pa.ChunkedArray) -> None:
    vectors = column.combine_chunks().drop_null()
    if len(vectors) == 0:
        return
    dimension = vectors.type.list_size
    # A missing element reads as NaN, which is what a vector of another model padded with nulls looks like.
    flat = vectors.flatten().to_numpy(zero_copy_only=False).reshape(-1, dimension)
    if not np.isfinite(flat).all():
        raise DataError("a vector holds NaN, infinity or a gap", reason="non_finite_vector")
    if not flat.any(axis=1).all():
        raise DataError("a vector is zero", reason="zero_vector")
