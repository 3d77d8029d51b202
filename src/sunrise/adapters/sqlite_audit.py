"""The audit trail: what changed, from what, to what; and what the memories table has yet to take."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

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
        # One by one, so that the changes of one record stay in the order in which they were made.
        with self.writing() as db:
            newest = db.execute("SELECT coalesce(max(id), 0) FROM changes").fetchone()[0]
            for change in changes:
                self._append(db, change, run_id=run_id)
            db.execute("INSERT INTO outbox SELECT id FROM changes WHERE id > ?", (newest,))

    def record_change_frame(self, changes: pa.Table, *, run_id: str) -> range:
        """
        Do what :meth:`record_changes` does for many: one row a change, columns named as its fields.

        Returns the ids of the changes: in one transaction they follow each other.
        """
        now = self.clock.now_ms()
        with self.writing() as db:
            newest = db.execute("SELECT coalesce(max(id), 0) FROM changes").fetchone()[0]
            for (field, reason), part in _by_kind(changes):
                _insert_alike(db, part, shared=(run_id, field, reason, now))
            # The index of runs is narrower than the rows.
            db.execute(
                "INSERT INTO outbox"
                " SELECT id FROM changes INDEXED BY changes_run WHERE run_id = ? AND id > ?",
                (run_id, newest),
            )
            first = db.execute("SELECT min(id) FROM changes WHERE id > ?", (newest,)).fetchone()[0]
        return range(first or 0, (first or 0) + changes.num_rows)

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
        # A cross join is read in its order. Else SQLite reads the whole audit trail to find an empty outbox.
        sql = """
          SELECT c.id, c.record_ref, c.field, c.before, c.after, c.reason
          FROM outbox o CROSS JOIN changes c ON c.id = o.change_id ORDER BY o.change_id"""
        with self.reading() as db:
            return tuple((row[0], Change(*row[1:])) for row in db.execute(sql))

    def clear_outbox(self, change_ids: Sequence[int]) -> None:
        """Forget pending changes that the memories table now holds."""
        with self.writing() as db:
            if isinstance(change_ids, range):
                _clear_range(db, change_ids)
                return
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


_ROWS_A_STATEMENT = 128
"""A statement costs as much as a row, and so does a value that is bound: many rows share both."""


def _clear_range(db: sqlite3.Connection, ids: range) -> None:
    within = (ids.start, ids.stop)
    others = db.execute(
        "SELECT 1 FROM outbox WHERE change_id < ? OR change_id >= ? LIMIT 1", within
    ).fetchone()
    if others is None:
        # Without a condition SQLite drops the pages and looks at no row.
        db.execute("DELETE FROM outbox")
    else:
        db.execute("DELETE FROM outbox WHERE change_id >= ? AND change_id < ?", within)


def _by_kind(changes: pa.Table) -> Iterator[tuple[tuple[str, str], pa.Table]]:
    """Yield the changes of each field and reason."""
    kinds = changes.group_by(["field", "reason"]).aggregate([]).to_pylist()
    for kind in kinds:
        mine = pc.and_(*(pc.equal(changes.column(name), kind[name]) for name in ("field", "reason")))
        yield (kind["field"], kind["reason"]), changes.filter(mine) if len(kinds) > 1 else changes


def _insert_alike(db: sqlite3.Connection, changes: pa.Table, *, shared: tuple[str, str, str, int]) -> None:
    """Append changes that differ in record and images only; ``shared`` is run, field, reason and time."""
    own = ("record_ref", "before", "after")
    values: list[str] = [""] * (len(own) * changes.num_rows)
    for place, name in enumerate(own):
        values[place :: len(own)] = changes.column(name).to_pylist()
    whole = changes.num_rows // _ROWS_A_STATEMENT * _ROWS_A_STATEMENT
    for start, end, size in (
        (0, whole, _ROWS_A_STATEMENT),
        (whole, changes.num_rows, changes.num_rows - whole),
    ):
        if start == end:
            continue
        first, step = len(shared) + 1, size * len(own)
        rows = (
            f"(?1, ?{first + at}, ?2, ?{first + at + 1}, ?{first + at + 2}, ?3, ?4)"
            for at in range(0, step, len(own))
        )
        db.executemany(
            "INSERT INTO changes (run_id, record_ref, field, before, after, reason, at_ms)"
            f" VALUES {', '.join(rows)}",
            ((*shared, *values[at : at + step]) for at in range(start * len(own), end * len(own), step)),
        )
