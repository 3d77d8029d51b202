"""Closes flow runs that a killed runner left open: Prefect would call them Running for ever."""

from __future__ import annotations

from collections.abc import Collection

import psutil
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import (
    FlowFilter,
    FlowFilterName,
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
)
from prefect.client.schemas.objects import FlowRun, State, StateType
from prefect.states import Crashed

from sunrise.domain.schedule import FLOW_NAMES

_OPEN = [StateType.PENDING, StateType.RUNNING, StateType.CANCELLING]
_RUN_ID = "PREFECT__FLOW_RUN_ID"


def close_abandoned_runs() -> tuple[str, ...]:
    """
    Set open runs of our flows to Crashed and return their names, except those whose process still works.

    To be called only while no runner of this home is at work.
    """
    with get_client(sync_client=True) as client:
        working = _working_run_ids()
        abandoned = [run for run in _open_runs(client) if is_abandoned(run, working=working)]
        for run in abandoned:
            state: State[None] = Crashed(message="The runner of this run was killed.")
            client.set_flow_run_state(run.id, state, force=True)
    return tuple(run.name for run in abandoned)


def is_abandoned(run: FlowRun, *, working: Collection[str]) -> bool:
    """Return whether nobody works on an open run; ``working`` are the ids of runs whose process lives."""
    if run.work_pool_name is not None:
        # A worker has it, perhaps on another machine.
        return False
    if run.deployment_id is not None:
        return str(run.id) not in working
    # A subflow works in its parent's process. A run with neither was started by hand: not ours to judge.
    return run.parent_task_run_id is not None and not working


def _open_runs(client: SyncPrefectClient) -> list[FlowRun]:
    return client.read_flow_runs(
        flow_filter=FlowFilter(name=FlowFilterName(any_=list(FLOW_NAMES))),
        flow_run_filter=FlowRunFilter(state=FlowRunFilterState(type=FlowRunFilterStateType(any_=_OPEN))),
    )


def _working_run_ids() -> set[str]:
    found: set[str] = set()
    for process in psutil.process_iter():
        try:
            if "prefect.engine" in process.cmdline():
                found.add(process.environ().get(_RUN_ID, ""))
        except psutil.Error:
            continue
    return found - {""}
