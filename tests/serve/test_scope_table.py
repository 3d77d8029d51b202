"""
What every operation does with a bad, a foreign, a missing and a tagged scope, for a token bound to one scope.

Each operation of the OpenAPI document that is served, and each tool that a client is told of, has a line in
one of the tables: one that is new fails until somebody has said what it does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest

import sunrise
from sunrise.adapters.service_transfer import STREAM_TYPE
from sunrise.adapters.spool_files import HTTP
from sunrise.serve.tokens import BoundToken, Caller, Right, TokenBook, hash_of
from tests.mcp_calls import over_http
from tests.serving import CONFIG, Answer, Served, make_home, served

OWN, FOREIGN, BAD = "agent:1", "agent:2", "bad scope!!"
TAG = f"[SCOPE: {FOREIGN}] "
TOKEN = "bound" * 5
BEARER = {"Authorization": f"Bearer {TOKEN}"}
BOOK = TokenBook((BoundToken(hash_of(TOKEN), Caller("bound", frozenset(Right), (OWN,))),))
SECRETS = ("agent two", "m-other", "green tea", "m-tea", "m-backup", "m-zh")
"""What stands in other scopes alone; they are fallbacks as well, so that no answer is filled up from them."""

SCOPES = {"bad": BAD, "foreign": FOREIGN, "missing": None, "tagged": None}


class Line(NamedTuple):
    """
    What is sent, in which field a tag can stand, and what becomes of each kind of scope.

    ``own`` is an answer from the own scope, ``refused`` the problem ``scope_not_allowed``.
    """

    body: dict[str, Any]
    bad: str = "refused"
    foreign: str = "refused"
    missing: str = "own"
    tag_in: str | None = None
    tagged: str = "own"


ROW = json.dumps({"id": "i-1", "text": "A row of a file", "scope": FOREIGN})
SAID = "Remember that I prefer tea over coffee in the morning."
EVERYWHERE = {"bad": "refused", "foreign": "refused", "missing": "refused"}

OPERATIONS: dict[str, Line] = {
    # A question may name its scope by a tag: a foreign one is refused as a field would be.
    "POST /v1/recall": Line({"query": "green plan"}, tag_in="query", tagged="refused"),
    # A turn that names no valid scope is answered, and from the own one.
    "POST /v1/auto-recall": Line(
        {"prompt": "what is the green plan"}, bad="own", tag_in="prompt", tagged="refused"
    ),
    # What is kept goes into the scope of the token, whatever its text says.
    "POST /v1/capture": Line({"messages": SAID}, bad="own", tag_in="messages"),
    "POST /v1/store": Line({"text": "A thing that nobody said before"}, tag_in="text"),
    "POST /v1/event": Line({"events": "It rained in the night"}, tag_in="events"),
    "POST /v1/import": Line({"lines": ROW}, tag_in="lines"),
    "POST /v1/import/lines": Line({"": ROW}, tag_in=""),
    # A query that forgets is words, and no question: a tag in it is none.
    "POST /v1/forget": Line({"query": "The green plan of agent two"}, tag_in="query"),
    "POST /v1/erase": Line(
        {"query": "The green plan of agent two"}, tag_in="query", **EVERYWHERE, tagged="refused"
    ),
    "POST /v1/list": Line({}),
    "POST /v1/stats": Line({}),
    "POST /v1/get": Line({"ref": "m-other"}),
    "POST /v1/timeline": Line({"ref": "m-other"}),
    "POST /v1/revive": Line({"ref": "m-other"}),
    "POST /v1/export": Line({}),
}
NO_SCOPE: dict[str, int] = {
    # They have no field for one: the turns of other scopes are not told of, and a run names all of them.
    "POST /v1/explain": 200,
    "GET /v1/receipts/{run_id}": 403,
    "GET /healthz": 200,
    "GET /readyz": 200,
    "GET /metrics": 200,
}
TOOLS: dict[str, Line] = {
    "memory_recall": Line({"query": "green plan"}, tag_in="query", tagged="refused"),
    "memory_store": Line({"text": "Another thing that nobody said before"}, tag_in="text"),
    "memory_forget": Line({"query": "The green plan of agent two"}, tag_in="query"),
    "memory_erase": Line(
        {"query": "The green plan of agent two"}, tag_in="query", **EVERYWHERE, tagged="refused"
    ),
    "memory_list": Line({}),
    "memory_stats": Line({}),
    "memory_get": Line({"ref": "m-other"}),
    "memory_export": Line({}),
    "memory_import": Line({"lines": ROW}, tag_in="lines"),
}
CASES = [
    (name, kind)
    for name, line in {**OPERATIONS, **TOOLS}.items()
    for kind in SCOPES
    if kind != "tagged" or line.tag_in is not None
]


@pytest.fixture(scope="module")
def bound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of which one token may do all, in one scope; the others are fallback scopes."""
    fallbacks = f'\n[scope_policy]\nfallback_scopes = ["{FOREIGN}", "global"]\n'
    home = make_home(tmp_path_factory.mktemp("table") / "home", config=CONFIG + fallbacks)
    with served(home, tokens=BOOK, mcp=True, rate_per_s=10_000, burst=10_000) as running:
        yield running


