"""Rows held in memory answer as the table does, and never with what is no longer there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sunrise.adapters.held_columns import OutdatedError
from sunrise.adapters.held_rows import SKETCHED_FROM, HeldRows, read_rows
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.domain.filters import visible

ROWS, DIMENSION = SKETCHED_FROM + 200, 8
COLUMNS = ["id", "text", "terms", "scope", "trust_tier", "state", "vector"]
FILTERS = [
    None,
    "false",
    *(
        visible(scope=scope, columns=COLUMNS, include_untrusted=untrusted)
        for scope in ("alpha", "beta", "global", "nobody")
        for untrusted in (False, True)
    ),
]
random = np.random.default_rng(1)
TEXTS = [" ".join(f"w{word}" for word in random.zipf(1.4, 6) if word < 200) for _ in range(ROWS)]
VECTORS = random.standard_normal((ROWS, DIMENSION), dtype=np.float32)


@pytest.fixture
def table(tmp_path: Path) -> LanceMemories:
    """A table in which one row in fifty is beta's, and each third one may not be seen."""
    made = LanceMemories.create(tmp_path, dimension=DIMENSION)
    made.add(rows_from(0, ROWS))
    made.optimize(keep=timedelta(days=1))
    made.build_missing_indices()
    return made


def rows_from(begin: int, end: int, **columns: Any) -> pa.Table:
    count = end - begin
    said = {
        "id": [f"m{at:05d}" for at in range(begin, end)],
        "text": TEXTS[:count],
        "terms": TEXTS[:count],
        "scope": ["beta" if at % 50 == 7 else ("alpha", "alpha", None, "")[at % 4] for at in range(count)],
        "trust_tier": [("trusted", "quarantined", None)[at % 3] for at in range(count)],
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(VECTORS[:count].ravel()), DIMENSION),
    }
    return pa.table(said | columns)


def near(table: LanceMemories, query: np.ndarray, *, where: str | None = None, limit: int = 5) -> pa.Table:
    return table.search_vector(query, columns=COLUMNS, where=where, limit=limit, is_exact=False)


def ids(found: pa.Table) -> list[str]:
    names: list[str] = found.column("id").to_pylist()
    return names


