"""
A token that is bound to scopes, at every address and every tool.

The addresses are those of the OpenAPI document and the tools those that a client is told of: one that is new
has no place in the tables here, and fails until it is given one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pyarrow as pa
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from sunrise.domain.forget import Tombstone
from sunrise.serve.audit import AUDIT_FILE
from sunrise.serve.http_app import openapi_document
from sunrise.serve.tokens import BoundToken, Caller, Right, TokenBook, hash_of
from tests.serving import CONFIG, Answer, Served, make_home, served

OTHER = "agent:2"
FOREIGN = ("agent two", "m-other")
"""What stands in the other scope alone."""

BEARER = {"Authorization": f"Bearer {'bound' * 5}"}
BOOK = TokenBook((BoundToken(hash_of("bound" * 5), Caller("bound", frozenset(Right), ("agent:1",))),))
SAID = [{"role": "user", "content": "Remember that I prefer tea over coffee in the morning."}]
ROW = '{"id": "i-1", "text": "A row of a file", "scope": "agent:2"}'

# What is sent to each address: a JSON body, to which the scope is added.
SCOPED: dict[str, dict[str, Any]] = {
    "/v1/recall": {"query": "green plan"},
    "/v1/auto-recall": {"prompt": "what is the green plan"},
    "/v1/store": {"text": "A thing that nobody said before"},
    "/v1/forget": {"id": "m-other"},
    "/v1/erase": {"id": "m-other"},
    "/v1/capture": {"messages": SAID},
    "/v1/list": {},
    "/v1/stats": {},
    "/v1/get": {"ref": "m-other"},
    "/v1/timeline": {"ref": "m-other"},
    "/v1/revive": {"ref": "m-other"},
    "/v1/export": {},
    "/v1/import": {"lines": ROW},
}
BY_OTHER_MEANS = {"/v1/event", "/v1/import/lines", "/v1/timeline at a moment"}
EVERY_SCOPE = {"/v1/receipts/{run_id}"}
"""What cannot be had of some scopes alone: a bound token is refused."""

NO_SCOPE = {"/v1/explain", "/healthz", "/readyz", "/metrics"}
"""What names no scope: it holds no memory, or only turns of the token's own scopes."""

TOOLS: dict[str, dict[str, Any]] = {
    "memory_recall": {"query": "green plan"},
    "memory_store": {"text": "A thing that nobody said before"},
    "memory_forget": {"id": "m-other"},
    "memory_erase": {"id": "m-other"},
    "memory_list": {},
    "memory_stats": {},
    "memory_get": {"ref": "m-other"},
    "memory_export": {},
    "memory_import": {"lines": ROW},
}


