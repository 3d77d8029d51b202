"""The flow that keeps the memories searchable."""

from __future__ import annotations

from typing import Any

from tasks.index import (
    backfill_terms,
    build_indices,
    count_without_terms,
    needs_optimizing,
    note_state,
    optimize,
    probe_indices,
    table_state,
)
from tasks.lazy_flow import flow
from tasks.memories import open_memories
from tasks.prefect_bridge import as_state
from tasks.run_frame import Run, run_flow


@flow(name="index")
def index_memories(home: str | None = None, dry_run: bool = False) -> Any:
    """
    Build the missing indices of the memories table, optimize it, and prove each index by a query.

    Adds analysed terms to memories that another writer added; texts and vectors stay as they are. Running it
    again on a table in good order makes no new version. The receipt shows rows, unindexed rows, bytes,
    fragments and versions before and after, and probes = probes_ok + probes_failed.
    """
    return as_state(run_flow("index", index, home=home, dry_run=dry_run))


def index(run: Run) -> None:
    """Fill in, build, optimize, probe."""
    run.balance("probes", "probes_ok", "probes_failed")
    table = open_memories(run)
    before = run.step(table_state, table)
    filled = run.write(backfill_terms, table)
    run.count(backfilled=run.step(count_without_terms, table) if filled is None else filled)
    built = run.write(build_indices, table) or ()
    run.count(indices_built=len(built))
    if built:
        run.facts["indices_built"] = ", ".join(built)
    if needs_optimizing(run.step(table_state, table), max_fragments=run.home.settings.index.max_fragments):
        run.write(optimize, table, run.home)
        run.count(optimized=1)
    note_state(run, before, run.step(table_state, table))
    for probe in [] if run.dry_run else run.step(probe_indices, table):
        run.count(probes=1, probes_ok=int(probe.ok), probes_failed=int(not probe.ok))
        if not probe.ok:
            run.anomaly(
                "index_does_not_answer", f"{probe.name}: {probe.detail or 'the known row is missing'}"
            )


if __name__ == "__main__":
    index_memories()
