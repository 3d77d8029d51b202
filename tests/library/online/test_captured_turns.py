"""Auto-capture over a table and a ledger: what the owner said becomes memories, each once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sunrise.adapters.embedders import NoEmbedder
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.auto_capture import AutoCapturePolicy
from sunrise.domain.capture_request import CaptureRequest, CaptureResult
from sunrise.domain.forget import ForgetRequest
from sunrise.domain.text.dated_terms import dated_terms
from sunrise.errors import StoreError
from sunrise.online.auto_capture import CapturePolicy, CapturePorts, auto_capture
from sunrise.online.forget import forget
from sunrise.ports import MemoryTable
from tests.fakes import FakeMemoryTable, FrozenClock

RULE = "From now on, write dates as YYYY-MM-DD."
TURNS = Path(__file__).parents[4] / "shared/data/field/02-gateway-notes/turns.json"
CHOICE = "We decided to use PostgreSQL for the billing service."


def said(text: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text}]}


class Gateway:
    """Hands over the whole session at each turn, as gateways do."""

    def __init__(self, ledger: SqliteLedger, table: MemoryTable | None, clock: FrozenClock) -> None:
        self.ports = CapturePorts(table, ledger, NoEmbedder(), clock)
        self.messages: list[Mapping[str, Any]] = []

    def ends_turn(
        self, *messages: Mapping[str, Any], policy: AutoCapturePolicy | None = None, **more: Any
    ) -> CaptureResult:
        self.messages += messages
        request = CaptureRequest(tuple(self.messages), "s1", **more)
        knobs = CapturePolicy(capture=policy or AutoCapturePolicy())
        return auto_capture(request, ports=self.ports, policy=knobs)

    def texts(self) -> list[str]:
        table = self.ports.memories
        assert table is not None
        return sorted(table.scan(["text"]).column("text").to_pylist())


@pytest.fixture(params=["fake", "lance"])
def gateway(
    request: pytest.FixtureRequest, ledger: SqliteLedger, clock: FrozenClock, tmp_path: Path
) -> Gateway:
    table: MemoryTable = (
        FakeMemoryTable(dimension=8)
        if request.param == "fake"
        else LanceMemories.create(str(tmp_path / "lance"), table="memories", dimension=8)
    )
    return Gateway(ledger, table, clock)


def test_a_rule_and_a_decision_of_the_owner_become_trusted_memories(gateway: Gateway) -> None:
    result = gateway.ends_turn(said(RULE), said(CHOICE), said("Done, I switched.", "assistant"))
    assert result.receipt.stored == len(result.refs) == 2
    table = gateway.ports.memories
    assert table is not None
    rows = table.scan(["text", "category", "scope", "trust_tier", "source_kind"]).to_pylist()
    assert sorted((row["text"], row["category"], row["scope"], row["trust_tier"]) for row in rows) == [
        (RULE, "preference", "global", "trusted"),
        (CHOICE, "decision", "global", "trusted"),
    ]
    assert {row["source_kind"] for row in rows} == {"operator"}


def test_the_same_session_handed_over_ten_times_keeps_each_once(gateway: Gateway) -> None:
    first = gateway.ends_turn(said(RULE), said(CHOICE))
    again = [gateway.ends_turn() for _ in range(9)]
    assert first.receipt.stored == 2
    assert {one.receipt.stored for one in again} == {0}
    assert again[0].receipt.filtered == {"already_captured": 2}
    assert gateway.texts() == [RULE, CHOICE]


def test_what_was_captured_and_then_forgotten_stays_forgotten(gateway: Gateway, clock: FrozenClock) -> None:
    (ref,) = gateway.ends_turn(said(RULE)).refs
    table = gateway.ports.memories
    assert table is not None
    forget(
        ForgetRequest(id=ref.partition(":")[2]),
        memories=table,
        ledger=gateway.ports.ledger,
        embedder=NoEmbedder(),
        clock=clock,
    )
    assert gateway.ends_turn().receipt.stored == 0
    gateway.messages.clear()
    assert gateway.ends_turn(said("Hello there"), said(RULE), scope="global").receipt.stored == 0
    assert gateway.texts() == []


def test_of_two_that_say_nearly_the_same_the_fuller_one_stays(gateway: Gateway) -> None:
    gateway.ends_turn(said("I prefer short answers."))
    table = gateway.ports.memories
    assert table is not None
    table.build_missing_indices()
    gateway.ends_turn(said("I prefer short answers with the conclusion first."))
    assert gateway.texts() == ["I prefer short answers with the conclusion first."]


def test_what_is_not_the_owners_is_not_kept(gateway: Gateway) -> None:
    block = f"<relevant-memories>\n- [x] {CHOICE}\n</relevant-memories>\n\nthanks"
    tool = {"role": "toolResult", "toolName": "read", "content": [{"type": "text", "text": RULE}]}
    result = gateway.ends_turn(said(block), tool, said(RULE, "assistant"), said(f"> {RULE}"))
    assert (result.refs, result.receipt.stored) == ((), 0)


def test_no_secret_is_kept(gateway: Gateway) -> None:
    gateway.ends_turn(said("From now on always use the key " + "sk-proj-" + "a1B2" * 12 + " for billing."))
    assert not any("sk-proj" in text for text in gateway.texts())


def test_a_scope_tag_before_a_statement_is_its_scope(gateway: Gateway) -> None:
    gateway.ends_turn(said(f"[SCOPE: billing]\n{CHOICE}"))
    table = gateway.ports.memories
    assert table is not None
    assert table.scan(["text", "scope"]).to_pylist() == [{"text": CHOICE, "scope": "billing"}]


def test_todos_are_kept_only_where_asked_for_and_end(gateway: Gateway) -> None:
    todo = said("TODO: renew the domain")
    assert gateway.ends_turn(todo).receipt.stored == 0
    policy = AutoCapturePolicy(capture_todo=True, todo_stale_ttl_days=3)
    assert gateway.ends_turn(policy=policy).receipt.stored == 1
    table = gateway.ports.memories
    assert table is not None
    (row,) = table.scan(["category", "expires_at_ms"]).to_pylist()
    assert (row["category"], row["expires_at_ms"]) == ("todo", gateway.ports.clock.now_ms() + 3 * 86_400_000)


def test_switched_off_or_without_a_table_nothing_is_kept_and_the_receipt_says_why(
    gateway: Gateway, ledger: SqliteLedger, clock: FrozenClock
) -> None:
    off = gateway.ends_turn(said(RULE), policy=AutoCapturePolicy(enabled=False))
    assert (off.refs, off.receipt.reason) == ((), "disabled")
    assert Gateway(ledger, None, clock).ends_turn(said(RULE)).receipt.reason == "no_memories"


def test_a_store_that_fails_is_warned_of_and_kept_when_the_session_comes_again(
    ledger: SqliteLedger, clock: FrozenClock
) -> None:
    class Full(FakeMemoryTable):
        is_full = True

        def add(self, rows: pa.Table) -> None:
            if self.is_full:
                raise StoreError("no space left on device")
            super().add(rows)

    table = Full(dimension=8)
    gateway = Gateway(ledger, table, clock)
    failed = gateway.ends_turn(said(RULE))
    assert failed.receipt.warnings == ("store_failed:1",)
    table.is_full = False
    gateway.ends_turn()
    assert gateway.texts() == [RULE]


def test_a_captured_memory_has_the_time_of_its_message(gateway: Gateway, clock: FrozenClock) -> None:
    hour = 3_600_000
    gateway.ends_turn({**said(RULE), "timestamp": clock.now_ms() - 50 * hour}, said(CHOICE))
    table = gateway.ports.memories
    assert table is not None
    found = {
        row["text"]: row for row in table.scan(["text", "createdAt", "terms", "updated_at_ms"]).to_pylist()
    }
    assert found[RULE]["createdAt"] == clock.now_ms() - 50 * hour
    assert found[RULE]["terms"] == dated_terms(RULE, clock.now_ms() - 50 * hour, UTC)
    assert found[RULE]["updated_at_ms"] == clock.now_ms()
    # A message that states no time was said just now.
    assert found[CHOICE]["createdAt"] == clock.now_ms()
    (heard,) = gateway.ports.ledger.observations_near(
        clock.now_ms() - 50 * hour,
        row_id=2**62,
        window_ms=hour,
        before=9,
        after=9,
        session_key=None,
        scope=None,
    )
    assert heard.text == RULE


def test_a_message_with_a_wrong_time_is_left_out_by_name(gateway: Gateway) -> None:
    result = gateway.ends_turn({**said(RULE), "timestamp": "yesterday"})
    assert (result.refs, result.receipt.skipped_messages) == ((), {"bad_time": 1})


@pytest.mark.skipif(not TURNS.is_file(), reason=f"the collected turns are not at {TURNS}")
def test_of_collected_turns_the_owners_words_alone_are_kept(gateway: Gateway) -> None:
    result = gateway.ends_turn(*json.loads(TURNS.read_text(encoding="utf-8")))
    assert len(result.refs) == 3
    assert gateway.texts() == [
        "publish the weekly blog post about lobsters every Monday",
        "the backup disk is in the attic",
        "the spare key is with Mr Almeida",
    ]