def test_every_operation_and_every_tool_has_its_line(bound: Served) -> None:
    paths = bound.ask("GET", "/openapi.json", **BEARER).json["paths"]
    known = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert known == {*OPERATIONS, *NO_SCOPE}

    async def names(client: Any) -> set[str]:
        return {tool.name for tool in (await client.list_tools()).tools}

    assert over_http(bound, names, token=TOKEN) == set(TOOLS)


def with_tag(line: Line) -> dict[str, Any]:
    """Return the body of a line with the tag of a foreign scope where a text of it begins."""
    assert line.tag_in is not None
    said = line.body[line.tag_in]
    row = said is ROW
    return {**line.body, line.tag_in: ROW.replace("A row", f"{TAG}A row") if row else TAG + said}


def ask(running: Served, name: str, body: dict[str, Any], scope: str | None) -> Answer:
    method, _, path = name.partition(" ")
    named = {} if scope is None else {"scope": scope}
    if path == "/v1/import/lines":
        query = f"?scope={quote(scope)}" if scope else ""
        return running.ask(method, path + query, body[""].encode(), **BEARER, Content_Type=STREAM_TYPE)
    if path == "/v1/event":
        return running.ask(method, path, {"events": [{"text": body["events"], **named}]}, **BEARER)
    if path == "/v1/capture":
        body = {"messages": [{"role": "user", "content": body["messages"]}]}
    return running.ask(method, path, {**body, **named}, **BEARER)


def ask_tool(running: Served, name: str, body: dict[str, Any], scope: str | None) -> Answer:
    async def call(client: Any) -> Any:
        return await client.call_tool(name, {**body, **({} if scope is None else {"scope": scope})})

    answer = over_http(running, call, token=TOKEN)
    said = json.loads(answer.content[0].text)
    return Answer(
        said["status"] if answer.is_error else 200, {}, json.dumps(said, ensure_ascii=False).encode()
    )


def check_kept_apart(running: Served) -> None:
    """Check that nothing is in another scope than before, and nothing in one that nobody has."""
    table = running.service.home.memories()
    assert table is not None
    rows = table.scan(["id", "scope"], where=f"scope <> '{OWN}'").to_pylist()
    assert {(row["id"], row["scope"]) for row in rows} == {
        ("m-tea", "global"), ("m-backup", "global"), ("m-zh", "global"), ("m-other", FOREIGN),
    }  # fmt: skip
    for file in (running.home / "spool" / HTTP).glob("*.jsonl"):
        stamps = [
            json.loads(line)["stamp"]["scope"] for line in file.read_text(encoding="utf-8").splitlines()
        ]
        assert set(stamps) == {OWN}


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_no_operation_leaves_the_scope_of_its_token(bound: Served, name: str, kind: str) -> None:
    line = {**OPERATIONS, **TOOLS}[name]
    body = with_tag(line) if kind == "tagged" else line.body
    answer = (ask_tool if name in TOOLS else ask)(bound, name, body, SCOPES[kind])
    expected = getattr(line, kind)
    assert (answer.status in (200, 202)) is (expected == "own"), answer.body
    if expected == "refused":
        assert (answer.status, answer.reason) == (403, "scope_not_allowed")
    said, sent = answer.body.decode(), json.dumps(body)
    # What was sent may come back, as the name that was not found.
    assert [one for one in SECRETS if one in said and one not in sent] == []
    # A text of the own scope may hold a tag: that names no scope where it stands.
    assert FOREIGN not in said.replace(TAG.strip(), "") or FOREIGN in sent
    check_kept_apart(bound)


@pytest.mark.parametrize("name", NO_SCOPE)
def test_what_names_no_scope_tells_of_none(bound: Served, name: str) -> None:
    method, _, path = name.partition(" ")
    body: dict[str, Any] | None = {} if method == "POST" else None
    answer = bound.ask(method, path.format(run_id="20261118T110640Z-grade-123456"), body, **BEARER)
    assert answer.status == NO_SCOPE[name]
    assert [one for one in (*SECRETS, FOREIGN) if one in answer.body.decode()] == []


# A caller that is bound to nothing


UNBOUND = TokenBook((BoundToken(hash_of(TOKEN), Caller("free", frozenset(Right))),))


