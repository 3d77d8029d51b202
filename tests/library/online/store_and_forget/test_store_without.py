"""A store without a vector, without the right one, or without room on the disk."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sunrise.adapters.embedders import NoEmbedder
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.store import StorePolicy, StoreRequest, StoreStatus
from sunrise.domain.vector_space import column_of
from sunrise.errors import StoreError
from sunrise.online.store import store
from sunrise.ports import Embedder, MemoryTable
from tests.fakes import BrokenEmbedder, FakeEmbedder, FakeMemoryTable, FrozenClock, ZeroEmbedder
from tests.store_calls import DIMENSION, NOW, Ask, rows


@pytest.mark.parametrize(
    ("embedder", "reason", "warnings"),
    [
        (BrokenEmbedder(DIMENSION), "embedder_failed", ("embedding_skipped:embedder_failed",)),
        (ZeroEmbedder(DIMENSION), "bad_vector", ("embedding_skipped:bad_vector",)),
        (NoEmbedder(), "embedder_none", ()),
    ],
)
def test_a_text_without_a_vector_is_stored_and_the_reason_told(
    ask: Ask, table: MemoryTable, embedder: Embedder, reason: str, warnings: tuple[str, ...]
) -> None:
    result = ask("Tea at four", embedder=embedder)
    assert (result.status, result.receipt.embedding_skipped) == (StoreStatus.CREATED, reason)
    assert result.receipt.warnings == warnings
    assert len(rows(table)) == 1


def test_vectors_of_another_model_are_not_mixed_in(ask: Ask, table: MemoryTable) -> None:
    ask("Tea at four")
    result = ask("Coffee at five", embedder=FakeEmbedder(DIMENSION, model_id="fake/2"))
    assert result.receipt.embedding_skipped == "no_vectors_of_model"
    assert column_of("fake/2") not in table.schema().names


class Slow(FakeEmbedder):
    def embed(self, texts: Any) -> np.ndarray:
        time.sleep(0.2)
        return super().embed(texts)


def test_nobody_waits_for_a_slow_embedder(ask: Ask) -> None:
    result = ask("Tea at four", embedder=Slow(DIMENSION), policy=StorePolicy(embed_timeout_s=0.01))
    assert (result.status, result.receipt.embedding_skipped) == (StoreStatus.CREATED, "embedder_slow")


def test_memories_that_have_no_vectors_of_ours_are_left_to_the_index(ask: Ask, table: MemoryTable) -> None:
    ask("Tea at four", embedder=NoEmbedder())
    assert ask("Coffee at five").receipt.embedding_skipped == "no_vectors_of_model"
    column = table.prepare_space("fake/1", DIMENSION)
    assert ask("Water at six").receipt.embedding_skipped is None
    assert table.count_vectors(column) == 1


class Full(FakeMemoryTable):
    """A table whose disk is full until it is not."""

    is_full = True

    def add(self, rows: pa.Table) -> None:
        if self.is_full:
            raise StoreError("no space left on device")
        super().add(rows)


def test_what_the_table_did_not_take_is_finished_by_the_next_store(ledger: SqliteLedger) -> None:
    table = Full(dimension=DIMENSION)
    ports: dict[str, Any] = {
        "memories": table,
        "ledger": ledger,
        "embedder": NoEmbedder(),
        "clock": FrozenClock(NOW),
    }
    wanted = StoreRequest("Tea at four", idempotency_key="turn-7")
    with pytest.raises(StoreError):
        store(wanted, **ports)
    assert (rows(table), ledger.pending_stores()) == ([], 1)
    table.is_full = False
    other = store(StoreRequest("Coffee at five"), **ports)
    assert (other.receipt.finished, ledger.pending_stores()) == (1, 0)
    again = store(wanted, **ports)
    assert (again.status, again.receipt.replayed) == (StoreStatus.CREATED, True)
    assert sorted(row["text"] for row in rows(table)) == ["Coffee at five", "Tea at four"]
