"""The flow that keeps the memories searchable."""

from __future__ import annotations

from typing import Any

from tasks.calibration import calibrate_if_due
from tasks.index import (
    fit_indices,
    judge_ids,
    judge_probes,
    look_at_table,
    mended_indices,
    open_mended,
    optimize_if_due,
    were_indices_written,
)
from tasks.index_figures import growth_section, index_section, note_look
from tasks.lazy_flow import flow
from tasks.prefect_bridge import as_state
from tasks.run_frame import Run, run_flow
from tasks.taking_in import take_in
from tasks.vectors import embed_missing


@flow(name="index")
def index_memories(home: str | None = None, dry_run: bool = False) -> Any:
    """
    Prove each index of the memories table by queries, build what is missing or broken, and optimize.

    Memories that another writer added are looked at first: what looks like an order to the model goes to
    quarantine, and all get analysed terms and a vector of ours. Texts and the gateway's vectors stay as they
    are. Running it again on a table in good order makes no new version. The receipt shows rows, unindexed
    rows, bytes, fragments, versions and orphaned files before and after, and probes = probes_ok +
    probes_failed.
    """
    return as_state(run_flow("index", index, home=home, dry_run=dry_run))


def index(run: Run) -> None:
    """Mend, fill in, build, optimize, prove."""
    run.balance("probes", "probes_ok", "probes_failed")
    table, probes = open_mended(run)
    before = run.step(look_at_table, table)
    take_in(run, table)
    embed_missing(run, table)
    fit_indices(run, table)
    optimize_if_due(run, table)
    after = run.step(look_at_table, table)
    if were_indices_written(run):
        probes = mended_indices(run, table)
    judge_probes(run, probes)
    judge_ids(run, table, after.state)
    note_look(run, before, after)
    calibrate_if_due(run, table, rows=after.state.rows)
    run.sections += [index_section(after, probes), growth_section(run.home, run.receipt())]


if __name__ == "__main__":
    index_memories()
