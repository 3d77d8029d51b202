"""The group of commands on snapshots. What they do is imported inside them."""

from __future__ import annotations

from typing import Annotated

import typer

from sunrise.cli.options import DryRunOption, HomeOption, JsonOption

snapshot_app = typer.Typer(
    help="Safety copies of ledger and memories, and the way back to them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="As the list gives it.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Do it; without this nothing is done.")]


@snapshot_app.command("create")
def create_snapshot(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Letters, digits, dot, dash, underscore; else by the time."),
    ] = None,
    home: HomeOption = None,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="A note for the list.")] = "",
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Take a snapshot of both stores by hand."""
    from sunrise.cli import snapshot_commands

    snapshot_commands.create(home, name, note=reason, dry_run=dry_run, as_json=as_json)


@snapshot_app.command("list")
def list_snapshots(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List the snapshots, newest first."""
    from sunrise.cli import snapshot_commands

    snapshot_commands.list_all(home, as_json=as_json)


@snapshot_app.command("show")
def show_snapshot(
    name: NameArgument,
    home: HomeOption = None,
    verify: Annotated[bool, typer.Option("--verify", help="Hash every part and every cell.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what a snapshot holds, and whether its parts are there."""
    from sunrise.cli import snapshot_commands

    snapshot_commands.show(home, name, verify=verify, as_json=as_json)


@snapshot_app.command("diff")
def diff_snapshots(
    old: Annotated[str, typer.Argument(metavar="A", help="A snapshot.")],
    new: Annotated[str, typer.Argument(metavar="B", help="Another one, or now.")] = "now",
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say how B differs from A: counts and refs, no texts."""
    from sunrise.cli import snapshot_commands

    snapshot_commands.diff(home, old, new, as_json=as_json)


@snapshot_app.command("checkout")
def check_out_snapshot(
    name: NameArgument,
    to: Annotated[str, typer.Option("--to", metavar="DIR", help="A new or empty folder.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Lay a snapshot out as a home of its own, to be looked at."""
    from sunrise.cli import snapshot_commands

    snapshot_commands.check_out(home, name, to=to, as_json=as_json)


@snapshot_app.command("restore")
def restore_snapshot(
    name: NameArgument,
    home: HomeOption = None,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Go back to a snapshot in both stores, after every part of it was checked."""
    from sunrise.cli import snapshot_commands

    snapshot_commands.restore(home, name, yes=yes, dry_run=dry_run, as_json=as_json)


@snapshot_app.command("delete")
def delete_snapshot(
    name: NameArgument,
    home: HomeOption = None,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Remove a snapshot: the tag, then the copy."""
    from sunrise.cli import snapshot_commands

    snapshot_commands.delete(home, name, yes=yes, dry_run=dry_run, as_json=as_json)
