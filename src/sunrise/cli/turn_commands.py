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
from sunrise.cli.memory_commands import usage_errors
from sunrise.cli.output import say
from sunrise.cli.service_answers import asked_of_service, body_of, whole
from sunrise.domain.answers import capture_answer_of, explained_answer_of, turn_answer_of
from sunrise.domain.auto_recall_explained import explain_lines
from sunrise.domain.auto_recall_record import from_record
from sunrise.domain.capture_request import CaptureRequest
from sunrise.domain.turn_request import AutoRecallRequest
from sunrise.errors import DataError
from sunrise.settings import load_settings


def answer_turn(
    home: str | None,
    prompt: str,
    asked: Mapping[str, Any],
    *,
    as_json: bool,
    verbose: bool = False,
) -> None:
    """Print what is put before the agent at a turn."""
    said = _said(prompt)
    with usage_errors():
        request = AutoRecallRequest(said, **asked)
    body = {"prompt": whole(said), **body_of(asked)}
    data = asked_of_service(home, "/v1/auto-recall", body, verbose=verbose)
    if data is None:
        with open_home(load_settings(home)) as opened:
            data = turn_answer_of(opened.auto_recall(request))
    data["items"] = [{"ref": one["ref"], "score": one["score"]} for one in data["items"]]
    say(data, data["text"] or _why_nothing(data["receipt"]), as_json=as_json)


def _why_nothing(receipt: Mapping[str, Any]) -> str:
    reason = receipt.get("skipReason")
    if reason is not None:
        return f"nothing was looked up: {reason.replace('_', ' ')}"
    return "nothing fits this prompt; `sunrise explain last` says what was found and why it was left out"


def capture_turn(
    home: str | None,
    path: str,
    asked: Mapping[str, Any],
    *,
    as_json: bool,
    verbose: bool = False,
) -> None:
    """Keep what the owner said, and print what became of it."""
    with usage_errors():
        messages = _messages(path)
        request = CaptureRequest(messages, **asked)
    body = {"messages": messages, **body_of(asked)}
    data = asked_of_service(home, "/v1/capture", body, verbose=verbose)
    if data is None:
        with open_home(load_settings(home)) as opened:
            data = capture_answer_of(opened.auto_capture(request))
    receipt = data["receipt"]
    lines = [f"{'stored':<12} {ref}" for ref in data["refs"]]
    lines += [f"{'left out':<12} {count} {reason}" for reason, count in receipt["filteredOut"].items()]
    lines += [f"{'warning':<12} {warning}" for warning in receipt["warnings"]]
    said = "\n".join(lines) or f"nothing: {receipt['reason'] or 'no statement of the owner'}"
    say(data, said, as_json=as_json)


def explain_last(home: str | None, *, session: str | None, as_json: bool, verbose: bool = False) -> None:
    """Print of every memory why it was or was not before the agent at the last turn."""
    data = asked_of_service(home, "/v1/explain", {"sessionKey": session}, verbose=verbose)
    if data is None:
        with open_home(load_settings(home)) as opened:
            data = explained_answer_of(opened.ledger.last_turn(session))
    if data["turn"] is None:
        whose = "" if session is None else f" of the session {session}"
        say({"turn": None}, f"no turn{whose} yet", as_json=as_json)
        raise typer.Exit
    number = data.pop("number")
    receipt = replace(from_record(data["turn"]), turn=number)
    say(data, "\n".join(explain_lines(receipt)), as_json=as_json)


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
