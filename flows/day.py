"""The parent flow: the whole sunrise day in order."""

from __future__ import annotations

import importlib
from typing import Any

from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.schedule import DAY, SCHEDULED_FLOWS
from tasks.lazy_flow import flow
from tasks.prefect_bridge import as_state, call_flow
from tasks.run_frame import Run, run_flow

_ENDS = (RunStatus.OK, RunStatus.ANOMALY, RunStatus.FAILED, RunStatus.BUSY, RunStatus.SKIPPED)


@flow(name=DAY)
def run_day(home: str | None = None, dry_run: bool = False) -> Any:
    """
    Run every flow once, in the order of a day: for the first run, for CI and after an outage.

    Each flow keeps its own lease, receipt and page; one that fails does not keep the others from their
    work. The receipt shows flows = ok + anomaly + failed + busy + skipped.
    """
    return as_state(run_flow(DAY, day, home=home, dry_run=dry_run))


def day(run: Run) -> None:
    """Run the flows one after another and gather how they ended."""
    run.balance("flows", *_ENDS)
    for scheduled in SCHEDULED_FLOWS:
        run.lease.check()
        before = len(run.children)
        call_flow(_flow(scheduled.entrypoint), home=str(run.home.path), dry_run=run.dry_run)
        if len(run.children) == before:
            run.count(flows=1, failed=1)
            run.anomaly("no_receipt", f"{scheduled.name} ended without a receipt")
            continue
        _gather(run, run.children[-1])


def _flow(entrypoint: str) -> Any:
    module, _, name = entrypoint.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _gather(run: Run, child: RunReceipt) -> None:
    run.count(flows=1, **{child.status: 1})
    run.tally("milliseconds_by_flow", child.flow, child.duration_ms or 0)
    for anomaly in child.anomalies:
        run.anomaly(anomaly.code, f"{child.flow}: {anomaly.message}", anomaly.count)
    if child.status is RunStatus.BUSY:
        run.anomaly("flow_busy", f"{child.flow} was being run by {child.facts.get('held_by', 'another run')}")


if __name__ == "__main__":
    run_day()
