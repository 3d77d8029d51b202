"""The ledger's file: migrations, copies, digests, and the full-text index beside the rows."""

from __future__ import annotations

import multiprocessing
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sunrise.adapters import sqlite_connection
from sunrise.adapters.migrations import MIGRATIONS
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.adapters.sqlite_upkeep import migrations_behind, verify_backup
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.records import Rejected
from sunrise.errors import StoreError
from tests.fakes import FrozenClock
from tests.homes import NOW, observation
from tests.ledgers import WHOLE, change, grades, put, raw

# Migrations


def make_version(path: Path, version: int) -> None:
    with sqlite3.connect(path) as db:
        db.execute(
            "CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_ms INTEGER NOT NULL)"
            " STRICT, WITHOUT ROWID"
        )
        for name, script in MIGRATIONS[:version]:
            db.executescript(script)
            db.execute("INSERT INTO migrations VALUES (?, 0)", (name,))
        db.execute(f"PRAGMA user_version = {version}")
    db.close()


def test_a_fresh_ledger_has_every_migration_and_is_whole(ledger: SqliteLedger) -> None:
    assert raw(ledger, "PRAGMA user_version") == [(len(MIGRATIONS),)]
    assert raw(ledger, "SELECT name FROM migrations ORDER BY name") == [(name,) for name, _ in MIGRATIONS]
    assert raw(ledger, "PRAGMA journal_mode") == [("wal",)]
    assert raw(ledger, "PRAGMA page_size") == [(8192,)]
    assert ledger.check() == WHOLE
    assert migrations_behind(ledger.path) == 0


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_an_earlier_ledger_is_migrated_and_keeps_its_rows(
    version: int, tmp_path: Path, clock: FrozenClock
) -> None:
    path = tmp_path / "old.sqlite"
    make_version(path, version)
    with sqlite3.connect(path) as db:
        db.execute(
            "INSERT INTO observations (key, ts_ms, kind, summary, lang, source_kind, terms, created_at_ms)"
            " VALUES ('k', 1, 'note', 's', 'en', 'tool', 's', 1)"
        )
    db.close()
    assert migrations_behind(path) == len(MIGRATIONS) - version
    ledger = SqliteLedger(path, clock=clock)
    assert ledger.count("observations") == 1
    assert ledger.check() == WHOLE
    assert [row[1] for row in raw(ledger, "SELECT * FROM migrations ORDER BY name")] == [0] * version + [
        NOW
    ] * (len(MIGRATIONS) - version)
    ledger.close()


def test_what_waits_in_the_outbox_of_an_earlier_ledger_waits_on(tmp_path: Path, clock: FrozenClock) -> None:
    path = tmp_path / "old.sqlite"
    make_version(path, 9)
    with sqlite3.connect(path) as db:
        for _ in range(3):
            db.execute("INSERT INTO changes VALUES (NULL, 'r', 'mem:a', 'scope', 'null', '1', 'why', 1)")
        db.execute("INSERT INTO outbox VALUES (1), (3)")
    db.close()
    ledger = SqliteLedger(path, clock=clock)
    assert [change_id for change_id, _ in ledger.outbox()] == [1, 3]
    ledger.close()


def test_a_ledger_of_a_later_version_is_refused_and_left_alone(tmp_path: Path, clock: FrozenClock) -> None:
    path = tmp_path / "new.sqlite"
    SqliteLedger(path, clock=clock).close()
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    db.close()
    assert migrations_behind(path) == -1
    with pytest.raises(StoreError, match="later version"):
        SqliteLedger(path, clock=clock)


