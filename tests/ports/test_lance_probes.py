"""The indices of a real table, asked and found wanting."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sunrise.adapters import lance_indices, lance_probes
from sunrise.adapters.lance_border import connect
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.ports import IndexProbe

ROWS = 400
DIMENSION = 8


def rows(*, begin: int = 0, count: int = ROWS) -> pa.Table:
    numbers = range(begin, begin + count)
    vectors = np.random.default_rng(begin).standard_normal((count, DIMENSION), dtype=np.float32)
    return pa.table(
        {
            "id": [f"m{number}'s" for number in numbers],
            "scope": [None if number % 5 == 0 else f"s{number % 3}" for number in numbers],
            "createdAt": [1.7e12 + number / 4 for number in numbers],
            "terms": [f"word{number} common" for number in numbers],
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), DIMENSION),
        }
    )


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LanceMemories:
    monkeypatch.setattr(lance_indices, "VECTOR_INDEX_FROM_ROWS", 300)
    made = LanceMemories.create(tmp_path, dimension=DIMENSION)
    made.add(rows())
    made.build_missing_indices()
    return made


def by_column(table: LanceMemories, *, seed: int = 1) -> dict[str, IndexProbe]:
    return {one.column: one for one in table.probe_indices(seed=seed)}


def test_every_index_answers_for_old_and_new_rows(table: LanceMemories) -> None:
    table.add(rows(begin=ROWS, count=3))
    found = by_column(table)
    assert found.keys() == {
        "id", "createdAt", "scope", "importance_label", "state", "category", "trust_tier", "terms", "vector",
    }  # fmt: skip
    assert [one.detail for one in found.values()] == [""] * 9
    # The slices hold every row of a small table: each of the queried vectors has twenty neighbours there.
    assert found["vector"].neighbours >= 20
    assert found["vector"].neighbours_found >= 0.99 * found["vector"].neighbours


def test_probing_makes_no_version_and_leaves_the_newest_one_open(table: LanceMemories) -> None:
    before = table.state().version
    by_column(table)
    table.add(rows(begin=ROWS, count=1))
    assert (table.state().version, table.state().rows) == (before + 1, ROWS + 1)


def test_a_table_without_rows_or_without_indices_is_asked_nothing(tmp_path: Path) -> None:
    table = LanceMemories.create(tmp_path, dimension=DIMENSION)
    table.build_missing_indices()
    assert table.probe_indices(seed=1) == ()
    other = LanceMemories.create(tmp_path / "other", dimension=DIMENSION)
    other.add(rows())
    assert other.probe_indices(seed=1) == ()


def test_an_index_whose_files_are_another_tables_is_found_out(tmp_path: Path, table: LanceMemories) -> None:
    # Both tables have as many rows: the files are whole and in their places, and tell of other values.
    elsewhere = tmp_path / "elsewhere"
    other = LanceMemories.create(elsewhere, dimension=DIMENSION)
    other.add(rows(begin=5_000))
    other.build_missing_indices()
    mine, theirs = index_folders(tmp_path), index_folders(elsewhere)
    for column in ("id", "createdAt", "terms", "vector"):
        for path in theirs[column].iterdir():
            (mine[column] / path.name).write_bytes(path.read_bytes())
    found = by_column(LanceMemories.open(tmp_path))
    assert {name for name, one in found.items() if not one.ok} == {"id", "createdAt", "terms", "vector"}


def test_what_failed_is_built_anew_and_answers(tmp_path: Path, table: LanceMemories) -> None:
    for path in index_folders(tmp_path)["vector"].iterdir():
        path.write_bytes(path.read_bytes()[:40])
    again = LanceMemories.open(tmp_path)
    assert [one.column for one in again.probe_indices(seed=1) if not one.ok] == ["vector"]
    assert again.rebuild_indices(["vector"]) == ("vector",)
    assert all(one.ok for one in again.probe_indices(seed=1))


def test_seeds_ask_for_different_rows(table: LanceMemories) -> None:
    raw = connect(Path(str(table._table.uri)).parent).open_table("memories")
    asked = [lance_probes._known(raw, {"id"}, seed=seed).column("id").to_pylist() for seed in (1, 2)]
    assert asked[0] != asked[1]
    assert asked[0][-1] == asked[1][-1] == f"m{ROWS - 1}'s"


def test_a_vector_index_that_no_longer_pays_is_dropped(
    table: LanceMemories, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert table.drop_needless_indices() == ()
    # Above half of what it is built from it stays: it would soon be built again.
    monkeypatch.setattr(lance_indices, "VECTOR_INDEX_FROM_ROWS", 2 * ROWS)
    assert table.drop_needless_indices() == ()
    monkeypatch.setattr(lance_indices, "VECTOR_INDEX_FROM_ROWS", 2 * ROWS + 2)
    assert table.drop_needless_indices() == ("vector_idx",)
    assert "vector" not in by_column(table)
    assert table.build_missing_indices() == ()


@pytest.mark.slow
def test_recall_of_the_index_is_that_of_a_scan(tmp_path: Path) -> None:
    count, chance = 25_000, np.random.default_rng(5)
    centres = chance.standard_normal((250, 64), dtype=np.float32)
    vectors = centres[chance.integers(0, 250, count)] + chance.standard_normal((count, 64), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    table = LanceMemories.create(tmp_path, dimension=64)
    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), 64)
    table.add(pa.table({"id": [str(number) for number in range(count)], "vector": column}))
    assert "vector" in table.build_missing_indices()
    found = 0
    for number in range(0, count, 500):
        hits = table.search_vector(vectors[number], columns=["id"], where=None, limit=20)
        nearest = np.argsort(-(vectors @ vectors[number]))[:20]
        found += len({int(one) for one in hits.column("id").to_pylist()} & set(nearest.tolist()))
    assert found / (50 * 20) >= 0.99


def index_folders(uri: Path) -> dict[str, Path]:
    raw = connect(uri).open_table("memories")
    return {
        index.columns[0]: uri / "memories.lance" / "_indices" / index.index_uuid
        for index in raw.list_indices()
    }
