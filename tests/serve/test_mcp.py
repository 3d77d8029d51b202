"""The MCP door over both transports, asked by the client of the library that it is made with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

from sunrise.bootstrap import open_home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.serve.tokens import BoundToken, Caller, Right, TokenBook, hash_of
from sunrise.settings import load_settings
from tests.mcp_calls import over_http, over_stdio
from tests.serving import Served, served

RUN = "20261118T110640Z-grade-123456"
BOOK = TokenBook((
    BoundToken(hash_of("reader" * 5), Caller("reader", frozenset({Right.READ}), ("agent:1",))),
    BoundToken(hash_of("operator" * 5), Caller("operator")),
))  # fmt: skip


def test_a_client_is_told_what_each_tool_does(door: Served) -> None:
    async def ask(client: Any) -> Any:
        return await client.list_tools()

    tools = {tool.name: tool for tool in over_http(door, ask).tools}
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
    assert set(tools["memory_recall"].input_schema["properties"]) == {
        "query", "limit", "scope", "include_archived",
    }  # fmt: skip
    # What no text can do: say whose words it is.
    assert "source_kind" not in tools["memory_store"].input_schema["properties"]
    assert {tool.output_schema for tool in tools.values()} == {None}


def test_one_block_of_json_answers_over_http(door: Served) -> None:
    async def ask(client: Any) -> Any:
        return await client.call_tool("memory_recall", {"query": "green tea 備份", "limit": 2})

    _check(over_http(door, ask))


@pytest.mark.slow
def test_one_block_of_json_answers_over_stdio(own_home: Path) -> None:
    async def ask(client: Any) -> Any:
        answer = await client.call_tool("memory_recall", {"query": "green tea 備份", "limit": 2})
        bound = await client.call_tool("memory_recall", {"query": "green plan", "scope": "agent:2"})
        return answer, bound

    answer, bound = over_stdio(own_home, ask, "--scope", "global", "--scope", "agent:1")
    _check(answer)
    assert bound.is_error
    assert json.loads(bound.content[0].text)["reason"] == "scope_not_allowed"


@pytest.mark.parametrize(
    ("tool", "arguments", "fault"),
    [
        ("memory_recall", {}, ("query", "missing")),
        ("memory_recall", {"query": 1}, ("query", "string_type")),
        ("memory_recall", {"query": "a", "limit": 0}, ("limit", "greater_than_equal")),
        ("memory_recall", {"query": "a", "limit": 101}, ("limit", "less_than_equal")),
        # A scope that nobody heard of would be every scope.
        ("memory_recall", {"query": "a", "scopes": ["agent:1"]}, ("scopes", "extra_forbidden")),
        ("memory_import", {"lines": '{"text": "a"}', "dryRun": True}, ("dryRun", "extra_forbidden")),
    ],
)
def test_arguments_that_do_not_fit_are_a_problem_of_the_tool(
    door: Served, tool: str, arguments: dict[str, Any], fault: tuple[str, str]
) -> None:
    async def ask(client: Any) -> Any:
        return await client.call_tool(tool, arguments)

    answer = over_http(door, ask)
    problem = json.loads(answer.content[0].text)
    assert (answer.is_error, problem["reason"], len(problem["requestId"])) == (True, "not_valid", 32)
    assert [(one["field"], one["code"]) for one in problem["faults"]] == [fault]


@pytest.mark.parametrize("importance", [7, "7", "urgent", -0.5])
def test_an_importance_that_is_none_is_refused_with_the_right_values(door: Served, importance: Any) -> None:
    async def ask(client: Any) -> Any:
        return await client.call_tool("memory_store", {"text": "a", "importance": importance})

    problem = json.loads(over_http(door, ask).content[0].text)
    assert (problem["reason"], problem["title"]) == (
        "bad_importance",
        "importance is 0 to 1, or must_remember, nice_to_have, ignore, unknown",
    )


def test_an_empty_answer_says_in_words_why(door: Served) -> None:
    async def ask(client: Any) -> Any:
        return await client.call_tool("memory_recall", {"query": "xylophone"})

    receipt = json.loads(over_http(door, ask).content[0].text)["receipt"]
    assert receipt["message"] == (
        'nothing fits in scope global; 2 scopes hold memories, try the scope "agent:1"'
    )


def test_a_text_that_is_json_arrives_as_a_text(own_home: Path) -> None:
    async def ask(client: Any) -> Any:
        line = json.dumps({"text": "The lamp in the hall is green"})
        imported = await client.call_tool("memory_import", {"lines": line})
        return imported, await client.call_tool("memory_forget", {"query": "null"})

    with served(own_home, mcp=True) as running:
        imported, forgotten = over_http(running, ask)
    assert json.loads(imported.content[0].text)["counts"]["imported"] == 1
    assert not forgotten.is_error
    assert json.loads(forgotten.content[0].text)["status"] == "not_found"


def test_what_fails_unforeseen_says_no_more_than_that(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("The green plan of agent two")

    async def ask(client: Any) -> Any:
        return await client.call_tool("memory_recall", {"query": "green"})

    with served(own_home, mcp=True) as running:
        monkeypatch.setattr(running.service, "recall", fail)
        answer = over_http(running, ask)
    assert (answer.is_error, json.loads(answer.content[0].text)["reason"]) == (True, "failed")
    assert "green" not in answer.content[0].text


def test_a_bound_token_stays_in_its_scopes(own_home: Path) -> None:
    async def ask(client: Any) -> Any:
        own = await client.call_tool("memory_recall", {"query": "green plan"})
        foreign = await client.call_tool("memory_recall", {"query": "green plan", "scope": "agent:2"})
        with pytest.raises(MCPError, match="right_not_allowed"):
            await client.read_resource(f"sunrise://receipts/{RUN}")
        return own, foreign

    with served(own_home, tokens=BOOK, mcp=True) as running:
        own, foreign = over_http(running, ask, token="reader" * 5)
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
        (content,) = over_http(running, ask).contents
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


def test_what_looks_like_json_is_a_text_all_the_same(own_home: Path) -> None:
    said = '{"key": "the harbour is closed"}'

    async def ask(client: Any) -> Any:
        one = await client.call_tool("memory_import", {"lines": '{"id": "i-1", "text": "Coffee at nine"}'})
        kept = await client.call_tool("memory_store", {"text": said})
        gone = await client.call_tool("memory_forget", {"query": said})
        return [json.loads(answer.content[0].text) for answer in (one, kept, gone)]

    with served(own_home, mcp=True) as running:
        one, kept, gone = over_http(running, ask)
    assert one["counts"]["imported"] == 1
    assert (kept["status"], gone["status"]) == ("created", "forgotten")
