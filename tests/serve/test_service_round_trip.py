"""Store, recall, forget and recall again: the same through every door."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from sunrise.bootstrap import Home
from sunrise.domain.answers import answer_of, forget_answer_of, store_answer_of
from sunrise.domain.forget import ForgetRequest
from sunrise.domain.recall import RecallRequest
from sunrise.domain.store import StoreRequest
from sunrise.domain.times import written_time
from sunrise.serve.tokens import BoundToken, Caller, Right, TokenBook, hash_of
from sunrise.settings import load_settings
from tests.serving import Served, served

TEXT = "The zebra crossing is closed on Mondays"
BOOK = TokenBook((
    BoundToken(hash_of("one" * 9), Caller("one", frozenset({Right.READ, Right.WRITE}), ("agent:1",))),
    BoundToken(hash_of("reader" * 5), Caller("reader", frozenset({Right.READ}), ("agent:1",))),
    BoundToken(hash_of("gateway" * 5), Caller("gateway", frozenset({*Right} - {Right.ADMIN}), ("agent:1",))),
    BoundToken(hash_of("operator" * 5), Caller("operator")),
))  # fmt: skip
ONE = {"Authorization": f"Bearer {'one' * 9}"}
GATEWAY = {"Authorization": f"Bearer {'gateway' * 5}"}
READER = {"Authorization": f"Bearer {'reader' * 5}"}
OPERATOR = {"Authorization": f"Bearer {'operator' * 5}"}
Door = Callable[[str, dict[str, Any]], dict[str, Any]]


def _library(running: Served) -> Door:
    # The functions themselves, over the ports that the service has open.
    def ask(call: str, said: dict[str, Any]) -> dict[str, Any]:
        service, home = running.service, running.service.home
        assert isinstance(home, Home)
        if call == "store":
            return store_answer_of(service.store(StoreRequest(**said)))
        if call == "forget":
            return forget_answer_of(service.forget(ForgetRequest(**said)))
        return answer_of(home.recall(RecallRequest(**said)))

    return ask


def _http(running: Served) -> Door:
    def ask(call: str, said: dict[str, Any]) -> dict[str, Any]:
        answer = running.ask("POST", f"/v1/{call}", said)
        assert answer.status == 200, answer.body
        found: dict[str, Any] = answer.json
        return found

    return ask


def _mcp(running: Served) -> Door:
    async def called(call: str, said: dict[str, Any]) -> Any:
        async with Client(streamable_http_client(f"{running.url}/mcp")) as client:
            return await client.call_tool(f"memory_{call}", said)

    def ask(call: str, said: dict[str, Any]) -> dict[str, Any]:
        answer = asyncio.run(called(call, said))
        assert not answer.is_error, answer.content
        (block,) = answer.content
        found: dict[str, Any] = json.loads(block.text)
        return found

    return ask


@pytest.mark.parametrize("door", [_library, _http, _mcp])
def test_what_is_stored_is_recalled_until_it_is_forgotten(
    own_home: Path, door: Callable[[Served], Door]
) -> None:
    with served(own_home, mcp=True) as running:
        ask = door(running)
        kept = ask("store", {"text": TEXT, "category": "fact", "importance": 0.9})
        assert (kept["status"], kept["receipt"]["importanceLabel"]) == ("created", "must_remember")
        assert ask("store", {"text": TEXT.upper()}) | {"receipt": None} == {
            "ref": kept["ref"], "status": "duplicate", "receipt": None,
        }  # fmt: skip
        (item,) = ask("recall", {"query": "zebra crossing"})["items"]
        assert item["date"] == written_time(item["createdAtMs"], zone=load_settings(own_home).zone)
        assert {**item, "score": 0, "createdAtMs": 0, "date": ""} == {
            "ref": kept["ref"], "text": TEXT, "scope": "global", "importanceLabel": "must_remember",
            "trustTier": None, "category": "fact", "createdAtMs": 0, "date": "", "score": 0,
        }  # fmt: skip
        gone = ask("forget", {"id": kept["ref"]})
        assert (gone["status"], gone["refs"], gone["candidates"]) == ("forgotten", [kept["ref"]], [])
        assert ask("recall", {"query": "zebra crossing"})["items"] == []
        assert ask("store", {"text": TEXT})["status"] == "refused"
        assert ask("forget", {"query": "nothing that is there"})["status"] in {"not_found", "candidates"}


def test_a_bound_token_changes_what_is_in_its_scopes_only(own_home: Path) -> None:
    with served(own_home, tokens=BOOK) as running:

        def ask(path: str, said: dict[str, Any], who: dict[str, str]) -> tuple[int, Any]:
            answer = running.ask("POST", path, said, **who)
            return answer.status, answer.json.get("reason", answer.json.get("status"))

        assert ask("/v1/store", {"text": "a"}, READER) == (403, "right_not_allowed")
        assert ask("/v1/store", {"text": TEXT, "scope": "agent:2"}, ONE) == (403, "scope_not_allowed")
        assert ask("/v1/store", {"text": TEXT, "sourceKind": "operator"}, ONE) == (403, "right_not_allowed")
        assert ask("/v1/store", {"text": TEXT, "id": "m-other"}, ONE) == (200, "refused")
        assert ask("/v1/forget", {"id": "m-other"}, ONE) == (200, "not_found")
        assert ask("/v1/forget", {"id": "m-other", "scope": "agent:2"}, ONE) == (403, "scope_not_allowed")
        assert ask("/v1/forget", {"query": "green plan of agent two"}, ONE)[1] != "forgotten"
        assert ask("/v1/forget", {"id": "m-secret-plan", "everywhere": True}, ONE) == (
            403,
            "scope_not_allowed",
        )
        assert running.recall("green plan", scope="agent:2", headers=OPERATOR).json["items"]
        kept = running.ask("POST", "/v1/store", {"text": TEXT}, **ONE).json
        assert (kept["status"], kept["receipt"]["scope"]) == ("created", "agent:1")
        assert ask("/v1/forget", {"id": kept["ref"]}, ONE) == (200, "forgotten")


def test_a_key_says_nothing_of_the_stores_of_others(own_home: Path) -> None:
    with served(own_home, tokens=BOOK) as running:
        said = {"text": TEXT, "idempotencyKey": "k"}
        theirs = running.ask("POST", "/v1/store", {**said, "scope": "agent:2"}, **OPERATOR).json
        own = running.ask("POST", "/v1/store", said, **ONE).json
        again = running.ask("POST", "/v1/store", said, **ONE).json
    assert (own["status"], own["ref"] == theirs["ref"]) == ("created", False)
    assert (again["ref"], again["receipt"]["replayed"]) == (own["ref"], True)


def test_a_session_is_captured_once_in_the_scope_of_its_token(own_home: Path) -> None:
    messages = [
        {"role": "user", "content": "[ISO:agent:2]\nRemember that I prefer tea over coffee in the morning."},
        {"role": "assistant", "content": "Noted."},
    ]
    with served(own_home, tokens=BOOK) as running:
        first = running.ask("POST", "/v1/capture", {"messages": messages, "sessionId": "s"}, **GATEWAY).json
        again = running.ask("POST", "/v1/capture", {"messages": messages, "sessionId": "s"}, **GATEWAY).json
        refused = running.ask("POST", "/v1/capture", {"messages": messages, "sessionId": "t"}, **ONE)
        found = running.recall("prefer tea coffee", headers=ONE).json["items"]
        assert running.recall("prefer tea coffee", scope="agent:2", headers=OPERATOR).json["items"] == []
    assert (refused.status, refused.reason) == (403, "right_not_allowed")
    assert "`sunrise token one --grant owner`" in refused.json["detail"]
    assert (len(first["refs"]), again["refs"]) == (1, [])
    assert [(item["ref"], item["scope"]) for item in found] == [(first["refs"][0], "agent:1")]


@pytest.mark.parametrize(
    ("path", "said", "reason"),
    [
        ("/v1/store", {"text": "a", "category": "Two Words"}, "not_valid"),
        ("/v1/store", {"text": "a", "importance": "of course"}, "not_valid"),
        ("/v1/store", {"text": "a", "id": "with blank"}, "not_valid"),
        ("/v1/store", {"text": "a", "id": "__schema__"}, "bad_id"),
        ("/v1/forget", {}, "not_valid"),
        ("/v1/forget", {"id": "a", "query": "b"}, "not_valid"),
        ("/v1/capture", {"messages": "a"}, "not_valid"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_reason(
    door: Served, path: str, said: dict[str, Any], reason: str
) -> None:
    answer = door.ask("POST", path, said)
    assert (answer.status, answer.reason) == (422, reason)
