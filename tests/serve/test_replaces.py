"""A memory is replaced the same through every door, and by nobody in a scope that is not theirs."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

import sunrise
from sunrise.cli.app import main
from sunrise.domain.answers import store_answer_of
from sunrise.serve.tokens import BoundToken, Caller, Right, TokenBook, hash_of
from tests.serving import Served, served

BOOK = TokenBook((
    BoundToken(hash_of("one" * 9), Caller("one", frozenset({Right.READ, Right.WRITE}), ("agent:1",))),
    BoundToken(hash_of("operator" * 5), Caller("operator")),
))  # fmt: skip
ONE = {"Authorization": f"Bearer {'one' * 9}"}
OPERATOR = {"Authorization": f"Bearer {'operator' * 5}"}
TEXT = "The user likes green tea no longer"
NAMED = ["mem:m-tea", "m-other"]

Print = pytest.CaptureFixture[str]
Door = Callable[[Served, pytest.MonkeyPatch, Print], dict[str, Any]]


def _library(running: Served, monkeypatch: pytest.MonkeyPatch, printed: Print) -> dict[str, Any]:
    with sunrise.open(running.home) as memories:
        return store_answer_of(memories.store(TEXT, replaces=NAMED))


def _command(running: Served, monkeypatch: pytest.MonkeyPatch, printed: Print) -> dict[str, Any]:
    words = [word for ref in NAMED for word in ("--replaces", ref)]
    monkeypatch.setattr(
        sys, "argv", ["sunrise", "store", TEXT, *words, "--home", str(running.home), "--json"]
    )
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 0
    found: dict[str, Any] = json.loads(printed.readouterr().out)
    return found


def _http(running: Served, monkeypatch: pytest.MonkeyPatch, printed: Print) -> dict[str, Any]:
    found: dict[str, Any] = running.ask("POST", "/v1/store", {"text": TEXT, "replaces": NAMED}).json
    return found


def _mcp(running: Served, monkeypatch: pytest.MonkeyPatch, printed: Print) -> dict[str, Any]:
    async def called() -> Any:
        async with Client(streamable_http_client(f"{running.url}/mcp")) as client:
            return await client.call_tool("memory_store", {"text": TEXT, "replaces": NAMED})

    (block,) = asyncio.run(called()).content
    found: dict[str, Any] = json.loads(block.text)
    return found


@pytest.mark.parametrize("door", [_library, _command, _http, _mcp])
def test_every_door_replaces_and_says_what_it_left(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Print, door: Door
) -> None:
    with served(own_home, mcp=True) as running:
        before = running.recall("green tea").json["items"]
        done = door(running, monkeypatch, capsys)
        after = running.recall("green tea").json["items"]
        listed = running.ask("POST", "/v1/list", {"state": "superseded"}).json["items"]
    assert (done["status"], done["receipt"]["replaced"]) == ("created", ["mem:m-tea"])
    # One of another scope is not found, as one that is nowhere.
    assert done["receipt"]["notReplaced"] == [{"ref": "mem:m-other", "reason": "not_found"}]
    assert [item["ref"] for item in before] == ["mem:m-tea"]
    assert [item["ref"] for item in after] == [done["ref"], "mem:m-tea"]
    assert [item["ref"] for item in listed] == ["mem:m-tea"]


def test_a_bound_token_replaces_nothing_in_other_scopes_and_learns_nothing_of_them(own_home: Path) -> None:
    with served(own_home, tokens=BOOK) as running:
        said = {"text": "Agent one has another plan", "replaces": ["m-secret-plan", "m-other", "m-nowhere"]}
        done = running.ask("POST", "/v1/store", said, **ONE).json["receipt"]
        refused = running.ask("POST", "/v1/store", {**said, "scope": "agent:2"}, **ONE)
        theirs = running.ask("POST", "/v1/list", {"state": "superseded"}, **OPERATOR).json["items"]
    assert done["replaced"] == ["mem:m-secret-plan"]
    assert {one["ref"]: one["reason"] for one in done["notReplaced"]} == {
        "mem:m-other": "not_found", "mem:m-nowhere": "not_found",
    }  # fmt: skip
    assert (refused.status, refused.reason) == (403, "scope_not_allowed")
    assert [item["ref"] for item in theirs] == ["mem:m-secret-plan"]


@pytest.mark.parametrize(
    ("replaces", "reason"),
    [
        (["obs:1"], "bad_replaces"), (["two words"], "not_valid"), ("m-tea", "not_valid"),
        ([f"m{at}" for at in range(21)], "not_valid"),
    ],
)  # fmt: skip
def test_what_names_no_memories_is_refused(door: Served, replaces: Any, reason: str) -> None:
    answer = door.ask("POST", "/v1/store", {"text": TEXT, "replaces": replaces})
    assert (answer.status, answer.reason) == (422, reason)


def test_the_command_line_says_what_became_of_each(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Print
) -> None:
    words = ["store", TEXT, "--id", "new", "--replaces", "m-tea", "--replaces", "new"]
    monkeypatch.setattr(sys, "argv", ["sunrise", *words, "--home", str(own_home)])
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().out.splitlines() == [
        "created      mem:new", "replaced     mem:m-tea", "not replaced mem:new itself",
    ]  # fmt: skip
