"""Upkeep of the ledger file: integrity, checked backups, a digest of what it holds, small named texts."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from sunrise.adapters.migrations import MIGRATIONS
from sunrise.adapters.sqlite_connection import SqliteConnection, store_errors
from sunrise.errors import StoreError

_NOTES: Final = 4
"""So many are kept as they were read: the figures that recall needs, the working set of a turn."""

_GOVERNED = ("observations", "usage", "changes")


class SqliteUpkeep(SqliteConnection):
    """The part of the ledger that looks after the file."""

    _notes: Mapping[str, tuple[object, str | None]] = MappingProxyType({})

    def check(self) -> Mapping[str, str]:
        """Return a verdict (``ok`` or what is wrong) for integrity, foreign keys and full-text index."""
        with self.reading() as db:
            return {
                "integrity": "; ".join(row[0] for row in db.execute("PRAGMA integrity_check(5)")),
                "foreign_keys": _foreign_keys(db),
                "full_text": _full_text(db),
            }

    def backup(self, target: Path) -> str:
        """
        Copy the ledger to a file, check the copy by opening it, and return its sha256.

        The copy appears under its name only once it is whole.

        Raises:
            StoreError: The copy could not be written or does not hold what the ledger holds.
        """
        partial = target.with_name(target.name + ".partial")
        with store_errors(f"the ledger cannot be copied to {target}"):
            target.parent.mkdir(parents=True, exist_ok=True)
            partial.unlink(missing_ok=True)
            with self.reading() as db, contextlib.closing(sqlite3.connect(partial)) as copy:
                db.backup(copy)
                # A backup is one file: no write-ahead log may lie beside it.
                copy.execute("PRAGMA journal_mode = DELETE")
            verify_backup(partial)
            digest = sha256_of(partial)
            partial.replace(target)
        return digest

    def write_log_back(self) -> None:
        """Bring what is committed from the log into the file, as far as no reader needs the log."""
        with self.reading() as db:
            db.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def content_digest(self) -> str:
        """Return a digest of what governance holds (observations, usage, changes), runs left out."""
        digest = hashlib.sha256()
        with self.reading() as db:
            for table in _GOVERNED:
                key = "record_ref" if table == "usage" else "id"
                for row in db.execute(f"SELECT * FROM {table} ORDER BY {key}"):
                    digest.update(repr(row).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def get_note(self, name: str) -> str | None:
        """
        Return a small named text (a baseline, an evaluation), or None.

        As long as it says the same it is the same object: what was made of it need not be made again.
        """
        with self.reading() as db:
            # What other connections commit changes the first number, what this one writes the second.
            written = db.total_changes - self._beside_notes
            state = (db, db.execute("PRAGMA data_version").fetchone()[0], written)
            known, last = self._notes.get(name, (None, None))
            if known == state and not db.in_transaction:
                return last
            row = db.execute("SELECT text FROM notes WHERE name = ?", (name,)).fetchone()
            text = str(row[0]) if row else None
            text = last if text == last else text
            if not db.in_transaction:
                # What is rolled back was never there.
                others = [(one, note) for one, note in self._notes.items() if one != name]
                self._notes = {**dict(others[-_NOTES + 1 :]), name: (state, text)}
        return text

    def put_note(self, name: str, text: str) -> None:
        """Write a small named text."""
        with self.writing() as db:
            db.execute("INSERT OR REPLACE INTO notes VALUES (?, ?, ?)", (name, text, self.clock.now_ms()))

    def note_names(self, prefix: str) -> tuple[str, ...]:
        """Return the names of the small named texts that begin so, in order."""
        sql = "SELECT name FROM notes WHERE name >= ?1 AND substr(name, 1, length(?1)) = ?1 ORDER BY name"
        with self.reading() as db:
            return tuple(name for (name,) in db.execute(sql, (prefix,)))

    def drop_note(self, name: str) -> None:
        """Forget a small named text."""
        with self.writing() as db:
            db.execute("DELETE FROM notes WHERE name = ?", (name,))

    def count(self, table: str) -> int:
        """Return the number of rows of observations, changes, quarantine or outbox."""
        if table not in {*_GOVERNED, "quarantine", "outbox"}:
            msg = f"no such table to count: {table!r}"
            raise ValueError(msg)
        with self.reading() as db:
            return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])

    def quarantined_by_reason(self) -> Mapping[str, int]:
        """Return how many rows wait in quarantine for each reason, by reason."""
        sql = (
            "SELECT reason, count(*) FROM quarantine WHERE state = 'waiting' GROUP BY reason ORDER BY reason"
        )
        with self.reading() as db:
            return {str(reason): int(rows) for reason, rows in db.execute(sql)}


def verify_backup(path: Path) -> None:
    """
    Open a copy of a ledger and check it.

    Raises:
        StoreError: The file is no whole ledger.
    """
    with (
        store_errors(f"the backup {path} cannot be read"),
        contextlib.closing(_read_only(path)) as copy,
    ):
        verdict = "; ".join(row[0] for row in copy.execute("PRAGMA integrity_check(5)"))
        copy.execute("SELECT count(*) FROM observations").fetchone()
    if verdict != "ok":
        msg = f"the backup {path} is damaged: {verdict}"
        raise StoreError(msg)


def migrations_behind(path: Path) -> int:
    """
    Return how many migrations a ledger file lacks; a negative number is of a later version. Changes nothing.

    Raises:
        StoreError: The file is no ledger.
    """
    with (
        store_errors(f"the ledger {path} cannot be read"),
        contextlib.closing(_read_only(path)) as db,
    ):
        return len(MIGRATIONS) - int(db.execute("PRAGMA user_version").fetchone()[0])


def is_own_ledger(path: Path) -> bool:
    """
    Return whether a file is a ledger of sunrise, of whatever version. Changes nothing.

    Raises:
        StoreError: The file is no SQLite database.
    """
    with (
        store_errors(f"the ledger {path} cannot be read"),
        contextlib.closing(_read_only(path)) as db,
    ):
        return bool(db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'").fetchone())


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_only(path: Path) -> sqlite3.Connection:
    # As a URI, so that characters such as # and % in a path stay what they are.
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def _foreign_keys(db: sqlite3.Connection) -> str:
    broken = db.execute("PRAGMA foreign_key_check").fetchmany(5)
    # The outbox has no foreign key, which costs it too much when it is filled.
    lost = "SELECT change_id FROM outbox WHERE change_id NOT IN (SELECT id FROM changes) LIMIT 5"
    broken += db.execute(lost).fetchall()
    return f"{len(broken)} broken references" if broken else "ok"


def _full_text(db: sqlite3.Connection) -> str:
    try:
        # Rank 1 compares the index with the table it stands for, not only with itself.
        db.execute("INSERT INTO observations_fts (observations_fts, rank) VALUES ('integrity-check', 1)")
    except sqlite3.DatabaseError as error:
        return str(error)
    return "ok"
