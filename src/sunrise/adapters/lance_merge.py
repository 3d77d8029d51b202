"""Rows of the memories table by their ids, and merges that lose nothing of what others wrote meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from sunrise.adapters import lance_rows
from sunrise.adapters.lance_border import retry_conflicts
from sunrise.adapters.memory_schema import own_columns
from sunrise.domain.filters import sql_text

IDS_PER_QUERY: Final = 1000
JOINED_ROWS: Final = 10_000
"""So many rows may be joined by reading all their columns; beyond that an index of ids must cover them."""

_ROWS_FOR_ONE: Final = 20
"""Where more than one row in so many is asked for, reading all and leaving some out is quicker."""


def rows_by_ids(table: Any, ids: Sequence[str], columns: Sequence[str]) -> pa.Table:
    """Return the rows with these ids, in no order; unknown ids are left out."""
    names = list(columns)
    wanted = list(dict.fromkeys(ids))
    if len(wanted) > IDS_PER_QUERY and len(wanted) * _ROWS_FOR_ONE > table.count_rows():
        found = table.search().select(list(dict.fromkeys(["id", *names]))).to_arrow()
        mine = pa.array(wanted, found.schema.field("id").type)
        return found.filter(pc.is_in(found.column("id"), value_set=mine)).select(names)
    parts = [
        table.search().where(f"id IN ({', '.join(map(sql_text, part))})").select(names).to_arrow()
        for part in (wanted[at : at + IDS_PER_QUERY] for at in range(0, len(wanted), IDS_PER_QUERY))
    ]
    return pa.concat_tables(parts) if parts else table.schema.empty_table().select(names)


def of_own_ids(table: Any, rows: pa.Table) -> pa.Table:
    """
    Return the rows but for those whose id several rows of the table have.

    A merge would write to each of them what is meant for one.
    """
    ids = rows.column("id").cast(pa.string()).drop_null().to_pylist()
    held = rows_by_ids(table, ids, ["id"]).column("id").cast(pa.string())
    if len(held) == pc.count_distinct(held).as_py():
        return rows
    counts = pc.value_counts(held)
    shared = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
    return rows.filter(pc.invert(pc.is_in(rows.column("id").cast(pa.string()), value_set=shared)))


def merge_own(table: Any, rows: pa.Table) -> int:
    """Merge the rows whose id is not shared in the table; return how many were met."""
    table.checkout_latest()
    rows = of_own_ids(table, rows)
    return int(merge(table, rows).num_updated_rows) if rows.num_rows else 0


def merge(table: Any, rows: pa.Table) -> Any:
    """Overwrite columns of rows with checked ids in one commit; return lancedb's result."""
    cover_ids(table)

    def once() -> Any:
        fitting = lance_rows.fitted(_without_vectors(rows, table.schema), schema=table.schema)
        # lancedb takes a vector that is to be emptied for one of a wrong length.
        return table.merge_insert("id").when_matched_update_all().execute(fitting, on_bad_vectors="null")

    return retry_conflicts(once, refresh=table.checkout_latest)


def delete(table: Any, ids: Sequence[str]) -> int:
    """Delete the rows with these ids; return how many there were. Of none no version is made."""
    wanted = list(dict.fromkeys(ids))
    gone = 0
    for part in (wanted[at : at + IDS_PER_QUERY] for at in range(0, len(wanted), IDS_PER_QUERY)):
        where = f"id IN ({', '.join(map(sql_text, part))})"
        table.checkout_latest()
        if table.count_rows(where):
            found = retry_conflicts(partial(table.delete, where), refresh=table.checkout_latest)
            gone += int(found.num_deleted_rows)
    return gone


def cover_ids(table: Any) -> bool:
    """
    Let the index of ids cover the table, but for a few rows; return whether it had to be built.

    Rows that it does not cover are joined over all their columns, those of the gateway's vectors too: for
    150,000 rows 2 GB and ten seconds, where with the index it takes half a second.
    """
    from lancedb.index import BTree  # noqa: PLC0415 (as lancedb everywhere)

    table.checkout_latest()
    if table.count_rows() <= JOINED_ROWS:
        return False
    indices = [table.index_stats(one.name) for one in table.list_indices() if one.columns == ["id"]]
    if not indices or any(one is None or one.num_unindexed_rows > JOINED_ROWS for one in indices):
        build = partial(table.create_index, "id", config=BTree(), replace=True)
        retry_conflicts(build, refresh=table.checkout_latest)
        return True
    return False


def overwrite(table: Any, rows: pa.Table, *, read: pa.Table, version: int) -> int:
    """
    Put rows in place of those that were read at a version; return how many were written.

    A merge sets each column that it names in each of its rows, also where the caller only hands back what was
    there. What another writer changed since the reading is therefore looked for: before the merge, and where
    a commit came in between, after it. Theirs stands.
    """
    table.checkout_latest()
    rows = of_own_ids(table, rows)
    read = read.filter(pc.is_in(read.column("id"), value_set=rows.column("id").combine_chunks()))
    found = int(table.version)
    if cover_ids(table) and found == version and int(table.version) == found + 1:
        # The index alone made that version.
        version += 1
    newest = int(table.version)
    if newest != version:
        # The version first: a reading sees what was committed since, and a version that is too old only
        # makes the look after the merge see more.
        version, now = newest, _read_again(table, rows)
        rows, read = lance_rows.with_theirs(rows, read=read, now=now), now
        rows = lance_rows.differing(rows, now)
    written = int(rows.num_rows)
    while rows.num_rows:
        committed = int(merge(table, rows).version)
        if committed <= version + 1:
            break
        past = _read_at(table, committed - 1, rows)
        given_back = lance_rows.with_theirs(rows, read=read, now=past)
        rows, read, version = lance_rows.differing(given_back, rows), rows, committed
    return written


def _without_vectors(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Empty our vectors of rows that get another text: they are of the old one."""
    if "text" not in rows.column_names:
        return rows
    for name in own_columns(schema):
        if name not in rows.column_names:
            rows = rows.append_column(name, pa.nulls(rows.num_rows, schema.field(name).type))
    return rows


def _read_again(table: Any, rows: pa.Table) -> pa.Table:
    return rows_by_ids(table, rows.column("id").to_pylist(), rows.column_names)


def _read_at(table: Any, version: int, rows: pa.Table) -> pa.Table:
    table.checkout(version)
    try:
        return _read_again(table, rows)
    finally:
        table.checkout_latest()
