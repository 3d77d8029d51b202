"""Columns of vectors, one for each model: one suite, the fake and the real one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.memory_schema import own_columns, vector_columns
from sunrise.domain.vector_space import SpaceState, active_space, column_of
from sunrise.errors import DataError
from sunrise.ports import MemoryTable
from tests.fakes import FakeMemoryTable

SMALL, LARGE = column_of("small/1"), column_of("large/1")


@pytest.fixture(params=["fake", "lance"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> MemoryTable:
    makers: dict[str, Callable[[], MemoryTable]] = {
        "fake": lambda: FakeMemoryTable(dimension=2),
        "lance": lambda: LanceMemories.create(tmp_path, dimension=2),
    }
    made = makers[request.param]()
    made.add(pa.table({"id": ["a", "b", "c"], "text": ["tea", "backup", "茶"]}))
    return made


def states(table: MemoryTable) -> dict[str, str]:
    return {one.column: str(one.state) for one in table.spaces()}


def nearest(table: MemoryTable, column: str, *query: float) -> list[str]:
    vector = np.array(query, dtype=np.float32)
    found = table.search_vector(vector, column=column, columns=["id"], where=None, limit=9)
    return [str(one) for one in found.column("id").to_pylist()]


def put(table: MemoryTable, column: str, dimension: int, **vectors: list[Any] | None) -> None:
    """Write whatever it is, unchecked, as a writer of another version might have."""
    kind = pa.list_(pa.float32(), dimension)
    rows = {"id": list(vectors), column: pa.array(list(vectors.values()), kind)}
    table.merge(pa.table(rows))


def test_a_new_table_has_but_the_column_that_is_nobodys(table: MemoryTable) -> None:
    assert states(table) == {"vector": "legacy"}
    assert active_space(table.spaces()) is None


def test_each_model_has_a_column_of_its_own_beside_the_others(table: MemoryTable) -> None:
    before = table.scan(["id", "text", "vector"])
    assert table.prepare_space("small/1", 2) == SMALL
    assert table.prepare_space("large/1", 3) == LARGE
    assert states(table) == {"vector": "legacy", SMALL: "building", LARGE: "building"}
    assert {one.column: one.dimension for one in table.spaces()} == {"vector": 2, SMALL: 2, LARGE: 3}
    assert table.schema().field(SMALL).nullable
    assert table.scan(["id", "text", "vector"]).equals(before)


def test_preparing_twice_changes_nothing(table: MemoryTable) -> None:
    table.prepare_space("small/1", 2)
    version = table.newest_version()
    assert table.prepare_space("small/1", 2) == SMALL
    assert table.newest_version() == version


def test_a_column_that_holds_something_else_is_not_taken(table: MemoryTable) -> None:
    table.prepare_space("small/1", 2)
    with pytest.raises(DataError) as error:
        table.prepare_space("small/1", 3)
    assert error.value.reason == "column_is_taken"


def test_vectors_are_found_by_their_own_column_alone(table: MemoryTable) -> None:
    for model, dimension in (("small/1", 2), ("large/1", 3)):
        table.prepare_space(model, dimension)
    assert table.write_vectors(SMALL, ["a", "b", "gone"], np.array([[1, 0], [0, 1], [1, 1]])) == 2
    assert table.write_vectors(LARGE, ["c"], np.array([[0, 0, 1]])) == 1
    assert nearest(table, SMALL, 1, 0) == ["a", "b"]
    assert nearest(table, LARGE, 1, 0, 0) == ["c"]
    assert nearest(table, "vector", 1, 0) == []
    with pytest.raises(DataError) as error:
        nearest(table, LARGE, 1, 0)
    assert error.value.reason == "wrong_dimension"


@pytest.mark.parametrize(
    ("vectors", "reason"),
    [
        ([[0.0, 0.0]], "zero_vector"),
        ([[1.0, np.nan]], "non_finite_vector"),
        ([[1.0, np.inf]], "non_finite_vector"),
        ([[1.0, 0.0, 0.0]], "wrong_dimension"),
        ([[1.0, 0.0], [0.0, 1.0]], "wrong_dimension"),
    ],
)
def test_a_vector_that_would_poison_the_search_is_not_written(
    table: MemoryTable, vectors: list[list[float]], reason: str
) -> None:
    table.prepare_space("small/1", 2)
    with pytest.raises(DataError) as error:
        table.write_vectors(SMALL, ["a"], np.array(vectors))
    assert error.value.reason == reason
    assert table.count_vectors(SMALL) == 0


def test_no_vector_of_ours_goes_into_the_column_of_others(table: MemoryTable) -> None:
    with pytest.raises(DataError) as error:
        table.write_vectors("vector", ["a"], np.array([[1.0, 0.0]]))
    assert error.value.reason == "wrong_dimension"


def test_an_id_named_twice_is_refused_and_no_ids_are_no_work(table: MemoryTable) -> None:
    table.prepare_space("small/1", 2)
    version = table.newest_version()
    assert table.write_vectors(SMALL, [], np.zeros((0, 2))) == 0
    with pytest.raises(DataError) as error:
        table.write_vectors(SMALL, ["a", "a"], np.eye(2))
    assert error.value.reason == "ambiguous_ids"
    assert table.newest_version() == version


def test_the_switch_is_one_version(table: MemoryTable) -> None:
    for model in ("small/1", "large/1"):
        table.prepare_space(model, 2)
    table.activate(SMALL)
    version = table.newest_version()
    table.activate(LARGE)
    assert table.newest_version() == version + 1
    assert states(table) == {"vector": "legacy", SMALL: "retired", LARGE: "active"}
    table.activate(LARGE)
    assert table.newest_version() == version + 1


def test_a_model_that_comes_back_finds_its_vectors(table: MemoryTable) -> None:
    for model in ("small/1", "large/1"):
        table.prepare_space(model, 2)
    table.write_vectors(SMALL, ["a"], np.array([[1.0, 0.0]]))
    table.activate(SMALL)
    table.activate(LARGE)
    assert table.prepare_space("small/1", 2) == SMALL
    assert states(table)[SMALL] == "building"
    table.activate(SMALL)
    assert states(table) == {"vector": "legacy", SMALL: "active", LARGE: "retired"}
    assert nearest(table, SMALL, 1, 0) == ["a"]


def test_what_a_column_is_survives_merges_and_upkeep(table: MemoryTable) -> None:
    table.prepare_space("small/1", 2)
    table.activate(SMALL)
    table.write_vectors(SMALL, ["a", "b"], np.eye(2))
    table.add(pa.table({"id": ["d"], "text": ["added later"]}))
    table.build_missing_indices()
    table.optimize(keep=timedelta(days=7))
    assert states(table) == {"vector": "legacy", SMALL: "active"}
    assert sorted(table.scan(["id"], where=f"{SMALL} IS NULL").column("id").to_pylist()) == ["c", "d"]


def test_a_column_that_does_not_answer_can_be_dropped(table: MemoryTable) -> None:
    for model in ("small/1", "large/1"):
        table.prepare_space(model, 2)
    table.activate(LARGE)
    table.drop_space(SMALL)
    assert states(table) == {"vector": "legacy", LARGE: "active"}
    for column, reason in (
        (LARGE, "column_is_active"),
        ("vector", "not_our_column"),
        ("text", "not_our_column"),
    ):
        with pytest.raises(DataError) as error:
            table.drop_space(column)
        assert error.value.reason == reason
    with pytest.raises(DataError) as error:
        table.activate(SMALL)
    assert error.value.reason == "not_our_column"


def test_vectors_of_no_use_are_told_by_what_is_wrong(table: MemoryTable) -> None:
    table.prepare_space("small/1", 2)
    table.add(pa.table({"id": ["d", "e"], "text": ["x", "y"]}))
    put(table, SMALL, 2, a=[0, 0], b=[1, np.nan], c=[1, None], d=[0.6, 0.8])
    assert table.vector_faults(SMALL).sort_by("id").to_pylist() == [
        {"id": "a", "fault": "zero"},
        {"id": "b", "fault": "not_finite"},
        {"id": "c", "fault": "gap"},
    ]
    assert table.count_vectors(SMALL) == 4
    table.write_vectors(SMALL, ["a", "b", "c"], np.array([[1, 0], [0, 1], [1, 1]]))
    assert table.vector_faults(SMALL).num_rows == 0
    assert table.count_vectors("nowhere") == 0


def test_what_wants_an_index_is_all_that_is_or_will_be_searched(table: MemoryTable) -> None:
    for model in ("small/1", "large/1"):
        table.prepare_space(model, 2)
    assert vector_columns(table.schema()) == ["vector", SMALL, LARGE]
    table.activate(SMALL)
    table.activate(LARGE)
    assert vector_columns(table.schema()) == ["vector", LARGE]
    assert own_columns(table.schema()) == [SMALL, LARGE]
    assert [one.state for one in table.spaces()] == [SpaceState.LEGACY, SpaceState.RETIRED, SpaceState.ACTIVE]
