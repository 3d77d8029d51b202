"""The filter of memories, as SQLite reads it."""

from __future__ import annotations

import math
import sqlite3
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.memory_filter import (
    END_OF_TIME,
    MemoryFilter,
    begins_with,
    created_between,
    in_any_of,
    of_unknown_age,
)
from sunrise.errors import DataError

COLUMNS = ["id", "scope", "category", "importance_label", "trust_tier", "state", "createdAt"]
ROWS: dict[str, dict[str, Any]] = {
    "plain": {},
    "empty": {"scope": "", "trust_tier": "", "state": "", "importance_label": ""},
    "ops": {"scope": "ops", "category": "fact", "importance_label": "ignore", "createdAt": 5.0},
    "global": {"scope": "global", "trust_tier": "trusted", "state": "active", "createdAt": 7.0},
    "old": {"scope": "O'Brien", "state": "archived", "trust_tier": "quarantined", "createdAt": 0.0},
    "odd": {"trust_tier": "user", "importance_label": "unknown", "createdAt": 1e300},
}


def matching(where: str | None) -> set[str]:
    with sqlite3.connect(":memory:") as db:
        db.execute(f"CREATE TABLE memories ({', '.join(COLUMNS)})")
        for name, row in ROWS.items():
            values = {"id": name, **row}
            db.execute("INSERT INTO memories VALUES (?, ?, ?, ?, ?, ?, ?)", [values.get(c) for c in COLUMNS])
        return {row[0] for row in db.execute(f"SELECT id FROM memories WHERE {where or 'true'}")}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, set(ROWS)),
        ({"scope": "global"}, {"plain", "empty", "global", "odd"}),
        ({"scope": "O'Brien"}, {"old"}),
        ({"scope": "ops", "category": "fact"}, {"ops"}),
        ({"scope": "ops", "category": "other"}, set()),
        ({"label": "ignore"}, {"ops"}),
        ({"label": "unknown"}, {"plain", "empty", "global", "old", "odd"}),
        ({"trust": "trusted"}, {"global"}),
        ({"trust": "unknown"}, {"plain", "empty", "ops", "odd"}),
        ({"state": "archived"}, {"old"}),
        ({"state": "active"}, {"plain", "empty", "ops", "global", "odd"}),
        ({"since_ms": 5}, {"ops", "global"}),
        ({"until_ms": 7}, {"ops", "old"}),
        ({"since_ms": -5}, {"ops", "global", "old"}),
    ],
)
def test_a_filter_lets_through_what_it_says(wanted: dict[str, Any], found: set[str]) -> None:
    assert matching(MemoryFilter(**wanted).where(COLUMNS)) == found
    assert MemoryFilter(**wanted).to_dict() == wanted


def test_a_column_that_is_missing_counts_as_empty() -> None:
    assert (
        MemoryFilter(scope="global", label="unknown", trust="unknown", state="active").where(["id"]) is None
    )
    assert MemoryFilter(scope="ops").where(["id"]) == "false"
    assert MemoryFilter(trust="trusted").where(["id"]) == "false"
    assert MemoryFilter(since_ms=1).where(["id"]) == "false"


@pytest.mark.parametrize("wanted", [{"trust": "user"}, {"state": "asleep"}])
def test_what_does_not_exist_cannot_be_asked_for(wanted: dict[str, Any]) -> None:
    with pytest.raises(DataError) as error:
        MemoryFilter(**wanted)
    assert error.value.reason == "bad_filter"


def test_ages_are_known_or_unknown_and_nothing_is_both() -> None:
    known = created_between(0.0, math.nextafter(END_OF_TIME, 0))
    assert matching(known) == {"ops", "global", "old"}
    assert matching(of_unknown_age()) == {"plain", "empty", "odd"}


@given(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))),
)
def test_a_beginning_is_found_as_python_finds_it(beginning: str, texts: list[str]) -> None:
    texts = [*texts, beginning, beginning + "x", beginning + "\U0010ffff"]
    with sqlite3.connect(":memory:") as db:
        db.execute("CREATE TABLE t (id TEXT)")
        db.executemany("INSERT INTO t VALUES (?)", [(text,) for text in texts])
        found = {row[0] for row in db.execute(f"SELECT id FROM t WHERE {begins_with('id', beginning)}")}
    assert found == {text for text in texts if text.startswith(beginning)}


def test_the_last_of_all_beginnings_has_no_end() -> None:
    assert begins_with("id", "\U0010ffff") == "id >= '\U0010ffff'"
    assert begins_with("id", "a\U0010ffff") == "id >= 'a\U0010ffff' AND id < 'b'"
    assert begins_with("id", "\ud7ff") == "id >= '\ud7ff' AND id < '\ue000'"


def test_whoever_may_read_all_scopes_or_the_default_one_of_a_table_without_any_reads_everything() -> None:
    assert in_any_of(None, ["id", "scope"]) is None
    assert in_any_of(("global", "ops"), ["id"]) is None
    assert in_any_of(("ops", "dev"), ["id", "scope"]) == "(scope = 'ops' OR scope = 'dev')"
    assert in_any_of((), ["id", "scope"]) == "false"
