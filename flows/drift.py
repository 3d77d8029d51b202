"""The flow that watches for drift."""

from __future__ import annotations

from typing import Any

from contracts.measurement import DistributionFrame
from sunrise.domain.drift import DriftVerdict
from tasks.drift import (
    findings_section,
    judge_statistics,
    ledger_distribution,
    memory_distribution,
    read_baseline,
    renew_baseline,
    statistics_of,
)
from tasks.lazy_flow import flow
from tasks.memories import open_memories
from tasks.prefect_bridge import as_state
from tasks.run_frame import Run, SkipRun, run_flow


@flow(name="drift")
def watch_drift(home: str | None = None, dry_run: bool = False) -> Any:
    """
    Compare the label and scope distributions of ledger and memories with the baseline.

    Changes no record; keeps the baseline as a note in the ledger. Running it again on the same data finds
    the same. The receipt shows statistics as the sum of the verdicts, each with its index and rows.
    """
    return as_state(run_flow("drift", drift, home=home, dry_run=dry_run))


def drift(run: Run) -> None:
    """Count, compare, and say what moved."""
    run.balance("statistics", *DriftVerdict)
    rows = run.step(ledger_distribution, run.home)
    statistics = statistics_of(
        "ledger", run.admit(DistributionFrame, rows, source="ledger.distribution", key="scope")
    )
    try:
        rows = run.step(memory_distribution, open_memories(run))
        statistics |= statistics_of(
            "memories", run.admit(DistributionFrame, rows, source="memories.distribution", key="scope")
        )
    except SkipRun as skip:
        run.facts["memories"] = skip.reason
    baseline = run.step(read_baseline, run.home)
    findings = run.step(judge_statistics, run.home, statistics, baseline)
    for found in findings:
        run.count(statistics=1, **{found.verdict: 1})
        run.figures[f"index.{found.statistic}"] = found.index
        if found.verdict is DriftVerdict.DRIFTED:
            run.anomaly("drift", f"{found.statistic} moved: index {found.index:.3f} over {found.rows} rows")
    run.sections.append(findings_section(findings))
    run.write(renew_baseline, run.home, statistics, baseline, findings)


if __name__ == "__main__":
    watch_drift()
