"""Memories looked through, carried out and in: the same through every door, and nothing beyond a scope."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from typer.testing import CliRunner

from sunrise.adapters.service_presence import Presence, announce, only_service
from sunrise.cli.app import app
from sunrise.client import OpenMemories
from sunrise.serve.tokens import BoundToken, Caller, Right, TokenBook, hash_of
from tests.serving import ROWS, Served, served

EVERY = frozenset(Right)
BOOK = TokenBook((
    BoundToken(hash_of("reader" * 5), Caller("reader", frozenset({Right.READ}), ("agent:1",))),
    BoundToken(hash_of("chief" * 5), Caller("chief", EVERY, ("agent:1",))),
    BoundToken(hash_of("operator" * 5), Caller("operator")),
))  # fmt: skip
READER = {"Authorization": f"Bearer {'reader' * 5}"}
CHIEF = {"Authorization": f"Bearer {'chief' * 5}"}
OPERATOR = {"Authorization": f"Bearer {'operator' * 5}"}
VARYING = r'"(?:atMs|latencyMs|runId|observationRef|version)": (?:\d+|"[^"]*"|{[^}]*})'
NEW = '{"id": "carried-in-1", "text": "The lighthouse keeper retired", "scope": "agent:1"}\n'
Door = Callable[[str, dict[str, Any]], dict[str, Any]]


def _library(running: Served) -> Door:
    def ask(call: str, said: dict[str, Any]) -> dict[str, Any]:
        memories = OpenMemories(running.service.home)
        if call == "import":
            return memories.import_(said["lines"].encode()).to_dict()
        if call == "get":
            return memories.get(said["ref"]).to_dict()
        return (memories.list(**said) if call == "list" else memories.stats(**said)).to_dict()

    return lambda call, said: _plain(ask(call, said))


def _cli(running: Served) -> Door:
    def ask(call: str, said: dict[str, Any]) -> dict[str, Any]:
        given = {**said}
        arguments = [call, *([given.pop("ref")] if call == "get" else []), "--home", str(running.home)]
        lines = given.pop("lines", None)
        arguments += ["-"] if call == "import" else []
        for name, value in given.items():
            arguments += [f"--{name}", str(value)]
        done = CliRunner().invoke(app, [*arguments, "--json"], input=lines, catch_exceptions=False)
        found: dict[str, Any] = json.loads(done.stdout)
        return found

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


def test_every_door_says_the_same_of_the_same_memories(own_home: Path) -> None:
    with served(own_home, mcp=True) as running:
        doors = [door(running) for door in (_library, _cli, _http, _mcp)]
        asked: list[tuple[str, dict[str, Any]]] = [
            ("list", {"limit": 2}), ("list", {"limit": 50, "scope": "agent:1"}), ("stats", {}),
            ("stats", {"scope": "agent:2"}),
            ("get", {"ref": "mem:m-secret-plan"}), ("get", {"ref": "m-secret-"}),
        ]  # fmt: skip
        for call, said in asked:
            answers = [_timeless(door(call, said)) for door in doors]
            assert answers[0] == answers[1] == answers[2] == answers[3]
        first = doors[2]("list", {"limit": 2})
        assert (first["total"], len(first["items"])) == (len(ROWS), 2)


@pytest.mark.parametrize("door", [_library, _cli, _http, _mcp])
def test_what_is_carried_in_is_there_once(own_home: Path, door: Callable[[Served], Door]) -> None:
    with served(own_home, mcp=True) as running:
        ask = door(running)
        counts = [ask("import", {"lines": NEW + "{torn"})["counts"] for _ in range(2)]
        assert [(one["imported"], one["duplicate"], one["refused"]) for one in counts] == [
            (1, 0, 1),
            (0, 1, 1),
        ]
        found = ask("get", {"ref": "mem:carried-in-1"})["memory"]
        assert (found["text"], found["scope"]) == ("The lighthouse keeper retired", "agent:1")


def test_an_export_through_every_door_has_the_same_bytes(own_home: Path) -> None:
    with served(own_home, mcp=True) as running:
        answer = running.ask("POST", "/v1/export", {"scope": "agent:1"})
        to_file = running.ask("POST", "/v1/export", {"scope": "agent:1", "file": "one.jsonl"})
        text = _mcp(running)("export", {"scope": "agent:1"})["lines"]
        OpenMemories(running.service.home).export(own_home / "two.jsonl", scope="agent:1")
    whole = (own_home / "two.jsonl").read_bytes()
    assert json.loads(whole)["id"] == "m-secret-plan"
    assert (answer.body, text.encode(), (own_home / "exports/one.jsonl").read_bytes()) == (whole,) * 3
    assert json.loads(answer.headers["x-sunrise-export"])["exported"] == to_file.json["exported"] == 1
    assert answer.headers["content-type"] == "application/x-ndjson"
    # What an answer was made of does not stay.
    assert [path.name for path in (own_home / "exports").iterdir()] == ["one.jsonl"]


def test_an_import_of_an_export_is_the_same_export(own_home: Path) -> None:
    with served(own_home) as running:
        before = running.ask("POST", "/v1/export", {}).body
        (own_home / "imports").mkdir()
        (own_home / "imports" / "all.jsonl").write_bytes(before)
        done = running.ask("POST", "/v1/import", {"file": "all.jsonl", "dedupe": "id"}).json
        assert (done["counts"]["duplicate"], done["counts"]["imported"]) == (len(ROWS), 0)
        assert running.ask("POST", "/v1/export", {}).body == before
        missing = running.ask("POST", "/v1/import", {"file": "none.jsonl"})
    assert (missing.status, missing.reason) == (404, "unknown_file")


@pytest.mark.parametrize(
    "name",
    ["../sunrise.toml", "/etc/passwd", "..", ".", ".hidden", "a/b", "a\\b", "a\x00b", "c:evil", "", "-rf",
     "x" * 200, "%2e%2e/x", " a"],
)  # fmt: skip
def test_no_name_of_a_file_leads_out(own_home: Path, name: str) -> None:
    with served(own_home) as running:
        kept = sorted(path.name for path in own_home.iterdir())
        for call in ("export", "import"):
            answer = running.ask("POST", f"/v1/{call}", {"file": name})
            assert (answer.status, answer.reason) == (422, "not_valid")
            assert b"embedder" not in answer.body
        assert sorted(path.name for path in own_home.iterdir()) == kept


def test_no_link_is_followed(own_home: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.jsonl").write_text(NEW)
    (own_home / "imports").mkdir()
    (own_home / "imports" / "link.jsonl").symlink_to(outside / "secret.jsonl")
    (own_home / "imports" / "folder.jsonl").mkdir()
    os.mkfifo(own_home / "imports" / "pipe.jsonl")
    (own_home / "exports").mkdir()
    (own_home / "exports" / "link.jsonl").symlink_to(outside / "made.jsonl")
    with served(own_home) as running:
        for name in ("link.jsonl", "folder.jsonl", "pipe.jsonl"):
            answer = running.ask("POST", "/v1/import", {"file": name})
            assert (answer.status, answer.reason) == (422, "bad_file")
        assert running.ask("POST", "/v1/export", {"file": "link.jsonl"}).reason == "bad_file"
        (own_home / "exports" / "link.jsonl").unlink()
        for folder in ("exports", "imports"):
            for path in (own_home / folder).iterdir():
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
            (own_home / folder).rmdir()
            (own_home / folder).symlink_to(outside)
        assert running.ask("POST", "/v1/export", {"file": "made.jsonl"}).reason == "bad_file"
        assert running.ask("POST", "/v1/export", {}).reason == "bad_file"
        assert running.ask("POST", "/v1/import", {"file": "secret.jsonl"}).reason == "bad_file"
    assert [path.name for path in outside.iterdir()] == ["secret.jsonl"]


def test_a_bound_token_sees_its_scopes_only(own_home: Path) -> None:
    with served(own_home, tokens=BOOK) as running:

        def ask(call: str, said: dict[str, Any], who: dict[str, str] = READER) -> Any:
            return running.ask("POST", f"/v1/{call}", said, **who)

        assert [one["ref"] for one in ask("list", {}).json["items"]] == ["mem:m-secret-plan"]
        figures = ask("stats", {}).json["stats"]
        assert (figures["rows"], figures["table_rows"], figures["table_bytes"]) == (1, 1, 0)
        assert figures["by"]["scope"] == {"agent:1": 1}
        assert ask("get", {"ref": "mem:m-other"}).json["memory"] is None
        assert ask("get", {"ref": "m-secret-plan"}).json["memory"]["text"] == "The green plan of agent one"
        assert ask("timeline", {"ref": "mem:m-other"}).json["receipt"]["reason"] == "not_found"
        assert json.loads(ask("export", {}).body)["id"] == "m-secret-plan"
        for call in ("list", "stats", "export"):
            assert ask(call, {"scope": "agent:2"}).reason == "scope_not_allowed"
        assert ask("get", {"ref": "m-other", "scope": "agent:2"}).reason == "scope_not_allowed"
        assert ask("timeline", {"atMs": 1, "scope": "agent:2"}).reason == "scope_not_allowed"
        assert ask("revive", {"ref": "m-other"}, CHIEF).json["status"] == "not_found"
        assert ask("import", {"lines": NEW, "scope": "agent:2"}, CHIEF).reason == "scope_not_allowed"
        moved = NEW.replace("agent:1", "agent:2")
        assert ask("import", {"lines": moved}, CHIEF).json["counts"]["imported"] == 1
        assert ask("get", {"ref": "carried-in-1"}, OPERATOR).json["memory"]["scope"] == "agent:1"


def test_what_only_an_operator_may_is_refused_to_a_reader(own_home: Path) -> None:
    asked = [
        ("import", {"lines": NEW}), ("revive", {"ref": "m-tea"}), ("export", {"file": "a.jsonl"}),
        ("export", {"redact": False}), ("export", {"withQuarantined": True}),
        ("list", {"withQuarantinedTexts": True}), ("get", {"ref": "m-tea", "withQuarantinedTexts": True}),
    ]  # fmt: skip
    with served(own_home, tokens=BOOK) as running:
        for call, said in asked:
            assert running.ask("POST", f"/v1/{call}", said, **READER).reason == "right_not_allowed"
    assert not (own_home / "exports").exists()


def test_an_archived_memory_is_brought_back(own_home: Path) -> None:
    archived = (
        '{"id": "old-tape-1", "text": "Tapes in the cellar", "state": "archived", "archived_at_ms": 1}\n'
    )
    with served(own_home) as running:
        running.ask("POST", "/v1/import", {"lines": archived})
        dry = running.ask("POST", "/v1/revive", {"ref": "old-tape", "dryRun": True}).json
        done = running.ask("POST", "/v1/revive", {"ref": "mem:old-tape-1"}).json
        again = running.ask("POST", "/v1/revive", {"ref": "mem:old-tape-1"}).json
    assert [one["status"] for one in (dry, done, again)] == ["revived", "revived", "not_archived"]
    assert (dry["runId"], done["runId"] is None) == (None, False)


@pytest.mark.parametrize(
    ("call", "said", "reason"),
    [
        ("list", {"cursor": "none"}, "bad_cursor"),
        ("list", {"limit": 0}, "not_valid"),
        ("get", {"ref": "a b"}, "not_valid"),
        ("timeline", {}, "bad_timeline"),
        ("import", {"lines": "", "file": "a"}, "not_valid"),
        ("import", {}, "not_valid"),
        ("export", {"format": "exe"}, "not_valid"),
    ],
)
def test_what_makes_no_sense_is_refused(door: Served, call: str, said: dict[str, Any], reason: str) -> None:
    answer = door.ask("POST", f"/v1/{call}", said)
    assert (answer.status, answer.reason) == (422, reason)


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_the_command_line_says_the_same_with_and_without_the_service(own_home: Path, form: list[str]) -> None:
    commands = [
        ["list", "--limit", "2"], ["list", "--scope", "agent:1", "--since", "2020-01-01"],
        ["list", "--trust", "x"],
        ["stats"], ["get", "m-secret-"], ["get", "mem:none-at-all"], ["store", "The user likes green tea"],
    ]  # fmt: skip

    def say(command: list[str]) -> tuple[int, str, str]:
        done = CliRunner().invoke(app, [*command, *form, "-v", "--home", str(own_home)])
        return done.exit_code, re.sub(VARYING, "", done.stdout), done.stderr

    with served(own_home) as running:
        say(commands[-1])
        own = [say(command) for command in commands]
        with only_service(own_home):
            announce(own_home, Presence("127.0.0.1", running.port, os.getpid(), "0"))
            asked = [say(command) for command in commands]
    for command, (code, out, err), (code_asked, out_asked, err_asked) in zip(
        commands, own, asked, strict=True
    ):
        assert (code_asked, out_asked) == (code, out), command
        assert err.startswith("sunrise: answered by this process")
        by = "this process" if command[-1] == "x" else "the service"
        assert err_asked.startswith(f"sunrise: answered by {by}")


def _plain(answer: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(answer))
    return found


def _timeless(answer: dict[str, Any]) -> dict[str, Any]:
    receipt = {**answer["receipt"], "atMs": 0, "latencyMs": sorted(answer["receipt"]["latencyMs"])}
    return {**answer, "receipt": receipt}
