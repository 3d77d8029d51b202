"""What lancedb does that no port should show: stale handles, conflicts, old tags, lost files."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sunrise.adapters import lance_border, lance_indices, lance_memories
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.memory_schema import GOVERNANCE_COLUMNS, PLUGIN_COLUMNS, memories_schema
from sunrise.errors import ConflictError, DataError, StoreError


def test_looking_for_a_table_makes_no_directory(tmp_path: Path) -> None:
    assert not lance_memories.exists(tmp_path / "nowhere")
    with pytest.raises(StoreError, match="no memories table"):
        LanceMemories.open(tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []


def test_creating_twice_opens_the_first(tmp_path: Path) -> None:
    LanceMemories.create(tmp_path, dimension=4).add(pa.table({"id": ["a"]}))
    assert lance_memories.exists(tmp_path)
    assert LanceMemories.create(tmp_path, dimension=6).scan(["id"]).num_rows == 1
    assert LanceMemories.open(tmp_path).schema() == memories_schema(4)


def test_creating_after_another_process_was_quicker_opens_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    LanceMemories.create(tmp_path, dimension=4)
    monkeypatch.setattr(lance_memories, "exists", lambda *_, **__: False)
    assert LanceMemories.create(tmp_path, dimension=6).schema() == memories_schema(4)


def test_object_storage_is_asked_and_a_file_uri_is_a_path(tmp_path: Path) -> None:
    assert not lance_memories.exists("memory://nowhere")
    LanceMemories.create(f"file://{tmp_path}", dimension=4)
    assert lance_memories.exists(tmp_path)


def test_enough_vectors_get_an_index_that_finds_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lance_indices, "VECTOR_INDEX_FROM_ROWS", 300)
    table = LanceMemories.create(tmp_path, dimension=4)
    vectors = np.random.default_rng(7).standard_normal((300, 4), dtype=np.float32)
    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), 4)
    table.add(pa.table({"id": [f"{number:03}" for number in range(300)], "vector": column}))
    before = table.search_vector(vectors[42], columns=["id"], where=None, limit=3)
    assert "vector" in table.build_missing_indices()
    after = table.search_vector(vectors[42], columns=["id"], where=None, limit=3)
    assert before.column("id") == after.column("id")
    assert after.column("id")[0].as_py() == "042"


def test_a_table_without_vectors_can_be_made_and_is_not_searched_by_them(tmp_path: Path) -> None:
    table = LanceMemories.create(tmp_path, dimension=0)
    assert "vector" not in table.schema().names
    with pytest.raises(DataError) as error:
        table.search_vector(np.ones(4), columns=["id"], where=None, limit=1)
    assert error.value.reason == "wrong_dimension"


def test_a_handle_sees_and_keeps_up_with_another_writer(tmp_path: Path) -> None:
    mine, other = (LanceMemories.create(tmp_path, dimension=4) for _ in range(2))
    other.add(pa.table({"id": ["a", "b"], "terms": ["x", "y"]}))
    assert mine.scan(["id"]).num_rows == 2
    mine.build_missing_indices()
    other.merge(pa.table({"id": ["a"], "scope": ["s"]}))
    mine.optimize(keep=timedelta(days=7))
    assert not any(index.unindexed_rows for index in other.state().indices)


def test_a_tag_older_than_the_window_stops_no_optimize(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = LanceMemories.create(tmp_path, dimension=4)
    table.add(pa.table({"id": ["a", "b"], "terms": ["x", "y"]}))
    table.build_missing_indices()
    table.tag("old")
    table.merge(pa.table({"id": ["a"], "scope": ["s"]}))
    monkeypatch.setattr(lance_indices, "SHORTEST_KEEP", timedelta(0))
    table.optimize(keep=timedelta(microseconds=1))
    assert table.state().tags.keys() == {"old"}
    assert not any(index.unindexed_rows for index in table.state().indices)


def test_a_filter_that_is_no_sql_is_the_data_to_mend(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        LanceMemories.create(tmp_path, dimension=4).scan(["id"], where="==")
    assert error.value.reason == "refused_by_store"


def test_lost_files_are_a_store_error(tmp_path: Path) -> None:
    table = LanceMemories.create(tmp_path, dimension=4)
    table.add(pa.table({"id": ["a"]}))
    for file in (tmp_path / "memories.lance" / "data").iterdir():
        file.unlink()
    with pytest.raises(StoreError, match="cannot scan"):
        table.scan(["id"])


def test_adoption_survives_a_plugin_that_writes_at_the_same_time(tmp_path: Path) -> None:
    stale = LanceMemories(plugin_table(tmp_path))
    fresh = LanceMemories.open(tmp_path)
    fresh.merge(pa.table({"id": ["p"], "category": ["fact"]}))
    assert stale.adopt() == tuple(field.name for field in GOVERNANCE_COLUMNS)


def test_conflicts_are_tried_five_times_on_a_fresh_handle() -> None:
    calls: list[str] = []

    def lose() -> None:
        calls.append("try")
        raise RuntimeError("Retryable commit conflict for version 7")

    with pytest.raises(ConflictError, match="run it again later"):
        lance_border.retry_conflicts(lose, refresh=lambda: calls.append("refresh"), sleep=lambda _: None)
    assert calls == ["refresh", "try"] * lance_border.TRIES


def test_a_merge_that_gave_up_by_itself_is_a_conflict_and_is_not_tried_again() -> None:
    tries: list[int] = []

    def give_up() -> None:
        tries.append(1)
        raise OSError("lance error: Too many concurrent writers. Attempted 8 times")

    with pytest.raises(ConflictError, match="run it again later"):
        lance_border.retry_conflicts(give_up, refresh=lambda: None, sleep=lambda _: None)
    assert len(tries) == 1


def test_a_conflict_that_passes_is_no_error() -> None:
    outcomes = iter([RuntimeError("commit conflict"), None])

    def act() -> str:
        if (error := next(outcomes)) is not None:
            raise error
        return "done"

    slept: list[float] = []
    assert lance_border.retry_conflicts(act, refresh=lambda: None, sleep=slept.append) == "done"
    assert len(slept) == 1


def test_other_errors_are_not_tried_again() -> None:
    calls: list[int] = []

    def fail() -> None:
        calls.append(1)
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        lance_border.retry_conflicts(fail, refresh=lambda: None)
    assert calls == [1]


def plugin_table(uri: Path) -> object:
    schema = memories_schema(2)
    plugin = pa.schema([schema.field(name) for name in PLUGIN_COLUMNS if name != "agentId"])
    row = {"id": "p", "text": "tea", "vector": [1.0, 0.0], "importance": 0.7, "category": "other"}
    return lance_border.connect(uri).create_table("memories", pa.Table.from_pylist([row], schema=plugin))
