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

sources_app = typer.Typer(help="What is harvested.", no_args_is_help=True, rich_markup_mode=None)
quarantine_app = typer.Typer(help="What was refused.", no_args_is_help=True, rich_markup_mode=None)
admission_app = typer.Typer(
    help="What is collapsed onto a row that is kept.", no_args_is_help=True, rich_markup_mode=None
)
trust_app = typer.Typer(help="How far records are trusted.", no_args_is_help=True, rich_markup_mode=None)
grade_app = typer.Typer(
    help="How important records are, and why.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(sources_app, name="sources")
app.add_typer(grade_app, name="grade")
app.add_typer(admission_app, name="admission")
app.add_typer(trust_app, name="trust")
app.add_typer(quarantine_app, name="quarantine")

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
def sweep(
    home: HomeOption = None,
    dry_run: DryRunOption = False,
    backups: Annotated[
        bool, typer.Option("--backups", help="Remove the backups that hold a secret, not only list them.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Take out the secrets that older rules let in. It cannot be undone."""
    from sunrise.cli.sweep_commands import sweep_home

    sweep_home(home, dry_run=dry_run, backups=backups, as_json=as_json)


@app.command()
def undo(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="As `sunrise receipts` gives it.")],
    home: HomeOption = None,
    over_later: Annotated[
        bool, typer.Option("--over-later", help="Even where a later run changed the same fields.")
    ] = False,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Take back what a run changed. An undo is a run too, and can be undone."""
    from sunrise.cli.undo_commands import undo_run

    undo_run(home, run_id, over_later=over_later, dry_run=dry_run, as_json=as_json)


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


@sources_app.command("add")
def add_source(
    kind: Annotated[
        str,
        typer.Argument(
            help="auto (finds an OpenClaw home), openclaw, capture, transcripts, agent-database, markdown or"
            " legacy-ledger."
        ),
    ],
    path: Annotated[str | None, typer.Argument(help="File, folder or glob; not for auto.")] = None,
    home: HomeOption = None,
    timezone: Annotated[str | None, typer.Option(help="Zone of times that name none.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a source into sunrise.toml."""
    from sunrise.cli import source_commands

    source_commands.add_source(home, kind, path, timezone=timezone, as_json=as_json)


@sources_app.command("list")
def list_sources(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List the sources, their files, and how far each was read."""
    from sunrise.cli import source_commands

    source_commands.list_sources(home, as_json=as_json)


@sources_app.command("test")
def try_sources(
    home: HomeOption = None,
    lines: Annotated[int, typer.Option(min=1, max=100_000, help="How many new lines of each file.")] = 1000,
    as_json: JsonOption = False,
) -> None:
    """Read the next lines of each source, keep nothing, and say what would come of them."""
    from sunrise.cli import source_commands

    source_commands.try_sources(home, lines=lines, as_json=as_json)


@quarantine_app.command("list")
def list_quarantine(
    home: HomeOption = None,
    every: Annotated[bool, typer.Option("--all", help="Closed ones too.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="How many, oldest first.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """List refused rows with the reason of each."""
    from sunrise.cli import source_commands

    source_commands.list_quarantine(home, every=every, limit=limit, as_json=as_json)


@quarantine_app.command("show")
def show_quarantine(
    row_id: Annotated[int, typer.Argument(metavar="ID", help="As the list gives it.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show one refused row; secrets in its sample are redacted."""
    from sunrise.cli import source_commands

    source_commands.show_quarantine(home, row_id, as_json=as_json)


@quarantine_app.command("retry")
def retry_quarantine(
    row_ids: Annotated[list[int] | None, typer.Argument(metavar="[ID]...", help="All, if none.")] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read refused rows again from their source, and keep those that now read well."""
    from sunrise.cli import source_commands

    source_commands.retry_quarantine(home, row_ids or [], as_json=as_json)


@quarantine_app.command("drop")
def drop_quarantine(
    row_ids: Annotated[list[int], typer.Argument(metavar="ID...", help="Which.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Close refused rows for good; they stay to be read."""
    from sunrise.cli import source_commands

    source_commands.drop_quarantine(home, row_ids, as_json=as_json)


@grade_app.command("explain")
def explain_grade(
    what: Annotated[str, typer.Argument(metavar="TEXT|REF", help="A text, or such as obs:12 or mem:3f0c.")],
    home: HomeOption = None,
    scorer: Annotated[str | None, typer.Option(help="By this scorer; else that of the settings.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show each signal that fired, its weight, and the words that fired it."""
    from sunrise.cli import grade_commands

    grade_commands.explain(home, what, scorer=scorer, as_json=as_json)


@grade_app.command("bench")
def bench_grade(
    path: Annotated[str, typer.Argument(metavar="FILE", help="Labelled cases as JSON lines.")],
    scorer: Annotated[str | None, typer.Option(help="By this scorer; else that of the settings.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how far a scorer agrees with a labelled set."""
    from sunrise.cli import grade_commands

    grade_commands.bench(path, scorer=scorer, as_json=as_json)


@grade_app.command("regrade")
def regrade(
    home: HomeOption = None,
    scorer: Annotated[str | None, typer.Option(help="By this scorer; else that of the settings.")] = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="Only rows since this time.")] = None,
    scope: Annotated[str | None, typer.Option(help="Only rows of this scope.")] = None,
    force: Annotated[
        list[str] | None, typer.Option(metavar="FIELD", help="Overwrite this field of manual grades too.")
    ] = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Show what would move, and write nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Grade anew what a scorer graded; the grades of people stay."""
    from sunrise.cli import undo_commands

    undo_commands.regrade(
        home, scorer=scorer, since=since, scope=scope, force=force or [], preview=preview, as_json=as_json
    )


@admission_app.command("rules")
def list_rules(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List the rules of admission, and which are switched off."""
    from sunrise.cli import admission_commands

    admission_commands.list_rules(home, as_json=as_json)


@admission_app.command("report")
def report_admission(
    home: HomeOption = None,
    days: Annotated[float | None, typer.Option(min=0, help="Only rows of the last days; else all.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what the rules would make of the rows that the ledger holds; change nothing."""
    from sunrise.cli import admission_commands

    admission_commands.report(home, days=days, as_json=as_json)


@trust_app.command("list")
def list_trust(
    home: HomeOption = None,
    tier: Annotated[
        str, typer.Option(help="trusted, untrusted, quarantined, unknown, or all.")
    ] = "quarantined",
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="How many, newest first.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """List the records of a trust tier, where they come from, and why they have it."""
    from sunrise.cli import trust_commands

    trust_commands.list_trust(home, tier=tier, limit=limit, as_json=as_json)


@trust_app.command("set")
def set_trust(
    refs: Annotated[list[str], typer.Argument(metavar="REF...", help="Such as obs:12 or mem:3f0c.")],
    tier: Annotated[str, typer.Argument(metavar="TIER", help="trusted, untrusted, quarantined or unknown.")],
    home: HomeOption = None,
    reason: Annotated[str, typer.Option(help="Why, for the audit trail.")] = "by hand",
    as_json: JsonOption = False,
) -> None:
    """Give records a trust tier; each change can be undone."""
    from sunrise.cli import trust_commands

    trust_commands.set_trust(home, refs, tier=tier, reason=reason, as_json=as_json)


@trust_app.command("release")
def release_trust(
    refs: Annotated[list[str], typer.Argument(metavar="REF...", help="Such as obs:12 or mem:3f0c.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take records out of quarantine, to what their origin gives them."""
    from sunrise.cli import trust_commands

    trust_commands.release_trust(home, refs, as_json=as_json)


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
