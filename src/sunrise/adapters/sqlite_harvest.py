"""What harvest writes: episodes, observations, refused rows and positions, each batch in one transaction."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from sunrise.adapters.sqlite_connection import SqliteConnection
from sunrise.adapters.sqlite_entry import admitted_since, count_entries, insert_sightings, row_fingerprint
from sunrise.adapters.sqlite_links import insert_links
from sunrise.domain.records import (
    EntryCount,
    Inserted,
    Quarantined,
    QuarantineState,
    Rejected,
    SourcePosition,
)

_OBSERVATION = (
    "key", "ts_ms", "ts_flag", "kind", "tool_name", "summary", "summary_en", "lang", "scope", "session_key",
    "agent_id", "trust_tier", "source_kind", "source_ref", "importance_score", "importance_label",
    "memory_id", "detail_json", "terms", "created_at_ms",
)  # fmt: skip
_EPISODE = (
    "key", "ts_ms", "ts_flag", "type", "session_id", "session_key", "agent_id", "scope", "trust_tier",
    "source_kind", "source_ref", "tool_name", "tool_call_id", "text", "detail_json",
)  # fmt: skip
_LOOKED_UP: Mapping[str, tuple[str, str]] = {
    "episode_key": ("episode_id", "(SELECT id FROM episodes WHERE key = ?)"),
    "state": ("state", "coalesce(?, 'captured')"),
    "trust_reason": ("trust_reason", "?"),
    "entry_rule": ("entry_rule", "?"),
    "archived_at_ms": ("archived_at_ms", "?"),
    "fingerprint": ("fingerprint", "?"),
}
_QUARANTINE = "id, source, position, line, reason, sample, at_ms, state"

_ROWS_A_STATEMENT = 32
"""A statement costs as much as a row: many rows share one. SQLite takes 32,766 values at least."""


class SqliteHarvest(SqliteConnection):
    """The part of the ledger that takes what sources give."""

    def commit_harvest(
        self,
        rows: pa.Table,
        *,
        rejected: Sequence[Rejected],
        position: SourcePosition | None,
        episodes: pa.Table | None = None,
        sightings: pa.Table | None = None,
        entries: Sequence[EntryCount] = (),
        day: str | None = None,
        source: str | None = None,
    ) -> Inserted:
        """
        Insert rows whose key is new, sightings, refused rows and the position, if any, in one transaction.

        Where a ``day`` is named, ``entries`` and what else came of the rows are added to its counts. Where a
        ``source`` is named, :meth:`held_back` knows which rows of it were held back.
        """
        now = self.clock.now_ms()
        with self.writing() as db:
            told = 0 if episodes is None else _insert_episodes(db, episodes, now_ms=now)
            newest = _newest(db)
            inserted = _insert_observations(db, rows, newest)
            if source is not None and inserted and _holds_back(rows):
                db.execute("INSERT INTO entry_sources VALUES (?, ?, ?)", (newest + 1, _newest(db), source))
            if rows.column("memory_id").null_count < rows.num_rows:
                insert_links(db, newest)
            seen_again = 0 if sightings is None else insert_sightings(db, sightings, now_ms=now)
            refused = self._refuse(db, rejected)
            if day:
                told_apart = rows if inserted == rows.num_rows else None
                admitted = admitted_since(db, newest, day=day, rows=told_apart)
                count_entries(db, [*entries, *admitted, *_counted(refused, day)])
            if position is not None:
                self._move(db, position)
        return Inserted(observations=inserted, episodes=told, sightings=seen_again)

    def source_position(self, source: str) -> SourcePosition | None:
        """Return how far a source was read, or None for a new one."""
        sql = 'SELECT source, device, inode, "offset", line, fingerprint FROM offsets WHERE source = ?'
        with self.reading() as db:
            row = db.execute(sql, (source,)).fetchone()
        return SourcePosition(*row) if row else None

    def renew_position(self, position: SourcePosition, *, was: SourcePosition) -> bool:
        """Put a new fingerprint to a position that nobody moved meanwhile; say whether that was so."""
        sql = 'UPDATE offsets SET fingerprint = ? WHERE source = ? AND "offset" = ? AND fingerprint = ?'
        with self.writing() as db:
            renewed = db.execute(sql, (position.fingerprint, was.source, was.offset, was.fingerprint))
            return renewed.rowcount == 1

    def new_keys(self, keys: Sequence[str]) -> int:
        """Return how many different keys of these no observation has yet."""
        sql = """
          SELECT count(DISTINCT value) FROM json_each(?)
          WHERE NOT EXISTS (SELECT 1 FROM observations WHERE key = value)"""
        with self.reading() as db:
            return int(db.execute(sql, (json.dumps(list(keys)),)).fetchone()[0])

    def quarantine(self, rejected: Sequence[Rejected]) -> int:
        """Keep refused rows; return how many were not there yet."""
        with self.writing() as db:
            return len(self._refuse(db, rejected))

    def quarantined(
        self, *, state: QuarantineState | None = None, limit: int = 1000
    ) -> tuple[Quarantined, ...]:
        """Return refused rows, oldest first; those of one state if it is named."""
        sql = f"SELECT {_QUARANTINE} FROM quarantine WHERE state = coalesce(?, state) ORDER BY id LIMIT ?"
        with self.reading() as db:
            return tuple(_quarantined(row) for row in db.execute(sql, (state, limit)))

    def quarantined_row(self, row_id: int) -> Quarantined | None:
        """Return one refused row."""
        with self.reading() as db:
            row = db.execute(f"SELECT {_QUARANTINE} FROM quarantine WHERE id = ?", (row_id,)).fetchone()
        return _quarantined(row) if row else None

    def close_quarantined(self, row_ids: Iterable[int], *, state: QuarantineState) -> int:
        """Close waiting rows as resolved or dropped; they stay to be read. Return how many were waiting."""
        now = self.clock.now_ms()
        with self.writing() as db:
            closed = db.executemany(
                "UPDATE quarantine SET state = ?, closed_at_ms = ? WHERE id = ? AND state = 'waiting'",
                [(state, now, row_id) for row_id in row_ids],
            ).rowcount
        return max(closed, 0)

    def _move(self, db: sqlite3.Connection, position: SourcePosition) -> None:
        db.execute(
            "INSERT OR REPLACE INTO offsets VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                position.source,
                position.device,
                position.inode,
                position.offset,
                position.line,
                position.fingerprint,
                self.clock.now_ms(),
            ),
        )

    def _refuse(self, db: sqlite3.Connection, rejected: Sequence[Rejected]) -> list[Rejected]:
        """Keep refused rows and return those that were not there yet."""
        now = self.clock.now_ms()
        sql = (
            "INSERT INTO quarantine (source, position, line, reason, sample, at_ms) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING"
        )
        return [
            r
            for r in rejected
            if db.execute(sql, (r.source, r.position, r.line, r.reason, r.sample, now)).rowcount > 0
        ]


def _counted(refused: Sequence[Rejected], day: str) -> Iterator[EntryCount]:
    # A file is called by its name here: the counts are kept for years, and its folder says nothing.
    rows = Counter((one.reason, PurePath(one.source).name) for one in refused)
    for (reason, source), number in sorted(rows.items()):
        yield EntryCount(day, "refused", reason, source, number)


def _holds_back(rows: pa.Table) -> bool:
    return "entry_rule" in rows.column_names and rows.column("entry_rule").null_count < rows.num_rows


def _newest(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT coalesce(max(id), 0) FROM observations").fetchone()[0])


def _insert_observations(db: sqlite3.Connection, rows: pa.Table, newest: int) -> int:
    if rows.num_rows == 0:
        return 0
    if "fingerprint" not in rows.column_names:
        columns = [rows.column(name).to_pylist() for name in ("terms", "summary", "summary_en", "tool_name")]
        numbers = [row_fingerprint(*row) for row in zip(*columns, strict=True)]
        rows = rows.append_column("fingerprint", pa.array(numbers, type=pa.int64()))
    with _without_trigger(db, "observations_fts_insert"):
        inserted = _insert(db, "observations", rows, _OBSERVATION, _LOOKED_UP)
    # The index takes a batch at once for half of what it costs row by row.
    db.execute(
        "INSERT INTO observations_fts (rowid, terms) SELECT id, terms FROM observations WHERE id > ?",
        (newest,),
    )
    return inserted


def _insert_episodes(db: sqlite3.Connection, episodes: pa.Table, *, now_ms: int) -> int:
    if episodes.num_rows == 0:
        return 0
    now = pa.array([now_ms] * episodes.num_rows, type=pa.int64())
    return _insert(db, "episodes", episodes.append_column("created_at_ms", now), (*_EPISODE, "created_at_ms"))


def _insert(
    db: sqlite3.Connection,
    table: str,
    rows: pa.Table,
    names: Sequence[str],
    looked_up: Mapping[str, tuple[str, str]] = MappingProxyType({}),
) -> int:
    """
    Insert the rows whose key is new, many in each statement, and return how many there were.

    ``looked_up`` says of a column of ``rows`` which column it fills and with what expression.
    """
    # Binding a NULL costs Python more than binding a text: columns without a value are left to the default.
    filled = {
        name: looked_up.get(name, (name, "?"))
        for name in (*names, *(name for name in looked_up if name in rows.column_names))
        if rows.column(name).null_count < rows.num_rows
    }
    width = len(filled)
    values: list[object] = [None] * (width * rows.num_rows)
    for place, name in enumerate(filled):
        values[place::width] = rows.column(name).to_pylist()
    columns = ", ".join(column for column, _ in filled.values())
    row = f"({', '.join(expression for _, expression in filled.values())})"
    whole = rows.num_rows // _ROWS_A_STATEMENT * _ROWS_A_STATEMENT
    inserted = 0
    for start, end, size in ((0, whole, _ROWS_A_STATEMENT), (whole, rows.num_rows, rows.num_rows - whole)):
        if start == end:
            continue
        many = ", ".join([row] * size)
        step = size * width
        inserted += db.executemany(
            f"INSERT INTO {table} ({columns}) VALUES {many} ON CONFLICT (key) DO NOTHING",
            (values[at : at + step] for at in range(start * width, end * width, step)),
        ).rowcount
    return inserted


@contextlib.contextmanager
def _without_trigger(db: sqlite3.Connection, name: str) -> Iterator[None]:
    # A trigger that only asks whether it should run costs a third of an insert. Inside the transaction it
    # can be away: no other connection sees that, and a kill brings it back.
    script = db.execute(
        "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?", (name,)
    ).fetchone()
    db.execute(f"DROP TRIGGER {name}")
    try:
        yield
    except BaseException:
        # Whoever holds the transaction may go on in it; where SQLite rolled it back, the trigger is there.
        with contextlib.suppress(sqlite3.Error):
            db.execute(script[0])
        raise
    db.execute(script[0])


def _quarantined(row: tuple[Any, ...]) -> Quarantined:
    *fields, state = row
    row_id, source, position, line, reason, sample, at_ms = fields
    return Quarantined(row_id, source, position, line, reason, sample, at_ms, QuarantineState(state))
