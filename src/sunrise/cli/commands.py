"""What the commands do: build from settings, call a room by name, print what came back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from sunrise import rooms
from sunrise.adapters.reading_process import make_ready
from sunrise.cli.exit_codes import ExitCode, code_for
from sunrise.cli.output import say
from sunrise.cli.receipt_lines import overview_table, receipt_table
from sunrise.cli.tables import table
from sunrise.domain.receipts import RunReceipt
from sunrise.domain.schedule import DAY, DAY_ENTRYPOINT, FLOW_NAMES, RECORDED_FLOWS, SCHEDULED_FLOWS
from sunrise.errors import ConfigurationError
from sunrise.settings import CONFIG_FILE, Settings, SourceSettings, load_settings

if TYPE_CHECKING:
    from sunrise.bootstrap import Home

FOLDERS = ("spool", "golden", "receipts", "reports", "quarantine", "backups")
_DEMO_MARK = ".sunrise-demo"


def init_home(home: str | None, *, memories: str | None, captures: Sequence[str], as_json: bool) -> None:
    """Make what a home lacks; what is there stays as it is."""
    from sunrise.cli.config_file import render_config

    settings = load_settings(home)
    config = settings.home / CONFIG_FILE
    chosen: dict[str, dict[str, Any]] = {}
    if memories:
        chosen["memories"] = {"uri": _location(memories)}
    sources = [SourceSettings(kind="capture", path=_location(capture)) for capture in captures]
    if config.exists() and (chosen or sources):
        msg = (
            f"{config} is there already: set [memories] uri in it, and add sources with `sunrise sources add`"
        )
        raise ConfigurationError(msg)
    _make_folders(settings)
    made = not config.exists()
    if made:
        chosen[""] = {"timezone": settings.timezone}
        config.write_text(render_config(chosen, sources=sources), encoding="utf-8")
    with _open(load_settings(str(settings.home))):
        pass
    say(
        {
            "home": str(settings.home),
            "config": str(config),
            "config_written": made,
            "timezone": settings.timezone,
        },
        f"home    {settings.home}\nconfig  {config}{'' if made else ' (kept)'}\n"
        f"zone    {settings.timezone}: times are shown in it; to change it, set timezone in the config\n"
        f"next    sunrise doctor --home {settings.home}",
        as_json=as_json,
    )


def run_flow(flow: str, home: str | None, *, dry_run: bool, as_json: bool) -> NoReturn:
    """Run one flow and leave with the code of its verdict."""
    settings = load_settings(home)
    receipt = _run(flow, settings, dry_run=dry_run)
    receipts = [receipt]
    if flow == DAY:
        with _open(settings) as place:
            children = [r for r in place.ledger.runs(limit=50) if r.parent_run_id == receipt.run_id]
        receipts = [*reversed(children), receipt]
    index = settings.home / "reports" / "index.html"
    say(
        {"receipts": [one.to_dict() for one in receipts], "index": str(index)},
        f"{receipt_table(receipts)}\n\n{index}",
        as_json=as_json,
    )
    raise SystemExit(code_for(receipt.status))


def serve_schedules(home: str | None, *, as_json: bool) -> None:
    """Start the server and serve until stopped."""
    settings = load_settings(home)
    _make_folders(settings)
    _prefect_environment(settings)
    rooms.load("deployments.serving:serve_home")(settings, as_json=as_json)


def show_status(home: str | None, *, as_json: bool) -> None:
    """Print each flow's last run and next due time."""
    settings = load_settings(home)
    with _open(settings) as place:
        standings = rooms.load("tasks.overview:overview")(place)
    say(
        {"flows": [asdict(one) for one in standings]},
        overview_table(standings, zone=settings.timezone),
        as_json=as_json,
    )


def examine(home: str | None, *, as_json: bool) -> NoReturn:
    """Print what the doctor finds, and leave with 3 when something needs a look."""
    settings = load_settings(home)
    _prefect_environment(settings)
    findings = rooms.load("tasks.doctor:examine")(settings)
    rows = [[one.check, one.verdict, one.message] for one in findings]
    cures = [f"{one.check}: {one.cure}" for one in findings if one.cure]
    text = table(rows, header=["check", "verdict", "finding"])
    if cures:
        text += "\n\nWhat to do\n" + "\n".join(f"  {cure}" for cure in cures)
    say({"findings": [asdict(one) for one in findings]}, text, as_json=as_json)
    ill = any(one.verdict == "ill" for one in findings)
    raise SystemExit(ExitCode.ANOMALY if ill else ExitCode.OK)


def run_demo(home: str, *, as_json: bool) -> NoReturn:
    """Make the demo home anew and run the whole day on it."""
    root = Path(home).expanduser().absolute()
    if root.exists() and any(root.iterdir()) and not (root / _DEMO_MARK).exists():
        msg = f"{root} holds something that is no demo home; name a new folder"
        raise ConfigurationError(msg)
    rooms.load("tasks.demo.home:renew_demo_home")(root, mark=_DEMO_MARK)
    settings = load_settings(str(root))
    _make_folders(settings)
    run_flow(DAY, str(root), dry_run=False, as_json=as_json)


def list_receipts(home: str | None, *, flow: str | None, limit: int, as_json: bool) -> None:
    """Print the receipts of past runs, newest first."""
    if flow is not None and flow not in RECORDED_FLOWS:
        raise typer.BadParameter(_no_such_flow(flow, RECORDED_FLOWS))
    settings = load_settings(home)
    with _open(settings) as place:
        receipts = place.ledger.runs(flow=flow, limit=limit)
    text = receipt_table(receipts, zone=settings.timezone) if receipts else "no runs yet"
    say({"receipts": [one.to_dict() for one in receipts]}, text, as_json=as_json)


def show_version(*, as_json: bool) -> None:
    """Print the installed version."""
    number = installed_version("sunrise-memory")
    say({"version": number}, number, as_json=as_json)


def _run(flow: str, settings: Settings, *, dry_run: bool) -> RunReceipt:
    entrypoints = {one.name: one.entrypoint for one in SCHEDULED_FLOWS} | {DAY: DAY_ENTRYPOINT}
    if flow not in entrypoints:
        raise typer.BadParameter(_no_such_flow(flow))
    _make_folders(settings)
    _prefect_environment(settings)
    if flow in (DAY, "harvest"):
        make_ready(settings.home)
    module, _, name = entrypoints[flow].rpartition(".")
    job = rooms.load(f"{module}:{name}")
    # The function inside the flow: no server, no network.
    receipt: RunReceipt = job.fn(home=str(settings.home), dry_run=dry_run)
    return receipt


def _open(settings: Settings) -> AbstractContextManager[Home]:
    # A run opens its home itself, and has a process to start before it loads this.
    from sunrise.bootstrap import open_home

    return open_home(settings)


def _prefect_environment(settings: Settings) -> None:
    """Give Prefect a home of its own and keep it from phoning out; before it is imported."""
    os.environ["PREFECT_HOME"] = str(settings.home / "prefect")
    os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
    os.environ.setdefault("DO_NOT_TRACK", "1")


def _make_folders(settings: Settings) -> None:
    try:
        for folder in FOLDERS:
            (settings.home / folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"the home {settings.home} cannot be made: {error}"
        raise ConfigurationError(msg) from error


def _location(text: str) -> str:
    return text if "://" in text else str(Path(text).expanduser().absolute())


def _no_such_flow(flow: str, names: Sequence[str] = FLOW_NAMES) -> str:
    return f"no such flow: {flow!r}; there are {', '.join(names)}"
