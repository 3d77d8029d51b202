"""The port MemoryTable: one suite, the fake and the real one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.memory_schema import memories_schema
from sunrise.errors import DataError
from sunrise.ports import MemoryTable
from tests.fakes import FakeMemoryTable

DIMENSION = 8
Maker = Callable[[], MemoryTable]


def unit(*head: float) -> list[float]:
    vector = np.zeros(DIMENSION)
    vector[: len(head)] = head
    return [float(part) for part in vector / np.linalg.norm(vector)]


ROWS = [
    {
        "id": "a",
        "text": "backup",
        "terms": "backup databas",
        "vector": unit(1),
        "scope": None,
        "importance": 0.7,
    },
    {"id": "b", "text": "deploy", "terms": "deploy backup", "vector": unit(1, 1), "scope": "agent:1"},
    {
        "id": "c",
        "text": "備份",
        "terms": "备 份 备份",
        "vector": unit(0, 1),
        "scope": "O'Brien",
        "createdAt": 5.0,
    },
    {"id": "d", "text": "no vector", "terms": None, "vector": None, "scope": "agent:1"},
]


@pytest.fixture(params=["fake", "lance"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Maker:
    if request.param == "fake":
        return lambda: FakeMemoryTable(dimension=DIMENSION)
    return lambda: LanceMemories.create(tmp_path / "lance", dimension=DIMENSION)


@pytest.fixture
def empty(make: Maker) -> MemoryTable:
    return make()


@pytest.fixture
def table(empty: MemoryTable) -> MemoryTable:
    empty.add(
        pa.Table.from_pylist(
            ROWS,
            schema=pa.schema(
                [
                    memories_schema(DIMENSION).field(n)
                    for n in ("id", "text", "terms", "vector", "scope", "importance", "createdAt")
                ]
            ),
        )
    )
    return empty


@pytest.fixture
def indexed(table: MemoryTable) -> MemoryTable:
    table.build_missing_indices()
    return table


def ids(found: pa.Table) -> list[str]:
    return [str(one) for one in found.column("id").to_pylist()]


def reason(error: pytest.ExceptionInfo[DataError]) -> str:
    return error.value.reason


def test_a_new_table_is_empty_and_every_column_is_nullable(empty: MemoryTable) -> None:
    assert empty.schema() == memories_schema(DIMENSION)
    assert all(field.nullable for field in empty.schema())
    assert empty.scan(["id"]).num_rows == 0
    assert empty.state().rows == 0


def test_columns_that_are_missing_in_new_rows_become_null(table: MemoryTable) -> None:
    assert table.by_ids(["b"], ["importance", "lang", "agentId"]).to_pylist() == [
        {"importance": None, "lang": None, "agentId": None}
    ]


def test_scan_gives_the_columns_that_exist_of_the_rows_let_through(table: MemoryTable) -> None:
    found = table.scan(["text", "nowhere", "id"], where="scope = 'O''Brien' OR scope IS NULL")
    assert found.column_names == ["text", "id"]
    assert sorted(ids(found)) == ["a", "c"]
    assert table.scan(["nowhere"]).column_names == []


def test_camel_case_columns_need_no_quotes_in_filters(table: MemoryTable) -> None:
    assert ids(table.scan(["id"], where="createdAt > 4")) == ["c"]


def test_ids_are_found_whatever_is_in_them_and_unknown_ones_left_out(table: MemoryTable) -> None:
    table.add(pa.table({"id": ["it's", "字"]}))
    assert sorted(ids(table.by_ids(["it's", "字", "a", "a", "' OR 1=1 --"], ["id"]))) == ["a", "it's", "字"]
    assert table.by_ids([], ["id", "text"]).column_names == ["id", "text"]


def test_merge_overwrites_the_given_columns_of_known_rows_only(table: MemoryTable) -> None:
    before = table.scan(["id", "text", "vector", "terms"]).sort_by("id")
    met = table.merge(pa.table({"id": ["a", "c", "x"], "importance": [1, 0, 0], "lang": ["en", None, "zh"]}))
    assert met == 2
    assert table.scan(["id", "text", "vector", "terms"]).sort_by("id") == before
    assert table.by_ids(["a"], ["importance", "lang"]).to_pylist() == [{"importance": 1.0, "lang": "en"}]
    assert table.by_ids(["c"], ["importance"]).to_pylist() == [{"importance": 0.0}]


def test_merge_takes_the_string_types_of_other_libraries_and_columns_of_nothing(table: MemoryTable) -> None:
    rows = pa.table({
        "id": pa.array(["a"], pa.string_view()), "state": pa.array(["stale"], pa.large_string()),
        "lang": pa.array(["en"]).dictionary_encode(), "scope": pa.nulls(1),
    })  # fmt: skip
    assert table.merge(rows) == 1
    assert table.by_ids(["a"], ["state", "lang", "scope"]).to_pylist() == [
        {"state": "stale", "lang": "en", "scope": None}
    ]


def test_merging_the_same_again_changes_nothing(table: MemoryTable) -> None:
    rows = pa.table({"id": ["a", "b"], "state": ["active", "archived"]})
    assert table.merge(rows) == 2
    once = table.scan(table.schema().names).sort_by("id")
    assert table.merge(rows) == 2
    assert table.scan(table.schema().names).sort_by("id") == once


def test_merging_nothing_is_no_version(table: MemoryTable) -> None:
    before = table.state().version
    assert table.merge(pa.table({"id": pa.array([], pa.string()), "lang": pa.array([], pa.string())})) == 0
    assert table.merge(pa.table({"id": ["a"]})) == 0
    table.add(pa.table({"id": pa.array([], pa.string())}))
    assert table.state().version == before


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        (pa.table({"id": ["a", "a"], "lang": ["en", "zh"]}), "ambiguous_ids"),
        (pa.table({"lang": ["en"]}), "no_ids"),
        (pa.table({"id": ["a"], "mood": ["good"]}), "unknown_column"),
        (pa.table({"id": ["a"], "importance": ["high"]}), "wrong_type"),
        (pa.table({"id": ["a"], "vector": [[1.0] * 3]}), "wrong_type"),
        (pa.table({"id": ["a"], "vector": [[float("nan")] * DIMENSION]}), "non_finite_vector"),
        (pa.table({"id": ["a"], "vector": [[0.0] * DIMENSION]}), "zero_vector"),
    ],
)
def test_rows_that_do_not_fit_are_refused_whole(table: MemoryTable, rows: pa.Table, code: str) -> None:
    before = table.scan(table.schema().names).sort_by("id")
    with pytest.raises(DataError) as error:
        table.merge(rows)
    assert reason(error) == code
    assert table.scan(table.schema().names).sort_by("id") == before


def test_rows_are_deleted_by_id_whatever_is_in_it_and_unknown_ids_are_no_error(table: MemoryTable) -> None:
    table.add(pa.table({"id": ["it's", "字", None]}))
    assert table.delete(["it's", "a", "a", "nowhere", "' OR 1=1 --"]) == 2
    assert sorted(table.scan(["id"]).column("id").to_pylist(), key=str) == [None, "b", "c", "d", "字"]


def test_deleting_nothing_is_no_version_and_what_stands_twice_goes_twice(table: MemoryTable) -> None:
    before = table.newest_version()
    assert (table.delete([]), table.delete(["nowhere"]), table.newest_version()) == (0, 0, before)
    table.add(pa.table({"id": ["a", "e"]}))
    assert table.delete(["a"]) == 2
    assert ids(table.by_ids(["a", "e"], ["id"])) == ["e"]


def test_what_is_deleted_is_found_by_no_search(indexed: MemoryTable) -> None:
    assert indexed.delete(["a"]) == 1
    assert ids(indexed.search_terms("backup databas", columns=["id"], where=None, limit=5)) == ["b"]
    near = indexed.search_vector(np.array(unit(1), np.float32), columns=["id"], where=None, limit=1)
    assert ids(near) == ["b"]


def test_a_new_text_empties_the_vectors_that_are_ours(table: MemoryTable) -> None:
    column = table.prepare_space("fake/1", 4)
    table.write_vectors(column, ["a", "b"], np.eye(4, dtype=np.float32)[:2])
    table.merge(pa.table({"id": ["a"], "text": ["another"]}))
    table.merge(pa.table({"id": ["b"], "lang": ["en"]}))
    held = {row["id"]: row for row in table.by_ids(["a", "b"], ["id", "text", "vector", column]).to_pylist()}
    assert (held["a"]["text"], held["a"][column], held["b"][column]) == (
        "another",
        None,
        [0.0, 1.0, 0.0, 0.0],
    )
    assert held["a"]["vector"] == pytest.approx(unit(1))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None])
def test_a_vector_with_a_gap_is_not_added(table: MemoryTable, value: float | None) -> None:
    vector = pa.array([[value, *unit(1)[1:]]], pa.list_(pa.float32(), DIMENSION))
    with pytest.raises(DataError) as error:
        table.add(pa.table({"id": ["e"], "vector": vector}))
    assert reason(error) == "non_finite_vector"
    assert table.by_ids(["e"], ["id"]).num_rows == 0


def test_a_null_vector_may_be_added_and_is_never_near(table: MemoryTable) -> None:
    found = table.search_vector(np.array(unit(0, 1)), columns=["id"], where=None, limit=10)
    assert ids(found) == ["c", "b", "a"]


def test_the_nearest_come_first_within_the_filter(table: MemoryTable) -> None:
    query = np.array(unit(1, 0.1), dtype=np.float32)
    found = table.search_vector(query, columns=["id", "nowhere"], where="scope = 'agent:1'", limit=5)
    assert found.column_names == ["id", "_distance"]
    assert ids(found) == ["b"]
    assert ids(table.search_vector(query, columns=["id"], where=None, limit=1)) == ["a"]
    assert ids(table.search_vector(query, columns=["id"], where="false", limit=1)) == []


@pytest.mark.parametrize(
    ("vector", "code"),
    [
        (np.zeros(DIMENSION), "zero_vector"),
        (np.full(DIMENSION, np.nan), "non_finite_vector"),
        (np.ones(DIMENSION + 1), "wrong_dimension"),
        (np.ones((1, DIMENSION)), "wrong_dimension"),
    ],
)
def test_a_query_that_cosine_would_answer_with_garbage_is_refused(
    table: MemoryTable, vector: np.ndarray, code: str
) -> None:
    with pytest.raises(DataError) as error:
        table.search_vector(vector, columns=["id"], where=None, limit=3)
    assert reason(error) == code


def test_terms_find_the_best_first_in_any_script(indexed: MemoryTable) -> None:
    found = indexed.search_terms("backup databas", columns=["id", "text"], where=None, limit=5)
    assert found.column_names == ["id", "text", "_score"]
    assert ids(found) == ["a", "b"]
    assert ids(indexed.search_terms("备份", columns=["id"], where=None, limit=5)) == ["c"]
    assert ids(indexed.search_terms("backup", columns=["id"], where="scope = 'agent:1'", limit=5)) == ["b"]


@pytest.mark.parametrize("terms", ["", "  ", "nowhere", '"', "a'b", "+backup*"])
def test_terms_that_are_nowhere_find_nothing(indexed: MemoryTable, terms: str) -> None:
    found = indexed.search_terms(terms, columns=["id"], where=None, limit=5)
    assert found.column_names == ["id", "_score"]
    assert found.num_rows == 0


def test_batches_hold_what_a_scan_does(table: MemoryTable) -> None:
    for where in (None, "scope = 'agent:1'", "id = 'nobody'"):
        parts = list(table.batches(["id", "scope", "no such column"], where=where))
        whole = table.scan(["id", "scope"], where=where).to_pylist()
        assert [row for part in parts for row in part.to_pylist()] == whole


def test_a_small_table_is_searched_without_an_index_of_terms(table: MemoryTable) -> None:
    assert "terms" not in {index.column for index in table.state().indices}
    found = table.search_terms("backup databas", columns=["id", "text"], where=None, limit=5)
    assert found.column_names == ["id", "text", "_score"]
    assert ids(found) == ["a", "b"]
    assert ids(table.search_terms("backup", columns=["id"], where="scope = 'agent:1'", limit=5)) == ["b"]
    assert ids(table.search_terms("nowhere", columns=["id"], where=None, limit=5)) == []
    assert ids(table.search_terms(" ", columns=["id"], where=None, limit=5)) == []


def test_what_was_just_stored_or_changed_is_found_without_an_index(table: MemoryTable) -> None:
    assert ids(table.search_terms("novel", columns=["id"], where=None, limit=5)) == []
    table.add(pa.table({"id": ["new"], "terms": ["novel"]}))
    assert ids(table.search_terms("novel", columns=["id"], where=None, limit=5)) == ["new"]
    table.merge(pa.table({"id": ["a"], "terms": ["other"]}))
    assert "a" not in ids(table.search_terms("backup", columns=["id"], where=None, limit=5))
    table.delete(["new"])
    assert ids(table.search_terms("novel", columns=["id"], where=None, limit=5)) == []


def test_a_large_table_without_an_index_of_terms_says_so(table: MemoryTable) -> None:
    table.add(pa.table({"id": [f"more{at}" for at in range(4097)], "terms": ["filler"] * 4097}))
    with pytest.raises(DataError) as error:
        table.search_terms("backup", columns=["id"], where=None, limit=5)
    assert reason(error) == "no_terms_index"


def test_terms_that_nobody_analysed_are_not_searched(empty: MemoryTable) -> None:
    empty.add(pa.table({"id": ["a", "b"], "text": ["backup", "more"]}))
    with pytest.raises(DataError) as error:
        empty.search_terms("backup", columns=["id"], where=None, limit=5)
    assert reason(error) == "no_terms_index"


def test_terms_written_after_the_index_are_found_before_and_after_optimize(indexed: MemoryTable) -> None:
    indexed.merge(pa.table({"id": ["d"], "terms": ["novel"]}))
    indexed.add(pa.table({"id": ["e"], "terms": ["newest"]}))
    for _ in range(2):
        assert ids(indexed.search_terms("novel newest", columns=["id"], where="id = 'd'", limit=5)) == ["d"]
        assert ids(indexed.search_terms("newest", columns=["id"], where=None, limit=5)) == ["e"]
        indexed.optimize(keep=timedelta(days=7))


def test_indices_are_built_once_and_no_terms_index_over_nothing(empty: MemoryTable) -> None:
    assert empty.build_missing_indices() == (
        "id", "createdAt", "scope", "importance_label", "state", "category", "trust_tier",
    )  # fmt: skip
    empty.add(pa.table({"id": ["a"], "terms": ["backup"]}))
    assert empty.build_missing_indices() == ("terms",)
    assert empty.build_missing_indices() == ()
    assert {index.column for index in empty.state().indices} >= {"id", "scope", "terms"}


def test_optimize_covers_what_a_merge_uncovered(indexed: MemoryTable) -> None:
    indexed.add(pa.table({"id": ["e"], "scope": ["x"]}))
    indexed.merge(pa.table({"id": ["a"], "scope": ["y"]}))
    assert any(index.unindexed_rows for index in indexed.state().indices)
    indexed.optimize(keep=timedelta(hours=1))
    assert not any(index.unindexed_rows for index in indexed.state().indices)
    assert ids(indexed.scan(["id"], where="scope = 'y'")) == ["a"]


def test_adopting_an_own_table_adds_nothing(table: MemoryTable) -> None:
    before = table.state().version
    assert table.adopt() == ()
    assert table.state().version == before


def test_a_tag_names_the_newest_version_and_moves(table: MemoryTable) -> None:
    first = table.tag("before-grade.1")
    assert table.state().tags == {"before-grade.1": first}
    table.merge(pa.table({"id": ["a"], "lang": ["en"]}))
    second = table.tag("before-grade.1")
    assert second > first
    assert table.state().tags == {"before-grade.1": second}
    table.untag("before-grade.1")
    table.untag("before-grade.1")
    assert table.state().tags == {}


@pytest.mark.parametrize("name", ["", "中文", ".hidden", "2026-11-27T10:00", "a/b", "a b", "-x", "x\n"])
def test_a_tag_name_that_would_poison_the_table_is_refused(empty: MemoryTable, name: str) -> None:
    with pytest.raises(DataError) as error:
        empty.tag(name)
    assert reason(error) == "bad_tag_name"
    assert empty.state().tags == {}
