"""Where the flows meet Prefect, without a server: what a run is told, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from prefect.client.schemas.objects import FlowRun
from prefect.context import FlowRunContext

from sunrise.domain.receipts import RunReceipt, RunStatus
from tasks.prefect_bridge import as_state, call_flow, call_step, in_flow_run, scheduled_start_ms
from tests.homes import NOW


@contextmanager
def inside(**run: Any) -> Iterator[None]:
    """Stand in a flow run that no server knows of."""
    flow_run = FlowRun(flow_id=uuid4(), **run) if run else None
    with FlowRunContext.model_construct(flow_run=flow_run):  # type: ignore[call-arg]
        yield


def receipt(status: RunStatus, reason: str | None = None) -> RunReceipt:
    return RunReceipt(run_id="r", flow="grade", status=status, started_ms=NOW, reason=reason)


def test_outside_of_prefect_everything_is_plain() -> None:
    assert not in_flow_run()
    assert scheduled_start_ms() is None
    assert call_step("add", lambda: 1 + 1) == 2
    done = receipt(RunStatus.OK)
    assert as_state(done) is done


@pytest.mark.parametrize(
    ("status", "reason", "name", "failed"),
    [
        (RunStatus.OK, None, "Completed", False),
        (RunStatus.ANOMALY, None, "Anomaly", False),
        (RunStatus.BUSY, "lease_taken", "Busy", False),
        (RunStatus.SKIPPED, "stale", "SkippedStale", False),
        (RunStatus.SKIPPED, "no_golden_set", "Skipped", False),
        (RunStatus.FAILED, "store", "Failed", True),
    ],
)
def test_inside_the_state_shows_the_receipt(
    status: RunStatus, reason: str | None, name: str, failed: bool
) -> None:
    with inside():
        assert in_flow_run()
        state = as_state(receipt(status, reason))
    assert (state.name, state.is_failed(), state.message) == (name, failed, reason or str(status))


def test_only_a_run_of_a_schedule_has_a_time_that_it_was_wanted() -> None:
    at = datetime.fromtimestamp(NOW / 1000, tz=UTC)
    with inside(auto_scheduled=True, expected_start_time=at):
        assert scheduled_start_ms() == NOW
    with inside(auto_scheduled=False, expected_start_time=at):
        assert scheduled_start_ms() is None
    with inside(auto_scheduled=True, expected_start_time=None):
        assert scheduled_start_ms() is None
    with inside():
        assert scheduled_start_ms() is None


def test_a_flow_that_breaks_does_not_break_its_caller() -> None:
    class Flow:
        def __init__(self, fn: Callable[..., Any]) -> None:
            self.fn = fn

    seen: list[str] = []

    def broken(*, home: str) -> None:
        seen.append(home)
        raise RuntimeError("a surprise")

    call_flow(Flow(broken), home="/srv")
    assert seen == ["/srv"]
