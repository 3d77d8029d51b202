"""A ledger that is only read: nothing is made, nothing is changed, and another process's writes are seen."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.adapters.sqlite_reading import ReadOnlyLedger
from sunrise.errors import StoreError
from tests.fakes import FrozenClock
from tests.homes import observation
from tests.ledgers import change, put


def files(folder: Path) -> dict[str, tuple[int, int]]:
    return {one.name: (one.stat().st_size, one.stat().st_mtime_ns) for one in folder.iterdir()}


@pytest.fixture
def reader(ledger: SqliteLedger, clock: FrozenClock) -> ReadOnlyLedger:
    put(ledger, observation("a"))
    return ReadOnlyLedger(ledger.path, clock=clock)


def test_it_reads_while_another_writes(reader: ReadOnlyLedger, ledger: SqliteLedger) -> None:
    assert reader.count("observations") == 1
    put(ledger, observation("b"), offset=2)
    assert reader.count("observations") == 2


def test_after_the_last_writer_has_gone_reading_makes_no_file(
    reader: ReadOnlyLedger, ledger: SqliteLedger, tmp_path: Path
) -> None:
    ledger.close()
    before = files(tmp_path)
    assert [one.ref for one in reader.observations_by_ids([1])] == ["obs:1"]
    assert files(tmp_path) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_can_be_read(
    reader: ReadOnlyLedger, ledger: SqliteLedger, tmp_path: Path
) -> None:
    ledger.close()
    tmp_path.chmod(0o500)
    try:
        assert reader.count("observations") == 1
    finally:
        tmp_path.chmod(0o700)


def test_a_note_is_read_again_only_when_the_files_changed(
    reader: ReadOnlyLedger, ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = list[object]()
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: opened.append(a) or connect(*a, **k))
    ledger.put_note("n", "one")
    _age(ledger.path, seconds=60)
    assert [reader.get_note("n") for _ in range(3)] == ["one"] * 3
    assert len(opened) == 1
    ledger.put_note("n", "two")
    # Changed just now, the files may change again within one step of the clock that dates them.
    assert [reader.get_note("n") for _ in range(3)] == ["two"] * 3
    assert len(opened) == 4
    _age(ledger.path, seconds=30)
    assert [reader.get_note(name) for name in ("n", "n", "m", "n")] == ["two", "two", None, "two"]
    assert len(opened) == 6


def _age(path: Path, *, seconds: int) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        before = file.stat().st_mtime_ns - seconds * 10**9
        os.utime(file, ns=(before, before))


def test_every_write_is_refused(reader: ReadOnlyLedger) -> None:
    for write in (
        lambda: reader.note_used("mem:a", at_ms=1),
        lambda: reader.record_changes([change("mem:a", "scope", None, "x")], run_id="r"),
        lambda: reader.put_note("a", "b"),
    ):
        with pytest.raises(StoreError, match="read only"):
            write()


def test_a_ledger_that_nobody_made_is_empty_and_stays_unmade(tmp_path: Path, clock: FrozenClock) -> None:
    path = tmp_path / "none" / "ledger.sqlite"
    reader = ReadOnlyLedger(path, clock=clock)
    assert reader.count("observations") == 0
    assert reader.get_note("x") is None
    with pytest.raises(StoreError, match="read only"):
        reader.put_note("a", "b")
    reader.close()
    assert not path.parent.exists()


@pytest.mark.parametrize(("version", "said"), [(1, "earlier"), (999, "later")])
def test_a_ledger_of_another_version_is_not_read(
    reader: ReadOnlyLedger, ledger: SqliteLedger, version: int, said: str
) -> None:
    ledger.close()
    with sqlite3.connect(ledger.path) as db:
        db.execute(f"PRAGMA user_version = {version}")
    db.close()
    with pytest.raises(StoreError, match=said):
        reader.count("observations")


def test_a_name_with_signs_is_no_address(clock: FrozenClock, tmp_path: Path) -> None:
    path = tmp_path / "a?mode=rwc#b%20" / "ledger.sqlite"
    made = SqliteLedger(path, clock=clock)
    put(made, observation("a"))
    made.close()
    assert ReadOnlyLedger(path, clock=clock).count("observations") == 1
