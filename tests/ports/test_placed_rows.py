"""Rows that no id tells apart are read, written and deleted by their places: the fake and the real one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from sunrise.adapters.lance_memories import LanceMemories
from sunrise.domain.row_names import row_name
from sunrise.ports import MemoryTable
from tests.fakes import FakeMemoryTable

ROWS = {
    "id": [None, "", "k1", "k1", "k2", None],
    "text": ["tea", "coffee", "the gate", "the shed", "milk", "tea"],
    "scope": [None, None, "home", "work", None, None],
}
Told = list[tuple[str | None, str, str | None]]


@pytest.fixture(params=["fake", "lance"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> MemoryTable:
    made: MemoryTable
    made = FakeMemoryTable() if request.param == "fake" else LanceMemories.create(tmp_path, dimension=8)
    made.add(pa.table({name: pa.array(values, pa.string()) for name, values in ROWS.items()}))
    return made


def told(table: MemoryTable) -> Told:
    rows = table.scan(["id", "text", "scope"]).to_pylist()
    return sorted(((row["id"], row["text"], row["scope"]) for row in rows), key=str)


def test_each_row_gets_its_own_value_and_no_other_row_one(table: MemoryTable) -> None:
    rows = table.placed(["id", "text"], where="(id IS NULL OR id = '' OR id = 'k1')")
    assert sorted(rows.column_names) == ["_rowid", "id", "text"]
    # Two rows say the same, so that what a row says does not tell which is meant.
    assert (
        table.write_placed(rows, "id", [f"n{at}-{row['text']}" for at, row in enumerate(rows.to_pylist())])
        == 5
    )
    found = {(str(name).partition("-")[2], text, scope) for name, text, scope in told(table)}
    assert found == {
        ("tea", "tea", None), ("coffee", "coffee", None), ("the gate", "the gate", "home"),
        ("the shed", "the shed", "work"), ("", "milk", None),
    }  # fmt: skip
    assert len({name for name, _, _ in told(table)}) == 6


def test_a_value_may_be_taken_away(table: MemoryTable) -> None:
    rows = table.placed(["text"], where="id = 'k1'")
    assert table.write_placed(rows, "scope", [None, "it's"]) == 2
    assert sorted(str(scope) for name, _, scope in told(table) if name == "k1") == ["None", "it's"]


def test_a_row_with_another_text_now_is_left_alone(table: MemoryTable) -> None:
    rows = table.placed(["text"], where="id = 'k2'")
    before = told(table)
    stale = rows.set_column(rows.column_names.index("text"), "text", pa.array(["other"]))
    assert table.write_placed(stale, "id", ["k3"]) == 0
    assert told(table) == before


def test_one_of_two_rows_with_an_id_is_deleted(table: MemoryTable) -> None:
    rows = table.placed(["text"], where="id = 'k1' AND scope = 'work'")
    assert table.delete_placed(rows) == 1
    assert [one for one in told(table) if one[0] == "k1"] == [("k1", "the gate", "home")]
    version = table.newest_version()
    assert (table.delete_placed(rows.slice(0, 0)), table.newest_version()) == (0, version)


@pytest.mark.parametrize("write", [MemoryTable.write_placed, MemoryTable.delete_placed])
def test_a_row_that_left_its_place_is_not_met(tmp_path: Path, write: Callable[..., int]) -> None:
    table = LanceMemories.create(tmp_path, dimension=8)
    table.add(pa.table({"id": ["k1", "k1"], "text": ["the gate", "the shed"]}))
    rows = table.placed(["text"], where="text = 'the gate'")
    table.write_placed(rows, "scope", ["home"])
    values = ("id", ["new"]) if write is MemoryTable.write_placed else ()
    assert getattr(table, write.__name__)(rows, *values) == 0
    assert [name for name, _, _ in told(table)] == ["k1", "k1"]


def test_a_merge_leaves_rows_alone_that_share_their_id(table: MemoryTable) -> None:
    rows = pa.table({"id": ["k1", "k2"], "category": ["fact", "fact"]})
    assert table.merge(rows) == 1
    read = table.by_ids(["k1", "k2"], ["id", "scope"])
    once = pa.table({"id": ["k1", "k2"], "scope": ["other", "other"]})
    first = read.filter(pc.not_equal(pc.fill_null(read["scope"], ""), "work"))
    assert table.overwrite(once, read=first, version=table.newest_version()) == 1
    found = table.scan(["id", "text", "category", "scope"]).to_pylist()
    assert [tuple(row.values()) for row in found if row["id"] == "k2"] == [("k2", "milk", "fact", "other")]
    shared = [(row["text"], row["category"], row["scope"]) for row in found if row["id"] == "k1"]
    assert sorted(shared) == [("the gate", None, "home"), ("the shed", None, "work")]


def test_what_a_row_says_is_known_by_its_name(table: MemoryTable) -> None:
    shed = {"id": "k1", "text": "the shed", "scope": "work"}
    assert table.texts_of({row_name(shed)}) == {"the shed"}
    assert table.texts_of({row_name({"id": "", "text": "coffee"})}) == {"coffee"}
    assert table.texts_of({row_name({**shed, "scope": "home"})}) == frozenset()
