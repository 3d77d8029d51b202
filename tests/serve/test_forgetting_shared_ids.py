"""An id that several memories have is asked back at every door, and no door reaches into another scope."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

import sunrise
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.cli.app import main
from sunrise.domain.answers import forget_answer_of
from sunrise.domain.row_names import row_name
from sunrise.serve.tokens import BoundToken, Caller, Right, TokenBook, hash_of
from tests.homes import NOW
from tests.serving import Served, served

BOOK = TokenBook((
    BoundToken(hash_of("one" * 9), Caller("one", frozenset({Right.READ, Right.WRITE}), ("agent:1",))),
))  # fmt: skip
ONE = {"Authorization": f"Bearer {'one' * 9}"}
HERE, TOO, THERE = (
    {"id": "k1", "text": text, "scope": scope, "createdAt": float(NOW)}
    for text, scope in (("the gate", "global"), ("the shed", "global"), ("the office", "agent:1"))
)
Print = pytest.CaptureFixture[str]
Door = Callable[[Served, str, Print], dict[str, Any]]


@pytest.fixture
def table(own_home: Path) -> LanceMemories:
    made = LanceMemories.open(own_home / "lance")
    made.add(pa.Table.from_pylist([HERE, TOO, THERE]))
    return made


def _library(running: Served, name: str, printed: Print) -> dict[str, Any]:
    with sunrise.open(running.home) as memories:
        return forget_answer_of(memories.forget(name, scope="global"))


def _command(running: Served, name: str, printed: Print) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        words = ["sunrise", "forget", name, "--scope", "global", "--json"]
        patch.setattr(sys, "argv", [*words, "--home", str(running.home)])
        with pytest.raises(SystemExit):
            main()
    found: dict[str, Any] = json.loads(printed.readouterr().out)
    return found


def _http(running: Served, name: str, printed: Print) -> dict[str, Any]:
    found: dict[str, Any] = running.ask("POST", "/v1/forget", {"id": name, "scope": "global"}).json
    return found


def _mcp(running: Served, name: str, printed: Print) -> dict[str, Any]:
    async def called() -> Any:
        async with Client(streamable_http_client(f"{running.url}/mcp")) as client:
            return await client.call_tool("memory_forget", {"id": name, "scope": "global"})

    (block,) = asyncio.run(called()).content
    found: dict[str, Any] = json.loads(block.text)
    return found


def held(table: LanceMemories) -> list[str]:
    return sorted(table.by_ids(["k1"], ["text"]).column("text").to_pylist())


@pytest.mark.parametrize("door", [_library, _command, _http, _mcp])
def test_every_door_asks_which_and_takes_that_one(
    own_home: Path, table: LanceMemories, capsys: Print, door: Door
) -> None:
    with served(own_home, mcp=True) as running:
        asked = door(running, "k1", capsys)
        before = held(table)
        done = door(running, f"mem:{row_name(TOO)}", capsys)
    assert asked["status"] == "ambiguous"
    assert {(one["ref"], one["text"], one["createdAtMs"]) for one in asked["candidates"]} == {
        (f"mem:{row_name(row)}", row["text"], NOW) for row in (HERE, TOO)
    }
    assert before == ["the gate", "the office", "the shed"]
    assert (done["status"], done["refs"]) == ("forgotten", [f"mem:{row_name(TOO)}"])
    assert held(table) == ["the gate", "the office"]


def test_a_bound_token_means_the_row_of_its_scope_and_no_other(own_home: Path, table: LanceMemories) -> None:
    with served(own_home, tokens=BOOK) as running:
        foreign = running.ask("POST", "/v1/forget", {"id": row_name(HERE)}, **ONE).json
        before = held(table)
        done = running.ask("POST", "/v1/forget", {"id": "k1"}, **ONE).json
        again = running.ask("POST", "/v1/forget", {"id": "k1"}, **ONE).json
    assert (foreign["status"], foreign["candidates"]) == ("not_found", [])
    assert before == ["the gate", "the office", "the shed"]
    assert (done["status"], done["receipt"]["deleted"]) == ("forgotten", 1)
    assert held(table) == ["the gate", "the shed"]
    assert (again["status"], again["candidates"]) == ("not_found", [])
