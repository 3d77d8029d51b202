"""What the commands do that answer a turn of the agent and explain it."""

from __future__ import annotations

import sys
from dataclasses import replace

import typer

from sunrise.bootstrap import open_home
from sunrise.cli.output import say
from sunrise.domain.auto_recall_explained import explain_lines
from sunrise.domain.auto_recall_record import from_record
from sunrise.domain.turn_request import AutoRecallRequest
from sunrise.settings import load_settings


def answer_turn(
    home: str | None,
    prompt: str,
    *,
    session: str,
    scope: str | None,
    turn: str | None,
    read_only: bool,
    as_json: bool,
) -> None:
    """Print what is put before the agent at a turn."""
    request = AutoRecallRequest(_said(prompt), session, scope, turn, read_only)
    with open_home(load_settings(home)) as opened:
        result = opened.auto_recall(request)
    data = {
        "text": result.text,
        "items": [{"ref": one.ref, "score": one.score} for one in result.items],
        "receipt": result.receipt.to_dict(),
    }
    say(data, result.text or f"nothing: {result.receipt.why_summary}", as_json=as_json)


def explain_last(home: str | None, *, session: str | None, as_json: bool) -> None:
    """Print of every memory why it was or was not before the agent at the last turn."""
    with open_home(load_settings(home)) as opened:
        turn = opened.ledger.last_turn(session)
    if turn is None:
        whose = "" if session is None else f" of the session {session}"
        say({"turn": None}, f"no turn{whose} yet", as_json=as_json)
        raise typer.Exit
    receipt = replace(from_record(turn.receipt), turn=turn.number)
    say(
        {"session": turn.session_key, "turn": turn.receipt},
        "\n".join(explain_lines(receipt)),
        as_json=as_json,
    )


def _said(text: str) -> str:
    return sys.stdin.read() if text == "-" else text
