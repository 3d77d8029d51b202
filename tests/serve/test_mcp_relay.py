"""`sunrise mcp` beside a running service: it hands on, answers the same, and loads no model of its own."""

from __future__ import annotations

import asyncio
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from sunrise.rooms import rooms_path
from sunrise.serve.mcp_relay import Relay, relay_messages
from sunrise.serve.tokens import BoundToken, Caller, TokenBook, hash_of, init_token
from tests.serving import announced, served

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
BOOK = TokenBook((BoundToken(hash_of("bound" * 5), Caller("bound", scopes=("agent:1",))),))


def message(method: str, params: dict[str, Any], name: object = 1) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": name, "method": method, "params": params}).encode() + b"\n"


def recall(query: str, name: object = 1, **more: Any) -> bytes:
    return message("tools/call", {"name": "memory_recall", "arguments": {"query": query, **more}}, name)


def said(relay: Relay, *lines: bytes) -> dict[Any, Any]:
    out = io.BytesIO()
    relay_messages(relay, io.BytesIO(b"".join(lines)), out)
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    return {one["id"]: one for one in answers}


def block(answer: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer["result"]["content"][0]["text"])
    return found


def refs(answer: dict[str, Any]) -> list[str]:
    return [one["ref"] for one in block(answer)["items"]]


def test_messages_are_handed_on_and_each_is_answered_once(own_home: Path) -> None:
    with served(own_home, mcp=True) as running, announced(running):
        relay = Relay(own_home)
        assert relay.is_answered()
        told = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode() + b"\n"
        many = [recall("green tea 備份", f"m-{at}") for at in range(20)]
        answers = said(relay, message("initialize", HELLO, 0), told, b"\n", *many)
    assert answers[0]["result"]["protocolVersion"] == "2025-06-18"
    assert set(answers) == {0, *(f"m-{at}" for at in range(20))}
    assert all(sorted(refs(answers[f"m-{at}"])) == ["mem:m-tea", "mem:m-zh"] for at in range(20))


def test_scopes_bind_through_the_service_too_and_only_narrow(own_home: Path) -> None:
    init_token(own_home)
    with served(own_home, mcp=True) as running, announced(running):
        bound = said(
            Relay(own_home, scopes=("agent:1", "工作")),
            recall("green plan", 1),
            recall("green plan", 2, scope="agent:2"),
        )
        free = said(Relay(own_home), recall("green plan", 1, scope="agent:2"))
        wrong = running.recall(headers={"X-Sunrise-Scopes": "agent:1"})
    assert refs(bound[1]) == ["mem:m-secret-plan"]
    assert block(bound[2])["reason"] == "scope_not_allowed"
    assert refs(free[1]) == ["mem:m-other"]
    assert (wrong.status, wrong.reason) == (400, "bad_request")


def test_nobody_widens_their_scopes(own_home: Path) -> None:
    with served(own_home, tokens=BOOK) as running:
        headers = {"Authorization": f"Bearer {'bound' * 5}"}
        wide = running.recall(headers={**headers, "X-Sunrise-Scopes": '["agent:1", "agent:2"]'})
        same = running.recall("green plan", headers={**headers, "X-Sunrise-Scopes": '["agent:1"]'})
    assert (wide.status, wide.reason) == (403, "scope_not_allowed")
    assert [one["ref"] for one in same.json["items"]] == ["mem:m-secret-plan"]
    (noted,) = map(json.loads, (own_home / "serve-audit.jsonl").read_text().splitlines())
    assert (noted["client"], noted["reason"]) == ("bound", "scope_not_allowed")


def test_a_problem_of_the_service_is_an_error_of_the_protocol(own_home: Path) -> None:
    with served(own_home, tokens=BOOK, mcp=True) as running, announced(running):
        relay = Relay(own_home)
        assert not relay.is_answered()
        error = said(relay, recall("tea", 7))[7]["error"]
    assert (error["code"], error["data"]["reason"]) == (-32000, "token_missing")


def test_a_service_that_is_gone_is_waited_for_and_then_named(own_home: Path) -> None:
    relay = Relay(own_home, restart_s=0.2)
    assert not relay.is_answered()
    assert "sunrise serve" in said(relay, recall("tea", 7))[7]["error"]["message"]
    with served(own_home, mcp=True) as running, announced(running):
        assert refs(said(relay, recall("green tea", 8))[8])[0] == "mem:m-tea"


def test_a_service_without_mcp_is_left_alone(own_home: Path) -> None:
    with served(own_home) as running, announced(running):
        assert not Relay(own_home).is_answered()


@pytest.mark.slow
def test_a_client_that_starts_it_itself_is_answered_by_the_service(own_home: Path, tmp_path: Path) -> None:
    async def asked() -> Any:
        command = StdioServerParameters(
            command=sys.executable,
            args=["-X", "importtime", "-m", "sunrise", "mcp", "--home", str(own_home), "--scope", "agent:1"],
            cwd=rooms_path(),
            env={"PYTHONPATH": os.environ.get("PYTHONPATH", "")},
        )
        with (tmp_path / "err").open("w") as err:
            async with Client(stdio_client(command, errlog=err)) as client:
                tools = await client.list_tools()
                own = await client.call_tool("memory_recall", {"query": "green plan"})
                gone = await client.call_tool("memory_forget", {"id": "m-secret-plan"})
                foreign = await client.call_tool("memory_recall", {"query": "tea", "scope": "global"})
                return tools, own, gone, foreign

    with served(own_home, mcp=True) as running, announced(running):
        tools, own, gone, foreign = asyncio.run(asked())
    assert {"memory_recall", "memory_erase"} <= {one.name for one in tools.tools}
    assert json.loads(own.content[0].text)["items"][0]["ref"] == "mem:m-secret-plan"
    assert json.loads(gone.content[0].text)["status"] == "forgotten"
    assert (foreign.is_error, json.loads(foreign.content[0].text)["reason"]) == (True, "scope_not_allowed")
    log = (tmp_path / "err").read_text()
    assert "sunrise: answered by the service" in log
    loaded = {line.rpartition("|")[2].strip() for line in log.splitlines()}
    assert not loaded & {"mcp", "numpy", "pyarrow", "lancedb", "fastapi", "sqlite3"}


@pytest.mark.slow
def test_without_a_service_the_log_says_that_this_process_answers(own_home: Path) -> None:
    command = [sys.executable, "-m", "sunrise", "mcp", "--home", str(own_home)]
    hello = message("initialize", HELLO)
    done = subprocess.run(command, input=hello, capture_output=True, timeout=60, check=True)
    assert done.stderr.startswith(b"sunrise: answered by this process\n")