def wait_until_held(table: LanceMemories) -> HeldRows:
    """Ask as a recall does until the rows are in memory."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        near(table, VECTORS[0])
        held = table._holding.at(table.newest_version(), COLUMNS)
        if held is not None:
            return held
        time.sleep(0.05)
    raise AssertionError("the rows were never read")


def test_a_filter_lets_the_same_rows_through(table: LanceMemories) -> None:
    held = read_rows(table._table, COLUMNS)
    assert held is not None
    for where in FILTERS:
        everything = held.nearest(
            table._table, VECTORS[0], column="vector", columns=COLUMNS, where=where, limit=ROWS
        )
        seen = table.scan(COLUMNS, where=where).sort_by("id")
        assert everything.num_rows == seen.num_rows
        plain = COLUMNS[:-1]
        assert everything.select(plain).sort_by("id").to_pylist() == seen.select(plain).to_pylist()


def test_the_best_by_words_are_those_of_the_index(table: LanceMemories) -> None:
    held = read_rows(table._table, COLUMNS)
    assert held is not None
    for number, where in enumerate(FILTERS):
        terms = f"w{number + 1} w{number + 9} w150 nowhere"
        theirs = table.search_terms(terms, columns=["id"], where=where, limit=40)
        mine = held.best(table._table, terms, columns=["id"], where=where, limit=40)
        scores = sorted(theirs.column("_score").to_pylist())
        assert sorted(mine.column("_score").to_pylist()) == pytest.approx(scores, rel=1e-5)
        # Which of equals come last before the limit, nobody promises.
        sure = {name for name, score in pairs(theirs) if score > scores[0] * 1.001}
        assert {name for name, score in pairs(mine) if score > scores[0] * 1.001} == sure


def pairs(found: pa.Table) -> Iterator[tuple[str, float]]:
    return zip(ids(found), found.column("_score").to_pylist(), strict=True)


def test_the_nearest_are_those_of_a_scan(table: LanceMemories) -> None:
    held = read_rows(table._table, COLUMNS)
    assert held is not None
    for number, where in enumerate(FILTERS):
        query = VECTORS[number] + np.float32(0.1)
        theirs = table.search_vector(query, columns=["id"], where=where, limit=10)
        mine = held.nearest(table._table, query, column="vector", columns=["id"], where=where, limit=10)
        assert mine.column("_distance").to_pylist() == pytest.approx(
            theirs.column("_distance").to_pylist(), abs=1e-3
        )


def test_answers_from_memory_are_those_of_the_table(table: LanceMemories) -> None:
    where = FILTERS[2]
    cold = near(table, VECTORS[9], where=where)
    held = wait_until_held(table)
    assert held.version == table.newest_version()
    warm = near(table, VECTORS[9], where=where)
    assert ids(warm) == ids(cold)
    assert warm.schema.names == cold.schema.names
    words = table.search_terms("w7 w11", columns=COLUMNS, where=where, limit=5)
    assert words.column_names == [*COLUMNS, "_score"]


def test_what_another_writer_does_is_seen_at_once(table: LanceMemories, tmp_path: Path) -> None:
    other, alpha = LanceMemories.open(tmp_path), visible(scope="alpha", columns=COLUMNS)
    wait_until_held(table)
    unlike = np.full(DIMENSION, 9, np.float32)
    column = pa.FixedSizeListArray.from_arrays(pa.array(unlike), DIMENSION)
    other.add(
        rows_from(ROWS, ROWS + 1, scope=["alpha"], terms=["novel"], trust_tier=["trusted"], vector=column)
    )
    assert ids(near(table, unlike, where=alpha))[0] == f"m{ROWS:05d}"
    assert ids(table.search_terms("novel", columns=COLUMNS, where=alpha, limit=5)) == [f"m{ROWS:05d}"]
    other.merge(pa.table({"id": [f"m{ROWS:05d}"], "scope": ["beta"]}))
    assert f"m{ROWS:05d}" not in ids(near(table, unlike, where=alpha))
    other.merge(pa.table({"id": [f"m{ROWS:05d}"], "trust_tier": ["quarantined"], "scope": ["alpha"]}))
    assert f"m{ROWS:05d}" not in ids(near(table, unlike, where=alpha))
    assert ids(table.search_terms("novel", columns=COLUMNS, where=alpha, limit=5)) == []


def test_a_commit_after_the_look_at_the_version_is_noticed(table: LanceMemories, tmp_path: Path) -> None:
    held = wait_until_held(table)
    LanceMemories.open(tmp_path).merge(pa.table({"id": ["m00003"], "trust_tier": ["quarantined"]}))
    with pytest.raises(OutdatedError):
        held.nearest(
            table._table, VECTORS[3], column="vector", columns=["id"], where="scope LIKE 'o%'", limit=5
        )


def test_a_table_that_does_not_fit_is_not_held(table: LanceMemories) -> None:
    assert read_rows(table._table, COLUMNS, most_rows=ROWS - 1) is None
    assert read_rows(table._table, COLUMNS, most=ROWS * DIMENSION) is None
    # The vectors would fit, and the texts beside them no longer.
    assert read_rows(table._table, COLUMNS, most=ROWS * 70) is None
    assert read_rows(table._table, [*COLUMNS, "nowhere"]) is None


def test_one_question_reads_nothing_and_two_do(table: LanceMemories, tmp_path: Path) -> None:
    other = LanceMemories.open(tmp_path)
    near(other, VECTORS[0])
    assert not other._holding._reading.locked()
    near(other, VECTORS[0])
    assert other._holding._reading.locked() or other._holding.at(other.newest_version(), COLUMNS)
    wait_until_held(other)
