"""The commands on grades, admission, the lifecycle and trust. What they do is imported inside them."""

from __future__ import annotations

from typing import Annotated

import typer

from sunrise.cli.options import DryRunOption, HomeOption, JsonOption

admission_app = typer.Typer(
    help="What is collapsed onto a row that is kept.", no_args_is_help=True, rich_markup_mode=None
)
trust_app = typer.Typer(help="How far records are trusted.", no_args_is_help=True, rich_markup_mode=None)
lifecycle_app = typer.Typer(
    help="What is archived because nobody uses it.", no_args_is_help=True, rich_markup_mode=None
)
grade_app = typer.Typer(
    help="How important records are, and why.", no_args_is_help=True, rich_markup_mode=None
)


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


@lifecycle_app.command("approve")
def approve_archiving(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="The lifecycle run that held it back.")],
    home: HomeOption = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Archive what a run would have archived and held back; what was used since stays."""
    from sunrise.cli import lifecycle_commands

    lifecycle_commands.approve(home, run_id, dry_run=dry_run, as_json=as_json)


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


@trust_app.command("recheck")
def recheck_trust(
    home: HomeOption = None, dry_run: DryRunOption = False, as_json: JsonOption = False
) -> None:
    """Trust less what stands in the owner's name and names another speaker; it can be undone."""
    from sunrise.cli import trust_commands

    trust_commands.recheck_trust(home, dry_run=dry_run, as_json=as_json)
