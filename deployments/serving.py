"""`sunrise up`: the Prefect server of a home, and the runner that serves its schedules."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from types import FrameType

from deployments.prefect_server import PrefectServer, api_url, running_server
from deployments.single import only_one
from sunrise.cli.tables import table
from sunrise.domain.schedule import SCHEDULED_FLOWS, cron_lines
from sunrise.errors import StoreError
from sunrise.rooms import rooms_path
from sunrise.settings import Settings
from tasks.schedule_times import next_due_ms

RUNS_AT_ONCE = 2


def serve_home(settings: Settings, *, as_json: bool = False) -> None:
    """
    Start the Prefect server of this home and serve all schedules until SIGTERM or Ctrl-C.

    The schedules stay active when it stops; what they miss is caught up once by the next start. Once a
    process, before anything imports prefect: Prefect reads its settings as it is imported.

    Raises:
        BusyError: Another `up` serves this home.
        ConfigurationError: The port is taken, or a setting is wrong.
        StoreError: The server did not start, or died.
    """
    with only_one(settings.home / "prefect" / "up.pid"):
        _set_environment(settings)
        with _stop_signals(), running_server(settings) as server:
            # A signal that comes before the runner polls ends in SystemExit, whoever sent it.
            with suppress(SystemExit):
                _serve(settings, server, as_json=as_json)
            if server.died:
                raise StoreError(server.obituary())


def _serve(settings: Settings, server: PrefectServer, *, as_json: bool) -> None:
    from prefect import serve  # noqa: PLC0415  it reads the environment that was just set

    from deployments.abandoned_runs import close_abandoned_runs  # noqa: PLC0415  imports prefect
    from deployments.schedules import flow_deployments  # noqa: PLC0415  imports prefect

    # The imports took seconds, in which the server came up.
    deployments = flow_deployments(settings)
    server.wait_until_healthy()
    closed = close_abandoned_runs()
    _greet(settings, server, closed, as_json=as_json)
    server.watch()
    # Otherwise every stop would pause every schedule, and the next start would serve nothing.
    serve(*deployments, pause_on_shutdown=False, print_starting_message=False, limit=RUNS_AT_ONCE)


def _set_environment(settings: Settings) -> None:
    """Set what this process, the server and the processes of the runs share."""
    rooms = str(rooms_path())
    inherited = os.environ.get("PYTHONPATH")
    os.environ |= {
        "PREFECT_HOME": str(settings.home / "prefect"),
        "PREFECT_API_URL": api_url(settings),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
        # An installed wheel carries the rooms in a folder that is not on the path.
        "PYTHONPATH": f"{rooms}{os.pathsep}{inherited}" if inherited else rooms,
        # The folder from which `up` was called must not shadow a room.
        "PYTHONSAFEPATH": "1",
    }
    # Prefect itself puts the working directory first on the path of every run.
    os.chdir(settings.home)


@contextmanager
def _stop_signals() -> Iterator[None]:
    """Make Ctrl-C and SIGTERM one: the runner of Prefect stops in order only for the latter."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    def leave(_number: int, _frame: FrameType | None) -> None:
        sys.exit(0)

    before = signal.signal(signal.SIGINT, interrupt), signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before[0])
        signal.signal(signal.SIGTERM, before[1])


def _greet(settings: Settings, server: PrefectServer, closed: tuple[str, ...], *, as_json: bool) -> None:
    now = time.time_ns() // 1_000_000
    lines = cron_lines(settings.schedules)
    due = {flow: next_due_ms(cron, zone=settings.timezone, after_ms=now) for flow, cron in lines.items()}
    if as_json:
        schedules = [
            {"flow": one.name, "cron": lines[one.name], "next_due_ms": due[one.name]}
            for one in SCHEDULED_FLOWS
        ]
        _print(json.dumps(_facts(settings, server, closed) | {"schedules": schedules}, ensure_ascii=False))
        return
    zone = settings.zone
    rows = [
        [
            one.name,
            lines[one.name],
            f"{datetime.fromtimestamp(due[one.name] / 1000, tz=zone):%a %H:%M}",
            one.purpose,
        ]
        for one in SCHEDULED_FLOWS
    ]
    facts = [f"{name:<8}{_words(value)}" for name, value in _facts(settings, server, closed).items()]
    _print("\n".join([*facts, "", table(rows, header=["flow", "cron", "next", "what it does"])]))


def _facts(settings: Settings, server: PrefectServer, closed: tuple[str, ...]) -> dict[str, object]:
    facts: dict[str, object] = {
        "ui": server.url.removesuffix("/api"),
        "home": str(settings.home),
        "server": "was running already, not started again" if server.found else "started",
        "log": str(server.log),
        "zone": settings.timezone,
    }
    return facts | ({"closed": list(closed)} if closed else {})


def _words(value: object) -> str:
    return f"{len(value)} runs that a killed runner had left open" if isinstance(value, list) else str(value)


def _print(text: str) -> None:
    print(text, flush=True)  # noqa: T201  this is the command's output
