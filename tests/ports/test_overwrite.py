"""Rows that were read and are put back changed: what another writer did meanwhile is never lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunrise.adapters import lance_merge
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.lance_rows import differing, with_theirs
from sunrise.errors import DataError
from sunrise.ports import MemoryTable
from tests.fakes import FakeMemoryTable

FIELDS = ("id", "scope", "importance")
ROWS = {"id": ["a", "b", "c"], "scope": [None, "ops", ""], "importance": [0.1, None, 0.3]}


@pytest.fixture(params=["fake", "lance"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> MemoryTable:
    made: Any = (
        FakeMemoryTable()
        if request.param == "fake"
        else LanceMemories.create(tmp_path / "lance", dimension=8)
    )
    made.add(pa.table({**ROWS, "text": ["A", "B", "C"]}))
    return made


def read(table: MemoryTable) -> pa.Table:
    return table.by_ids(["a", "b", "c"], FIELDS).sort_by("id")


def changed(rows: pa.Table, column: str, values: list[Any]) -> pa.Table:
    place = rows.column_names.index(column)
    return rows.set_column(place, column, pa.array(values, rows.schema.field(column).type))


def values(table: MemoryTable, column: str) -> list[Any]:
    return list(read(table).column(column).to_pylist())


def test_what_nobody_touched_is_overwritten_in_one_version(table: MemoryTable) -> None:
    was, version = read(table), table.newest_version()
    assert table.overwrite(changed(was, "scope", ["x", "y", "z"]), read=was, version=version) == 3
    assert (values(table, "scope"), values(table, "importance")) == (["x", "y", "z"], [0.1, None, 0.3])
    assert table.newest_version() == version + 1


def test_a_field_that_changed_since_it_was_read_keeps_what_it_holds(table: MemoryTable) -> None:
    was, version = read(table), table.newest_version()
    # Another writer sets what we set, what we only hand back, and empties a field.
    table.merge(pa.table({"id": ["a", "b"], "scope": ["theirs", None], "importance": [0.1, 0.9]}))
    assert table.overwrite(changed(was, "scope", ["x", "y", "z"]), read=was, version=version) == 1
    assert (values(table, "scope"), values(table, "importance")) == (["theirs", None, "z"], [0.1, 0.9, 0.3])


def test_a_memory_that_is_gone_meanwhile_does_not_come_back(tmp_path: Path) -> None:
    table = LanceMemories.create(tmp_path / "lance", dimension=8)
    table.add(pa.table({**ROWS, "text": ["A", "B", "C"]}))
    was, version = read(table), table.newest_version()
    lancedb.connect(str(tmp_path / "lance")).open_table("memories").delete("id = 'b'")
    assert table.overwrite(changed(was, "scope", ["x", "y", "z"]), read=was, version=version) == 2
    assert table.scan(["id", "scope"]).sort_by("id").to_pylist() == [
        {"id": "a", "scope": "x"}, {"id": "c", "scope": "z"},
    ]  # fmt: skip


def test_ids_must_be_clear(table: MemoryTable) -> None:
    was = read(table)
    twice = pa.concat_tables([was, was])
    with pytest.raises(DataError):
        table.overwrite(twice, read=was, version=table.newest_version())


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_commit_between_the_reading_and_ours_is_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rounds: int
) -> None:
    table = LanceMemories.create(tmp_path / "lance", dimension=8)
    table.add(pa.table({**ROWS, "text": ["A", "B", "C"]}))
    other = lancedb.connect(str(tmp_path / "lance")).open_table("memories")
    merge, left = lance_merge.merge, [rounds]

    def interrupted(lance: Any, rows: pa.Table) -> Any:
        if left[0]:
            # After we looked at the version and before our commit, the other writer commits.
            left[0] -= 1
            other.checkout_latest()
            other.update(where="id = 'a'", values={"importance": 0.5 + left[0] / 10})
            other.update(where="id = 'b'", values={"scope": f"theirs {left[0]}"})
        return merge(lance, rows)

    monkeypatch.setattr(lance_merge, "merge", interrupted)
    was, version = read(table), table.newest_version()
    assert table.overwrite(changed(was, "scope", ["x", "y", "z"]), read=was, version=version) == 3
    assert (values(table, "scope"), values(table, "importance")) == (["x", "theirs 0", "z"], [0.5, None, 0.3])


cells = st.one_of(st.none(), st.sampled_from(["", "x", "y"]))
numbers = st.one_of(st.none(), st.sampled_from([0.0, 1.0, float("nan")]))


@settings(deadline=None)
@given(st.lists(st.tuples(cells, cells, cells, numbers, numbers, numbers), max_size=6), st.randoms())
def test_theirs_stands_exactly_where_it_differs_from_what_was_read(
    rows: list[tuple[Any, ...]], rng: Any
) -> None:
    ids = [str(number) for number in range(len(rows))]

    def frame(text: int, number: int) -> pa.Table:
        order = rng.sample(range(len(rows)), len(rows))
        return pa.table(
            {
                "id": pa.array([ids[at] for at in order], pa.string()),
                "scope": pa.array([rows[at][text] for at in order], pa.string()),
                "importance": pa.array([rows[at][number] for at in order], pa.float64()),
            }
        )

    def same(one: Any, other: Any) -> bool:
        return bool(one == other or (one != one and other != other))

    mine, was, now = frame(0, 3), frame(1, 4), frame(2, 5)
    got = {row["id"]: row for row in with_theirs(mine, read=was, now=now).to_pylist()}
    for name, cell in zip(ids, rows, strict=True):
        assert same(got[name]["scope"], cell[0] if same(cell[1], cell[2]) else cell[2])
        assert same(got[name]["importance"], cell[3] if same(cell[4], cell[5]) else cell[5])
    unlike = {row["id"] for row in differing(mine, now).to_pylist()}
    assert unlike == {
        name for name, cell in zip(ids, rows, strict=True)
        if not (same(cell[0], cell[2]) and same(cell[3], cell[5]))
    }  # fmt: skip
