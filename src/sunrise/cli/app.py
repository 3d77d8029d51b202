"""The command line: parse, call, print. Everything heavy is imported inside the commands."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from sunrise.cli import memory_app, store_app, turn_app, writeback_app
from sunrise.cli.embedder_app import embedder_app
from sunrise.cli.governance_apps import admission_app, grade_app, lifecycle_app, trust_app
from sunrise.cli.options import DryRunOption, HomeOption, JsonOption
from sunrise.cli.snapshot_app import snapshot_app
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
app.command("store")(store_app.store)
app.command("forget")(store_app.forget)
memory_app.register(app)
app.command("writeback")(writeback_app.writeback)
app.command("writeback-lancedb")(writeback_app.writeback_lancedb)
app.add_typer(sources_app, name="sources")
app.add_typer(grade_app, name="grade")
app.add_typer(admission_app, name="admission")
app.add_typer(lifecycle_app, name="lifecycle")
app.add_typer(trust_app, name="trust")
app.add_typer(quarantine_app, name="quarantine")
app.add_typer(snapshot_app, name="snapshot")
app.add_typer(embedder_app, name="embedder")
app.command("auto-recall")(turn_app.auto_recall)
app.command("capture")(turn_app.capture)
app.add_typer(turn_app.explain_app, name="explain")


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
def recall(
    query: Annotated[str, typer.Argument(help="What to look for, in any language.")],
    home: HomeOption = None,
    scope: Annotated[str | None, typer.Option(help="Scope of the memories; else global.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="How many, best first.")] = 5,
    archived: Annotated[bool, typer.Option("--archived", help="Archived memories too.")] = False,
    as_json: JsonOption = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say whether the running service answered.")
    ] = False,
) -> None:
    """Find memories by what they say and mean, through the running service if there is one."""
    from sunrise.cli.recall_commands import recall_memories

    recall_memories(
        home, query, scope=scope, limit=limit, archived=archived, as_json=as_json, verbose=verbose
    )


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
def serve(
    home: HomeOption = None,
    host: Annotated[str | None, typer.Option(help="In place of the setting.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="In place of the setting.")] = None,
    init_token: Annotated[
        bool, typer.Option("--init-token", help="Make the token of the home, and start nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Answer over HTTP and MCP until stopped."""
    from sunrise.cli import serve_commands

    if init_token:
        serve_commands.init_token(home, as_json=as_json)
    else:
        serve_commands.serve(home, host=host, port=port)


@app.command()
def token(
    name: Annotated[str, typer.Argument(help="Who will use it.")],
    home: HomeOption = None,
    scope: Annotated[
        list[str] | None, typer.Option(help="A scope that it is bound to; repeatable. All, if none.")
    ] = None,
    right: Annotated[
        list[str] | None, typer.Option(help="read, write, admin or owner; repeatable. read, if none.")
    ] = None,
    grant: Annotated[
        list[str] | None, typer.Option(help="Give a token that there is this right; repeatable.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a token for one client of the service, and show it once; or give one more rights."""
    from sunrise.cli.serve_commands import bind_token, grant_rights

    if grant:
        grant_rights(home, name, grant, named_more=bool(scope or right), as_json=as_json)
        return
    bind_token(home, name, scopes=scope or [], rights=right or [], as_json=as_json)


@app.command()
def mcp(
    home: HomeOption = None,
    scope: Annotated[
        list[str] | None, typer.Option(help="A scope that the client is bound to; repeatable.")
    ] = None,
) -> None:
    """Answer MCP on standard input and output, for a client that starts this itself."""
    from sunrise.cli.serve_commands import answer_mcp

    answer_mcp(home, scopes=scope or [])


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
def embed(
    home: HomeOption = None,
    dry_run: DryRunOption = False,
    drop_old: Annotated[
        bool, typer.Option("--drop-old", help="Drop the vectors of models that no longer answer.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Give every memory a vector of the model that the settings name, then switch to them at once."""
    from sunrise.cli.embed_commands import embed as embed_memories

    embed_memories(home, dry_run=dry_run, drop_old=drop_old, as_json=as_json)


@app.command("eval")
def evaluate(
    golden: Annotated[
        list[str], typer.Argument(metavar="GOLDEN...", help="Golden JSONL, LoCoMo-shaped JSON, or own.")
    ],
    home: HomeOption = None,
    embedder: Annotated[str | None, typer.Option(help="In place of the one of the settings.")] = None,
    k: Annotated[str, typer.Option("--k", metavar="K,K", help="Depths of recall and hits.")] = "5,10,20",
    limit: Annotated[int | None, typer.Option(min=1, help="So many queries of each set, evenly.")] = None,
    ranker: Annotated[str, typer.Option(help="recall, or one leg alone: bm25 or dense.")] = "recall",
    baseline: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="Compare with a kept run, its file, last, or another ranker."),
    ] = None,
    save: Annotated[str | None, typer.Option(metavar="NAME", help="Keep the run under a name.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure recall on golden sets, by language and category, and compare it with an earlier run."""
    from sunrise.cli.eval_commands import evaluate_golden

    evaluate_golden(
        home,
        golden,
        embedder=embedder,
        k=k,
        limit=limit,
        ranker=ranker,
        baseline=baseline,
        save=save,
        as_json=as_json,
    )


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
