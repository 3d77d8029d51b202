"""What the commands do that answer a turn of the agent and explain it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from sunrise.bootstrap import open_home
from sunrise.cli.output import say
from sunrise.domain.auto_recall_explained import explain_lines
from sunrise.domain.auto_recall_record import from_record
from sunrise.domain.capture_request import CaptureRequest
from sunrise.domain.turn_request import AutoRecallRequest
from sunrise.errors import DataError
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


def capture_turn(
    home: str | None,
    path: str,
    *,
    session: str,
    session_key: str | None,
    scope: str | None,
    as_json: bool,
) -> None:
    """Keep what the owner said, and print what became of it."""
    request = CaptureRequest(_messages(path), session, session_key, scope=scope)
    with open_home(load_settings(home)) as opened:
        result = opened.auto_capture(request)
    receipt = result.receipt
    lines = [f"{'stored':<12} {ref}" for ref in result.refs]
    lines += [f"{'left out':<12} {count} {reason}" for reason, count in receipt.filtered.items()]
    lines += [f"{'warning':<12} {warning}" for warning in receipt.warnings]
    said = "\n".join(lines) or f"nothing: {receipt.reason or 'no statement of the owner'}"
    say({"refs": list(result.refs), "receipt": receipt.to_dict()}, said, as_json=as_json)


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


def _messages(path: str) -> list[Mapping[str, Any]]:
    """Return the messages of a file: a list, or the payload of the hook that holds one."""
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
        held = json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        msg = f"{path} holds no messages: {error}"
        raise DataError(msg, reason="no_messages") from error
    messages = held.get("messages") if isinstance(held, dict) else held
    if not isinstance(messages, list) or not all(isinstance(one, dict) for one in messages):
        msg = f"{path} holds no messages: a list of objects with role and content is needed"
        raise DataError(msg, reason="no_messages")
    return messages


def _said(text: str) -> str:
    return sys.stdin.read() if text == "-" else text
