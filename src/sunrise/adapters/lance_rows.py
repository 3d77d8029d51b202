"""What may go into the memories table and what may be asked of it: shapes, types and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

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


def query_vector(vector: np.ndarray, *, schema: pa.Schema, column: str = "vector") -> np.ndarray:
    """
    Return the vector as float32, checked: cosine gives garbage for what fails here, and no error.

    Raises:
        DataError: Reason ``wrong_dimension``, ``non_finite_vector`` or ``zero_vector``.
    """
    query = np.asarray(vector, dtype=np.float32)
    dimension = vector_dimension(schema, column)
    if query.shape != (dimension,):
        msg = f"a query of shape {query.shape} meets vectors of dimension {dimension}"
        raise DataError(msg, reason="wrong_dimension")
    if not np.isfinite(query).all():
        raise DataError("the query vector is not finite", reason="non_finite_vector")
    if not query.any():
        raise DataError("the query vector is zero", reason="zero_vector")
    return query


def vector_dimension(schema: pa.Schema, column: str = "vector") -> int:
    """Return the dimension of a column of vectors, 0 where there is none."""
    if column not in schema.names:
        return 0
    return int(getattr(schema.field(column).type, "list_size", 0))


def with_theirs(rows: pa.Table, *, read: pa.Table, now: pa.Table) -> pa.Table:
    """
    Return rows with what stands there *now* in each field that is no longer as it was *read*.

    All three have the same columns, ``id`` among them. Rows that are not there now are left out.
    """
    rows = rows.filter(pc.is_in(rows.column("id"), value_set=now.column("id").combine_chunks()))
    was, theirs = _in_order_of(rows, read), _in_order_of(rows, now)
    columns = [
        rows.column(name)
        if name == "id"
        else pc.if_else(
            _differ(was.column(name), theirs.column(name)), theirs.column(name), rows.column(name)
        )
        for name in rows.column_names
    ]
    return pa.Table.from_arrays(columns, names=rows.column_names)


def differing(rows: pa.Table, others: pa.Table) -> pa.Table:
    """Return the rows of which a field is another than in the row of the same id of others."""
    theirs = _in_order_of(rows, others)
    masks = [_differ(rows.column(name), theirs.column(name)) for name in rows.column_names if name != "id"]
    return rows.filter(reduce(pc.or_, masks)) if masks else rows.slice(0, 0)


def existing(columns: Sequence[str], *, schema: pa.Schema) -> list[str]:
    """Return the columns that the table has, each once, in the order asked for."""
    names = set(schema.names)
    return [name for name in dict.fromkeys(columns) if name in names]


def ranked(found: pa.Table, *, by: str, descending: bool) -> pa.Table:
    """Return hits best first, equals by id, without those whose measure is not a number."""
    if _is_in_order(found.column(by).to_numpy(), descending=descending):
        return found
    is_finite = pc.is_finite(found.column(by))
    finite = found if pc.all(is_finite, skip_nulls=False).as_py() else found.filter(is_finite)
    keys = [(by, "descending" if descending else "ascending")]
    if "id" in finite.column_names:
        keys.append(("id", "ascending"))
    order = pc.sort_indices(finite, sort_keys=keys)
    # To put rows where they stand already would copy their vectors.
    return finite if _is_in_order(order.to_numpy(), descending=False) else finite.take(order)


def _is_in_order(measured: np.ndarray, *, descending: bool) -> bool:
    """Return whether all are numbers, each beyond the one before: then nothing is put elsewhere."""
    before, after = (measured[1:], measured[:-1]) if descending else (measured[:-1], measured[1:])
    return bool(np.isfinite(measured).all() and (after > before).all())


def _in_order_of(rows: pa.Table, others: pa.Table) -> pa.Table:
    names = rows.column_names
    ids = rows.column("id").combine_chunks()
    return others.select(names).take(pc.index_in(ids, value_set=others.column("id").combine_chunks()))


def _differ(mine: pa.ChunkedArray, theirs: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return where two columns hold different values; two nulls are the same, and two NaN."""
    mine, theirs = pa.chunked_array(mine.chunks, mine.type), theirs.cast(mine.type)
    unlike = pc.not_equal(mine, theirs)
    if pa.types.is_floating(mine.type):
        unlike = pc.and_(unlike, pc.invert(pc.and_(pc.is_nan(mine), pc.is_nan(theirs))))
    return pc.coalesce(unlike, pc.xor(pc.is_null(mine), pc.is_null(theirs)))


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