@pytest.fixture(scope="module")
def bound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that knows one token, which may do all, in one scope."""
    home = make_home(tmp_path_factory.mktemp("bound") / "home")
    with served(home, tokens=BOOK, mcp=True, rate_per_s=10_000, burst=10_000) as running:
        yield running


def audited(home: Path) -> list[dict[str, Any]]:
    file = home / AUDIT_FILE
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def check_refused(running: Served, answer: Answer, route: str) -> None:
    assert (answer.status, answer.reason) == (403, "scope_not_allowed")
    last = audited(running.home)[-1]
    assert (last["client"], last["reason"], last["route"]) == ("bound", "scope_not_allowed", route)
    assert last["requestId"] == answer.headers["x-request-id"]
    assert OTHER not in json.dumps(last)


def test_every_address_has_its_place_here() -> None:
    known = {*SCOPED, *BY_OTHER_MEANS, *EVERY_SCOPE, *NO_SCOPE} - {"/v1/timeline at a moment"}
    assert set(openapi_document()["paths"]) == known


@pytest.mark.parametrize("path", SCOPED)
def test_another_scope_is_refused_and_audited(bound: Served, path: str) -> None:
    answer = bound.ask("POST", path, {**SCOPED[path], "scope": OTHER}, **BEARER)
    check_refused(bound, answer, path)


@pytest.mark.parametrize("path", sorted(SCOPED.keys() - {"/v1/erase"}))
def test_without_a_scope_nothing_of_another_one_is_seen_or_changed(bound: Served, path: str) -> None:
    answer = bound.ask("POST", path, SCOPED[path], **BEARER)
    assert answer.status == 200
    said = answer.body.decode()
    # What was asked about may be named again.
    assert not [one for one in FOREIGN if one in said and one not in json.dumps(SCOPED[path])]
    if path == "/v1/get":
        assert (answer.json["memory"], answer.json["candidates"]) == (None, [])
    if path in {"/v1/forget", "/v1/revive"}:
        assert answer.json["status"] == "not_found"
    home = bound.service.home
    table = home.memories()
    assert table is not None
    rows = table.scan(["id", "text"], where=f"scope = '{OTHER}'").to_pylist()
    assert rows == [{"id": "m-other", "text": "The green plan of agent two"}]


@pytest.mark.parametrize("query", ["green plan of agent two", "xylophone", "green tea"])
def test_an_empty_answer_tells_a_bound_token_of_no_other_scope(bound: Served, query: str) -> None:
    asked = {"query": query, "scope": "agent:1"}
    own = bound.ask("POST", "/v1/recall", {"query": "xylophone", "scope": "agent:1"}, **BEARER)
    elsewhere = own.json["receipt"]["elsewhere"]
    assert (own.json["items"], elsewhere["scopes"], elsewhere["scope"]) == ([], 0, None)
    assert own.json["receipt"]["message"] == "nothing fits in scope agent:1; ask in other words"
    said = bound.ask("POST", "/v1/recall", asked, **BEARER).body.decode()
    assert not [one for one in ("agent:2", "global", "m-other", "m-tea") if one in said]


def test_an_empty_answer_tells_a_free_caller_of_other_scopes(door: Served) -> None:
    receipt = door.recall("xylophone").json["receipt"]
    assert (receipt["reason"], receipt["elsewhere"]["scopes"]) == ("no_match", 2)
    assert receipt["message"] == (
        'nothing fits in scope global; 2 scopes hold memories, try the scope "agent:1"'
    )
    narrowed = {"X-Sunrise-Scopes": '["agent:2"]'}
    bound = door.recall("xylophone", headers=narrowed).json["receipt"]
    assert (bound["scope"], bound["elsewhere"]["scopes"]) == ("agent:2", 0)
    assert "agent:1" not in json.dumps(bound)


def test_what_reaches_into_every_scope_is_refused(bound: Served) -> None:
    check_refused(bound, bound.ask("POST", "/v1/erase", {"id": "m-secret-plan"}, **BEARER), "/v1/erase")
    answer = bound.ask("GET", "/v1/receipts/20261118T110640Z-grade-123456", **BEARER)
    check_refused(bound, answer, "/v1/receipts/{run_id}")
    for more in ({"withDerived": True}, {"everywhere": True}):
        asked = {"id": "m-secret-plan", **more}
        check_refused(bound, bound.ask("POST", "/v1/forget", asked, **BEARER), "/v1/forget")


@pytest.mark.parametrize(
    "event",
    [{"scope": OTHER}, {"detail": {"scope": OTHER}}, {"scope": "agent:1", "detail": {"scope": OTHER}}],
)
def test_an_event_of_another_scope_is_refused(bound: Served, event: dict[str, Any]) -> None:
    check_refused(bound, bound.ask("POST", "/v1/event", {"events": [event]}, **BEARER), "/v1/event")


def test_a_file_that_is_sent_enters_the_own_scope_alone(bound: Served) -> None:
    stream = {**BEARER, "Content-Type": "application/octet-stream"}
    refused = bound.ask("POST", f"/v1/import/lines?scope={OTHER}", ROW.encode(), **stream)
    check_refused(bound, refused, "/v1/import/lines")
    row = b'{"id": "i-2", "text": "Sent as a stream", "scope": "agent:2"}'
    done = bound.ask("POST", "/v1/import/lines", row, **stream)
    assert (done.status, done.json["counts"]["imported"]) == (200, 1)
    found = bound.ask("POST", "/v1/get", {"ref": "i-2"}, **BEARER).json
    assert found["memory"]["scope"] == "agent:1"


def test_a_moment_of_another_scope_is_refused(bound: Served) -> None:
    answer = bound.ask("POST", "/v1/timeline", {"atMs": 1, "scope": OTHER}, **BEARER)
    check_refused(bound, answer, "/v1/timeline")


@pytest.mark.parametrize("prompt", ["[ISO:agent:2] what is the green plan", "what is the green plan"])
def test_no_turn_of_another_scope_is_explained(own_home: Path, prompt: str) -> None:
    with served(own_home) as running:
        running.ask("POST", "/v1/auto-recall", {"prompt": prompt, "scope": OTHER, "sessionKey": "s"})
        assert running.ask("POST", "/v1/explain", {"sessionKey": "s"}).json["turn"] is not None
        narrowed = {"X-Sunrise-Scopes": '["agent:1"]'}
        theirs = running.ask("POST", "/v1/explain", {"sessionKey": "s"}, **narrowed)
    assert theirs.json == {"session": None, "number": None, "turn": None}


def test_every_tool_refuses_another_scope_and_it_is_audited(bound: Served) -> None:
    async def asked() -> dict[str, Any]:
        async with (
            httpx2.AsyncClient(headers=BEARER, trust_env=False) as http,
            Client(streamable_http_client(f"{bound.url}/mcp", http_client=http)) as client,
        ):
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert names == set(TOOLS)
            with pytest.raises(MCPError, match="scope_not_allowed"):
                await client.read_resource("sunrise://receipts/20261118T110640Z-grade-123456")
            return {
                name: await client.call_tool(name, {**said, "scope": OTHER}) for name, said in TOOLS.items()
            }

    before = len(audited(bound.home))
    answers = asyncio.run(asked())
    for answer in answers.values():
        assert (answer.is_error, json.loads(answer.content[0].text)["reason"]) == (True, "scope_not_allowed")
    noted = [(one["client"], one["route"]) for one in audited(bound.home)[before:]]
    assert noted == [("bound", "receipt"), *(("bound", name) for name in TOOLS)]


def test_the_beginning_of_an_id_is_looked_for_in_the_own_scope_alone(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    with served(home, tokens=BOOK, mcp=True, rate_per_s=10_000, burst=10_000) as running:
        table = running.service.home.memories()
        assert table is not None
        theirs = [{"id": f"homelab-a{one:04}", "text": f"Box {one}", "scope": OTHER} for one in range(1000)]
        table.add(pa.Table.from_pylist([*theirs, {"id": "only-two-1", "text": "Two", "scope": OTHER}]))
        for path, name in (("/v1/get", "ref"), ("/v1/revive", "ref"), ("/v1/forget", "id")):
            told = running.ask("POST", path, {name: "homelab-"}, **BEARER).json
            none = running.ask("POST", path, {name: "nothing-"}, **BEARER).json
            assert (told.get("status"), told["candidates"]) == (none.get("status"), [])
        running.service.home.ledger.bury(
            [Tombstone(memory_id="homelab-gone", text="gone", scope=OTHER, reason="asked")], run_id="x"
        )
        assert (
            running.ask("POST", "/v1/forget", {"id": "homelab-gone"}, **BEARER).json["status"] == "not_found"
        )
        own = {"id": "homelab-z", "text": "The own box", "scope": "agent:1"}
        table.add(pa.Table.from_pylist([own]))
        found = running.ask("POST", "/v1/get", {"ref": "homelab-"}, **BEARER).json
        assert found["memory"]["ref"] == "mem:homelab-z"
        done = running.ask("POST", "/v1/forget", {"id": "homelab-"}, **BEARER).json
        assert (done["status"], done["refs"]) == ("forgotten", ["mem:homelab-z"])
        assert table.scan(["id"], where=f"scope = '{OTHER}' AND id LIKE 'homelab-a%'").num_rows == 1000


NORMALIZE = CONFIG + '\n[scope_policy]\nvalidation_mode = "normalize"\n'
UNTIDY = TokenBook(
    (BoundToken(hash_of("bound" * 5), Caller("bound", frozenset(Right), ("Agent Two", "mine"))),)
)


@pytest.mark.parametrize(
    ("scope", "status", "stored_in"), [("Agent Two", 403, None), (None, 403, None), ("mine", 200, "mine")]
)
def test_a_scope_that_is_put_in_order_is_still_one_of_the_token(
    tmp_path: Path, scope: str | None, status: int, stored_in: str | None
) -> None:
    home = make_home(tmp_path / "home", config=NORMALIZE)
    with served(home, tokens=UNTIDY, mcp=True) as running:
        answer = running.ask("POST", "/v1/store", {"text": "Where the ladder is", "scope": scope}, **BEARER)
        assert answer.status == status
        assert (answer.reason if status == 403 else None) == (None if status == 200 else "scope_not_allowed")
        table = running.service.home.memories()
        assert table is not None
        rows = table.scan(["scope"], where="text = 'Where the ladder is'").to_pylist()
        assert [row["scope"] for row in rows] == ([] if stored_in is None else [stored_in])


@pytest.mark.parametrize("name", ["bad scope!!", "-x", "ＡＢＣ"])
def test_a_name_that_is_no_scope_is_not_stored_under(tmp_path: Path, name: str) -> None:
    with served(make_home(tmp_path / "home")) as running:
        answer = running.ask("POST", "/v1/store", {"text": "Where the ladder is", "scope": name})
        assert (answer.json["status"], answer.json["receipt"]["reason"]) == ("refused", "bad_scope")