def test_a_migration_that_breaks_leaves_nothing_behind(
    tmp_path: Path, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = (*MIGRATIONS, ("m999_broken", "CREATE TABLE half (a);\nCREATE TABLE half (a);\n"))
    monkeypatch.setattr(sqlite_connection, "MIGRATIONS", broken)
    path = tmp_path / "ledger.sqlite"
    with pytest.raises(StoreError, match="half already exists"):
        SqliteLedger(path, clock=clock)
    monkeypatch.undo()
    ledger = SqliteLedger(path, clock=clock)
    assert raw(ledger, "SELECT name FROM sqlite_master WHERE name = 'half'") == []
    ledger.close()


def test_a_file_that_is_no_ledger_is_a_store_error(tmp_path: Path, clock: FrozenClock) -> None:
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(b"this is no database at all" * 100)
    with pytest.raises(StoreError, match="cannot be opened"):
        SqliteLedger(path, clock=clock)
    with pytest.raises(StoreError, match="cannot be read"):
        migrations_behind(path)


def open_and_add(path: str, start: Any, name: str, rows: int) -> None:
    start.wait(20)
    ledger = SqliteLedger(Path(path), clock=FrozenClock(NOW))
    for number in range(rows):
        put(ledger, observation(f"{name}-{number}"), observation(f"shared-{number}"))
    ledger.close()


def test_two_processes_migrate_and_write_at_once(tmp_path: Path, clock: FrozenClock) -> None:
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(2)
    path = tmp_path / "ledger.sqlite"
    both = [context.Process(target=open_and_add, args=(str(path), start, name, 10)) for name in "ab"]
    for one in both:
        one.start()
    for one in both:
        one.join(30)
    assert [one.exitcode for one in both] == [0, 0]
    ledger = SqliteLedger(path, clock=clock)
    assert ledger.count("observations") == 30
    assert ledger.check() == WHOLE
    ledger.close()


# The file


def test_a_backup_opens_and_holds_the_same(ledger: SqliteLedger, tmp_path: Path, clock: FrozenClock) -> None:
    put(ledger, observation("a"))
    target = tmp_path / "copies #1 %41" / "ledger.sqlite"
    digest = ledger.backup(target)
    assert len(digest) == 64
    assert [path.name for path in target.parent.iterdir()] == ["ledger.sqlite"]
    verify_backup(target)
    copy = SqliteLedger(target, clock=clock)
    assert copy.content_digest() == ledger.content_digest()
    copy.close()


def test_a_damaged_or_missing_backup_is_found(ledger: SqliteLedger, tmp_path: Path) -> None:
    target = tmp_path / "copy.sqlite"
    put(ledger, *(observation(f"k{n}", summary="x" * 500) for n in range(50)))
    ledger.backup(target)
    damage(target)
    with pytest.raises(StoreError):
        verify_backup(target)
    with pytest.raises(StoreError):
        verify_backup(tmp_path / "nowhere.sqlite")
    assert not (tmp_path / "nowhere.sqlite").exists()
    target.write_bytes(b"")
    with pytest.raises(StoreError):
        verify_backup(target)


def test_a_backup_whose_index_misses_rows_is_damaged(ledger: SqliteLedger, tmp_path: Path) -> None:
    target = tmp_path / "copy.sqlite"
    put(ledger, observation("a"))
    ledger.backup(target)
    db = sqlite3.connect(target)
    db.execute("PRAGMA writable_schema = ON")
    wrong = "CREATE INDEX observations_ts ON observations (created_at_ms)"
    db.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'observations_ts'", (wrong,))
    db.commit()
    db.close()
    with pytest.raises(StoreError, match="is damaged: row 1 missing from index"):
        verify_backup(target)


def test_a_backup_that_cannot_be_written_says_so(ledger: SqliteLedger, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be copied"):
        ledger.backup(tmp_path / "file" / "copy.sqlite")


def damage(path: Path) -> None:
    whole = bytearray(path.read_bytes())
    for start in range(4096, len(whole), 4096):
        whole[start : start + 64] = b"\xff" * 64
    path.write_bytes(whole)


Write = Callable[[SqliteLedger], object]
GOVERNING: dict[str, Write] = {
    "harvest": lambda one: put(one, observation("new")),
    "grades": lambda one: one.save_grades(grades((1, 0.9, "must_remember")), run_id="r", seen_up_to=1),
    "changes": lambda one: one.record_changes([change("mem:a", "scope", None, "x")], run_id="r"),
    "apply": lambda one: one.apply_to_observations(
        [change("obs:1", "state", "captured", "stale")], run_id="r"
    ),
}
OPERATING: dict[str, Write] = {
    "run": lambda one: one.save_run(RunReceipt(run_id="r", flow="f", status=RunStatus.OK, started_ms=1)),
    "lease": lambda one: one.acquire_lease("f", run_id="r"),
    "note": lambda one: one.put_note("n", "t"),
    "quarantine": lambda one: one.quarantine([Rejected("s", "1", "r", "x")]),
}


@pytest.mark.parametrize("name", GOVERNING)
def test_what_governs_changes_the_digest_and_keeps_the_index_whole(name: str, ledger: SqliteLedger) -> None:
    put(ledger, observation("a"))
    before = ledger.content_digest()
    GOVERNING[name](ledger)
    assert ledger.content_digest() != before
    assert ledger.check() == WHOLE


@pytest.mark.parametrize("name", OPERATING)
def test_what_only_runs_leaves_the_digest_as_it_was(name: str, ledger: SqliteLedger) -> None:
    put(ledger, observation("a"))
    before = ledger.content_digest()
    OPERATING[name](ledger)
    assert ledger.content_digest() == before
    assert ledger.check() == WHOLE


def test_the_same_content_has_the_same_digest(tmp_path: Path, clock: FrozenClock) -> None:
    digests = set()
    for name in "ab":
        ledger = SqliteLedger(tmp_path / name, clock=clock)
        put(ledger, observation("a"), observation("b"))
        digests.add(ledger.content_digest())
        ledger.close()
    assert len(digests) == 1


def test_the_full_text_index_follows_updates_and_deletes(ledger: SqliteLedger) -> None:
    put(ledger, observation("a", terms="alpha beta"), observation("b", terms="beta 备份"))
    with ledger.writing() as db:
        db.execute("UPDATE observations SET terms = 'gamma src/a.py' WHERE id = 1")
        db.execute("DELETE FROM observations WHERE id = 2")

    def found(word: str) -> list[tuple[Any, ...]]:
        return raw(ledger, f"SELECT rowid FROM observations_fts WHERE observations_fts MATCH '\"{word}\"'")

    assert (found("alpha"), found("beta"), found("备份")) == ([], [], [])
    assert (found("gamma"), found("src/a.py")) == ([(1,)], [(1,)])
    assert ledger.check() == WHOLE


def test_an_index_that_disagrees_with_the_table_is_found(ledger: SqliteLedger) -> None:
    put(ledger, observation("a"))
    with ledger.writing() as db:
        db.execute("INSERT INTO observations_fts (rowid, terms) VALUES (99, 'ghost')")
    verdicts = ledger.check()
    assert verdicts["full_text"] != "ok"
    assert verdicts["integrity"] == "ok"


def test_a_broken_reference_is_found(ledger: SqliteLedger) -> None:
    with ledger.reading() as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("INSERT INTO outbox VALUES (77)")
    assert ledger.check()["foreign_keys"] == "1 broken references"


def test_notes_are_small_named_texts(ledger: SqliteLedger) -> None:
    assert ledger.get_note("n") is None
    ledger.put_note("n", "one")
    ledger.put_note("n", "二")
    assert ledger.get_note("n") == "二"


def test_a_note_that_says_the_same_is_the_same_text(ledger: SqliteLedger, clock: FrozenClock) -> None:
    ledger.put_note("n", "one and the same")
    first = ledger.get_note("n")
    other = SqliteLedger(ledger.path, clock=clock)
    assert ledger.get_note("n") is first
    for number in range(9):
        ledger.put_note(f"another {number}", "x")
    other.put_note("n", "one and the same")
    assert ledger.get_note("n") == first
    kept = ledger.get_note("n")
    ledger.put_note("m", "x")
    assert ledger.get_note("n") is kept
    other.close()


def test_a_note_of_another_writer_is_seen_at_once(ledger: SqliteLedger, clock: FrozenClock) -> None:
    other = SqliteLedger(ledger.path, clock=clock)
    for text in ("one", "two", "two", "three"):
        other.put_note("n", text)
        assert (ledger.get_note("n"), ledger.get_note("n")) == (text, text)
    other.close()


def test_a_note_that_was_taken_back_was_never_there(ledger: SqliteLedger) -> None:
    ledger.put_note("n", "one")
    assert ledger.get_note("n") == "one"
    read = list[str | None]()

    def write_and_fail() -> None:
        with ledger.transaction():
            ledger.put_note("n", "two")
            read.append(ledger.get_note("n"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()
    assert read == ["two"]
    assert ledger.get_note("n") == "one"


def test_only_known_tables_are_counted(ledger: SqliteLedger) -> None:
    with pytest.raises(ValueError, match="no such table"):
        ledger.count("sqlite_master")
    assert ledger.quarantined_by_reason() == {}
