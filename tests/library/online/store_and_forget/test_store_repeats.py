"""What is said already: told, filled in, and stored no second time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sunrise.adapters.embedders import NoEmbedder
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.store import StorePolicy, StoreRequest, StoreResult, StoreStatus
from sunrise.errors import StoreError
from sunrise.online.store import store
from sunrise.ports import MemoryTable
from tests.fakes import FakeEmbedder, FrozenClock
from tests.store_calls import DIMENSION, LONG, NOW, Ask, rows


@pytest.mark.parametrize(
    "again", ["The cache lives in RAM", "the CACHE  lives in ram.", "「The cache lives in RAM」"]
)
@pytest.mark.parametrize("indexed", [False, True])
def test_what_a_memory_says_already_is_told_and_not_stored_again(
    ask: Ask, table: MemoryTable, again: str, indexed: bool
) -> None:
    first = ask("The cache lives in RAM")
    if indexed:
        table.build_missing_indices()
    second = ask(again)
    assert (second.status, second.ref) == (StoreStatus.DUPLICATE, first.ref)
    assert second.receipt.duplicate_of == first.ref
    assert len(rows(table)) == 1


def test_both_scripts_of_chinese_say_the_same(ask: Ask) -> None:
    first = ask("部署前必須備份資料庫")
    assert ask("部署前必须备份资料库").ref == first.ref


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The port is 8080", "The port is 9090"),
        ("It is 5 below", "It is -5 below"),
        (f"{LONG} 2 am", f"{LONG} 3 am"),
        (f"{LONG} night", f"{LONG} night and never on a day on which the uplink to the office is down"),
        ("The user likes tea", "The user does not like tea"),
        ("Bob pays Alice", "Alice pays Bob"),
    ],
)
def test_near_duplicates_that_say_something_else_are_kept_apart(
    ask: Ask, table: MemoryTable, one: str, other: str
) -> None:
    ask(one)
    table.build_missing_indices()
    assert ask(other).status is StoreStatus.CREATED
    assert len(rows(table)) == 2


def test_nearly_the_same_words_of_others_are_told_and_the_owners_are_kept(
    ask: Ask, table: MemoryTable
) -> None:
    first = ask(f"{LONG} night")
    table.build_missing_indices()
    reworded = f"{LONG.replace('storage box', 'storage server')} night"
    told = ask(reworded)
    assert (told.status, told.ref) == (StoreStatus.DUPLICATE, first.ref)
    kept = ask(reworded, source_kind="operator")
    assert (kept.status, kept.receipt.near) == (StoreStatus.CREATED, (first.ref,))
    assert ask(reworded).ref == kept.ref


def test_a_memory_that_is_trusted_less_does_not_stand_for_the_owners_word(
    ask: Ask, table: MemoryTable
) -> None:
    page = ask("Deploys need two reviews", source_kind="web")
    owner = ask("Deploys need two reviews", source_kind="operator")
    assert owner.status is StoreStatus.CREATED
    assert ask("Deploys need two reviews", source_kind="tool").ref in (page.ref, owner.ref)
    assert len(rows(table)) == 2


def test_another_scope_is_another_memory(ask: Ask, table: MemoryTable) -> None:
    assert ask("Tea at four", scope="home").ref != ask("Tea at four", scope="work").ref
    assert len(rows(table)) == 2


def test_what_a_memory_lacks_of_what_is_stated_is_filled_in(
    ask: Ask, table: MemoryTable, ledger: SqliteLedger
) -> None:
    first = ask("The cellar has a spare key", policy=StorePolicy(scorer=None), on_purpose=False)
    merged = ask("The cellar has a spare key", category="fact", importance=0.9, review_at_ms=NOW + 5)
    assert (merged.status, merged.ref) == (StoreStatus.MERGED, first.ref)
    assert merged.receipt.filled == ("category", "importance", "importance_label", "review_at_ms")
    assert rows(table, "category", "importance", "importance_label", "review_at_ms") == [
        {"category": "fact", "importance": 0.9, "importance_label": "must_remember", "review_at_ms": NOW + 5}
    ]
    assert ledger.count("outbox") == 0
    assert ask("The cellar has a spare key", category="other").status is StoreStatus.DUPLICATE


def test_what_is_said_again_comes_out_of_the_archive(ask: Ask, table: MemoryTable) -> None:
    first = ask("The bicycle is in the shed")
    memory_id = str(first.ref).removeprefix("mem:")
    table.merge(pa.table({"id": [memory_id], "state": ["archived"], "archived_at_ms": [NOW]}))
    assert ask("The bicycle is in the shed").status is StoreStatus.MERGED
    assert rows(table, "state", "archived_at_ms") == [{"state": "active", "archived_at_ms": None}]


def test_what_has_ended_stands_for_nothing(ask: Ask, table: MemoryTable) -> None:
    ask("The guest is here", expires_at_ms=NOW)
    assert ask("The guest is here", ttl_days=1).status is StoreStatus.CREATED
    assert sorted(row["expires_at_ms"] for row in rows(table, "expires_at_ms")) == [NOW, NOW + 86_400_000]


def test_the_same_key_twice_is_one_store(ask: Ask, table: MemoryTable) -> None:
    first = ask("Tea at four", idempotency_key="turn-7")
    again = ask("Tea at four", idempotency_key="turn-7")
    assert (again.ref, again.status) == (first.ref, StoreStatus.CREATED)
    assert (again.receipt.replayed, again.receipt.run_id) == (True, first.receipt.run_id)
    other = ask("Coffee at five", idempotency_key="turn-7")
    assert (other.status, other.receipt.reason) == (StoreStatus.REFUSED, "key_of_another_request")
    assert len(rows(table)) == 1


@pytest.mark.parametrize("is_indexed", [False, True])
def test_the_same_text_on_another_day_is_the_same(ask: Ask, table: MemoryTable, is_indexed: bool) -> None:
    first = ask("Backups of the mail run at night", now_ms=NOW - 40 * 86_400_000)
    if is_indexed:
        table.build_missing_indices()
    assert ask("backups of the mail run at night!").ref == first.ref
    other = ask("Backups of the mail run at night, on 18 November")
    assert (other.status, other.ref == first.ref) == (StoreStatus.CREATED, False)


def test_the_same_said_under_a_key_is_told_again_as_it_was(ask: Ask) -> None:
    first = ask("Tea at four")
    assert ask("Tea at four", idempotency_key="k").status is StoreStatus.DUPLICATE
    again = ask("Tea at four", idempotency_key="k")
    assert (again.status, again.ref, again.receipt.replayed) == (StoreStatus.DUPLICATE, first.ref, True)


def test_a_store_that_is_at_work_elsewhere_is_waited_for(ask: Ask, ledger: SqliteLedger) -> None:
    ask("Tea at four", idempotency_key="k")
    with ledger.writing() as db:
        db.execute("UPDATE stores SET pending_json = '{}', host = 'elsewhere', pid = 1")
    with pytest.raises(StoreError, match="at work"):
        ask("Tea at four", idempotency_key="k")


def test_of_two_that_store_the_same_at_once_the_second_is_told(
    table: MemoryTable, ledger: SqliteLedger
) -> None:
    ports: dict[str, Any] = {"memories": table, "ledger": ledger, "clock": FrozenClock(NOW)}
    met: list[StoreResult] = []

    class Meanwhile(FakeEmbedder):
        """While a vector is made, another caller stores the same."""

        def embed(self, texts: Any) -> np.ndarray:
            met.append(store(StoreRequest("Tea at four"), embedder=NoEmbedder(), **ports))
            return super().embed(texts)

    second = store(StoreRequest("Tea at four"), embedder=Meanwhile(DIMENSION), **ports)
    assert (met[0].status, second.status) == (StoreStatus.CREATED, StoreStatus.DUPLICATE)
    assert second.ref == second.receipt.duplicate_of == met[0].ref
    assert len(rows(table)) == 1


def test_memories_of_another_agent_stand_for_nothing(ask: Ask, table: MemoryTable) -> None:
    ask("Tea at four", agent_id="one")
    assert ask("Tea at four", agent_id="two").status is StoreStatus.CREATED
    assert ask("Tea at four", agent_id="one").status is StoreStatus.DUPLICATE
    assert len(rows(table)) == 2


@pytest.mark.parametrize("text", ["👍🎉", "?!…"])
def test_signs_without_words_are_the_same_too(ask: Ask, table: MemoryTable, text: str) -> None:
    first = ask(text)
    table.build_missing_indices()
    assert ask(text).ref == first.ref
    assert ask("👍").status is StoreStatus.CREATED
