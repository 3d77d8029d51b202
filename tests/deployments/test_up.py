"""`sunrise up` for real: a run through the API, a stop, a second start, and the death of the server."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx
import psutil
import pytest

from sunrise.cli.exit_codes import ExitCode
from sunrise.domain.schedule import DAY, FLOW_NAMES, SCHEDULED_FLOWS
from sunrise.settings import machine_zone
from tasks.demo.home import write_demo_home

T = TypeVar("T")
LONG = 90.0

HARVEST_STEPS = {
    "renew terms of rows",
    "read sources",
    "retry quarantined",
    "inherit trust",
    "scrub read lines",
}


@pytest.mark.server
@pytest.mark.timeout(300)
def test_up_serves_runs_and_stops_without_a_trace(tmp_path: Path) -> None:
    home = tmp_path / "home"
    write_demo_home(home, now_ms=time.time_ns() // 1_000_000)
    port = _free_port()
    with _up(home, port=port) as (process, api):
        _assert_schedules_active(api)
        assert _second_up(home, port=port) == ExitCode.BUSY
        run = _run(api, "harvest")
        assert run["state"]["name"] == "Completed", run["state"]
        assert _task_names(api, run["id"]) == HARVEST_STEPS
        assert {"sunrise-harvest", "sunrise-harvest-page"} <= _artifact_keys(api)
        family = _family(process)
        _stop(process)
    assert not psutil.wait_procs(family, timeout=5)[1]
    with _up(home, port=port) as (process, api):
        _assert_schedules_active(api)
        family = _family(process)
        _server(family).kill()
        assert process.wait(LONG) == ExitCode.FAILED
        assert "sunrise: the Prefect server died" in (home / "up.log").read_text()
    assert not psutil.wait_procs(family, timeout=5)[1]


def _server(family: list[psutil.Process]) -> psutil.Process:
    (server,) = (one for one in family if "server" in one.cmdline())
    return server


def _assert_schedules_active(api: httpx.Client) -> None:
    deployments = _until(lambda: _deployments(api), lambda found: len(found) == len(FLOW_NAMES))
    for flow in SCHEDULED_FLOWS:
        deployment = deployments[flow.name]
        (schedule,) = deployment["schedules"]
        assert not deployment["paused"]
        assert schedule["active"]
        assert schedule["schedule"]["cron"] == flow.cron
        assert schedule["schedule"]["timezone"] == machine_zone()
    assert deployments[DAY]["schedules"] == []


def _deployments(api: httpx.Client) -> dict[str, Any]:
    flows = {one["id"]: one["name"] for one in api.post("flows/filter", json={}).json()}
    return {flows[one["flow_id"]]: one for one in api.post("deployments/filter", json={}).json()}


def _run(api: httpx.Client, flow: str) -> dict[str, Any]:
    deployment = api.get(f"deployments/name/{flow}/scheduled").json()["id"]
    # A busy machine's server may answer 503 once: its data base was locked.
    made = _until(
        lambda: api.post(f"deployments/{deployment}/create_flow_run", json={}),
        lambda answer: answer.is_success,
    )
    run = made.json()["id"]
    ends = {"COMPLETED", "FAILED", "CRASHED", "CANCELLED"}
    ended: dict[str, Any] = _until(
        lambda: api.get(f"flow_runs/{run}").json(), lambda found: found["state"]["type"] in ends
    )
    if ended["state"]["type"] == "CANCELLED":
        # Near a quarter of an hour the schedule's own run has the one slot: another one is cancelled.
        time.sleep(20)
        return _run(api, flow)
    return ended


def _task_names(api: httpx.Client, run: str) -> set[str]:
    def names() -> set[str]:
        tasks = api.post("task_runs/filter", json={"flow_runs": {"id": {"any_": [run]}}}).json()
        return {task["name"].rpartition("-")[0] for task in tasks if task["state_name"] == "Completed"}

    # Task runs reach the data base by events, a moment after the flow run.
    return _until(names, bool)


def _artifact_keys(api: httpx.Client) -> set[str]:
    return {one["key"] for one in api.post("artifacts/latest/filter", json={}).json()}


@contextmanager
def _up(home: Path, *, port: int) -> Iterator[tuple[subprocess.Popen[bytes], httpx.Client]]:
    log = home / "up.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            _command(home), stdout=output, stderr=subprocess.STDOUT, env=_environment(port)
        )
    family: list[psutil.Process] = []
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}/api/", timeout=20) as api:
            # The block is printed once the server is healthy and the runner about to serve.
            _until(lambda: b"next" in log.read_bytes() or process.poll() is not None, bool)
            assert process.poll() is None, log.read_text()
            family = _family(process)
            yield process, api
    finally:
        _end(process, family)


def _environment(port: int) -> dict[str, str]:
    inherited = {
        key: value for key, value in os.environ.items() if not key.startswith(("PREFECT", "SUNRISE"))
    }
    return inherited | {"SUNRISE_PREFECT__PORT": str(port), "PREFECT_RUNNER_POLL_FREQUENCY": "1"}


def _command(home: Path) -> list[str]:
    return [sys.executable, "-m", "sunrise", "up", "--home", str(home)]


def _second_up(home: Path, *, port: int) -> int:
    return subprocess.run(
        _command(home), env=_environment(port), capture_output=True, check=False, timeout=LONG
    ).returncode


def _family(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    parent = psutil.Process(process.pid)
    return [parent, *parent.children(recursive=True)]


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    assert process.wait(LONG) == ExitCode.OK


def _end(process: subprocess.Popen[bytes], family: list[psutil.Process]) -> None:
    # Only after a failed assertion is there anything left to end.
    for one in family:
        if one.is_running():
            one.kill()
    if process.poll() is None:
        process.kill()
    process.wait(LONG)


def _until(read: Callable[[], T], accept: Callable[[T], bool]) -> T:
    deadline = time.monotonic() + LONG
    while True:
        found = read()
        if accept(found):
            return found
        assert time.monotonic() < deadline, f"still {found!r} after {LONG:.0f} s"
        time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
