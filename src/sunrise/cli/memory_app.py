"""The commands on single memories and on all of them. What they do is imported inside them."""

from __future__ import annotations

from typing import Annotated

import typer

from sunrise.cli.options import DryRunOption, HomeOption, JsonOption, VerboseOption

ScopeOption = Annotated[str | None, typer.Option(help="Only memories of this scope.")]
CategoryOption = Annotated[str | None, typer.Option(help="Only of this category.")]
LabelOption = Annotated[
    str | None, typer.Option(help="Only of this importance: must_remember, nice_to_have, ignore, unknown.")
]
TrustOption = Annotated[
    str | None, typer.Option(help="Only of this tier: trusted, untrusted, quarantined, unknown.")
]
StateOption = Annotated[
    str | None, typer.Option(help="Only of this state: active, stale, superseded, archived, captured.")
]
SinceOption = Annotated[str | None, typer.Option(metavar="TIME", help="Only those made since this time.")]
QuarantinedOption = Annotated[
    bool, typer.Option("--quarantined", help="With the texts of quarantined records too.")
]
RefArgument = Annotated[
    str, typer.Argument(metavar="REF", help="Such as mem:3f0c5a1e or obs:12; eight characters of an id do.")
]


def list_memories(
    home: HomeOption = None,
    scope: ScopeOption = None,
    category: CategoryOption = None,
    label: LabelOption = None,
    trust: TrustOption = None,
    state: StateOption = None,
    since: SinceOption = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many on a page.")] = 20,
    cursor: Annotated[str | None, typer.Option(help="Go on where a page ended; it says its cursor.")] = None,
    quarantined: QuarantinedOption = False,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """List memories, newest first."""
    from sunrise.cli import memory_commands

    wanted = {"scope": scope, "category": category, "label": label, "trust": trust, "state": state}
    memory_commands.list_memories(
        home,
        wanted,
        since=since,
        limit=limit,
        cursor=cursor,
        quarantined=quarantined,
        as_json=as_json,
        verbose=verbose,
    )


def stats(
    home: HomeOption = None,
    scope: ScopeOption = None,
    vectors: Annotated[
        bool, typer.Option("--vectors/--no-vectors", help="Count missing vectors, which reads them all.")
    ] = True,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Count the memories by scope, category, importance, trust, state, origin, language and age."""
    from sunrise.cli import memory_commands

    memory_commands.stats(home, scope=scope, vectors=vectors, as_json=as_json, verbose=verbose)


def get(
    ref: RefArgument,
    home: HomeOption = None,
    quarantined: QuarantinedOption = False,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Show one record whole: its fields, what changed them, what it belongs to, how it was used."""
    from sunrise.cli import memory_commands

    memory_commands.get(home, ref, quarantined=quarantined, as_json=as_json, verbose=verbose)


def timeline(
    ref: Annotated[str | None, typer.Argument(metavar="REF", help="Such as mem:3f0c5a1e or obs:12.")] = None,
    home: HomeOption = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="TIME", help="A moment in place of a ref.")
    ] = None,
    scope: Annotated[str | None, typer.Option(help="With --at: only of this scope.")] = None,
    hours: Annotated[float, typer.Option(min=0.01, max=8784, help="How far to look, either way.")] = 24.0,
    before: Annotated[int, typer.Option(min=0, max=200, help="How many before.")] = 10,
    after: Annotated[int, typer.Option(min=0, max=200, help="How many after.")] = 10,
    quarantined: QuarantinedOption = False,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Show what was captured before and after a record or a moment."""
    from sunrise.cli import memory_commands

    memory_commands.timeline(
        home,
        ref,
        at=at,
        scope=scope,
        hours=hours,
        before=before,
        after=after,
        quarantined=quarantined,
        as_json=as_json,
        verbose=verbose,
    )


def revive(
    ref: Annotated[
        str | None, typer.Argument(metavar="REF", help="One record, such as mem:3f0c5a1e or obs:12.")
    ] = None,
    home: HomeOption = None,
    source: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="All held back at entry from this file, folder or kind of source."),
    ] = None,
    run: Annotated[
        str | None, typer.Option(metavar="RUN", help="All that this run of harvest held back at entry.")
    ] = None,
    trust: TrustOption = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Bring an archived or replaced record back, or all that was held back at entry. It can be undone."""
    from sunrise.cli import memory_commands

    if ref is not None and source is None and run is None and trust is None:
        memory_commands.revive(home, ref, dry_run=dry_run, as_json=as_json, verbose=verbose)
        return
    if ref is not None or (source is None and run is None):
        raise typer.BadParameter("name one REF, or --source NAME, or --run RUN")
    from sunrise.cli import held_back_commands

    held_back_commands.revive(home, source=source, run=run, trust=trust, dry_run=dry_run, as_json=as_json)


def export(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to; - is standard output.")] = "-",
    home: HomeOption = None,
    form: Annotated[
        str | None,
        typer.Option("--format", help="jsonl, json, markdown or parquet; else by the file's name."),
    ] = None,
    scope: ScopeOption = None,
    category: CategoryOption = None,
    label: LabelOption = None,
    trust: TrustOption = None,
    state: StateOption = None,
    since: SinceOption = None,
    redact: Annotated[
        bool, typer.Option("--redact/--no-redact", help="Take secrets out; --no-redact leaves them in.")
    ] = True,
    vectors: Annotated[bool, typer.Option("--vectors", help="With the vectors of the model in use.")] = False,
    quarantined: Annotated[
        bool, typer.Option("--quarantined", help="Quarantined memories too; else they are left out.")
    ] = False,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Write memories to a file, oldest first; the same memories give the same bytes."""
    from sunrise.cli import transfer_commands

    wanted = {"scope": scope, "category": category, "label": label, "trust": trust, "state": state}
    transfer_commands.export(
        home,
        file,
        wanted,
        form=form,
        since=since,
        redact=redact,
        vectors=vectors,
        quarantined=quarantined,
        as_json=as_json,
        verbose=verbose,
    )


def import_(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="JSON lines or a JSON array; - is standard input.")
    ],
    home: HomeOption = None,
    dedupe: Annotated[
        str, typer.Option(help="A row is there already by: none, its id, or id_text: its text as well.")
    ] = "id_text",
    trust: Annotated[
        bool, typer.Option("--trust", help="Vouch for the tiers and origins that the file claims.")
    ] = False,
    scope: Annotated[str | None, typer.Option(help="Put every memory into this scope.")] = None,
    dry_run: DryRunOption = False,
    batch: Annotated[int, typer.Option(min=1, max=100_000, help="Rows that are written at once.")] = 10_000,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Add the memories of a file. Bad lines go to quarantine, and the rest goes on."""
    from sunrise.cli import transfer_commands

    how = {"dedupe": dedupe, "trust": trust, "scope": scope, "dry_run": dry_run, "batch": batch}
    transfer_commands.import_file(home, file, how, as_json=as_json, verbose=verbose)


def mend_ids(
    home: HomeOption = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="Give the ids, and do not only show to which memories.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Give memories without an id, or with that of another one, an id of their own; it can be undone."""
    from sunrise.cli import memory_commands

    memory_commands.mend_ids(home, dry_run=not apply, as_json=as_json)


def register(app: typer.Typer) -> None:
    """Add the commands, in the order in which they are shown."""
    for name, command in (
        ("list", list_memories),
        ("stats", stats),
        ("get", get),
        ("timeline", timeline),
        ("export", export),
        ("import", import_),
        ("revive", revive),
        ("mend-ids", mend_ids),
    ):
        app.command(name)(command)
    # Pages of earlier versions call it `sunrise memory revive`.
    group = typer.Typer(help="The command revive, under its longer name.", rich_markup_mode=None)
    group.command("revive")(revive)
    group.callback()(_no_option)
    app.add_typer(group, name="memory", hidden=True)


def _no_option() -> None:
    """Keep a group with one command a group."""
