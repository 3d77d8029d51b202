"""One SQLite file, opened the way the ledger needs it: WAL, strict, migrated, short transactions."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from sunrise.adapters.migrations import MIGRATIONS
from sunrise.errors import StoreError
from sunrise.ports import Clock

BUSY_TIMEOUT_MS = 30_000
"""How long a writer waits for another one. Batches hold the lock well under a second."""

LONGEST_PAUSE_S = 0.01
"""A writer that waits looks at least so often whether the other one is done."""

PAGE_BYTES = 8192
"""Of a new ledger: a batch that touches every row writes half as many pages as with SQLite's own 4,096."""

WAL_PAGES = 16_384
"""The log grows to 128 MiB before it is written back: pages that many batches touch are written once."""


class SqliteConnection:
    """
    The ledger's file and its one connection, which any thread may use, one at a time.

    Raises:
        StoreError: The file cannot be opened, is no ledger, or was written by a later version.
    """

    _beside_notes = 0

    def __init__(self, path: Path, *, clock: Clock) -> None:
        self.path = path
        self.clock = clock
        self._lock = threading.RLock()
        with store_errors(f"the ledger {path} cannot be opened"):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._db.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
            self._db.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            self._use_wal()
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute("PRAGMA foreign_keys = ON")
            self._db.execute("PRAGMA temp_store = MEMORY")
            self._db.execute("PRAGMA cache_size = -65536")
            self._db.execute(f"PRAGMA wal_autocheckpoint = {WAL_PAGES}")
        self._migrate()

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._db.close()

    @contextlib.contextmanager
    def transaction(self, *, patience_ms: int = BUSY_TIMEOUT_MS) -> Iterator[None]:
        """
        Hold the write lock; commit on leaving, roll back on an error. Inner calls join the outer one.

        Raises:
            StoreError: The database is locked, for longer than the patience, or full or damaged.
        """
        with store_errors(f"the ledger {self.path} cannot be written"):
            is_inner = self._begin(time.monotonic() + patience_ms / 1000)
            try:
                try:
                    yield
                except BaseException:
                    if not is_inner:
                        self._db.execute("ROLLBACK")
                    raise
                if not is_inner:
                    self.commit()
            finally:
                self._lock.release()

    @contextlib.contextmanager
    def beside_notes(self, db: sqlite3.Connection) -> Iterator[None]:
        """
        Count the changes of a block as such that leave the notes alone.

        Every recall needs a large note, which stays in memory as long as nothing was written that may have
        changed it; use is written at every recall.
        """
        before = db.total_changes
        try:
            yield
        finally:
            self._beside_notes += db.total_changes - before

    def commit(self) -> None:
        """Make the open transaction last."""
        self._db.execute("COMMIT")

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection for reads."""
        with self._lock, store_errors(f"the ledger {self.path} cannot be read"):
            yield self._db

    @contextlib.contextmanager
    def writing(self, *, patience_ms: int = BUSY_TIMEOUT_MS) -> Iterator[sqlite3.Connection]:
        """Lend the connection inside a transaction."""
        with self.transaction(patience_ms=patience_ms):
            yield self._db

    def watermark(self, name: str) -> int:
        """Return a watermark; 0 before it was first set."""
        with self.reading() as db:
            row = db.execute("SELECT value FROM watermarks WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row else 0

    def raise_watermark(self, name: str, value: int) -> None:
        """Set a watermark. It never goes back: two runs may end in either order."""
        with self.writing() as db:
            db.execute(
                "INSERT INTO watermarks VALUES (?, ?)"
                " ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
                (name, value),
            )

    def _begin(self, deadline: float) -> bool:
        """Come back with the connection in a transaction and locked; return whether it was in one before."""
        pause = 0.002
        while True:
            self._lock.acquire()
            try:
                if self._db.in_transaction:
                    return True
                self._begin_at_once()
            except sqlite3.OperationalError as error:
                self._lock.release()
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
            except BaseException:
                self._lock.release()
                raise
            else:
                return False
            # Threads that only read have the connection meanwhile, however long the other writer takes.
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_S)

    def _begin_at_once(self) -> None:
        self._db.execute("PRAGMA busy_timeout = 0")
        try:
            self._db.execute("BEGIN IMMEDIATE")
        finally:
            self._db.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")

    def _use_wal(self) -> None:
        # Of two processes that turn a new file to WAL at once, SQLite refuses one without waiting.
        deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
            else:
                return

    def _migrate(self) -> None:
        with store_errors(f"the ledger {self.path} cannot be migrated"):
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            if version == len(MIGRATIONS):
                return
            if version > len(MIGRATIONS):
                msg = f"the ledger {self.path} was written by a later version (schema {version})"
                raise StoreError(msg)
            for number, (name, script) in enumerate(MIGRATIONS, start=1):
                self._apply(number, name, script)

    def _apply(self, number: int, name: str, script: str) -> None:
        with self.transaction():
            # Read again under the lock: another process may have migrated meanwhile.
            if self._db.execute("PRAGMA user_version").fetchone()[0] >= number:
                return
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS migrations"
                " (name TEXT PRIMARY KEY, applied_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID"
            )
            for statement in _statements(script):
                self._db.execute(statement)
            self._db.execute("INSERT INTO migrations VALUES (?, ?)", (name, self.clock.now_ms()))
            self._db.execute(f"PRAGMA user_version = {number}")


@contextlib.contextmanager
def store_errors(doing: str) -> Iterator[None]:
    """Turn what SQLite and the file system raise into one clear :class:`StoreError`."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        msg = f"{doing}: {error}"
        raise StoreError(msg) from error


def _statements(script: str) -> Iterator[str]:
    # executescript() would commit first; a trigger's body holds semicolons of its own.
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
