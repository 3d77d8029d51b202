"""When each flow runs: the cron lines as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScheduledFlow:
    """One flow of the house: its name, module entrypoint and cron line, and what it does in a few words."""

    name: str
    entrypoint: str
    cron: str
    purpose: str


DAY = "sunrise"
"""Name of the parent flow that runs all the others in order. It has no schedule of its own."""

SCHEDULED_FLOWS: tuple[ScheduledFlow, ...] = (
    ScheduledFlow("harvest", "flows.harvest.harvest_captures", "*/15 * * * *", "read what the agent did"),
    ScheduledFlow("grade", "flows.grade.grade_importance", "0 */4 * * *", "grade importance"),
    ScheduledFlow("writeback", "flows.writeback.write_back", "20 */4 * * *", "write grades to memories"),
    ScheduledFlow("lifecycle", "flows.lifecycle.archive_unused", "30 3 * * *", "archive unused"),
    ScheduledFlow("index", "flows.index.index_memories", "40 */4 * * *", "optimize indices"),
    ScheduledFlow("drift", "flows.drift.watch_drift", "50 */4 * * *", "compare with the baseline"),
    ScheduledFlow("snapshot", "flows.snapshot.take_snapshot", "45 3 * * *", "tag the table, copy the ledger"),
    ScheduledFlow("evaluate", "flows.evaluate.measure_recall", "0 4 * * *", "measure recall"),
    ScheduledFlow("report", "flows.report.publish_site", "5 * * * *", "rebuild the report site"),
)
"""
The order is that of a day run at once: each flow reads what those above it left, and the indices are put in
order after the last write.
"""

DAY_ENTRYPOINT = "flows.day.run_day"
FLOW_NAMES = (*(flow.name for flow in SCHEDULED_FLOWS), DAY)

ON_DEMAND_ENTRYPOINTS = {
    "embed": "flows.embed.embed_memories",
    "erase": "flows.erase.erase_memories",
    "regrade": "flows.regrade.regrade_importance",
    "restore": "flows.restore.restore_snapshot",
    "sweep": "flows.sweep.sweep_secrets",
    "undo": "flows.undo.undo_run",
}
"""Flows that only an operator starts: they have no schedule and no part in the day."""

TRUST = "trust"
"""What the runs are called in which an operator decides on trust."""

IDS = "ids"
"""What the runs are called that give memories ids of their own."""

IMPORT, REVIVE = "import", "revive"
"""What the runs are called that the online module leaves: memories from a file, and an archived one back."""

RECORDED_FLOWS = (*FLOW_NAMES, *ON_DEMAND_ENTRYPOINTS, TRUST, IDS, IMPORT, REVIVE)
"""All names under which runs leave receipts."""


def cron_lines(overrides: Mapping[str, str]) -> dict[str, str]:
    """
    Return the cron line of each scheduled flow, an operator's own in place of ours.

    >>> cron_lines({"grade": "0 1 * * *"})["grade"]
    '0 1 * * *'

    Raises:
        ValueError: An override names no scheduled flow.
    """
    unknown = set(overrides) - {flow.name for flow in SCHEDULED_FLOWS}
    if unknown:
        msg = f"no such scheduled flow: {', '.join(sorted(unknown))}"
        raise ValueError(msg)
    return {flow.name: overrides.get(flow.name, flow.cron) for flow in SCHEDULED_FLOWS}
