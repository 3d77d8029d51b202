"""The commands that answer a turn of the agent and explain it. What they do is imported inside them."""

from __future__ import annotations

from typing import Annotated

import typer

from sunrise.cli.options import HomeOption, JsonOption, VerboseOption

explain_app = typer.Typer(
    help="Why memories were, or were not, before the agent.", no_args_is_help=True, rich_markup_mode=None
)


def auto_recall(
    prompt: Annotated[str, typer.Argument(metavar="PROMPT", help="What the agent is told; - reads it.")],
    home: HomeOption = None,
    session: Annotated[str, typer.Option(help="The session that the turn belongs to.")] = "default",
    scope: Annotated[str | None, typer.Option(help="The scope; else that of a tag, or the default.")] = None,
    turn: Annotated[str | None, typer.Option(help="Its name, so that asking twice is one turn.")] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Leave no trace of the turn.")] = False,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Print what is put before the agent at a turn: working set and memories, within the budget."""
    from sunrise.cli.turn_commands import answer_turn

    asked = {"session_key": session, "scope": scope, "turn_key": turn, "read_only": read_only}
    answer_turn(home, prompt, asked, as_json=as_json, verbose=verbose)


def capture(
    path: Annotated[str, typer.Argument(metavar="FILE", help="Messages of a session as JSON; - reads them.")],
    home: HomeOption = None,
    session: Annotated[str, typer.Option(help="The session that they belong to.")] = "default",
    session_key: Annotated[str | None, typer.Option(help="Its key, as hooks name it.")] = None,
    scope: Annotated[str | None, typer.Option(help="The scope; else that of a tag, or the default.")] = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Keep what the owner said in a turn: the messages as the gateway hands them to agent_end."""
    from sunrise.cli.turn_commands import capture_turn

    asked = {"session_id": session, "session_key": session_key, "scope": scope}
    capture_turn(home, path, asked, as_json=as_json, verbose=verbose)


@explain_app.command("last")
def explain_last(
    home: HomeOption = None,
    session: Annotated[str | None, typer.Option(help="Of this session; else of all.")] = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Show of every memory of the last turn why it was or was not there, on one screen."""
    from sunrise.cli.turn_commands import explain_last as explain

    explain(home, session=session, as_json=as_json, verbose=verbose)
