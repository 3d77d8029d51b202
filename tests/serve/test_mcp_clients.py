"""All of the MCP door over either transport: many calls at once, given up, cut in a character, and late."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from sunrise.bootstrap import open_home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.rooms import rooms_path
from sunrise.serve.tokens import BoundToken, Caller, Right, TokenBook, hash_of
from sunrise.settings import load_settings
from tests.mcp_calls import Ask, over_http, over_stdio
from tests.serving import Served, served

RUN = "20261118T110640Z-grade-123456"
CALLS = {
    "memory_recall": {"query": "green tea"}, "memory_list": {"limit": 2}, "memory_stats": {},
    "memory_get": {"ref": "mem:m-tea"}, "memory_export": {"format": "markdown"},
    "memory_import": {"lines": '[{"text": "The gate is blue"}]', "dry_run": True},
    "memory_store": {"text": "The printer stands on floor 3"}, "memory_forget": {"id": "mem:m-backup"},
    "memory_erase": {"query": "The printer stands on floor 3"},
}  # fmt: skip


BY_ITSELF = b"sunrise: answered by this process\n"
"""What a client finds in the log of a server that found no service to ask."""


def test_all_of_the_door_answers_over_http(own_home: Path) -> None:
    with served(own_home, mcp=True) as running:
        _use_all(own_home, partial(over_http, running))


@pytest.mark.slow
def test_all_of_the_door_answers_over_stdio(own_home: Path) -> None:
    _use_all(own_home, partial(over_stdio, own_home))


def _use_all(home: Path, over: Callable[[Ask], Any]) -> None:
    receipt = RunReceipt(run_id=RUN, flow="grade", status=RunStatus.OK, started_ms=1)
    with open_home(load_settings(home)) as opened:
        opened.ledger.save_run(receipt)

    async def ask(client: Any) -> None:
        assert client.server_capabilities.prompts is None
        assert {tool.name for tool in (await client.list_tools()).tools} == set(CALLS)
        for name, arguments in CALLS.items():
            answer = await client.call_tool(name, arguments)
            assert not answer.is_error, (name, answer.content)
            assert isinstance(json.loads(answer.content[0].text), dict)
        titles = {str(one.uri): one.title for one in (await client.list_resources()).resources}
        # The other one is that of the erasure.
        assert (len(titles), titles[f"sunrise://receipts/{RUN}"]) == (2, "grade: ok")
        (content,) = (await client.read_resource(f"sunrise://receipts/{RUN}")).contents
        assert json.loads(content.text)["run_id"] == RUN
        assert (await client.call_tool("memory_nothing", {})).is_error
        await _ask_at_once(client)
        await _give_up(client)

    over(ask)


async def _ask_at_once(client: Any) -> None:
    stores = [client.call_tool("memory_store", {"text": f"Shelf {n} holds box {n * 7}"}) for n in range(12)]
    recalls = [client.call_tool("memory_recall", {"query": "green tea"}) for _ in range(24)]
    answers = await asyncio.gather(*stores, *recalls)
    assert [one.is_error for one in answers] == [False] * 36
    refs = {json.loads(one.content[0].text)["ref"] for one in answers[:12]}
    assert len(refs) == 12


async def _give_up(client: Any) -> None:
    with anyio.move_on_after(0.001) as given_up:
        await client.call_tool("memory_store", {"text": "The tent is on the upper shelf"})
    assert given_up.cancelled_caught
    after = await client.call_tool("memory_stats", {})
    assert not after.is_error


def test_receipts_are_named_to_admins_only(own_home: Path) -> None:
    book = TokenBook((BoundToken(hash_of("reader" * 5), Caller("reader", frozenset({Right.READ}))),))
    with open_home(load_settings(own_home)) as opened:
        opened.ledger.save_run(RunReceipt(run_id=RUN, flow="grade", status=RunStatus.OK, started_ms=1))

    async def ask(client: Any) -> Any:
        return await client.list_resources()

    with served(own_home, tokens=book, mcp=True) as running:
        assert over_http(running, ask, token="reader" * 5).resources == []


def test_a_text_that_was_cut_in_an_emoji_is_stored_over_http(own_home: Path) -> None:
    with served(own_home, mcp=True) as running:
        accept = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
        answer = running.ask("POST", "/mcp", _line(1, _store("The party is at nine \ud83d")), **accept)
        _check_stored(running.home, "The party is at nine \ufffd", json.loads(answer.body))


@pytest.mark.slow
def test_a_text_that_was_cut_in_an_emoji_is_stored_over_stdio(own_home: Path) -> None:
    with _process(own_home) as process:
        _write(process, _line(1, _store("The party is at nine \ud83d")))
        answer = _read(process)
        assert process.communicate(timeout=60) == (b"", BY_ITSELF)
    _check_stored(own_home, "The party is at nine \ufffd", answer)


@pytest.mark.slow
def test_what_a_client_leaves_behind_on_stdio_is_whole_or_absent(own_home: Path) -> None:
    texts = [f"Drawer {number} holds key {number * 7}" for number in range(20)]
    with _process(own_home) as process:
        _write(process, *(_line(number, _store(text)) for number, text in enumerate(texts, start=2)))
        first = _read(process)
        rest, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, BY_ITSELF)
    answers = [first, *map(json.loads, rest.splitlines())]
    acknowledged = {texts[one["id"] - 2] for one in answers if "result" in one}
    there = _texts(own_home)
    assert acknowledged
    assert acknowledged <= set(there)
    assert all(there.count(text) <= 1 for text in texts)


def test_what_a_service_acknowledged_while_it_was_stopped_is_there(own_home: Path) -> None:
    acknowledged: list[str] = []
    has_begun = threading.Event()

    async def ask(client: Any) -> None:
        for number in range(500):
            text = f"Drawer {number} holds key {number * 7}"
            answer = await client.call_tool("memory_store", {"text": text})
            if not answer.is_error:
                acknowledged.append(text)
            if number == 5:
                has_begun.set()

    with served(own_home, mcp=True, rate_per_s=10_000, burst=10_000) as running:
        failed: list[BaseException] = []
        thread = threading.Thread(target=_until_it_fails, args=(running, ask, failed))
        thread.start()
        assert has_begun.wait(60)
    thread.join(60)
    assert not thread.is_alive()
    assert failed
    there = _texts(own_home)
    assert len(acknowledged) > 5
    assert [there.count(text) for text in acknowledged] == [1] * len(acknowledged)


def _until_it_fails(running: Served, ask: Ask, failed: list[BaseException]) -> None:
    try:
        over_http(running, ask)
    except BaseException as error:
        failed.append(error)


def _process(home: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "sunrise", "mcp", "--home", str(home)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=rooms_path(), stdin=pipe, stdout=pipe, stderr=pipe)
    hello = {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"},
    }  # fmt: skip
    initialized = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'
    _write(process, _line(0, {"method": "initialize", "params": hello}), initialized)
    assert _read(process)["id"] == 0
    return process


def _write(process: subprocess.Popen[bytes], *lines: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(b"".join(lines))
    process.stdin.flush()


def _read(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdout is not None
    return dict(json.loads(process.stdout.readline()))


def _store(text: str) -> dict[str, Any]:
    return {"method": "tools/call", "params": {"name": "memory_store", "arguments": {"text": text}}}


def _line(number: int, message: dict[str, Any]) -> bytes:
    # In ASCII, as JavaScript writes half a character.
    return json.dumps({"jsonrpc": "2.0", "id": number, **message}).encode("ascii") + b"\n"


def _check_stored(home: Path, text: str, answer: dict[str, Any]) -> None:
    assert json.loads(answer["result"]["content"][0]["text"])["status"] == "created"
    assert text in _texts(home)


def _texts(home: Path) -> list[str]:
    with open_home(load_settings(home)) as opened:
        memories = opened.memories()
        assert memories is not None
        return list(memories.scan(["text"])["text"].to_pylist())
