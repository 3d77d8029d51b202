"""Rows held in memory follow each commit, and answer as if all had been read anew."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sunrise.adapters import lance_holding
from sunrise.adapters.held_rows import SPARE, HeldRows, read_rows
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.domain.filters import visible

DIMENSION = 8
COLUMNS = ["id", "text", "terms", "scope", "trust_tier", "state", "createdAt", "vector"]
WORDS = [f"w{number}" for number in range(40)]
FILTERS = [
    None,
    visible(scope="alpha", columns=COLUMNS),
    visible(scope="global", columns=COLUMNS, include_untrusted=False),
    "createdAt > 20.0 AND (id IN ('m3', 'm77') OR NOT scope = 'beta')",
]


def rows(numbers: range, seed: int = 0) -> pa.Table:
    chance, numeric = random.Random(f"{seed} {numbers}"), np.random.default_rng(numbers.start + 1000 * seed)
    texts = [" ".join(chance.choices(WORDS, k=chance.randint(0, 6))) for _ in numbers]
    vectors = [
        None if number % 7 == 3 else numeric.standard_normal(DIMENSION).astype(np.float32).tolist()
        for number in numbers
    ]
    return pa.table({
        "id": [f"m{number}" for number in numbers],
        "text": texts,
        "terms": pa.array([text or None for text in texts], pa.string()),
        "scope": [chance.choice(("alpha", "beta", None)) for _ in numbers],
        "createdAt": [float(number) for number in numbers],
        "vector": pa.array(vectors, pa.list_(pa.float32(), DIMENSION)),
    })  # fmt: skip


@pytest.fixture(params=["plain", "indexed"])
def table(tmp_path: Path, request: pytest.FixtureRequest) -> LanceMemories:
    """A table as it is before the first index, or after: there a merge writes whole columns anew."""
    made = LanceMemories.create(tmp_path, dimension=DIMENSION)
    made.add(rows(range(60)))
    if request.param == "indexed":
        made.build_missing_indices()
        made.optimize(keep=timedelta(days=1))
    return made


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows were read each time that all were read."""
    found = list[int]()
    read = lance_holding.read_rows

    def counted(*arguments: object, **named: object) -> HeldRows | None:
        held = read(*arguments, **named)  # type: ignore[arg-type]
        found.append(0 if held is None else len(held))
        return held

    monkeypatch.setattr(lance_holding, "read_rows", counted)
    return found


def near(table: LanceMemories) -> pa.Table:
    query = np.ones(DIMENSION, np.float32)
    return table.search_vector(query, columns=COLUMNS, where=None, limit=5, is_exact=False)


def held_by(table: LanceMemories) -> HeldRows:
    """Ask twice, as a process does that lives, and return what it holds then."""
    near(table)
    near(table)
    held = table._holding.at(table.newest_version(), COLUMNS)
    assert held is not None
    return held


def answers(held: HeldRows, table: LanceMemories) -> list[list[dict[str, object]]]:
    """Return all that can be asked, in an order of its own: what is equal may stand in any place."""
    queries = np.random.default_rng(5).standard_normal((3, DIMENSION), dtype=np.float32)
    found = [held.scan(table._table, COLUMNS[:-1], where=where) for where in FILTERS]
    for where in FILTERS:
        same = {"columns": COLUMNS, "where": where, "limit": 1000}
        found += [held.best(table._table, terms, **same) for terms in ("w1", "w2 w3 w39 nowhere")]
        found += [held.nearest(table._table, query, column="vector", **same) for query in queries]
    return [sorted(one.to_pylist(), key=lambda row: str(row["id"])) for one in found]


def add(table: LanceMemories) -> None:
    table.add(rows(range(60, 64)))


def add_many_times(table: LanceMemories) -> None:
    for number in range(70, 90):
        table.add(rows(range(number, number + 1)))


def delete(table: LanceMemories) -> None:
    table.delete(["m1", "m2", "m59"])


def relabel(table: LanceMemories) -> None:
    table.merge(pa.table({"id": ["m3", "m4"], "scope": ["alpha", None], "state": ["archived", None]}))


def reword(table: LanceMemories) -> None:
    table.merge(pa.table({"id": ["m5"], "text": ["w39 w39 w2"], "terms": ["w39 w39 w2"]}))


def all_of_it(table: LanceMemories) -> None:
    for number, step in enumerate((add, delete, relabel, reword, add_many_times)):
        step(table)
        table.add(rows(range(200 + number, 201 + number)))
    table.merge(pa.table({"id": ["m201", "m60"], "scope": ["beta", "alpha"]}))
    table.delete(["m200", "m61"])


@pytest.mark.parametrize("write", [add, add_many_times, delete, relabel, reword, all_of_it])
@pytest.mark.parametrize("by_each", [True, False], ids=["each commit", "all at once"])
def test_what_followed_answers_as_what_is_read_anew(
    table: LanceMemories,
    tmp_path: Path,
    reads: list[int],
    write: Callable[[LanceMemories], None],
    *,
    by_each: bool,
) -> None:
    held_by(table)
    writer = table if by_each else LanceMemories.open(tmp_path)
    write(writer)
    followed = held_by(table)
    assert followed.version == table.newest_version()
    assert reads == [60]
    anew = read_rows(table._table, COLUMNS)
    assert anew is not None
    assert len(followed) == len(anew)
    assert answers(followed, table) == answers(anew, table)


def test_who_read_before_a_commit_sees_the_rows_as_they_were(table: LanceMemories) -> None:
    before = held_by(table)
    then = answers(before, table)
    all_of_it(table)
    held_by(table)
    assert answers(before, table) == then


@pytest.mark.parametrize("kind", ["a column", "a compaction"])
def test_where_too_much_changed_all_rows_are_read_anew(
    table: LanceMemories, reads: list[int], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    held_by(table)
    if kind == "a column":
        table._table.add_columns([pa.field("mood", pa.string())])
    else:
        monkeypatch.setattr("sunrise.adapters.row_changes.MOST_ROWS", 5)
        table.add(rows(range(60, 64)))
        table.add(rows(range(64, 68)))
        table.optimize(keep=timedelta(days=1))
    held = held_by(table)
    assert len(reads) == 2
    assert reads[0] == 60
    anew = read_rows(table._table, COLUMNS)
    assert anew is not None
    assert answers(held, table) == answers(anew, table)


def test_there_is_room_for_so_many_rows_and_then_all_are_read_anew(table: LanceMemories) -> None:
    held = held_by(table)
    table.add(rows(range(60, 1060)))
    for start in range(1060, 60 + SPARE - 1000, 1000):
        held_by(table)
        table.add(rows(range(start, start + 1000)))
    crowded = held_by(table)
    assert crowded.since == held.version or not crowded.is_crowded


def test_an_index_changes_no_row(table: LanceMemories, reads: list[int]) -> None:
    held_by(table)
    table._table.create_scalar_index("agentId", replace=True)
    held_by(table)
    assert reads == [60]
