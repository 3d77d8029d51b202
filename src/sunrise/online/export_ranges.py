"""The order in which memories are exported, cut into stretches that are read one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from sunrise.domain.filters import both, sql_text
from sunrise.domain.memory_filter import created_between, of_unknown_age
from sunrise.online.admin_rows import KEY_COLUMNS, Times, named, times_of
from sunrise.ports import MemoryReader

UNKNOWN: Final = float("inf")
"""Stands for an unknown age: such memories come last."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Memories that were created from one moment to another; of one moment perhaps only some ids."""

    first: float
    last: float
    ids: tuple[str, str] | None = None

    def where(self, *, has_times: bool) -> str | None:
        """Return the filter of the rows of this stretch."""
        if not has_times:
            when = None
        elif self.first == UNKNOWN:
            when = of_unknown_age()
        else:
            when = created_between(self.first, self.last)
        if self.ids is None:
            return when
        first, last = map(sql_text, self.ids)
        return both(when, f"id >= {first} AND id <= {last}")


def stretches(table: MemoryReader, *, where: str | None, rows: int) -> Iterator[Stretch]:
    """
    Yield stretches of about so many rows, oldest first.

    Only times are held for all rows, and ids where more than that many rows have one time.
    """
    times = _all_times(table, where)
    values, counts = np.unique(times, return_counts=True)
    start, taken = 0, 0
    for place, count in enumerate(counts):
        if taken and (taken + count > rows or values[place] == UNKNOWN):
            yield Stretch(float(values[start]), float(values[place - 1]))
            start, taken = place, 0
        if count > rows:
            yield from _of_one_time(table, float(values[place]), where=where, rows=rows)
            start = place + 1
        else:
            taken += int(count)
    if taken:
        yield Stretch(float(values[start]), float(values[-1]))


def in_order(rows: pa.Table) -> pa.Table:
    """Return rows oldest first, equals by id."""
    keyed = rows.append_column("_created", pa.array(times_of(rows, unknown=UNKNOWN), pa.float64()))
    return keyed.sort_by([("_created", "ascending"), ("id", "ascending")]).drop_columns(["_created"])


def _all_times(table: MemoryReader, where: str | None) -> Times:
    parts = [times_of(named(batch), unknown=UNKNOWN) for batch in table.batches(KEY_COLUMNS, where=where)]
    return np.concatenate(parts) if parts else np.array([], dtype=np.float64)


def _of_one_time(table: MemoryReader, time: float, *, where: str | None, rows: int) -> Iterator[Stretch]:
    has_times = "createdAt" in table.schema().names
    whole = both(where, Stretch(time, time).where(has_times=has_times))
    ids = sorted(
        name for batch in table.batches(["id"], where=whole) for name in named(batch)["id"].to_pylist()
    )
    at = 0
    while at < len(ids):
        end = min(at + rows, len(ids))
        # An id that stands there several times is not torn apart.
        while end < len(ids) and ids[end] == ids[end - 1]:
            end += 1
        yield Stretch(time, time, (ids[at], ids[end - 1]))
        at = end
