"""The audit trail: what changed, from what, to what; and what the memories table has yet to take."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from sunrise.adapters.sqlite_connection import SqliteConnection
from sunrise.domain.records import Change, split_ref

_CHANGEABLE = {
    "state",
    "archived_at_ms",
    "scope",
    "trust_tier",
    "trust_reason",
    "importance_score",
    "importance_label",
}
"""Columns of observations that a change may name; anything else is a bug, not data."""


class SqliteAudit(SqliteConnection):
    """The part of the ledger that makes every change undoable."""

    def record_changes(self, changes: Sequence[Change], *, run_id: str) -> None:
        """
        Append changes of memories and put them in the outbox, in one transaction.

        The outbox is what makes a write to two stores survive a kill: what stands in it is applied again by
        whoever runs next, and applying it twice changes nothing (the transactional outbox pattern,
        C. Richardson, Microservices Patterns, 2018, chapter 3).
        """
        with self.writing() as db:
            for change in changes:
                row_id = self._append(db, change, run_id=run_id)
                db.execute("INSERT INTO outbox VALUES (?)", (row_id,))

    def apply_to_observations(self, changes: Sequence[Change], *, run_id: str) -> int:
        """
        Set fields of observations and append the changes, in one transaction; return the rows changed.

        A field that no longer holds ``before`` is left alone and not counted.
        """
        touched: set[str] = set()
        with self.writing() as db:
            for change in changes:
                if self._set(db, change):
                    self._append(db, change, run_id=run_id)
                    touched.add(change.record_ref)
        return len(touched)

    def outbox(self) -> tuple[tuple[int, Change], ...]:
        """Return the pending changes of memories with their ids, oldest first."""
        sql = """
          SELECT c.id, c.record_ref, c.field, c.before, c.after, c.reason
          FROM outbox o JOIN changes c ON c.id = o.change_id ORDER BY c.id"""
        with self.reading() as db:
            return tuple((row[0], Change(*row[1:])) for row in db.execute(sql))

    def clear_outbox(self, change_ids: Sequence[int]) -> None:
        """Forget pending changes that the memories table now holds."""
        with self.writing() as db:
            db.executemany(
                "DELETE FROM outbox WHERE change_id = ?", [(change_id,) for change_id in change_ids]
            )

    def changes(self, *, run_id: str) -> tuple[Change, ...]:
        """Return what a run changed, in order."""
        sql = "SELECT record_ref, field, before, after, reason FROM changes WHERE run_id = ? ORDER BY id"
        with self.reading() as db:
            return tuple(Change(*row) for row in db.execute(sql, (run_id,)))

    def _append(self, db: sqlite3.Connection, change: Change, *, run_id: str) -> int:
        cursor = db.execute(
            "INSERT INTO changes (run_id, record_ref, field, before, after, reason, at_ms)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                run_id,
                change.record_ref,
                change.field,
                change.before,
                change.after,
                change.reason,
                self.clock.now_ms(),
            ),
        )
        return int(cursor.lastrowid or 0)

    def _set(self, db: sqlite3.Connection, change: Change) -> bool:
        if change.field not in _CHANGEABLE:
            msg = f"observations have no changeable field {change.field!r}"
            raise ValueError(msg)
        _, key = split_ref(change.record_ref)
        sql = f"UPDATE observations SET {change.field} = ? WHERE id = ? AND {change.field} IS ?"
        values = (json.loads(change.after), int(key), json.loads(change.before))
        return db.execute(sql, values).rowcount == 1
