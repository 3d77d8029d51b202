"""Vectors on their way: staged, found again after a kill, and merged only where they still belong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sunrise.domain.vector_space import column_of
from tasks import embedding
from tasks.embedding import count_foreign, embed_batches, find_unembedded, merge_staged, oldest
from tasks.embedding_stage import Stage, digest_of, drop_stages, vectors_in
from tests.fakes import FakeEmbedder, FakeMemoryTable

COLUMN = column_of("fake/1")


class Counting(FakeEmbedder):
    """Remembers what it was asked."""

    def __init__(self, refuses: str = "", *, until_call: int = 9999) -> None:
        super().__init__(4)
        self.refuses, self.until_call = refuses, until_call
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.asked.append(list(texts))
        if self.refuses in texts or len(self.asked) > self.until_call:
            raise RuntimeError("no")
        return super().embed(texts)


def rows(*names: str) -> pa.Table:
    return pa.table({"id": list(names), "text": [f"text of {name}" for name in names]})


def table_with(found: pa.Table) -> FakeMemoryTable:
    table = FakeMemoryTable(dimension=2)
    table.add(found)
    table.prepare_space("fake/1", 4)
    return table


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path, COLUMN)


def test_staged_batches_come_back_in_their_order(stage: Stage, tmp_path: Path) -> None:
    assert (stage.digests(), list(stage.chunks(2))) == ({}, [])
    digests = [digest_of(name) for name in "abcde"]
    stage.put(["a", "b"], digests[:2], np.eye(2, 4))
    stage.put(["c"], digests[2:3], np.eye(1, 4))
    stage.put(["d", "e"], digests[3:], np.eye(2, 4))
    chunks = list(stage.chunks(3))
    assert [one.column("id").to_pylist() for one in chunks] == [["a", "b", "c"], ["d", "e"]]
    assert vectors_in(chunks[1]).tolist() == np.eye(2, 4).tolist()
    assert stage.digests() == dict(zip("abcde", digests, strict=True))
    other = Stage(tmp_path, column_of("fake/2"))
    other.put(["a"], digests[:1], np.eye(1, 4))
    stage.drop()
    assert (stage.digests(), list(other.digests())) == ({}, ["a"])
    other.drop()
    other.drop()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_read_counts_as_none(stage: Stage, tmp_path: Path) -> None:
    stage.put(["a"], [digest_of("a")], np.eye(1, 4))
    stage.put(["b"], [digest_of("b")], np.eye(1, 4))
    first, second = sorted(tmp_path.rglob("*.arrow"))
    first.write_bytes(first.read_bytes()[:40])
    assert list(stage.digests()) == ["b"]
    second.write_bytes(b"")
    assert stage.digests() == {}
    drop_stages(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_half_a_surrogate_pair_has_a_digest() -> None:
    assert digest_of("\ud800") != digest_of("?")


def test_what_is_staged_is_not_made_again_unless_the_text_changed(stage: Stage) -> None:
    embed_batches(rows("a", "b"), FakeEmbedder(4), stage)
    counting = Counting()
    changed = pa.table({"id": ["a", "b", "c"], "text": ["text of a", "another", "text of c"]})
    result = embed_batches(changed, counting, stage)
    assert (result.made, result.failed, result.stopped) == (3, [], None)
    assert counting.asked == [["another", "text of c"]]


def test_a_batch_that_fails_is_halved_down_to_the_text_at_fault(stage: Stage) -> None:
    counting = Counting(refuses="text of c")
    result = embed_batches(rows(*"abcdefgh"), counting, stage)
    assert (result.made, result.failed, result.stopped) == (7, ["c"], None)
    assert sorted(stage.digests()) == list("abdefgh")
    assert len(counting.asked) < 20


def test_an_embedder_that_goes_down_leaves_what_was_staged(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "BATCH", 2)
    result = embed_batches(rows(*"abcdef"), Counting(until_call=2), stage)
    assert (result.made, result.failed, result.stopped) == (4, [], "embedder_failed")
    again = Counting()
    result = embed_batches(rows(*"abcdef"), again, stage)
    assert (result.made, again.asked) == (6, [["text of e", "text of f"]])


def test_only_what_is_wanted_and_still_says_the_same_is_merged(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "MERGE_NUMBERS", 8)
    found = rows(*"abcde")
    table = table_with(found)
    monkeypatch.setattr(embedding, "BATCH", 2)
    embed_batches(found, FakeEmbedder(4), stage)
    table.merge(pa.table({"id": ["b"], "text": ["another"]}))
    table.add(pa.table({"id": ["c"], "text": ["a twin"]}))
    wanted = found.filter(pa.array([True, True, True, True, False]))
    assert merge_staged(table, COLUMN, stage, rows=wanted, dimension=4) == 2
    there = table.scan(["id"], where=f"{COLUMN} IS NOT NULL").column("id").to_pylist()
    assert there == ["a", "d"]
    assert merge_staged(table, COLUMN, Stage(Path("nowhere"), COLUMN), rows=wanted, dimension=4) == 0


def test_every_row_is_found_once_for_what_it_needs() -> None:
    ids = ["good", "bad", "none", "blank", None, "twin", "twin"]
    table = table_with(pa.table({"id": ids, "text": ["a", "b", "c", " ", "d", "e", "f"]}))
    table.write_vectors(COLUMN, ["good", "bad"], np.eye(2, 4))
    zero = pa.array([[0, 0, 0, 0]], pa.list_(pa.float32(), 4))
    table.merge(pa.table({"id": ["bad"], COLUMN: zero}))
    found = find_unembedded(table, COLUMN, check=True)
    assert found.rows.to_pylist() == [{"id": "none", "text": "c"}, {"id": "bad", "text": "b"}]
    assert (found.seen, found.kept, found.empty, found.unnamed, found.faults) == (7, 1, 1, 3, {"zero": 1})
    unchecked = find_unembedded(table, COLUMN, check=False)
    assert (unchecked.kept, unchecked.rows.num_rows, unchecked.faults) == (2, 1, {})
    elsewhere = find_unembedded(table, column_of("fake/2"), check=True)
    assert (elsewhere.kept, elsewhere.rows.num_rows) == (0, 3)


def test_the_oldest_come_first_and_those_without_a_time_last() -> None:
    times = [5.0, None, 1.0, 3.0]
    found = rows(*"abcd")
    table = table_with(found.append_column("createdAt", pa.array(times, pa.float64())))
    assert oldest(table, found, 3).column("id").to_pylist() == ["c", "d", "a"]
    assert oldest(table, found, 4) is found
    bare = FakeMemoryTable(pa.table({"id": list("abcd")}))
    assert oldest(bare, found, 2).column("id").to_pylist() == ["a", "b"]


def test_vectors_of_others_are_those_that_nobody_signed() -> None:
    table = FakeMemoryTable(dimension=2)
    vectors = pa.array([[1, 0], [0, 1], None], pa.list_(pa.float32(), 2))
    signs = pa.array([None, "fake/1", None], pa.string())
    table.add(pa.table({"id": list("abc"), "vector": vectors, "embedding_model": signs}))
    assert count_foreign(table) == 1
    assert count_foreign(FakeMemoryTable(table.rows.drop_columns(["embedding_model"]))) == 2
    assert count_foreign(FakeMemoryTable(table.rows.drop_columns(["vector"]))) == 0
