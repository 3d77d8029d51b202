"""Recall by meaning looks into one column of vectors: that which answers, if it is of the query's model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sunrise.adapters.lance_memories import LanceMemories
from sunrise.domain.recall import RecallReceipt, RecallRequest
from sunrise.domain.vector_space import column_of
from sunrise.online.recall import recall
from sunrise.ports import Embedder, MemoryTable
from tests.fakes import FakeEmbedder, FakeMemoryTable, FrozenClock

ONE, OTHER = FakeEmbedder(4, model_id="fake/one"), FakeEmbedder(4, model_id="fake/other")
TEXTS = {"tea": "green tea", "deploy": "backup before deploy", "port": "port of the server"}


@pytest.fixture(params=["fake", "lance"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> MemoryTable:
    """A table whose vectors of the one model answer; those of the other are all of another text."""
    fake = request.param == "fake"
    made: MemoryTable = FakeMemoryTable(dimension=4) if fake else LanceMemories.create(tmp_path, dimension=4)
    made.add(pa.table({"id": list(TEXTS), "text": list(TEXTS.values())}))
    for embedder, texts in ((ONE, list(TEXTS.values())), (OTHER, ["green tea"] * 3)):
        column = made.prepare_space(embedder.model_id, embedder.dimension)
        made.write_vectors(column, list(TEXTS), embedder.embed(texts))
    made.activate(column_of(ONE.model_id))
    return made


def ask(table: MemoryTable, embedder: Embedder, *, scope: str = "global") -> RecallReceipt:
    request = RecallRequest("green tea", scope=scope)
    return recall(request, memories=table, embedder=embedder, clock=FrozenClock()).receipt


def test_the_column_that_answers_is_searched_by_its_model(table: MemoryTable) -> None:
    receipt = ask(table, ONE)
    assert (receipt.dense_skipped, receipt.vec_top[0], len(receipt.vec_top)) == (None, "mem:tea", 3)


def test_a_query_of_another_model_meets_no_vector_even_of_the_same_length(table: MemoryTable) -> None:
    receipt = ask(table, OTHER)
    assert (receipt.dense_skipped, receipt.vec_top) == ("no_vectors_of_model", ())


def test_after_the_switch_it_is_the_other_way_round(table: MemoryTable) -> None:
    table.activate(column_of(OTHER.model_id))
    assert ask(table, ONE).dense_skipped == "no_vectors_of_model"
    assert ask(table, OTHER).dense_skipped is None


def test_memories_without_a_vector_are_not_found_by_meaning(table: MemoryTable) -> None:
    table.add(pa.table({"id": ["new"], "text": ["green tea"]}))
    assert "mem:new" not in ask(table, ONE).vec_top


def test_scopes_are_kept_apart_in_a_column_of_ours_too(table: MemoryTable) -> None:
    table.merge(pa.table({"id": ["tea"], "scope": ["agent:1"]}))
    assert ask(table, ONE, scope="agent:1").vec_top == ("mem:tea",)
    assert "mem:tea" not in ask(table, ONE).vec_top
    empty = ask(table, ONE, scope="agent:2")
    assert (empty.vec_top, empty.dense_skipped) == ((), None)


def test_an_active_column_without_vectors_says_so(table: MemoryTable) -> None:
    third = FakeEmbedder(4, model_id="fake/third")
    table.activate(table.prepare_space(third.model_id, 4))
    assert ask(table, third).dense_skipped == "no_vectors_of_model"


def test_a_column_that_is_dropped_meanwhile_leaves_the_words(table: MemoryTable) -> None:
    class Dropping(FakeEmbedder):
        def embed(self, texts: Sequence[str]) -> np.ndarray:
            table.activate(column_of(OTHER.model_id))
            table.drop_space(column_of(ONE.model_id))
            return super().embed(texts)

    receipt = ask(table, Dropping(4, model_id=ONE.model_id))
    assert (receipt.dense_skipped, receipt.vec_top) == ("wrong_dimension", ())
