"""What the commands do that store and forget."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import typer
from pydantic.alias_generators import to_camel

from sunrise.bootstrap import Home, open_home
from sunrise.cli.exit_codes import ExitCode
from sunrise.cli.moments import when
from sunrise.cli.output import say
from sunrise.cli.recall_lines import print_path
from sunrise.cli.service_answers import asked_of_service, body_of, whole
from sunrise.cli.tables import table, terminal_width
from sunrise.cli.trust_commands import beginning
from sunrise.domain.answers import forget_answer_of, store_answer_of
from sunrise.domain.forget import ForgetRequest, ForgetResult, ForgetStatus
from sunrise.domain.store import StoreRequest, StoreResult, StoreStatus
from sunrise.errors import DataError, StoreError
from sunrise.online.forget import forget
from sunrise.online.policies import store_policy
from sunrise.online.store import store
from sunrise.ports import MemoryTable
from sunrise.settings import load_settings

_STORED = {StoreStatus.QUARANTINED: ExitCode.ANOMALY, StoreStatus.REFUSED: ExitCode.FAILED}
FORGOTTEN = {
    ForgetStatus.CANDIDATES: ExitCode.ANOMALY,
    ForgetStatus.AMBIGUOUS: ExitCode.ANOMALY,
    ForgetStatus.NOT_FOUND: ExitCode.FAILED,
}


def store_text(
    home: str | None, text: str, *, asked: Mapping[str, Any], as_json: bool, verbose: bool = False
) -> NoReturn:
    """Store a text, and leave with 3 where it is kept in quarantine, with 1 where it is refused."""
    said = sys.stdin.read() if text == "-" else text
    with sensible():
        request = StoreRequest(said, **asked)
    # What was forgotten comes back by hand alone, and not through the service.
    answer = None
    if not request.again:
        answer = asked_of_service(home, "/v1/store", _store_body(said, asked), verbose=verbose)
    elif verbose:
        print_path("this process")
    data = store_answer_of(_stored(home, request)) if answer is None else answer
    say(data, "\n".join(_store_lines(data)), as_json=as_json)
    raise SystemExit(_STORED.get(StoreStatus(data["status"]), ExitCode.OK))


def forget_memory(
    home: str | None, *, asked: Mapping[str, Any], as_json: bool, verbose: bool = False
) -> NoReturn:
    """Forget a memory, and leave with 3 where several may be meant, with 1 where there is none."""
    with sensible():
        request = ForgetRequest(**asked)
    answer = asked_of_service(home, "/v1/forget", body_of(asked), verbose=verbose)
    data = forget_answer_of(_forgotten(home, request)) if answer is None else answer
    say(data, "\n".join(forgotten_lines(data, zone=load_settings(home).timezone)), as_json=as_json)
    raise SystemExit(FORGOTTEN.get(ForgetStatus(data["status"]), ExitCode.OK))


def _forgotten(home: str | None, request: ForgetRequest) -> ForgetResult:
    with _opened(home) as (place, memories):
        embedder = place.recall_embedder(memories)
        return forget(
            request,
            memories=memories,
            ledger=place.ledger,
            embedder=embedder,
            clock=place.clock,
            calibration=place.calibration(memories, embedder),
        )


def _stored(home: str | None, request: StoreRequest) -> StoreResult:
    with _opened(home) as (place, memories):
        return store(
            request,
            memories=memories,
            ledger=place.ledger,
            embedder=place.recall_embedder(memories),
            clock=place.clock,
            policy=store_policy(place.settings),
        )


def _store_body(text: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    body = {to_camel(name): value for name, value in asked.items() if name != "again"}
    with suppress(TypeError, ValueError):
        # A command line knows texts alone.
        body["importance"] = float(body["importance"])
    return {**body, "text": whole(text)}


@contextmanager
def sensible() -> Iterator[None]:
    """Turn what makes no sense into an error of the command line."""
    try:
        yield
    except DataError as error:
        raise typer.BadParameter(str(error)) from error


@contextmanager
def _opened(home: str | None) -> Iterator[tuple[Home, MemoryTable]]:
    settings = load_settings(home)
    with open_home(settings) as place:
        memories = place.memories()
        if memories is None:
            msg = f"there are no memories in {settings.memories_uri} yet: the agent makes them"
            raise StoreError(msg)
        yield place, memories


def _store_lines(data: Mapping[str, Any]) -> list[str]:
    receipt = data["receipt"]
    lines = [f"{data['status']:<12} {data['ref'] or receipt['reason'] or ''}".rstrip()]
    if receipt["filled"]:
        lines.append(f"{'filled in':<12} {', '.join(receipt['filled'])}")
    lines += [f"{'kept apart':<12} {ref}" for ref in receipt["near"]]
    lines += [f"{'replaced':<12} {ref}" for ref in receipt["replaced"]]
    lines += [f"{'not replaced':<12} {one['ref']} {one['reason']}" for one in receipt["notReplaced"]]
    return lines + _warned(receipt["warnings"])


def forgotten_lines(data: Mapping[str, Any], *, zone: str) -> list[str]:
    """Return what a forgetting did, a line for each memory."""
    lines = [f"{data['status']:<12} {ref}" for ref in data["refs"]] or [data["status"]]
    rows = [
        [one["ref"], one["scope"], when(one.get("createdAtMs"), zone), beginning(one["text"])]
        for one in data["candidates"]
    ]
    if rows:
        lines += ["", table(rows, header=["ref", "scope", "when", "text"], within=terminal_width())]
        lines += ["", "nothing was forgotten: say which, by the ref of one of them"]
    lines += [f"{'made of it':<12} {ref}" for ref in data["receipt"]["derived"] if ref not in data["refs"]]
    return lines


def _warned(warnings: Sequence[str]) -> list[str]:
    return [f"{'warning':<12} {one}" for one in warnings]
