"""The MCP door over both transports, asked by the client of the library that it is made with."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from sunrise.bootstrap import open_home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.rooms import rooms_path
from sunrise.serve.tokens import BoundToken, Caller, Right, TokenBook, hash_of
from sunrise.settings import load_settings
from tests.serving import Served, served

RUN = "20261118T110640Z-grade-123456"
BOOK = TokenBook((
    BoundToken(hash_of("reader" * 5), Caller("reader", frozenset({Right.READ}), ("agent:1",))),
    BoundToken(hash_of("operator" * 5), Caller("operator")),
))  # fmt: skip


def test_a_client_is_told_what_each_tool_does(door: Served) -> None:
    async def ask(client: Any) -> Any:
        return await client.list_tools()

    tools = {tool.name: tool for tool in _over_http(door, ask).tools}
    hints = {
        name: (tool.annotations.read_only_hint, tool.annotations.destructive_hint)
        for name, tool in tools.items()
    }
    assert hints == {
        "memory_recall": (True, False), "memory_store": (False, False), "memory_forget": (False, True),
        "memory_erase": (False, True),
        "memory_list": (True, False), "memory_stats": (True, False), "memory_get": (True, False),
        "memory_export": (False, True), "memory_import": (False, False),
    }  # fmt: skip
    assert set(tools["memory_recall"].input_schema["properties"]) == {"query", "limit", "scope"}
    # What no text can do: say whose words it is.
    assert "source_kind" not in tools["memory_store"].input_schema["properties"]
    assert {tool.output_schema for tool in tools.values()} == {None}


def test_one_block_of_json_answers_over_http(door: Served) -> None:
    async def ask(client: Any) -> Any:
        return await client.call_tool("memory_recall", {"query": "green tea 備份", "limit": 2})

    _check(_over_http(door, ask))


@pytest.mark.slow
def test_one_block_of_json_answers_over_stdio(own_home: Path) -> None:
    async def ask(client: Any) -> Any:
        answer = await client.call_tool("memory_recall", {"query": "green tea 備份", "limit": 2})
        bound = await client.call_tool("memory_recall", {"query": "green plan", "scope": "agent:2"})
        return answer, bound

    answer, bound = _over_stdio(own_home, ask, "--scope", "global", "--scope", "agent:1")
    _check(answer)
    assert bound.is_error
    assert json.loads(bound.content[0].text)["reason"] == "scope_not_allowed"


@pytest.mark.parametrize(
    "arguments", [{}, {"query": 1}, {"query": "a", "limit": 0}, {"query": "a", "limit": 101}]
)
def test_arguments_that_do_not_fit_are_an_error_of_the_tool(door: Served, arguments: dict[str, Any]) -> None:
    async def ask(client: Any) -> Any:
        return await client.call_tool("memory_recall", arguments)

    assert _over_http(door, ask).is_error


def test_a_bound_token_stays_in_its_scopes(own_home: Path) -> None:
    async def ask(client: Any) -> Any:
        own = await client.call_tool("memory_recall", {"query": "green plan"})
        foreign = await client.call_tool("memory_recall", {"query": "green plan", "scope": "agent:2"})
        with pytest.raises(MCPError, match="right_not_allowed"):
            await client.read_resource(f"sunrise://receipts/{RUN}")
        return own, foreign

    with served(own_home, tokens=BOOK, mcp=True) as running:
        own, foreign = _over_http(running, ask, token="reader" * 5)
    assert [item["ref"] for item in json.loads(own.content[0].text)["items"]] == ["mem:m-secret-plan"]
    assert foreign.is_error
    problem = json.loads(foreign.content[0].text)
    noted, other = map(json.loads, (own_home / "serve-audit.jsonl").read_text().splitlines())
    assert (other["reason"], other["route"]) == ("right_not_allowed", "receipt")
    assert (problem["reason"], noted["reason"]) == ("scope_not_allowed", "scope_not_allowed")
    assert (noted["requestId"], noted["route"]) == (problem["requestId"], "memory_recall")


def test_a_receipt_is_a_resource(own_home: Path) -> None:
    receipt = RunReceipt(run_id=RUN, flow="grade", status=RunStatus.OK, started_ms=1)
    with open_home(load_settings(own_home)) as home:
        home.ledger.save_run(receipt)

    async def ask(client: Any) -> Any:
        for wrong in ("none", "..%2Fsunrise.toml", "a%00b"):
            with pytest.raises(MCPError):
                await client.read_resource(f"sunrise://receipts/{wrong}")
        templates = await client.list_resource_templates()
        assert [one.uri_template for one in templates.resource_templates] == ["sunrise://receipts/{run_id}"]
        return await client.read_resource(f"sunrise://receipts/{RUN}")

    with served(own_home, mcp=True) as running:
        (content,) = _over_http(running, ask).contents
    assert json.loads(content.text) == json.loads(json.dumps(receipt.to_dict()))


def test_the_gateways_client_is_answered_with_plain_json(door: Served) -> None:
    """As seen of OpenClaw's client: protocol 2025-11-25, no session, and GET may be refused."""
    accept = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    hello = {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bundle", "version": "1"},
    }  # fmt: skip
    first = door.ask("POST", "/mcp", _message("initialize", hello), **accept)
    assert (first.status, first.headers["content-type"]) == (200, "application/json")
    assert first.json["result"]["protocolVersion"] == "2025-11-25"
    told = door.ask("POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, **accept)
    assert (told.status, told.body) == (202, b"")
    listed = door.ask("POST", "/mcp", _message("tools/list", {}), **accept)
    names = {tool["name"] for tool in listed.json["result"]["tools"]}
    assert names >= {"memory_recall", "memory_store", "memory_forget", "memory_list", "memory_stats"}
    call = {"name": "memory_recall", "arguments": {"query": "tea"}}
    called = door.ask("POST", "/mcp", _message("tools/call", call), **accept)
    assert [block["type"] for block in called.json["result"]["content"]] == ["text"]
    assert called.json["result"].get("structuredContent") is None
    assert door.ask("GET", "/mcp", **accept).status == 405


def _check(answer: Any) -> None:
    assert not answer.is_error
    assert answer.structured_content is None
    (block,) = answer.content
    refs = [item["ref"] for item in json.loads(block.text)["items"]]
    assert sorted(refs) == ["mem:m-tea", "mem:m-zh"]
    assert "部署前必須備份資料庫" in block.text


def _message(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def _over_http(running: Served, ask: Callable[[Any], Awaitable[Any]], *, token: str = "") -> Any:
    async def run() -> Any:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with httpx2.AsyncClient(headers=headers, trust_env=False) as http:
            return await _asked(streamable_http_client(f"{running.url}/mcp", http_client=http), ask)

    return asyncio.run(run())


def _over_stdio(home: Path, ask: Callable[[Any], Awaitable[Any]], *arguments: str) -> Any:
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "sunrise", "mcp", "--home", str(home), *arguments],
        cwd=rooms_path(),
        # The client hands on next to nothing of its environment.
        env={"PYTHONPATH": os.environ.get("PYTHONPATH", "")},
    )
    return asyncio.run(_asked(stdio_client(command), ask))


async def _asked(transport: AbstractAsyncContextManager[Any], ask: Callable[[Any], Awaitable[Any]]) -> Any:
    async with Client(transport) as client:
        return await ask(client)


def test_what_looks_like_json_is_a_text_all_the_same(own_home: Path) -> None:
    said = '{"key": "the harbour is closed"}'

    async def ask(client: Any) -> Any:
        one = await client.call_tool("memory_import", {"lines": '{"id": "i-1", "text": "Coffee at nine"}'})
        kept = await client.call_tool("memory_store", {"text": said})
        gone = await client.call_tool("memory_forget", {"query": said})
        return [json.loads(answer.content[0].text) for answer in (one, kept, gone)]

    with served(own_home, mcp=True) as running:
        one, kept, gone = _over_http(running, ask)
    assert one["counts"]["imported"] == 1
    assert (kept["status"], gone["status"]) == ("created", "forgotten")
