"""The flow that reads into the ledger what the agent did."""

from __future__ import annotations

from typing import Any

from tasks.harvest import (
    complaints_of_held_back,
    count_harvested,
    quarantine_section,
    read_sources,
    retry_quarantined,
)
from tasks.lazy_flow import flow
from tasks.ledger_terms import renew_observation_terms
from tasks.lineage import inherit_trust
from tasks.prefect_bridge import as_state
from tasks.run_frame import Run, run_flow
from tasks.spool import scrub_read_lines


@flow(name="harvest")
def harvest_captures(home: str | None = None, dry_run: bool = False) -> Any:
    """
    Read every source from where it was left into the ledger.

    Adds episodes, observations and quarantine rows, changes none. Running it again adds nothing: rows have
    keys, and positions move in the same transaction as the rows. The receipt shows seen = inserted +
    duplicate + collapsed + quarantined, the same of episodes, the refused lines by reason, bytes and rows
    per second.
    """
    return as_state(run_flow("harvest", harvest, home=home, dry_run=dry_run))


def harvest(run: Run) -> None:
    """Read, refuse, keep, look at refused lines again; then say which sources look broken."""
    run.balance("seen", "inserted", "duplicate", "collapsed", "quarantined")
    run.balance("episodes_seen", "episodes_inserted", "episodes_duplicate")
    renew_observation_terms(run)
    found = run.step(read_sources, run.home, dry_run=run.dry_run)
    again = run.write(retry_quarantined, run.home)
    if again is not None:
        found.add(again)
    lineage = run.write(inherit_trust, run.home, run_id=run.run_id)
    run.count(trust_lowered=lineage["lowered"] if lineage else 0)
    scrubbed, complaints = run.write(scrub_read_lines, run.home) or (0, [])
    run.count(scrubbed=scrubbed)
    count_harvested(run, found)
    run.rate("rows_per_second", found.seen)
    run.sections.extend(quarantine_section(run.home))
    for complaint in complaints:
        run.anomaly("spool_not_scrubbed", complaint)
    for absent in run.home.missing_sources():
        run.anomaly("source_missing", f"{absent} is not there")
    for complaint in found.unreadable:
        run.anomaly("source_unreadable", complaint)
    for complaint, rows in complaints_of_held_back(found):
        run.anomaly("trusted_rows_held_back", complaint, rows)
    share = found.quarantined.total() / max(found.seen, 1)
    if share > run.home.settings.harvest.max_rejected_share:
        run.anomaly("mostly_refused", f"{share:.0%} of the lines were refused", found.quarantined.total())


if __name__ == "__main__":
    harvest_captures()
