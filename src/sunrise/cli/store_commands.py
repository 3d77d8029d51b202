"""What the commands do that store and forget."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, NoReturn

import typer

from sunrise.bootstrap import Home, open_home
from sunrise.cli.exit_codes import ExitCode
from sunrise.cli.output import say
from sunrise.cli.tables import table, terminal_width
from sunrise.cli.trust_commands import beginning
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


def store_text(home: str | None, text: str, *, asked: Mapping[str, Any], as_json: bool) -> NoReturn:
    """Store a text, and leave with 3 where it is kept in quarantine, with 1 where it is refused."""
    said = sys.stdin.read() if text == "-" else text
    with _sensible():
        request = StoreRequest(said, **asked)
    with _opened(home) as (place, memories):
        result = store(
            request,
            memories=memories,
            ledger=place.ledger,
            embedder=place.recall_embedder(memories),
            clock=place.clock,
            policy=store_policy(place.settings),
        )
    data = {"status": result.status.value, "receipt": result.receipt.to_dict(), "ref": result.ref}
    say(data, "\n".join(_store_lines(result)), as_json=as_json)
    raise SystemExit(_STORED.get(result.status, ExitCode.OK))


def forget_memory(home: str | None, *, asked: Mapping[str, Any], as_json: bool) -> NoReturn:
    """Forget a memory, and leave with 3 where several may be meant, with 1 where there is none."""
    result = forgotten(home, asked=asked)
    say(forgotten_data(result), "\n".join(forgotten_lines(result)), as_json=as_json)
    raise SystemExit(FORGOTTEN.get(result.status, ExitCode.OK))


def forgotten(home: str | None, *, asked: Mapping[str, Any]) -> ForgetResult:
    """Forget a memory."""
    with _sensible():
        request = ForgetRequest(**asked)
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


@contextmanager
def _sensible() -> Iterator[None]:
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


def forgotten_data(result: ForgetResult) -> dict[str, Any]:
    """Return what a forgetting did, as plain values."""
    return {
        "status": result.status.value,
        "receipt": result.receipt.to_dict(),
        "refs": list(result.refs),
        "candidates": [asdict(one) for one in result.candidates],
    }


def _store_lines(result: StoreResult) -> list[str]:
    receipt = result.receipt
    lines = [f"{result.status.value:<12} {result.ref or receipt.reason or ''}".rstrip()]
    if receipt.filled:
        lines.append(f"{'filled in':<12} {', '.join(receipt.filled)}")
    lines += [f"{'kept apart':<12} {ref}" for ref in receipt.near]
    return lines + _warned(receipt.warnings)


def forgotten_lines(result: ForgetResult) -> list[str]:
    """Return what a forgetting did, a line for each memory."""
    receipt = result.receipt
    lines = [f"{result.status.value:<12} {ref}" for ref in result.refs] or [result.status.value]
    rows = [[one.ref, one.scope, beginning(one.text)] for one in result.candidates]
    if rows:
        lines += ["", table(rows, header=["ref", "scope", "text"], within=terminal_width())]
    lines += [f"{'made of it':<12} {ref}" for ref in receipt.derived if ref not in result.refs]
    return lines


def _warned(warnings: Sequence[str]) -> list[str]:
    return [f"{'warning':<12} {one}" for one in warnings]
