"""The memory that somebody names by its id, or by the beginning of it, among the scopes that they may see."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sunrise.domain.filters import both, sql_text
from sunrise.domain.memory_filter import begins_with, in_any_of
from sunrise.domain.ranking import PLUGIN_SEED_ID
from sunrise.domain.record_requests import MAX_CANDIDATES, SHORTEST_PREFIX
from sunrise.domain.records import memory_ref
from sunrise.domain.row_names import ROW_COLUMNS, id_in, names_among, of_ids, row_name
from sunrise.ports import MemoryReader


@dataclass(frozen=True, slots=True)
class NamedMemories:
    """
    The rows that a name means, in the order of their names: one, none, or those that it may mean.

    ``names`` are what they are called, and no two are called the same: rows that share an id are named by
    what they hold, see :mod:`sunrise.domain.row_names`. ``has_more`` is set where only the first are here.
    """

    rows: pa.Table
    names: tuple[str, ...]
    has_more: bool = False

    @property
    def refs(self) -> tuple[str, ...]:
        """The ref of each row."""
        return tuple(map(memory_ref, self.names))


def named_memories(
    name: str,
    columns: Sequence[str],
    *,
    memories: MemoryReader,
    scopes: Collection[str] | None,
    limit: int = MAX_CANDIDATES,
) -> NamedMemories:
    """
    Return the memory that has a name as its id, else those whose ids begin so, at most *limit* rows.

    The name of a row that its id does not tell apart means that row. The scopes hold before anything is
    counted or cut: of other scopes no id is seen, and none hides one of these. None are all scopes.

    Raises:
        StoreError: The table cannot be read.
    """
    within = in_any_of(scopes, memories.schema().names)
    wanted = list(dict.fromkeys((*ROW_COLUMNS, *columns)))
    rows = memories.scan(wanted, where=both(f"id = {sql_text(name)}", within))
    if not rows.num_rows and (sharing := id_in(name)) is not None:
        rows = memories.scan(wanted, where=both(of_ids([sharing]), within))
        if name in (marks := _row_names(rows)):
            place = marks.index(name)
            return NamedMemories(rows.slice(place, 1), (_names(rows)[place],))
        rows = rows.slice(0, 0)
    if not rows.num_rows and len(name) >= SHORTEST_PREFIX:
        beginning = memories.batches(["id"], where=both(begins_with("id", name), within))
        ids = (str(one) for batch in beginning for one in batch.column("id").to_pylist())
        # A row more than is returned tells that there are more.
        if first := dict.fromkeys(heapq.nsmallest(limit + 1, ids)):
            rows = memories.scan(wanted, where=both(of_ids(first), within)).sort_by("id")
    places = {name: place for place, name in enumerate(_names(rows))}
    shown = sorted(places)[:limit]
    found = rows.take(pa.array([places[one] for one in shown], pa.int64()))
    return NamedMemories(found, tuple(shown), len(places) > limit)


def rows_named(names: Collection[str], columns: Sequence[str], *, memories: MemoryReader) -> pa.Table:
    """Return the rows, with their places, that have one of some names of rows; all scopes are looked at."""
    ids, wanted = {one for name in names if (one := id_in(name)) is not None}, frozenset(names)
    rows = memories.placed([*ROW_COLUMNS, *columns], where=of_ids(ids))
    return rows.filter(pa.array([name in wanted for name in _row_names(rows)], pa.bool_()))


def own_names(rows: Sequence[Mapping[str, Any]], *, memories: MemoryReader) -> list[str]:
    """Return what each row is called in the whole table: its id only where no row of any scope shares it."""
    ids = [str(row["id"]) for row in rows if row["id"]]
    held = memories.by_ids(ids, ["id"]).column("id").to_pylist()
    return [str(row["id"]) if held.count(row["id"]) == 1 else row_name(row) for row in rows]


def ambiguous_ids(memories: MemoryReader) -> frozenset[str]:
    """
    Return the ids that several rows have, and the empty text where rows have none; all ids are read.

    No filter is asked, which an index of ids that is broken would not answer.
    """
    ids = pc.fill_null(memories.scan(["id"]).column("id").cast(pa.string()), "")
    counts = pc.value_counts(ids)
    is_ambiguous = pc.or_(pc.greater(counts.field("counts"), 1), pc.equal(counts.field("values"), ""))
    return frozenset(counts.field("values").filter(is_ambiguous).to_pylist()) - {PLUGIN_SEED_ID}


def _names(rows: pa.Table) -> list[str]:
    return names_among(_identifying(rows))


def _row_names(rows: pa.Table) -> list[str]:
    return list(map(row_name, _identifying(rows)))


def _identifying(rows: pa.Table) -> list[dict[str, object]]:
    told: list[dict[str, object]] = rows.select(
        [one for one in ROW_COLUMNS if one in rows.column_names]
    ).to_pylist()
    return told
