"""Turns in the ledger: what was put before the agent."""

from __future__ import annotations

import json
import sqlite3
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from sunrise.adapters.sqlite_connection import SqliteConnection
from sunrise.adapters.sqlite_use import PATIENCE_MS, write_served
from sunrise.domain.turn_log import MAX_TURNS, MAX_TURNS_A_SESSION, Injected, Lane, LoggedTurn
from sunrise.domain.working_set import working_set_id

_LOOKED_AT_EVERY: Final = 10
"""To find the oldest turn that stays all the newer ones are counted."""


class SqliteTurns(SqliteConnection):
    """The part of the ledger that remembers turns."""

    def log_turn(self, turn: LoggedTurn) -> int:
        """
        Keep a turn and count its memories as used; return its number within the session.

        Raises:
            StoreError: The ledger was held by another writer for longer than an agent should wait.
        """
        with self.writing(patience_ms=PATIENCE_MS) as db, self._as_noted(db, turn):
            number = _take_place(db, turn)
            row = db.execute(
                "INSERT INTO turns (session_key, number, turn_key, scope, at_ms, skipped, receipt_json)"
                " VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
                (
                    turn.session_key,
                    number,
                    turn.turn_key,
                    turn.scope,
                    turn.at_ms,
                    int(turn.skipped),
                    json.dumps(turn.receipt, ensure_ascii=False, separators=(",", ":")),
                ),
            ).fetchone()
            db.executemany(
                "INSERT INTO injections VALUES (?, ?, ?, ?)",
                [(row[0], place, ref, lane) for place, (ref, lane) in enumerate(turn.items)],
            )
            if turn.working_set is not None:
                db.execute(
                    "INSERT OR REPLACE INTO notes VALUES (?, ?, ?)",
                    (working_set_id(turn.scope), turn.working_set, turn.at_ms),
                )
            if not turn.skipped:
                write_served(db, [turn.served])
            _drop_old(db, turn.session_key, number)
        return number

    def _as_noted(self, db: sqlite3.Connection, turn: LoggedTurn) -> AbstractContextManager[None]:
        return self.beside_notes(db) if turn.working_set is None else nullcontext()

    def injected(self, session_key: str, *, turns: int, but: str | None = None) -> tuple[Injected, ...]:
        """Return what the last turns of a session put before the agent, newest first, one key left out."""
        sql = """
          SELECT i.record_ref, row.ago, i.lane FROM (
            SELECT id, row_number() OVER (ORDER BY number DESC) AS ago FROM turns
            WHERE session_key = ? AND turn_key IS NOT ? AND NOT skipped ORDER BY number DESC LIMIT ?
          ) row CROSS JOIN injections i ON i.turn_id = row.id ORDER BY row.ago, i.place"""
        with self.reading() as db:
            rows = db.execute(sql, (session_key, but or "", turns)).fetchall()
        return tuple(Injected(ref, ago, Lane(lane)) for ref, ago, lane in rows)

    def last_turn(self, session_key: str | None = None) -> LoggedTurn | None:
        """Return the newest turn, of one session or of all, or None."""
        sql = """
          SELECT id, session_key, scope, at_ms, receipt_json, turn_key, skipped, number FROM turns
          WHERE ?1 IS NULL OR session_key = ?1 ORDER BY id DESC LIMIT 1"""
        with self.reading() as db:
            found = db.execute(sql, (session_key,)).fetchone()
            if found is None:
                return None
            items = db.execute(
                "SELECT record_ref, lane FROM injections WHERE turn_id = ? ORDER BY place", found[:1]
            ).fetchall()
        lanes = tuple((ref, Lane(lane)) for ref, lane in items)
        return LoggedTurn(
            session_key=found[1],
            scope=found[2],
            at_ms=found[3],
            items=lanes,
            receipt=json.loads(found[4]),
            turn_key=found[5],
            skipped=bool(found[6]),
            number=found[7],
        )


def _take_place(db: sqlite3.Connection, turn: LoggedTurn) -> int:
    """Return the number of a turn: that of the one of the same key, which goes, or the next."""
    if turn.turn_key is not None:
        same = (turn.session_key, turn.turn_key)
        found = db.execute(
            "DELETE FROM turns WHERE session_key = ? AND turn_key = ? RETURNING number", same
        ).fetchone()
        if found is not None:
            return int(found[0])
    newest = db.execute(
        "SELECT coalesce(max(number), 0) FROM turns WHERE session_key = ?", (turn.session_key,)
    ).fetchone()
    return int(newest[0]) + 1


def _drop_old(db: sqlite3.Connection, session_key: str, number: int) -> None:
    db.execute(
        "DELETE FROM turns WHERE session_key = ? AND number <= ?", (session_key, number - MAX_TURNS_A_SESSION)
    )
    if number % _LOOKED_AT_EVERY:
        return
    db.execute(
        "DELETE FROM turns WHERE id <= (SELECT id FROM turns ORDER BY id DESC LIMIT 1 OFFSET ?)", (MAX_TURNS,)
    )
