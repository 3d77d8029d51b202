"""The memories by their figures, counted batch by batch."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sunrise.domain.admin import AGES, Backend, MemoryStats, StatsResult
from sunrise.domain.filters import both, sql_text
from sunrise.domain.memory_filter import MemoryFilter
from sunrise.domain.ranking import PLUGIN_SEED_ID
from sunrise.domain.retention import DAY_MS
from sunrise.domain.vector_space import VectorSpace, active_space
from sunrise.online.admin_rows import Times, named, times_of
from sunrise.online.admin_trail import AdminTrail
from sunrise.ports import Clock, MemoryReader, MemoryTable

MAX_KEYS: Final = 100
"""So many scopes or categories are told one by one; the rest are counted together."""

OTHERS: Final = "(others)"
UNSET: Final = "(none)"

_NO_SEED: Final = f"(id IS NULL OR id <> {sql_text(PLUGIN_SEED_ID)})"
_KINDS: Final = {
    "scope": "scope", "category": "category", "label": "importance_label", "trust": "trust_tier",
    "state": "state", "origin": "source_kind", "lang": "lang",
}  # fmt: skip
_DAYS: Final = dict(zip(AGES, (1, 7, 30, 90, 365), strict=True))


def stats(
    scope: str | None,
    *,
    memories: MemoryTable | None,
    clock: Clock,
    backend: Backend,
    with_vectors: bool = True,
) -> StatsResult:
    """
    Return the figures of the memories, of one scope or of all.

    ``with_vectors`` counts what lacks a vector of the model that answers; that reads all the vectors.
    """
    asked = MemoryFilter(scope=scope)
    trail = AdminTrail("stats", clock.now_ms(), backend, asked.to_dict())
    made = MemoryStats()
    if trail.seen(memories) is not None and memories is not None:
        with trail.open_to_failure():
            made = _counted(memories, asked, trail, with_vectors=with_vectors)
    trail.counts.update(rows=made.rows)
    return StatsResult(made, trail.receipt())


def _counted(
    memories: MemoryTable, asked: MemoryFilter, trail: AdminTrail, *, with_vectors: bool
) -> MemoryStats:
    schema = memories.schema()
    where = both(asked.where(schema.names), _NO_SEED)
    tally = _Tally(trail.at_ms)
    with trail.stage("count"):
        for batch in memories.batches(["id", "createdAt", *_KINDS.values()], where=where):
            tally.add(batch)
    with trail.stage("terms"):
        without_terms = _nulls(memories, "terms", where)
    without_vector = None
    if with_vectors and (column := _answering(memories)) is not None:
        with trail.stage("vectors"):
            without_vector = _nulls(memories, column, where)
    with trail.stage("table"):
        state = memories.state()
    known = tally.ages_known
    return MemoryStats(
        rows=tally.rows,
        by={kind: _told(counts) for kind, counts in tally.by.items()},
        ages=dict(tally.ages),
        oldest_ms=int(known[0]) if known else None,
        newest_ms=int(known[1]) if known else None,
        without_id=tally.without_id,
        without_terms=without_terms,
        without_vector=without_vector,
        table_rows=state.rows,
        table_bytes=state.bytes,
        table_versions=state.versions,
    )


@dataclass(slots=True)
class _Tally:
    """Counts so far."""

    now_ms: int
    rows: int = 0
    without_id: int = 0
    by: dict[str, Counter[str]] = field(default_factory=lambda: {kind: Counter() for kind in _KINDS})
    ages: Counter[str] = field(default_factory=lambda: Counter(dict.fromkeys([*AGES, "older", "unknown"], 0)))
    ages_known: tuple[float, float] | None = None

    def add(self, batch: pa.RecordBatch) -> None:
        """Count the rows of a batch."""
        self.rows += batch.num_rows
        self.without_id += batch.num_rows - named(batch).num_rows
        for kind, column in _KINDS.items():
            self.by[kind].update(_values(batch, column))
        self._add_ages(times_of(batch, unknown=np.nan))

    def _add_ages(self, times: Times) -> None:
        known = times[~np.isnan(times)]
        self.ages["unknown"] += len(times) - len(known)
        if not len(known):
            return
        # A clock may have been wrong: what is yet to come is as young as can be.
        ages = np.maximum(self.now_ms - known, 0)
        limits = np.array([days * DAY_MS for days in _DAYS.values()])
        counts = np.bincount(np.searchsorted(limits, ages, side="right"), minlength=len(limits) + 1)
        self.ages.update(dict(zip([*AGES, "older"], map(int, counts), strict=True)))
        first, last = float(known.min()), float(known.max())
        if self.ages_known is not None:
            first, last = min(first, self.ages_known[0]), max(last, self.ages_known[1])
        self.ages_known = (first, last)


def _values(batch: pa.RecordBatch, column: str) -> dict[str, int]:
    if column not in batch.schema.names:
        return {UNSET: batch.num_rows}
    counts: Counter[str] = Counter()
    for one in pc.value_counts(batch.column(column)).to_pylist():
        counts[one["values"] or UNSET] += one["counts"]
    return counts


def _told(counts: Counter[str]) -> dict[str, int]:
    """Return the counts, the most first, equals by name; what goes beyond the limit is told as one."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    rest = sum(count for _, count in ordered[MAX_KEYS:])
    return dict(ordered[:MAX_KEYS]) | ({OTHERS: rest} if rest else {})


def _answering(memories: MemoryReader) -> str | None:
    spaces = memories.spaces()
    space = active_space(spaces) or next((one for one in spaces if one.is_legacy), None)
    return space.column if isinstance(space, VectorSpace) else None


def _nulls(memories: MemoryReader, column: str, where: str | None) -> int:
    """Return how many rows have nothing in a column; of a column that is missing, all of them."""
    wanted = [column] if column in memories.schema().names else []
    return sum(
        batch.column(column).null_count if wanted else batch.num_rows
        for batch in memories.batches(["id", *wanted], where=where)
    )
