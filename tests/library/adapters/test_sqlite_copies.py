from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from sunrise.adapters.sqlite_copies import (
    RECORD,
    bring_back,
    count_rows,
    differences,
    digest_of,
    discard,
    is_same,
    schema_version,
    stage,
)
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.errors import StoreError
from tests.homes import observation, observations
from tests.ledgers import grades


@pytest.fixture
def copy(ledger: SqliteLedger, tmp_path: Path) -> Path:
    """A copy of a ledger of three rows, one of which holds a NUL."""
    rows = (observation("a"), observation("b", summary="b\0b"), observation("c"))
    ledger.commit_harvest(observations(*rows), rejected=(), position=None)
    ledger.backup(tmp_path / "copy#1.sqlite")
    return tmp_path / "copy#1.sqlite"


def change(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(sql)
        db.commit()


def test_a_copy_is_the_same_as_what_it_is_of(ledger: SqliteLedger, copy: Path) -> None:
    assert is_same(ledger.path, copy)
    assert is_same(ledger.path, copy, tables=RECORD)
    assert digest_of(ledger.path) == digest_of(copy)
    assert count_rows(copy)["observations"] == 3
    assert schema_version(copy) == schema_version(ledger.path) > 0


@pytest.mark.parametrize(
    ("sql", "record"),
    [
        ("UPDATE observations SET summary = 'b' || char(0) || 'c' WHERE id = 2", True),
        ("UPDATE observations SET scope = '' WHERE id = 3", True),
        ("DELETE FROM observations WHERE id = 1", True),
        ("UPDATE observations SET id = 9 WHERE id = 1", True),
        ("INSERT INTO usage (record_ref, last_used_ms) VALUES ('obs:1', 5)", True),
        ("INSERT INTO notes VALUES ('a', 'b', 1)", False),
        ("CREATE TABLE more (id INTEGER)", False),
        ("ALTER TABLE observations ADD COLUMN more TEXT", True),
    ],
)
def test_one_value_makes_a_difference(sql: str, record: bool, ledger: SqliteLedger, copy: Path) -> None:
    change(copy, sql)
    assert not is_same(ledger.path, copy)
    assert not is_same(copy, ledger.path)
    assert is_same(ledger.path, copy, tables=RECORD) is not record


def test_runs_and_leases_make_none(ledger: SqliteLedger, copy: Path) -> None:
    ledger.acquire_lease("grade", run_id="r")
    change(copy, "INSERT INTO runs VALUES ('r', 'grade', 'ok', 1, 2, 0, NULL, '{}')")
    assert is_same(ledger.path, copy)
    assert digest_of(ledger.path) == digest_of(copy)


def test_a_staged_ledger_takes_the_leases_and_the_run_of_now_with_it(
    ledger: SqliteLedger, copy: Path, tmp_path: Path
) -> None:
    change(copy, "INSERT INTO runs VALUES ('open', 'grade', 'running', 1, NULL, 0, NULL, '{}')")
    change(copy, "INSERT INTO leases VALUES ('grade', 'open', 'h', 1, 1, 1, 1)")
    for run in ("open", "mine", "other"):
        change(ledger.path, f"INSERT INTO runs VALUES ('{run}', 'grade', 'ok', 1, 2, 0, NULL, '{{}}')")
    ledger.acquire_lease("restore", run_id="mine")
    staged = tmp_path / "staged"
    staged.write_text("left by a killed run")
    stage(copy, live=ledger.path, staged=staged, run_id="mine")
    ledger.commit_harvest(observations(observation("late")), rejected=(), position=None)
    bring_back(staged, live=ledger.path)
    with closing(sqlite3.connect(ledger.path)) as db:
        assert db.execute("SELECT run_id, status FROM runs ORDER BY 1").fetchall() == [
            ("mine", "ok"),
            ("open", "ok"),
        ]
        assert db.execute("SELECT name FROM leases").fetchall() == [("restore",)]
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert is_same(ledger.path, copy)
    assert ledger.count("observations") == 3
    discard(staged)
    discard(staged)
    assert not list(tmp_path.glob("staged*"))


def test_differences_are_counted_by_key_and_field(ledger: SqliteLedger, copy: Path) -> None:
    ledger.commit_harvest(observations(observation("d"), observation("e")), rejected=(), position=None)
    ledger.save_grades(grades((1, 0.9, "must_remember")), run_id="r", seen_up_to=3)
    change(ledger.path, "UPDATE observations SET scope = 'x' WHERE id < 3")
    change(ledger.path, "DELETE FROM observations WHERE id = 3")
    found = differences(copy, ledger.path, refs=1)
    assert (found["added"], found["added_ids"]) == (2, [4])
    assert (found["removed"], found["removed_ids"]) == (1, [3])
    assert (found["changed"], found["changed_ids"]) == (2, [1])
    assert found["fields"]["scope"] == 2
    assert found["fields"]["importance_label"] == found["fields"]["importance_score"] == 1
    back = differences(ledger.path, copy, refs=5)
    assert (back["added_ids"], back["removed_ids"], back["changed"]) == ([3], [4, 5], 2)
    assert differences(copy, copy, refs=5)["fields"] == {}


@pytest.mark.parametrize(
    "read",
    [
        count_rows,
        schema_version,
        digest_of,
        lambda path: is_same(path, path),
        lambda path: stage(path, live=path, staged=path.with_name("s"), run_id="r"),
        lambda path: differences(path, path, refs=1),
    ],
)
def test_what_is_no_ledger_is_told_as_ours(read: Callable[[Path], object], tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database, but long enough to have a header of one" * 20)
    for path in (tmp_path / "text", tmp_path / "missing"):
        with pytest.raises(StoreError):
            read(path)
