"""Where the flows meet Prefect: inside a Prefect run steps are tasks, elsewhere they are plain calls."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from sunrise.domain.receipts import RunReceipt, RunStatus

T = TypeVar("T")


def in_flow_run() -> bool:
    """Return whether this code runs inside a Prefect flow run."""
    # Outside of one Prefect need not even be loaded, which takes two seconds.
    if "prefect.context" not in sys.modules:
        return False
    from prefect.context import FlowRunContext

    return FlowRunContext.get() is not None


def call_step(name: str, call: Callable[[], T]) -> T:
    """Run one step: a Prefect task inside a Prefect run, a plain call elsewhere."""
    if not in_flow_run():
        return call()
    from prefect import Task
    from prefect.cache_policies import NO_CACHE

    # The call takes no arguments, so Prefect neither walks through frames nor hashes them.
    task: Task[[], T] = Task(fn=call, name=name, cache_policy=NO_CACHE, persist_result=False)
    return task()


def call_flow(flow: Any, **parameters: Any) -> None:
    """
    Run a flow: as a subflow inside a Prefect run, as a plain function elsewhere.

    What it did is read from its receipt; a flow that fails does not raise here.
    """
    if not in_flow_run():
        # An error that nobody foresaw has left its receipt before it was raised again.
        with suppress(Exception):
            flow.fn(**parameters)
        return
    from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

    # The heartbeat of a synchronous subflow costs up to a second at its end; the parent's own goes on.
    with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
        flow(**parameters, return_state=True)


def scheduled_start_ms() -> int | None:
    """Return when the schedule wanted this run to start (epoch ms); None for runs that no schedule made."""
    if not in_flow_run():
        return None
    from prefect.context import FlowRunContext

    context = FlowRunContext.get()
    run = context.flow_run if context else None
    if run is None or not run.auto_scheduled:
        return None
    start: datetime | None = run.expected_start_time
    return int(start.timestamp() * 1000) if start else None


def as_state(receipt: RunReceipt) -> Any:
    """Return what a flow function gives back: the receipt, or inside Prefect the state that shows it."""
    if not in_flow_run():
        return receipt
    from prefect.states import Completed, Failed

    message = receipt.reason or receipt.status.value
    if receipt.status is RunStatus.FAILED:
        return Failed(message=message)
    names = {
        RunStatus.OK: "Completed",
        RunStatus.ANOMALY: "Anomaly",
        RunStatus.BUSY: "Busy",
        RunStatus.SKIPPED: "SkippedStale" if receipt.reason == "stale" else "Skipped",
    }
    return Completed(name=names.get(receipt.status, "Completed"), message=message)


def publish_artifacts(receipt: RunReceipt, *, page: Path) -> None:
    """Show the receipt in the Prefect UI: a table of its counts and a link to its page."""
    if not in_flow_run():
        return
    from prefect.artifacts import create_link_artifact, create_table_artifact

    key = "sunrise-" + re.sub(r"[^a-z0-9]+", "-", receipt.flow.lower())
    rows = [{"count": name, "value": value} for name, value in receipt.counts.items()]
    create_table_artifact(key=key, table=rows, description=f"{receipt.flow}: {receipt.status}")
    create_link_artifact(key=f"{key}-page", link=page.as_uri(), link_text=f"{receipt.flow} report")
