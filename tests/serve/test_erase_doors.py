"""Store, recall, forget, recall, erase: the same types and values through every door, and no byte left."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

import sunrise
from sunrise.domain.answers import answer_of, erase_answer_of, forget_answer_of, store_answer_of
from sunrise.serve.audit import AUDIT_FILE
from sunrise.serve.tokens import BoundToken, Caller, Right, TokenBook, hash_of
from tests.commands import typed
from tests.serving import announced, make_home, served

TEXT = "The zebra crossing is closed on Mondays"
EVERY = frozenset(Right)
BOOK = TokenBook((
    BoundToken(hash_of("operator" * 5), Caller("operator")),
    BoundToken(hash_of("writer" * 5), Caller("writer", frozenset({Right.READ, Right.WRITE}))),
    BoundToken(hash_of("bound" * 5), Caller("bound", EVERY, ("agent:1",))),
))  # fmt: skip

Ask = Callable[[str, str], dict[str, Any]]
Door = Callable[[Path, pytest.MonkeyPatch, pytest.CaptureFixture[str]], AbstractContextManager[Ask]]


@contextmanager
def _library(home: Path, *_: Any) -> Iterator[Ask]:
    said: dict[str, Callable[[Any], dict[str, Any]]] = {
        "store": store_answer_of,
        "recall": answer_of,
        "forget": forget_answer_of,
        "erase": erase_answer_of,
    }
    with sunrise.open(home) as memories:
        yield lambda call, first: said[call](getattr(memories, call)(first))


@contextmanager
def _http(home: Path, *_: Any) -> Iterator[Ask]:
    names = {"store": "text", "recall": "query", "forget": "id", "erase": "id"}
    with served(home) as running:

        def ask(call: str, first: str) -> dict[str, Any]:
            answer = running.ask("POST", f"/v1/{call}", {names[call]: first})
            assert answer.status == 200, answer.body
            found: dict[str, Any] = answer.json
            return found

        yield ask


@contextmanager
def _mcp(home: Path, *_: Any) -> Iterator[Ask]:
    names = {"store": "text", "recall": "query", "forget": "id", "erase": "id"}
    with served(home, mcp=True) as running:

        async def called(call: str, said: dict[str, Any]) -> Any:
            async with Client(streamable_http_client(f"{running.url}/mcp")) as client:
                return await client.call_tool(f"memory_{call}", said)

        def ask(call: str, first: str) -> dict[str, Any]:
            answer = asyncio.run(called(call, {names[call]: first}))
            assert not answer.is_error, answer.content
            found: dict[str, Any] = json.loads(answer.content[0].text)
            return found

        yield ask


def _command_line(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    def ask(call: str, first: str) -> dict[str, Any]:
        words = ["forget", first, "--erase"] if call == "erase" else [call, first]
        _, out, err = typed(monkeypatch, capsys, *words, "--home", str(home), "--json", "-v")
        found: dict[str, Any] = json.loads(out)
        return {**found, "path": err}

    return ask


@contextmanager
def _own_process(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Ask]:
    ask = _command_line(home, monkeypatch, capsys)
    yield lambda *said: _by("sunrise: answered by this process\n", ask(*said))


@contextmanager
def _through_the_service(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Ask]:
    ask = _command_line(home, monkeypatch, capsys)
    with served(home) as running, announced(running):
        yield lambda *said: _by("sunrise: answered by the service\n", ask(*said))


def _by(path: str, answer: dict[str, Any]) -> dict[str, Any]:
    assert answer.pop("path") == path
    return answer


def _told(answer: dict[str, Any], ref: str) -> Any:
    """Return an answer without what differs from one call to the next."""
    text = json.dumps(_steady(answer), sort_keys=True)
    return json.loads(text.replace(ref, "REF"))


def _steady(value: Any) -> Any:
    if isinstance(value, dict):
        volatile = {"runId", "atMs", "latencyMs", "createdAtMs", "date", "score", "foundIn"}
        return {name: type(one).__name__ if name in volatile else _steady(one) for name, one in value.items()}
    return [_steady(one) for one in value] if isinstance(value, list) else value


def _life(ask: Ask) -> list[Any]:
    kept = ask("store", TEXT)
    ref = kept["ref"]
    found, gone = ask("recall", "zebra crossing"), ask("forget", ref)
    nothing, erased, again = ask("recall", "zebra crossing"), ask("erase", ref), ask("store", TEXT)
    assert [one["text"] for one in found["items"]] == [TEXT]
    assert (gone["status"], nothing["items"], again["status"]) == ("forgotten", [], "refused")
    assert (erased["status"], erased["erasure"]["complete"], erased["erasure"]["stillHolds"]) == (
        "already",
        True,
        [],
    )
    return [_told(one, ref) for one in (kept, found, gone, nothing, erased, again)]


def _holders(home: Path, text: str) -> list[str]:
    """Look through every byte of a home, by a reading of our own."""
    sought = text.casefold().encode()
    files = [path for path in home.rglob("*") if path.is_file()]
    return [str(path) for path in files if sought in path.read_bytes().lower()]


def test_every_door_gives_the_same_types_and_values_and_leaves_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    doors: tuple[Door, ...] = (_library, _http, _mcp, _own_process, _through_the_service)
    lives = []
    for number, door in enumerate(doors):
        home = make_home(tmp_path / str(number))
        with door(home, monkeypatch, capsys) as ask:
            lives.append(_life(ask))
            assert _holders(home, "The user likes green tea")
            assert _holders(home, TEXT) == []
    assert lives[1:] == lives[:1] * (len(doors) - 1)


def test_only_an_operator_erases_and_whoever_may_not_is_audited(own_home: Path) -> None:
    with served(own_home, tokens=BOOK) as running:

        def ask(who: str, **said: Any) -> tuple[int, Any]:
            headers = {"Authorization": f"Bearer {who * 5}"}
            answer = running.ask("POST", "/v1/erase", {"id": "m-tea", **said}, **headers)
            return answer.status, answer.json.get("reason", answer.json.get("status"))

        assert ask("writer") == (403, "right_not_allowed")
        assert ask("bound", id="m-secret-plan", scope="agent:1") == (403, "scope_not_allowed")
        assert running.recall("green tea", headers={"Authorization": f"Bearer {'writer' * 5}"}).json["items"]
        assert ask("operator") == (200, "forgotten")
        assert ask("operator", id="nothing-like-it") == (200, "not_found")
    lines = [json.loads(line) for line in (own_home / AUDIT_FILE).read_text().splitlines()]
    assert [(one["client"], one["reason"], one["route"]) for one in lines] == [
        ("writer", "right_not_allowed", "/v1/erase"),
        ("bound", "scope_not_allowed", "/v1/erase"),
    ]
    assert _holders(own_home, "The user likes green tea") == []


def test_where_another_flow_is_at_work_it_is_forgotten_and_the_receipt_says_busy(own_home: Path) -> None:
    with sunrise.open(own_home) as memories:
        memories.home.ledger.acquire_lease("harvest", run_id="r")
        done = memories.erase("m-tea")
        assert done.erasure is not None
        assert (str(done.forgotten.status), done.erasure.status, done.erasure.complete) == (
            "forgotten",
            "busy",
            False,
        )
        memories.home.ledger.release_lease("harvest", run_id="r")
        again = memories.erase("m-tea", backups=True)
        assert again.erasure is not None
        assert (str(again.forgotten.status), again.erasure.complete) == ("already", True)


def test_without_flows_nothing_is_forgotten(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sunrise.rooms.ROOMS", ("a-room-that-is-nowhere",))
    with served(own_home) as running:
        answer = running.ask("POST", "/v1/erase", {"id": "m-tea"})
        assert (answer.status, answer.reason) == (503, "no_flows")
        assert running.recall("green tea").json["items"]
