"""Steps of the index flow: fill in analysed terms, build what is missing, optimize, prove it by a query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pyarrow as pa

from sunrise.bootstrap import Home
from sunrise.domain.text.analysis import terms
from sunrise.errors import SunriseError
from sunrise.ports import MemoryTable, TableState
from tasks.run_frame import Run

_BATCH = 20_000


@dataclass(frozen=True, slots=True)
class Probe:
    """Whether an index answers: a broken one reports nothing by itself."""

    name: str
    ok: bool
    detail: str = ""


def table_state(table: MemoryTable) -> TableState:
    """Return the table's figures."""
    return table.state()


def backfill_terms(table: MemoryTable) -> int:
    """Analyse the memories that another writer added; return how many. Texts are read, never changed."""
    missing = table.scan(["id", "text"], where="terms IS NULL")
    # An id that stands there twice cannot be merged by id; the probe of ids reports it.
    ids = missing.column("id").to_pylist()
    rows = dict(zip(ids, missing.column("text").to_pylist(), strict=True))
    values = [(memory_id, terms(text or "")) for memory_id, text in rows.items() if memory_id]
    schema = pa.schema([pa.field("id", pa.string()), pa.field("terms", pa.string())])
    for start in range(0, len(values), _BATCH):
        part = values[start : start + _BATCH]
        columns = [pa.array(column, pa.string()) for column in zip(*part, strict=True)]
        table.merge(pa.Table.from_arrays(columns, schema=schema))
    return len(values)


def count_without_terms(table: MemoryTable) -> int:
    """Return how many memories have no analysed terms."""
    if "terms" not in table.schema().names:
        return int(table.scan(["id"]).num_rows)
    return int(table.scan(["id"], where="terms IS NULL").num_rows)


def build_indices(table: MemoryTable) -> tuple[str, ...]:
    """Build each missing index; return the columns."""
    return table.build_missing_indices()


def needs_optimizing(state: TableState, *, max_fragments: int) -> bool:
    """Return whether there are rows that an index does not cover, or too many small fragments."""
    uncovered = any(index.unindexed_rows for index in state.indices)
    return uncovered or state.fragments > max_fragments


def optimize(table: MemoryTable, home: Home) -> None:
    """Compact, index new rows, drop versions that nobody needs."""
    table.optimize(keep=timedelta(days=home.settings.index.keep_days))


def probe_indices(table: MemoryTable) -> list[Probe]:
    """Ask each kind of index for a row that is known to be there."""
    known = table.scan(["id", "text", "terms"], where="terms IS NOT NULL AND terms <> ''")
    if known.num_rows == 0:
        return []
    row = known.slice(0, 1).to_pylist()[0]
    word = str(row["terms"]).split(" ", 1)[0]
    return [
        _probe("by_id", lambda: table.by_ids([row["id"]], ["id"]).num_rows == 1),
        _probe(
            "by_terms",
            lambda: table.search_terms(word, columns=["id"], where=None, limit=1).num_rows == 1,
        ),
        _probe(
            "by_filter",
            lambda: (
                table.scan(["id"], where="createdAt IS NOT NULL OR createdAt IS NULL").num_rows
                >= known.num_rows
            ),
        ),
    ]


def note_state(run: Run, before: TableState, after: TableState) -> None:
    """Put the table's figures before and after into the receipt."""
    run.count(
        rows=after.rows,
        unindexed_before=max((i.unindexed_rows for i in before.indices), default=before.rows),
        unindexed_after=max((i.unindexed_rows for i in after.indices), default=after.rows),
        bytes_before=before.bytes,
        bytes_after=after.bytes,
        fragments_before=before.fragments,
        fragments_after=after.fragments,
        versions=after.versions,
        tags=len(after.tags),
    )
    run.facts.update(version_before=str(before.version), version_after=str(after.version))


def _probe(name: str, ask: Callable[[], bool]) -> Probe:
    try:
        return Probe(name, ok=ask())
    except SunriseError as error:
        return Probe(name, ok=False, detail=str(error))
