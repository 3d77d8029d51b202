"""The ledger opened to be read and nothing else: no file is made, none is changed."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from sunrise.adapters.file_times import Mark, mark_of
from sunrise.adapters.migrations import MIGRATIONS
from sunrise.adapters.sqlite_connection import BUSY_TIMEOUT_MS, store_errors
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.use import Served
from sunrise.errors import StoreError
from sunrise.ports import Clock


class ReadOnlyLedger(SqliteLedger):
    """
    The ledger for one who only looks. Where there is no file it is empty; every write is refused.

    The file is opened for each reading and closed after it: to hold it open would make the log beside it.
    """

    def __init__(self, path: Path, *, clock: Clock) -> None:
        self.path = path
        self.clock = clock
        self._lock = threading.RLock()
        self._sealed = False
        # Stands for a ledger that nobody has made yet.
        self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._migrate()
        self._sealed = True

    @contextlib.contextmanager
    def transaction(self, *, patience_ms: int = BUSY_TIMEOUT_MS) -> Iterator[None]:
        """
        Refuse: nothing is written here.

        Raises:
            StoreError: Always.
        """
        if self._sealed:
            raise StoreError(f"the ledger {self.path} was opened to be read only")
        with super().transaction(patience_ms=patience_ms):
            yield

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """
        Lend a connection for reads.

        Raises:
            StoreError: The file cannot be read, or another version of sunrise wrote it.
        """
        if not self._sealed or not self.path.is_file():
            with super().reading() as db:
                yield db
            return
        with (
            store_errors(f"the ledger {self.path} cannot be read"),
            contextlib.closing(sqlite3.connect(self._uri(), uri=True, isolation_level=None)) as db,
        ):
            db.execute("PRAGMA busy_timeout = 2000")
            self._check_version(db.execute("PRAGMA user_version").fetchone()[0])
            yield db

    def note_served(self, served: Served) -> bool:  # noqa: ARG002  it is not counted
        """Count nothing: who only looks leaves no use behind."""
        return True

    def write_use(self, *, patience_ms: int = 0) -> bool:  # noqa: ARG002  as note_served
        """Write nothing: no use is counted here."""
        return True

    def get_note(self, name: str) -> str | None:
        """Return a small named text, or None, without opening a file that stands as it stood."""
        mark = self._mark()
        known, last = self._notes.get(name, (None, None))
        if mark is not None and known == mark:
            return last
        text = super().get_note(name)
        # Looked at before the file was read: what was written in between has changed the time since.
        self._notes = {**self._notes, name: (mark, text)}
        return text

    def _mark(self) -> tuple[Mark, ...] | None:
        """Return what tells file and log from those of another time; None where they may change unseen."""
        found = list[Mark]()
        for path in (self.path, self.path.with_name(f"{self.path.name}-wal")):
            try:
                mark = mark_of(path)
            except FileNotFoundError:
                continue
            except OSError:
                return None
            if mark is None:
                return None
            found.append(mark)
        return tuple(found)

    def _uri(self) -> str:
        # The log is there while somebody has the ledger open. Without one nobody has, and SQLite must not
        # make one: a file that is said not to change is read as it is.
        log = self.path.with_name(f"{self.path.name}-wal")
        return f"file:{quote(str(self.path))}?{'mode=ro' if log.exists() else 'immutable=1'}"

    def _check_version(self, version: int) -> None:
        if version < len(MIGRATIONS):
            raise StoreError(f"the ledger {self.path} is of an earlier version: `sunrise status` migrates it")
        if version > len(MIGRATIONS):
            raise StoreError(f"the ledger {self.path} was written by a later version (schema {version})")
