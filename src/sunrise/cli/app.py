"""The command line: parse, call, print. Everything heavy is imported inside the commands."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from sunrise.errors import BusyError, ConfigurationError, SunriseError

app = typer.Typer(
    name="sunrise",
    help="Scheduled governance for an agent's long-term memory.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

HomeOption = Annotated[
    str | None,
    typer.Option("--home", metavar="DIR", help="The home; else SUNRISE_HOME, else ~/.sunrise."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Do everything but write.")]


@app.command()
def init(
    home: HomeOption = None,
    memories: Annotated[
        str | None, typer.Option(metavar="URI", help="LanceDB directory of the agent's memories.")
    ] = None,
    capture: Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="Capture file or glob to harvest; repeatable.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a home: folders, ledger, and a commented sunrise.toml."""
    from sunrise.cli.commands import init_home

    init_home(home, memories=memories, captures=capture or [], as_json=as_json)


@app.command()
def run(
    flow: Annotated[str, typer.Argument(help="Name of a flow, or sunrise for the whole day in order.")],
    home: HomeOption = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run one flow here and now, without a server."""
    from sunrise.cli.commands import run_flow

    run_flow(flow, home, dry_run=dry_run, as_json=as_json)


@app.command()
def up(
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Start the Prefect server of this home and serve all schedules until stopped."""
    from sunrise.cli.commands import serve_schedules

    serve_schedules(home, as_json=as_json)


@app.command()
def status(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Show each flow's last run and when the next one is due."""
    from sunrise.cli.commands import show_status

    show_status(home, as_json=as_json)


@app.command()
def doctor(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Check home, ledger, tables, embedder, Prefect and schedules, and say what to do."""
    from sunrise.cli.commands import examine

    examine(home, as_json=as_json)


@app.command()
def demo(
    home: Annotated[str, typer.Option("--home", metavar="DIR", help="Where to make it.")] = "sunrise-demo",
    as_json: JsonOption = False,
) -> None:
    """Make a demo home in a new or demo folder and run the whole day on it."""
    from sunrise.cli.commands import run_demo

    run_demo(home, as_json=as_json)


@app.command()
def receipts(
    home: HomeOption = None,
    flow: Annotated[str | None, typer.Option(help="Only runs of this flow.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many, newest first.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """List the receipts of past runs."""
    from sunrise.cli.commands import list_receipts

    list_receipts(home, flow=flow, limit=limit, as_json=as_json)


@app.command()
def version(as_json: JsonOption = False) -> None:
    """Print the version."""
    from sunrise.cli.commands import show_version

    show_version(as_json=as_json)


def main() -> None:
    """Run the command line; errors that sunrise raises on purpose become one line and an exit code."""
    from sunrise.cli.exit_codes import ExitCode

    try:
        app()
    except BusyError as error:
        _complain(error, ExitCode.BUSY)
    except ConfigurationError as error:
        _complain(error, ExitCode.CONFIGURATION)
    except SunriseError as error:
        _complain(error, ExitCode.FAILED)


def _complain(error: SunriseError, code: int) -> None:
    print(f"sunrise: {error}", file=sys.stderr)
    sys.exit(code)
