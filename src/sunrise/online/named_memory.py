"""The memory that somebody names by its id, or by the beginning of it, among the scopes that they may see."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import pyarrow as pa

from sunrise.domain.filters import both, sql_text
from sunrise.domain.memory_filter import begins_with, in_any_of
from sunrise.domain.record_requests import MAX_CANDIDATES, SHORTEST_PREFIX
from sunrise.ports import MemoryReader


@dataclass(frozen=True, slots=True)
class NamedMemories:
    """
    The rows that a name means, in the order of their ids: one, none, or those that it may mean.

    An id that stands there twice has two rows. ``has_more`` is set where only the first rows are here.
    """

    rows: pa.Table
    has_more: bool = False

    @property
    def ids(self) -> tuple[str, ...]:
        """The id of each row."""
        return tuple(map(str, self.rows.column("id").to_pylist()))


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

    The scopes hold before anything is counted or cut: of other scopes no id is seen, and none hides one of
    these. None are all scopes.

    Raises:
        StoreError: The table cannot be read.
    """
    within = in_any_of(scopes, memories.schema().names)
    wanted = list(dict.fromkeys(("id", *columns)))
    rows = memories.scan(wanted, where=both(f"id = {sql_text(name)}", within))
    if not rows.num_rows and len(name) >= SHORTEST_PREFIX:
        beginning = memories.batches(["id"], where=both(begins_with("id", name), within))
        found = (str(one) for batch in beginning for one in batch.column("id").to_pylist())
        # A row more than is returned tells that there are more.
        if first := dict.fromkeys(heapq.nsmallest(limit + 1, found)):
            any_of = f"id IN ({', '.join(map(sql_text, first))})"
            rows = memories.scan(wanted, where=both(any_of, within)).sort_by("id")
    return NamedMemories(rows.slice(0, limit), rows.num_rows > limit)
