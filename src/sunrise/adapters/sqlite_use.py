"""Use in the ledger: when records were handed out by a recall, and since when recalls are served here."""

from __future__ import annotations

import sqlite3
import threading
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pyarrow as pa

from sunrise.adapters.sqlite_connection import SqliteConnection
from sunrise.adapters.sqlite_frames import read_arrow
from sunrise.domain.use import RETRIEVED_EVERY_MS, SERVED_SINCE, Served
from sunrise.errors import StoreError
from sunrise.ports import Clock

PATIENCE_MS: Final = 250
"""How long a caller who waits for an answer waits for the ledger, where a flow holds it."""

MAX_WAITING: Final = 1_000
"""So many recalls wait in memory while the ledger is held; of more the oldest are given up."""

_USAGE_SCHEMA = pa.schema([pa.field("record_ref", pa.string()), pa.field("last_used_ms", pa.int64())])


class SqliteUse(SqliteConnection):
    """
    The part of the ledger that counts use.

    A recall is written down at once where nobody holds the ledger, and waits in memory where somebody does:
    it is written with the next one, when :meth:`write_use` is called, or when the ledger is closed.
    """

    def __init__(self, path: Path, *, clock: Clock) -> None:
        super().__init__(path, clock=clock)
        self._waiting: deque[Served] = deque(maxlen=MAX_WAITING)
        self._waiting_lock = threading.Lock()

    def note_served(self, served: Served) -> bool:
        """
        Count what a recall handed out as used, without waiting and without failing.

        Returns False where the ledger was held for so long that the use of older recalls is given up.
        """
        with self._waiting_lock:
            is_kept = len(self._waiting) < MAX_WAITING
            self._waiting.append(served)
        return self.write_use(patience_ms=0) or is_kept

    def write_use(self, *, patience_ms: int = PATIENCE_MS) -> bool:
        """Write what waits in memory, in one transaction; False where the ledger could not be written."""
        if not self._waiting:
            return True
        with self._waiting_lock:
            taken = tuple(self._waiting)
            self._waiting.clear()
        try:
            with self.writing(patience_ms=patience_ms) as db, self.beside_notes(db):
                write_served(db, taken)
        except StoreError:
            with self._waiting_lock:
                newer = tuple(self._waiting)
                self._waiting.clear()
                self._waiting.extend((*taken, *newer))
            return False
        return True

    def close(self) -> None:
        """Write what is left of the use, unless the ledger is held for too long, and close the connection."""
        self.write_use()
        super().close()

    def served_since(self) -> int | None:
        """Return when this home first served a recall, None where it never did."""
        with self.reading() as db:
            found = db.execute("SELECT text FROM notes WHERE name = ?", (SERVED_SINCE,)).fetchone()
        return None if found is None else int(found[0])

    def memory_usage(self) -> pa.Table:
        """Return when each memory was last used."""
        sql = "SELECT record_ref, last_used_ms FROM usage WHERE record_ref LIKE 'mem:%' ORDER BY record_ref"
        with self.reading() as db:
            return read_arrow(db, sql, _USAGE_SCHEMA, {})


def write_served(db: sqlite3.Connection, recalls: Iterable[Served]) -> None:
    """Count what recalls handed out and looked at, and note when the first one was served."""
    served = tuple(recalls)
    begin = min(one.at_ms for one in served)
    db.execute("INSERT OR IGNORE INTO notes VALUES (?1, ?2, ?3)", (SERVED_SINCE, str(begin), begin))
    db.executemany(
        "INSERT INTO usage (record_ref, last_retrieved_ms, last_included_ms, last_used_ms, included_count)"
        " VALUES (?1, ?2, ?2, ?2, 1) ON CONFLICT (record_ref) DO UPDATE SET"
        " last_retrieved_ms = max(coalesce(last_retrieved_ms, 0), ?2),"
        " last_included_ms = max(coalesce(last_included_ms, 0), ?2),"
        " last_used_ms = max(coalesce(last_used_ms, 0), ?2), included_count = included_count + 1",
        [(ref, one.at_ms) for one in served for ref in dict.fromkeys(one.included)],
    )
    # A note that is fresh enough stays as it is: nothing of it has to be written.
    db.executemany(
        "INSERT INTO usage (record_ref, last_retrieved_ms) VALUES (?1, ?2) ON CONFLICT (record_ref)"
        " DO UPDATE SET last_retrieved_ms = ?2"
        " WHERE last_retrieved_ms IS NULL OR last_retrieved_ms <= ?2 - ?3",
        [(ref, one.at_ms, RETRIEVED_EVERY_MS) for one in served for ref in dict.fromkeys(one.retrieved)],
    )
