from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from sunrise.adapters import reading_process, sqlite_ledger
from sunrise.adapters.clock import SystemClock
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.records import SourcePosition


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(reading_process, "MUCH_BYTES", 1000)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    (tmp_path / "spool").mkdir()
    yield tmp_path
    reading_process._dismiss()


def is_ready(home: Path) -> bool:
    reading_process.make_ready(home)
    return bool(reading_process._ready)


def test_one_is_made_ready_for_much_and_taken_once(home: Path) -> None:
    (home / "spool" / "a.jsonl").write_bytes(b"x" * 1000)
    assert is_ready(home)
    (ready,) = reading_process._ready
    reading_process.make_ready(home)
    assert reading_process.start() is ready
    assert reading_process._ready == []
    ready.communicate(timeout=30)
    assert ready.returncode == 0


def test_none_is_made_ready_where_it_does_not_pay(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_ready(home)
    (home / "spool" / "a.jsonl").write_bytes(b"x" * 999)
    assert not is_ready(home)
    (home / "spool" / "a.jsonl").write_bytes(b"x" * 1000)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert not is_ready(home)


def test_none_is_made_ready_for_what_the_ledger_has(home: Path) -> None:
    file = home / "spool" / "a.jsonl"
    file.write_bytes(b"x" * 2000)
    ledger = SqliteLedger(home / sqlite_ledger.LEDGER_FILE, clock=SystemClock())
    with ledger.writing() as db:
        ledger._move(db, SourcePosition(str(file), 1, 2, 1500, 3, "f"))
    assert not is_ready(home)
    with ledger.writing() as db:
        ledger._move(db, SourcePosition(str(file), 1, 2, 1000, 3, "f"))
    ledger.close()
    assert is_ready(home)


def test_a_ledger_that_is_none_is_left_to_those_who_need_it(home: Path) -> None:
    assert reading_process.LEDGER_FILE == sqlite_ledger.LEDGER_FILE
    (home / "spool" / "a.jsonl").write_bytes(b"x" * 1000)
    (home / sqlite_ledger.LEDGER_FILE).write_bytes(b"no database" * 100)
    with pytest.raises(sqlite3.Error):
        reading_process._offsets(home / sqlite_ledger.LEDGER_FILE)
    assert not is_ready(home)
