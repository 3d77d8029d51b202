"""Receipts and schedules as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from sunrise.cli.moments import when
from sunrise.cli.tables import table
from sunrise.domain.receipts import RunReceipt


class Standing(Protocol):
    """One flow's last run and next due time, as the rooms hand it over."""

    flow: str
    status: str | None
    started_ms: int | None
    next_due_ms: int | None
    overdue: bool


def receipt_table(receipts: Sequence[RunReceipt], *, zone: str | None = None) -> str:
    """Return one line a run: flow, verdict, time it took, and the sum that it answers for."""
    header = ["flow", "verdict", "ms", "receipt"]
    rows = [[one.flow, _verdict(one), str(one.duration_ms or 0), _sum(one)] for one in receipts]
    if zone is not None:
        header = ["when", *header]
        rows = [[when(one.started_ms, zone), *row] for one, row in zip(receipts, rows, strict=True)]
    return table(rows, header=header)


def overview_table(standings: Iterable[Standing], *, zone: str) -> str:
    """Return one line a flow: last run, verdict, and when the next run is due."""
    rows = [
        [
            one.flow,
            one.status or "never ran",
            when(one.started_ms, zone) if one.started_ms else "-",
            (when(one.next_due_ms, zone) + (" overdue" if one.overdue else "")) if one.next_due_ms else "-",
        ]
        for one in standings
    ]
    return table(rows, header=["flow", "verdict", "last run", "next due"])


def _verdict(receipt: RunReceipt) -> str:
    words = [str(receipt.status)]
    if receipt.dry_run:
        words.append("(dry run)")
    if receipt.reason:
        words.append(f"({receipt.reason})")
    return " ".join(words)


def _sum(receipt: RunReceipt) -> str:
    if not receipt.balances:
        return "-"
    balance = receipt.balances[0]
    counts = receipt.counts
    parts = " + ".join(f"{part} {counts.get(part, 0)}" for part in balance.parts if counts.get(part, 0))
    return f"{balance.whole} {counts.get(balance.whole, 0)} = {parts or '0'}"
