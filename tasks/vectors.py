"""Vectors in the runs of flows: what is missing is made, and a change of the model is brought to its end."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from datetime import timedelta

import pyarrow as pa

from sunrise.bootstrap import Home, embedder_of_model
from sunrise.domain.records import memory_ref
from sunrise.domain.retention import DAY_MS
from sunrise.domain.vector_space import LEGACY_COLUMN, SpaceState, active_space, column_of
from sunrise.errors import BusyError, ConfigurationError
from sunrise.ports import Embedder, MemoryTable
from tasks.embedding import (
    Embedded,
    Unembedded,
    count_foreign,
    embed_batches,
    find_unembedded,
    is_up,
    merge_staged,
    oldest,
)
from tasks.embedding_stage import Stage, drop_stages
from tasks.lease_keeper import LeaseKeeper
from tasks.memories import open_memories
from tasks.run_frame import Run, SkipRun

CHECKED = "vectors_checked_ms"
"""Note of the ledger: when every vector of ours was last looked at."""

EMBED = "embed"
"""Lease of whoever stages vectors, whatever the flow."""

_PROBE_TEXTS = 64


def embed_missing(run: Run, table: MemoryTable) -> None:
    """
    Give vectors to memories that have none, as many as one run may, in the column that answers.

    A change of the model is left to an operator: the run only says that it is due. While no column answers,
    that of the settings' model does from the first vectors on.
    """
    run.count(embedded=0, unembedded=0, vectors_bad=0)
    embedder = _embedder_of_run(run, table)
    if embedder is None:
        return
    try:
        with LeaseKeeper(run.home.ledger, EMBED, run_id=run.run_id):
            _embed_some(run, table, embedder)
    except BusyError as error:
        # The other one embeds what this run would.
        run.facts["embedding_left_to"] = error.holder


def change_model(run: Run, *, drop_old: bool = False) -> None:
    """
    Embed every memory with the model of the settings beside the old vectors, then let the new ones answer.

    Raises:
        SkipRun: The settings name no model, or there is no table.
    """
    run.balance("seen", "embedded", "kept", "empty", "failed", "gone")
    embedder = run.home.embedder()
    if not embedder.dimension:
        raise SkipRun("embedder_none")
    table = open_memories(run)
    column = column_of(embedder.model_id)
    active = active_space(table.spaces())
    run.facts |= {"model": embedder.model_id, "column": column}
    run.facts["model_before"] = active.model_id if active else "none"
    found = run.step(find_unembedded, table, column, check=True)
    _count_found(run, found)
    run.count(foreign_vectors=run.step(count_foreign, table))
    if run.dry_run:
        run.count(embedded=found.rows.num_rows)
        _estimate(run, embedder, found.rows)
        return
    is_fit = _embed_all(run, table, embedder, found)
    if run.refs.get("not_embedded"):
        run.anomaly(
            "texts_not_embedded", "the embedder refuses texts: see not_embedded", run.counts["failed"]
        )
    if is_fit:
        _switch(run, table, column)
        run.write(drop_stages, run.home.path)
        run.home.ledger.put_note(CHECKED, str(run.home.clock.now_ms()))
    if drop_old:
        dropped = run.write(drop_unused, table, column) or ()
        run.name("columns_dropped", dropped)


def prepare(table: MemoryTable, embedder: Embedder) -> str:
    """Return the column of a model, made if it is missing."""
    return table.prepare_space(embedder.model_id, embedder.dimension)


def activate(table: MemoryTable, column: str) -> None:
    """Let a column answer."""
    table.activate(column)


def build_and_optimize(table: MemoryTable, home: Home) -> None:
    """Index the new column before it answers, so that recall is never slow, and cover what was merged."""
    table.build_missing_indices()
    table.optimize(keep=timedelta(days=home.settings.index.keep_days))


def drop_unused(table: MemoryTable, column: str) -> tuple[str, ...]:
    """Drop the columns of ours but for that of the settings and that which answers; return their names."""
    unused = [
        one.column
        for one in table.spaces()
        if one.state in (SpaceState.BUILDING, SpaceState.RETIRED) and one.column != column
    ]
    for name in unused:
        table.drop_space(name)
    return tuple(unused)


def is_check_due(home: Home) -> bool:
    """Return whether the vectors were not looked at for as long as the settings say."""
    last = home.ledger.get_note(CHECKED)
    age = home.clock.now_ms() - int(last) if last and last.isdigit() else math.inf
    return age >= home.settings.index.check_days * DAY_MS


def _embedder_of_run(run: Run, table: MemoryTable) -> Embedder | None:
    try:
        wanted, active = run.home.embedder(), active_space(table.spaces())
    except ConfigurationError as error:
        run.anomaly("embedder_failed", str(error))
        return None
    if not wanted.dimension:
        return None
    if active is None or active.model_id == wanted.model_id:
        return wanted
    run.anomaly(
        "model_change_pending",
        f"the settings name {wanted.model_id}, vectors of {active.model_id} answer: run `sunrise embed`",
    )
    return embedder_of_model(active.model_id, run.home.settings)


def _embed_some(run: Run, table: MemoryTable, embedder: Embedder) -> None:
    column, check = column_of(embedder.model_id), is_check_due(run.home)
    found = run.step(find_unembedded, table, column, check=check)
    run.count(vectors_bad=sum(found.faults.values()), texts_empty=found.empty)
    _tally_faults(run, found)
    if check:
        run.count(foreign_vectors=run.step(count_foreign, table))
    rows = oldest(table, found.rows, run.home.settings.index.embed_rows)
    if run.dry_run:
        run.count(embedded=rows.num_rows, unembedded=found.rows.num_rows - rows.num_rows)
        return
    written = 0
    if rows.num_rows:
        run.step(prepare, table, embedder)
        written, result = _make(run, table, embedder, rows)
        run.count(embedded=written)
        _name_failures(run, result)
    else:
        # A kill after the last merge leaves them.
        Stage(run.home.path, column).drop()
    run.count(unembedded=found.rows.num_rows - written + found.unnamed)
    is_whole = written == found.rows.num_rows
    if (written or found.kept) and _may_answer(table, embedder, is_whole=is_whole):
        run.step(activate, table, column)
    if check and is_whole:
        run.home.ledger.put_note(CHECKED, str(run.home.clock.now_ms()))


def _may_answer(table: MemoryTable, embedder: Embedder, *, is_whole: bool) -> bool:
    """Return whether a column may become active: what answered so far must not get worse by it."""
    if active_space(table.spaces()) is not None or column_of(embedder.model_id) not in table.schema().names:
        return False
    if is_whole or not {LEGACY_COLUMN, "embedding_model"} <= set(table.schema().names):
        return True
    signed = table.scan(["id", "embedding_model"], where="embedding_model IS NOT NULL")
    return embedder.model_id not in signed.column("embedding_model").unique().to_pylist()


def _make(run: Run, table: MemoryTable, embedder: Embedder, rows: pa.Table) -> tuple[int, Embedded]:
    column = column_of(embedder.model_id)
    stage = Stage(run.home.path, column)
    result = run.step(embed_batches, rows, embedder, stage)
    written = run.step(merge_staged, table, column, stage, rows=rows, dimension=embedder.dimension)
    stage.drop()
    return written, result


def _embed_all(run: Run, table: MemoryTable, embedder: Embedder, found: Unembedded) -> bool:
    """Embed what was found, then what came meanwhile; return whether the new vectors may answer."""
    column, rows, known = run.step(prepare, table, embedder), found.rows, set[str]()
    is_fit = True
    while rows.num_rows and is_fit:
        written, result = _make(run, table, embedder, rows)
        left = rows.num_rows - written
        lost = left if result.stopped else len(result.failed)
        run.count(embedded=written, failed=lost, gone=left - lost)
        _name_failures(run, result)
        is_fit = result.stopped is None
        known |= set(rows.column("id").to_pylist())
        rows = _came_since(run, table, column, known) if is_fit else rows
    # Where no text at all got a vector the old ones are better than none.
    return is_fit and bool(run.counts["embedded"] or run.counts["kept"] or not run.counts["failed"])


def _came_since(run: Run, table: MemoryTable, column: str, known: set[str]) -> pa.Table:
    found = run.step(find_unembedded, table, column, check=False)
    names = found.rows.column("id").to_pylist()
    rows = found.rows.take(pa.array([at for at, name in enumerate(names) if name not in known], pa.int64()))
    run.count(seen=rows.num_rows)
    return rows


def _switch(run: Run, table: MemoryTable, column: str) -> None:
    active = active_space(table.spaces())
    if run.counts["embedded"] or active is None or active.column != column:
        run.step(build_and_optimize, table, run.home)
    run.step(activate, table, column)
    run.count(switched=int(active is None or active.column != column))


def _count_found(run: Run, found: Unembedded) -> None:
    run.count(
        seen=found.seen,
        kept=found.kept,
        empty=found.empty,
        failed=found.unnamed,
        vectors_bad=sum(found.faults.values()),
    )
    _tally_faults(run, found)


def _tally_faults(run: Run, found: Unembedded) -> None:
    for fault, rows in sorted(found.faults.items()):
        run.tally("vectors_bad_by_fault", fault, rows)


def _name_failures(run: Run, result: Embedded) -> None:
    if result.stopped:
        run.anomaly(result.stopped, "the embedder makes no vectors: what is missing is made by the next run")
    refs = [memory_ref(name) for name in result.failed]
    if refs:
        run.name("not_embedded", [*run.refs.get("not_embedded", ()), *refs])


def _estimate(run: Run, embedder: Embedder, rows: pa.Table) -> None:
    texts: Sequence[str] = rows.column("text").slice(0, _PROBE_TEXTS).to_pylist()
    if not texts:
        return
    if not run.step(is_up, embedder):
        run.anomaly("embedder_failed", "the embedder makes no vectors")
        return
    begin = time.perf_counter()
    try:
        embedder.embed(texts)
    except Exception:  # One of these texts is refused; the run itself finds out which.
        return
    rate = len(texts) / max(time.perf_counter() - begin, 1e-9)
    run.figures["estimated_seconds"] = round(rows.num_rows / rate, 1)
    run.figures["texts_per_second"] = round(rate, 1)
