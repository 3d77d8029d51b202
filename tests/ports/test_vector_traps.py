"""Columns of vectors where others write too: a plugin's table, a secret that is taken out, an index."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sunrise.adapters import lance_border, lance_indices, lance_merge
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.plugin_table import PluginMemory, placeholder_vector, plugin_schema, write_plugin_table
from sunrise.domain.text.analysis import terms
from sunrise.domain.vector_space import column_of
from tests.fakes import FakeEmbedder
from tests.homes import MEMORIES, NOW

DIMENSION = 1536
COLUMN = column_of("fake/1")
TOKEN = "gh" + "p_" + "a1B2" * 9
EMBEDDER = FakeEmbedder(4)


@pytest.fixture
def adopted(tmp_path: Path) -> LanceMemories:
    """A plugin's table with a column of ours that answers."""
    write_plugin_table(tmp_path, [PluginMemory(*row) for row in MEMORIES], dimension=DIMENSION)
    table = LanceMemories.open(tmp_path)
    table.adopt()
    table.prepare_space("fake/1", 4)
    texts = table.scan(["id", "text"]).to_pylist()
    vectors = EMBEDDER.embed([row["text"] for row in texts])
    assert table.write_vectors(COLUMN, [row["id"] for row in texts], vectors) == len(MEMORIES)
    table.activate(COLUMN)
    return table


def test_a_plugins_columns_are_as_they_were_and_it_can_still_add_rows(
    adopted: LanceMemories, tmp_path: Path
) -> None:
    schema, rows = adopted.schema(), adopted.scan(plugin_schema().names).sort_by("id")
    assert [schema.field(one.name).equals(one, check_metadata=True) for one in plugin_schema()] == [True] * 6
    assert dict(zip(*(rows.column(name).to_pylist() for name in ("id", "vector")), strict=True)) == {
        row[0]: placeholder_vector(row[1], DIMENSION).tolist() for row in MEMORIES
    }
    theirs = lance_border.connect(tmp_path).open_table("memories")
    row = {"id": "theirs", "text": "violins", "vector": placeholder_vector("violins", DIMENSION).tolist(),
           "importance": 0.7, "category": "fact", "createdAt": float(NOW)}  # fmt: skip
    theirs.add(pa.Table.from_pylist([row], schema=plugin_schema()))
    assert adopted.by_ids(["theirs"], ["text", COLUMN]).to_pylist() == [{"text": "violins", COLUMN: None}]
    near = theirs.search(placeholder_vector("violins", DIMENSION), vector_column_name="vector").limit(1)
    assert near.select(["id", "_distance"]).to_list()[0]["id"] == "theirs"
    assert adopted.write_vectors(COLUMN, ["theirs"], EMBEDDER.embed(["violins"])) == 1


def test_a_reader_that_was_open_before_sees_the_switch(adopted: LanceMemories, tmp_path: Path) -> None:
    reader = LanceMemories.open(tmp_path)
    assert [str(one.state) for one in reader.spaces()] == ["legacy", "active"]
    adopted.activate(adopted.prepare_space("fake/2", 3))
    assert [str(one.state) for one in reader.spaces()] == ["legacy", "retired", "active"]


def test_a_restored_version_brings_back_which_column_answered(adopted: LanceMemories) -> None:
    before = adopted.spaces()
    version = adopted.newest_version()
    adopted.activate(adopted.prepare_space("fake/2", 3))
    adopted.drop_space(COLUMN)
    adopted._table.checkout(version)
    adopted._table.restore()
    assert adopted.spaces() == before
    assert adopted.count_vectors(COLUMN) == len(MEMORIES)


def test_a_text_that_is_redacted_loses_the_vectors_that_we_made_of_it(adopted: LanceMemories) -> None:
    said = f"the token is {TOKEN}"
    ids = pa.array(["secret", None], pa.string())
    adopted.add(pa.table({"id": ids, "text": [said, said], "terms": [terms(said)] * 2}))
    adopted.write_vectors(COLUMN, ["secret"], EMBEDDER.embed([said]))
    found = adopted.find_secrets()
    assert len(found.rows) == 2
    adopted.redact_rows(found, embedder=EMBEDDER, now_ms=NOW)
    adopted.forget_secrets(found)
    assert adopted.by_ids(["secret"], [COLUMN]).to_pylist() == [{COLUMN: None}]
    assert adopted.count_vectors(COLUMN) == len(MEMORIES)


def test_a_large_merge_finds_its_rows_by_an_index_that_covers_them(
    adopted: LanceMemories, monkeypatch: pytest.MonkeyPatch
) -> None:
    def uncovered() -> list[int]:
        return [one.unindexed_rows for one in adopted.state().indices if one.column == "id"]

    adopted.write_vectors(COLUMN, ["m-tea"], EMBEDDER.embed(["tea"]))
    assert uncovered() == []
    monkeypatch.setattr(lance_merge, "JOINED_ROWS", 1)
    covered: list[list[int]] = []
    cover_ids = lance_merge.cover_ids

    def looked_at(table: Any) -> None:
        cover_ids(table)
        covered.append(uncovered())

    monkeypatch.setattr(lance_merge, "cover_ids", looked_at)
    for _ in range(2):
        adopted.add(pa.table({"id": ["more", "less"], "text": ["more", "less"]}))
        adopted.write_vectors(COLUMN, ["m-tea"], EMBEDDER.embed(["tea"]))
    assert covered == [[0], [0]]


def test_a_column_of_ours_gets_an_index_that_outlives_upkeep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lance_indices, "VECTOR_INDEX_FROM_ROWS", 300)
    table = LanceMemories.create(tmp_path, dimension=2)
    names = [f"{number:03}" for number in range(300)]
    table.add(pa.table({"id": names}))
    table.prepare_space("fake/1", 4)
    vectors = np.random.default_rng(7).standard_normal((300, 4), dtype=np.float32)
    table.write_vectors(COLUMN, names, vectors)
    assert COLUMN in table.build_missing_indices()
    table.optimize(keep=timedelta(days=7))
    found = table.search_vector(vectors[42], column=COLUMN, columns=["id"], where=None, limit=3)
    assert found.column("id")[0].as_py() == "042"
    assert table.build_missing_indices() == ()