@pytest.fixture(scope="module")
def free(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that lets its caller into every scope."""
    with served(make_home(tmp_path_factory.mktemp("free") / "home"), tokens=UNBOUND, mcp=True) as running:
        yield running


@pytest.mark.parametrize("name", ["POST /v1/event", "POST /v1/import", "POST /v1/import/lines"])
def test_a_name_that_is_no_scope_is_written_nowhere(free: Served, name: str) -> None:
    answer = ask(free, name, OPERATIONS[name].body, BAD)
    assert (answer.status, answer.reason) == (422, "bad_scope")


def test_a_row_of_a_file_that_names_no_scope_is_refused_alone(free: Served) -> None:
    rows = [
        {"id": f"r-{n}", "text": f"Row {n} of a file", "scope": scope} for n, scope in enumerate((BAD, "ok"))
    ]
    for answer in (
        ask(free, "POST /v1/import", {"lines": "\n".join(map(json.dumps, rows))}, None).json,
        ask_tool(free, "memory_import", {"lines": json.dumps(rows[0])}, None).json,
    ):
        assert answer["groups"]["refused_by_reason"] == {"bad_scope": 1}
    table = free.service.home.memories()
    assert table is not None
    assert table.scan(["scope"], where="id LIKE 'r-%'").to_pylist() == [{"scope": "ok"}]


@pytest.mark.parametrize("tag", [TAG, f"[ISO:{FOREIGN}]\n", f"[Fri 2026-11-27 21:00 UTC] {TAG}"])
def test_a_tag_of_a_question_says_where_to_look(free: Served, tag: str) -> None:
    found = free.ask("POST", "/v1/auto-recall", {"prompt": f"{tag}what is the green plan"}, **BEARER).json
    assert [item["ref"] for item in found["items"]] == ["mem:m-other"]
    if not tag.startswith("[Fri"):
        for answer in (
            ask(free, "POST /v1/recall", {"query": f"{tag}green plan"}, None).json,
            ask_tool(free, "memory_recall", {"query": f"{tag}green plan"}, None).json,
        ):
            assert [item["ref"] for item in answer["items"]] == ["mem:m-other"]
            assert (answer["receipt"]["scope"], answer["receipt"]["queryTerms"]) == (FOREIGN, 2)


def test_a_scope_that_is_named_counts_more_than_a_tag(free: Served) -> None:
    answer = ask(free, "POST /v1/recall", {"query": f"{TAG}green plan"}, OWN).json
    assert [item["ref"] for item in answer["items"]] == ["mem:m-secret-plan"]


def test_recall_fills_up_from_the_fallback_scopes_that_the_caller_may_see(tmp_path: Path) -> None:
    fallbacks = f'\n[scope_policy]\nfallback_scopes = ["{FOREIGN}", "global"]\n'
    home = make_home(tmp_path / "home", config=CONFIG + fallbacks)
    with served(home, tokens=UNBOUND) as running:
        found = ask(running, "POST /v1/recall", {"query": "green plan", "verbosity": "high"}, OWN).json
        narrowed = {**BEARER, "X-Sunrise-Scopes": json.dumps([OWN, "global"])}
        some = running.ask("POST", "/v1/recall", {"query": "green plan", "scope": OWN}, **narrowed).json
        full = running.ask(
            "POST", "/v1/recall", {"query": "green plan", "scope": OWN, "limit": 1}, **BEARER
        ).json
    refs = [item["ref"] for item in found["items"]]
    assert refs == ["mem:m-secret-plan", "mem:m-other", "mem:m-tea"]
    assert found["receipt"]["fallbackScopes"] == [FOREIGN, "global"]
    parts = {one["ref"]: one for one in found["receipt"]["whyTheseIds"]}
    assert parts["mem:m-other"]["components"]["scope"] < 1
    assert "fallback_scope" in parts["mem:m-other"]["why"]
    assert "scope" not in parts["mem:m-secret-plan"]["components"]
    assert [item["ref"] for item in some["items"]] == ["mem:m-secret-plan", "mem:m-tea"]
    assert ([item["ref"] for item in full["items"]], full["receipt"]["fallbackScopes"]) == (
        ["mem:m-secret-plan"],
        [],
    )


def test_a_name_that_was_refused_is_looked_in_and_told_of(free: Served) -> None:
    answer = ask(free, "POST /v1/recall", {"query": "green plan"}, BAD).json
    assert (answer["items"], answer["receipt"]["scope"]) == ([], BAD)
    assert answer["receipt"]["warnings"] == ["invalid_scope"]
    tagged = ask(free, "POST /v1/recall", {"query": f"[SCOPE: {BAD}] green tea"}, None).json
    assert (tagged["receipt"]["scope"], tagged["receipt"]["warnings"]) == ("global", ["invalid_scope"])


def test_what_names_no_scope_is_stored_and_found_in_the_default_one(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", config=CONFIG + '\n[scope_policy]\ndefault_scope = "desk"\n')
    with served(home, tokens=UNBOUND, mcp=True) as running:
        assert ask(running, "POST /v1/store", {"text": "The ladder is in the shed"}, None).status == 200
        assert ask_tool(running, "memory_store", {"text": "The saw is in the cellar"}, None).status == 200
        for query in ("ladder", "saw"):
            answer = ask(running, "POST /v1/recall", {"query": query}, None).json
            assert [item["scope"] for item in answer["items"]] == ["desk"]
    with sunrise.open(home) as memories:
        memories.store("The drill is in the garage")
        assert [item.scope for item in memories.recall("drill").items] == ["desk"]
