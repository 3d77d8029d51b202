"""How each flow stands: its last run, and when it is due again."""

from __future__ import annotations

from dataclasses import dataclass

from sunrise.bootstrap import Home
from sunrise.domain.receipts import RunReceipt
from sunrise.domain.schedule import FLOW_NAMES
from tasks.receipt_files import INDEX_RUNS
from tasks.schedule_times import due_times

GRACE_MS = 300_000
"""A run may start this much late before it is called missed: a flow's process takes seconds to come up."""


@dataclass(frozen=True, slots=True)
class FlowStanding:
    """One flow's last run and next due time (epoch ms); None where there is none."""

    flow: str
    status: str | None
    run_id: str | None
    started_ms: int | None
    next_due_ms: int | None
    overdue: bool


def overview(home: Home) -> list[FlowStanding]:
    """Return how each flow stands, the parent flow last."""
    receipts = home.ledger.runs(limit=INDEX_RUNS)
    due = due_times(home.settings, receipts)
    now = home.clock.now_ms()
    return [_standing(flow, receipts, due.get(flow), now_ms=now) for flow in FLOW_NAMES]


def _standing(
    flow: str, receipts: tuple[RunReceipt, ...], due_ms: int | None, *, now_ms: int
) -> FlowStanding:
    newest = next((receipt for receipt in receipts if receipt.flow == flow), None)
    return FlowStanding(
        flow=flow,
        status=str(newest.status) if newest else None,
        run_id=newest.run_id if newest else None,
        started_ms=newest.started_ms if newest else None,
        next_due_ms=due_ms,
        overdue=due_ms is not None and now_ms > due_ms + GRACE_MS,
    )
