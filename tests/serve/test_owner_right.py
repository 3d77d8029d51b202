"""What only the owner's token may change: what is trusted. An agent's forgets, which can be taken back."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sunrise
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.serve.audit import AUDIT_FILE
from sunrise.serve.tokens import BoundToken, Caller, Right, TokenBook, grant_rights, hash_of, load_tokens
from tasks.run_frame import refresh_index
from tests.mcp_calls import over_http
from tests.serving import Answer, Served, served

AGENT, ADMIN, OWNER = "agent" * 7, "admin" * 7, "owner" * 7
OLD, NEW = "The gate code is on the fridge", "The gate code is in the drawer"
BOOK = TokenBook((
    BoundToken(hash_of(AGENT), Caller("agent", frozenset({Right.READ, Right.WRITE}), ("global",))),
    BoundToken(hash_of(ADMIN), Caller("admin", frozenset({*Right} - {Right.OWNER}))),
    BoundToken(hash_of(OWNER), Caller("owner")),
))  # fmt: skip


@pytest.fixture
def running(own_home: Path) -> Iterator[Served]:
    with served(own_home, tokens=BOOK, mcp=True) as one:
        kept = ask(one, "/v1/store", OWNER, text=OLD, id="gate", sourceKind="operator")
        assert kept.json["receipt"]["trustTier"] == "trusted"
        ask(one, "/v1/store", OWNER, text="The bins go out on Monday", id="bins")
        yield one


def ask(running: Served, path: str, token: str, **said: Any) -> Answer:
    return running.ask("POST", path, said, Authorization=f"Bearer {token}")


def called(running: Served, tool: str, token: str, **said: Any) -> dict[str, Any]:
    answer = over_http(running, lambda client: client.call_tool(tool, said), token=token)
    (block,) = answer.content
    found: dict[str, Any] = json.loads(block.text)
    return found


def state_of(running: Served) -> tuple[list[dict[str, Any]], dict[str, int], frozenset[str]]:
    """Return every memory, how many rows the ledger has that a write adds to, and what is forgotten."""
    table = LanceMemories.find(str(running.home / "lance"))
    assert table is not None
    ledger = running.service.home.ledger
    assert isinstance(ledger, SqliteLedger)
    counts = {name: ledger.count(name) for name in ("observations", "changes", "outbox")}
    return table.scan(table.schema().names).to_pylist(), counts, ledger.buried()


@pytest.mark.parametrize("token", [AGENT, ADMIN])
@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/v1/store", {"text": NEW, "id": "gate"}),
        ("/v1/store", {"text": OLD, "id": "gate", "importance": 0.1}),
        ("/v1/store", {"text": NEW, "replaces": ["mem:gate"]}),
        ("/v1/store", {"text": NEW, "replaces": ["mem:bins", "gate"], "sourceKind": "web"}),
        ("/v1/store", {"text": "The bins go out on Monday", "replaces": ["gate"]}),
    ],
)
def test_what_is_trusted_is_rewritten_and_replaced_by_the_owner_alone(
    running: Served, token: str, path: str, said: dict[str, Any]
) -> None:
    before = state_of(running)
    answer = ask(running, path, token, **said)
    assert (answer.status, answer.reason) == (403, "trusted_more")
    assert state_of(running) == before
    assert '"reason": "trusted_more"' in (running.home / AUDIT_FILE).read_text()
    done = ask(running, path, OWNER, **{**said, "sourceKind": "operator"})
    assert done.status == 200
    assert state_of(running) != before


def test_what_is_not_trusted_is_the_agents_to_rewrite_and_replace(running: Served) -> None:
    assert ask(running, "/v1/store", AGENT, text="The bins go out on Friday", id="bins").status == 200
    done = ask(running, "/v1/store", AGENT, text="Bins: see the calendar", replaces=["bins"]).json
    assert done["receipt"]["replaced"] == ["mem:bins"]


def test_what_is_trusted_in_another_scope_is_not_told_of(running: Served) -> None:
    said = {"text": OLD, "id": "elsewhere", "scope": "agent:2", "sourceKind": "operator"}
    assert ask(running, "/v1/store", OWNER, **said).status == 200
    replaced = ask(running, "/v1/store", AGENT, text=NEW, replaces=["elsewhere"]).json
    assert replaced["receipt"]["notReplaced"] == [{"ref": "mem:elsewhere", "reason": "not_found"}]
    rewritten = ask(running, "/v1/store", AGENT, text=NEW, id="elsewhere").json
    assert rewritten["receipt"]["reason"] == "id_of_another_scope"


def test_an_agent_says_not_when_a_trusted_memory_ends(running: Served) -> None:
    again = ask(running, "/v1/store", AGENT, text=OLD, ttlDays=0.001).json
    assert (again["ref"], "expires_at_ms" in again["receipt"]["filled"]) == ("mem:gate", False)
    own = ask(running, "/v1/store", OWNER, text=OLD, ttlDays=5).json
    assert "expires_at_ms" in own["receipt"]["filled"]


def test_erasing_what_is_trusted_takes_the_owner(running: Served) -> None:
    before = state_of(running)
    for said in ({"id": "gate"}, {"query": OLD}):
        answer = ask(running, "/v1/erase", ADMIN, **said)
        assert (answer.status, answer.reason) == (403, "trusted_more")
    assert called(running, "memory_erase", ADMIN, id="gate")["reason"] == "trusted_more"
    assert state_of(running) == before
    # To forget it first leads to no erasure either: how far it was trusted is not known then.
    assert ask(running, "/v1/forget", AGENT, id="gate").json["status"] == "forgotten"
    assert ask(running, "/v1/erase", ADMIN, id="gate").reason == "trusted_more"
    assert ask(running, "/v1/erase", OWNER, id="gate").json["status"] == "already"
    assert ask(running, "/v1/erase", ADMIN, id="bins").json["status"] == "forgotten"


def test_an_older_token_is_told_the_command_that_gives_it_the_right(own_home: Path) -> None:
    """A gateway of before hands on what its owner says; the command of the answer, and a reload, let it."""
    path = own_home / "serve.tokens.toml"
    path.write_text(
        f"[gateway]\nhash = '{hash_of(AGENT)}'\nscopes = ['global']\nrights = ['read', 'write']\n"
    )
    path.chmod(0o600)
    own_home.chmod(0o755)
    with served(own_home, tokens=load_tokens(own_home)) as running:
        said = {"messages": [{"role": "user", "content": "Remember that I prefer tea over coffee"}]}
        refused = ask(running, "/v1/capture", AGENT, **said)
        assert (refused.status, refused.reason) == (403, "right_not_allowed")
        _, name, option, right = shlex.split(refused.json["detail"].partition("`")[2].rstrip("`"))[1:]
        assert option == "--grant"
        grant_rights(own_home, name, [Right(right)])
        assert ask(running, "/v1/capture", AGENT, **said).status == 403
        assert running.service.reload()
        assert ask(running, "/v1/capture", AGENT, **said).status == 200


@pytest.mark.parametrize("dedupe", ["none", "id", "id_text"])
def test_an_import_rewrites_nothing_that_is_there(running: Served, dedupe: str) -> None:
    table = LanceMemories.find(str(running.home / "lance"))
    assert table is not None
    before = table.by_ids(["gate"], table.schema().names).to_pylist()
    lines = json.dumps({"id": "gate", "text": NEW, "trust_tier": "trusted"})
    assert ask(running, "/v1/import", ADMIN, lines=lines, dedupe=dedupe).status == 200
    assert table.by_ids(["gate"], table.schema().names).to_pylist() == before


def test_over_mcp_a_store_is_the_agents_whoever_asks(running: Served) -> None:
    for token in (AGENT, OWNER):
        kept = called(running, "memory_store", token, text=f"The dog of {token} is called Rex")
        assert (kept["status"], kept["receipt"]["trustTier"]) == ("created", None)
        said = called(running, "memory_store", token, text="x", source_kind="operator")
        assert (said["reason"], said["faults"][0]["field"]) == ("not_valid", "source_kind")
    before = state_of(running)
    refused = called(running, "memory_store", AGENT, text=NEW, replaces=["gate"])
    assert (refused["reason"], state_of(running)) == ("trusted_more", before)
    # The right allows, the operation decides: an agent's word puts none of the owner's out of date.
    left = called(running, "memory_store", OWNER, text=NEW, replaces=["gate"])
    assert left["receipt"]["notReplaced"] == [{"ref": "mem:gate", "reason": "trusted_more"}]


def test_what_an_agent_had_forgotten_stands_on_the_page_of_what_entered(running: Served) -> None:
    over_http = ask(running, "/v1/forget", AGENT, id="gate").json
    over_mcp = called(running, "memory_forget", AGENT, id="bins")
    assert (over_http["status"], over_mcp["status"]) == ("forgotten", "forgotten")
    ask(running, "/v1/forget", AGENT, id="m-tea")
    assert (
        ask(running, "/v1/store", OWNER, text="The user likes green tea", id="m-tea").json["status"]
        == "refused"
    )
    refresh_index(running.service.home)
    page = (running.home / "reports" / "entries.html").read_text(encoding="utf-8")
    shown = page.partition("<h2>Forgotten</h2>")[2]
    runs = (over_mcp["receipt"]["runId"], over_http["receipt"]["runId"])
    places = [shown.index(text) for text in ("mem:m-tea", "mem:bins", runs[0], "mem:gate", runs[1])]
    assert places == sorted(places)
    assert "green tea" not in page
    # What is let in again is forgotten no more.
    with sunrise.open(running.home) as memories:
        memories.store("The user likes green tea", id="m-tea", again=True)
    refresh_index(running.service.home)
    assert "mem:m-tea" not in (running.home / "reports" / "entries.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("token", "status"), [(AGENT, 403), (ADMIN, 403), (OWNER, 200)])
def test_the_owners_word_and_a_file_that_is_vouched_for_take_the_right_owner(
    running: Served, token: str, status: int
) -> None:
    assert ask(running, "/v1/store", token, text=NEW, sourceKind="operator").status == status
    line = json.dumps({"id": "n", "text": "The attic has a hatch", "trust_tier": "trusted"})
    assert ask(running, "/v1/import", token, lines=line, trust=True).status == status
    capture = {"messages": [{"role": "user", "content": "Remember that I prefer tea"}]}
    assert ask(running, "/v1/capture", token, **capture).status == status
