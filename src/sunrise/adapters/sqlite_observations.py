"""Observations in the ledger as the flows read them, and their grades."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

import pyarrow as pa

from sunrise.adapters.sqlite_connection import SqliteConnection
from sunrise.adapters.sqlite_frames import read_arrow

_GRADING = "graded_up_to"

UNGRADED_SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64()),
        pa.field("kind", pa.string()),
        pa.field("tool_name", pa.string()),
        pa.field("summary", pa.string()),
        pa.field("importance_label", pa.string()),
    ]
)
GOVERNANCE_SCHEMA = pa.schema(
    [
        pa.field("memory_id", pa.string()),
        pa.field("observation_id", pa.int64()),
        pa.field("importance", pa.float64()),
        pa.field("importance_label", pa.string()),
        pa.field("scope", pa.string()),
        pa.field("category", pa.string()),
        pa.field("trust_tier", pa.string()),
    ]
)
LIFECYCLE_SCHEMA = pa.schema(
    [
        pa.field("record_ref", pa.string()),
        pa.field("kind", pa.string()),
        pa.field("importance_label", pa.string()),
        pa.field("trust_tier", pa.string()),
        pa.field("priority", pa.string()),
        pa.field("state", pa.string()),
        pa.field("created_ms", pa.int64()),
        pa.field("archived_at_ms", pa.int64()),
        pa.field("last_used_ms", pa.int64()),
    ]
)
DISTRIBUTION_SCHEMA = pa.schema(
    [
        pa.field("importance_label", pa.string()),
        pa.field("scope", pa.string()),
        pa.field("rows", pa.int64()),
    ]
)
USAGE_SCHEMA = pa.schema([pa.field("record_ref", pa.string()), pa.field("last_used_ms", pa.int64())])


class SqliteObservations(SqliteConnection):
    """The part of the ledger that hands out observations and takes their grades."""

    def ungraded(self, *, after_id: int, limit: int) -> pa.Table:
        """Return rows past ``after_id`` that no grading run saw yet, or that have no grade; oldest first."""
        seen = self.watermark(_GRADING)
        columns = "id, kind, tool_name, summary, importance_label"
        # Two ranges, so that each can use an index: new rows by id, old ones by the partial index.
        sql = f"""
          SELECT * FROM (
            SELECT {columns} FROM observations WHERE id > max(:after, :seen)
            UNION ALL
            SELECT {columns} FROM observations INDEXED BY observations_ungraded
            WHERE importance_label IS NULL AND id > :after AND id <= :seen
          ) ORDER BY id LIMIT :limit"""
        parameters = {"after": after_id, "seen": seen, "limit": limit}
        return self._arrow(sql, UNGRADED_SCHEMA, parameters)

    def save_grades(self, grades: pa.Table, *, run_id: str, seen_up_to: int) -> int:
        """Fill empty grades, note each as a change and move the watermark in one transaction."""
        now = self.clock.now_ms()
        rows = grades.to_pylist()
        fill = """
          UPDATE observations SET importance_score = :score, importance_label = :label,
            importance_method = :method, importance_version = :version, importance_rationale = :rationale,
            importance_graded_at_ms = :now
          WHERE id = :id AND importance_label IS NULL"""
        note = """
          INSERT INTO changes (run_id, record_ref, field, before, after, reason, at_ms)
          SELECT :run_id, 'obs:' || :id, 'importance', 'null',
            json_object('score', :score, 'label', :label), :method, :now
          FROM observations WHERE id = :id AND importance_label IS NULL"""
        values = [{**row, "run_id": run_id, "now": now} for row in rows]
        with self.writing() as db:
            db.executemany(note, values)
            filled = db.executemany(fill, values).rowcount if values else 0
            self._set_watermark(db, _GRADING, seen_up_to)
        return max(filled, 0)

    def linked_governance(self) -> pa.Table:
        """Return the governance values of observations that name a memory, oldest first."""
        sql = """
          SELECT memory_id, id AS observation_id, importance_score AS importance, importance_label, scope,
            CASE WHEN json_type(detail_json, '$.category') = 'text'
                 THEN detail_json ->> '$.category' END AS category,
            trust_tier
          FROM observations WHERE memory_id IS NOT NULL ORDER BY id"""
        return self._arrow(sql, GOVERNANCE_SCHEMA)

    def lifecycle_rows(self) -> pa.Table:
        """Return what retention needs of each observation: kind, label, trust, state, times of use."""
        sql = """
          SELECT 'obs:' || o.id AS record_ref, o.kind, o.importance_label, o.trust_tier,
            CASE WHEN json_type(o.detail_json, '$.lifecycle.priority') = 'text'
                 THEN o.detail_json ->> '$.lifecycle.priority' END AS priority,
            o.state, o.ts_ms AS created_ms, o.archived_at_ms, u.last_used_ms
          FROM observations o LEFT JOIN usage u ON u.record_ref = 'obs:' || o.id ORDER BY o.id"""
        return self._arrow(sql, LIFECYCLE_SCHEMA)

    def memory_usage(self) -> pa.Table:
        """Return when each memory was last used."""
        sql = "SELECT record_ref, last_used_ms FROM usage WHERE record_ref LIKE 'mem:%' ORDER BY record_ref"
        return self._arrow(sql, USAGE_SCHEMA)

    def distribution(self) -> pa.Table:
        """Return how many observations have each label and scope."""
        sql = """
          SELECT importance_label, scope, count(*) AS rows FROM observations
          GROUP BY importance_label, scope ORDER BY importance_label, scope"""
        return self._arrow(sql, DISTRIBUTION_SCHEMA)

    def watermark(self, name: str) -> int:
        """Return a watermark; 0 before it was first set."""
        with self.reading() as db:
            row = db.execute("SELECT value FROM watermarks WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row else 0

    def _arrow(
        self, sql: str, schema: pa.Schema, parameters: Mapping[str, int | str] | None = None
    ) -> pa.Table:
        with self.reading() as db:
            return read_arrow(db, sql, schema, parameters or {})

    def _set_watermark(self, db: sqlite3.Connection, name: str, value: int) -> None:
        # A watermark never goes back: two runs may end in either order.
        db.execute(
            "INSERT INTO watermarks VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
            (name, value),
        )
