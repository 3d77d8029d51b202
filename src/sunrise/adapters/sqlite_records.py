"""Single records in the ledger: their changes, their use, and what was captured around them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable
from typing import Final

from sunrise.adapters.sqlite_connection import SqliteConnection
from sunrise.domain.filters import DEFAULT_SCOPE
from sunrise.domain.record_views import ObservationView, RecordedChange, RecordLink, Usage
from sunrise.domain.records import memory_ref, observation_ref

_VIEW: Final = """
  o.id, o.summary, o.ts_ms, o.kind, o.tool_name, o.scope, o.session_key, o.agent_id, o.importance_score,
  o.importance_label, o.trust_tier, o.trust_reason, o.state, o.source_kind, o.source_ref, o.lang,
  o.memory_id, o.archived_at_ms,
  o.state = 'archived' AND EXISTS (
    SELECT 1 FROM changes c WHERE c.record_ref = 'obs:' || o.id AND c.reason = 'forget')"""
_LARGEST_ID: Final = 2**63 - 1


class SqliteRecords(SqliteConnection):
    """The part of the ledger that shows single records."""

    def observations_by_ids(self, row_ids: Iterable[int]) -> tuple[ObservationView, ...]:
        """Return these observations, by id; those that are not there are left out."""
        sql = f"SELECT {_VIEW} FROM observations o WHERE o.id = ?"
        wanted = sorted({row_id for row_id in row_ids if 0 <= row_id <= _LARGEST_ID})
        with self.reading() as db:
            rows = (db.execute(sql, (row_id,)).fetchone() for row_id in wanted)
            return tuple(_view(row) for row in rows if row is not None)

    def observations_near(
        self,
        at_ms: int,
        *,
        row_id: int,
        window_ms: int,
        before: int,
        after: int,
        session_key: str | None = None,
        scope: str | None = None,
        within: Collection[str] | None = None,
    ) -> tuple[ObservationView, ...]:
        """
        Return what was captured before and after a moment, oldest first, of one session or one scope.

        Of the same millisecond the rows up to ``row_id`` come before, the others after it. Without a session
        and a scope all rows count; an empty scope is that of rows without one. Of scopes that ``within`` does
        not name, where it names any, nothing is read.
        """
        whose = "true"
        if session_key is not None:
            whose = "o.session_key = :whose"
        elif scope is not None:
            whose = "nullif(o.scope, '') IS nullif(:whose, '')"
        if within is not None:
            whose += " AND coalesce(nullif(o.scope, ''), :default) IN (SELECT value FROM json_each(:within))"
        values = {
            "at": at_ms,
            "id": row_id,
            "from": at_ms - window_ms,
            "to": at_ms + window_ms,
            "whose": session_key if session_key is not None else scope,
            "within": json.dumps(list(within or ())),
            "default": DEFAULT_SCOPE,
        }
        earlier = f"""
          SELECT {_VIEW} FROM observations o
          WHERE o.ts_ms BETWEEN :from AND :at AND (o.ts_ms < :at OR o.id <= :id) AND {whose}
          ORDER BY o.ts_ms DESC, o.id DESC LIMIT :limit"""
        later = f"""
          SELECT {_VIEW} FROM observations o
          WHERE o.ts_ms BETWEEN :at AND :to AND (o.ts_ms > :at OR o.id > :id) AND {whose}
          ORDER BY o.ts_ms, o.id LIMIT :limit"""
        with self.reading() as db:
            rows = db.execute(earlier, {**values, "limit": before}).fetchall()[::-1]
            rows += db.execute(later, {**values, "limit": after}).fetchall()
        return tuple(map(_view, rows))

    def history_of(self, ref: str, *, limit: int) -> tuple[RecordedChange, ...]:
        """Return what was changed of a record, newest first."""
        sql = """
          SELECT c.at_ms, c.run_id, r.flow, c.field, c.before, c.after, c.reason
          FROM changes c LEFT JOIN runs r ON r.run_id = c.run_id
          WHERE c.record_ref = ? ORDER BY c.id DESC LIMIT ?"""
        with self.reading() as db:
            return tuple(RecordedChange(*row) for row in db.execute(sql, (ref, limit)))

    def usage_of(self, ref: str) -> Usage:
        """Return how a record was used; one that never was has an empty use."""
        sql = """
          SELECT last_retrieved_ms, last_included_ms, last_used_ms, included_count
          FROM usage WHERE record_ref = ?"""
        with self.reading() as db:
            row = db.execute(sql, (ref,)).fetchone()
        return Usage() if row is None else Usage(*row)

    def links_of_memory(self, memory_id: str, *, limit: int) -> tuple[RecordLink, ...]:
        """Return the observations that name a memory, newest first."""
        sql = """
          SELECT observation_id, origin FROM memory_links WHERE memory_id = ?
          ORDER BY observation_id DESC LIMIT ?"""
        with self.reading() as db:
            rows = db.execute(sql, (memory_id, limit)).fetchall()
        return tuple(RecordLink(observation_ref(row_id), origin) for row_id, origin in rows)

    def note_used(self, ref: str, *, at_ms: int) -> None:
        """Note that a record was of use, whatever is kept of it."""
        with self.writing() as db:
            db.execute(
                "INSERT INTO usage (record_ref, last_used_ms) VALUES (?1, ?2) ON CONFLICT (record_ref)"
                " DO UPDATE SET last_used_ms = max(coalesce(last_used_ms, 0), ?2)",
                (ref, at_ms),
            )


def _view(row: sqlite3.Row | tuple[object, ...]) -> ObservationView:
    values = dict(zip(_FIELDS, row, strict=True))
    memory_id, is_forgotten = values.pop("memory_id"), bool(values.pop("is_forgotten"))
    return ObservationView(
        ref=observation_ref(values.pop("id")),
        memory_ref=memory_ref(memory_id) if memory_id else None,
        is_forgotten=is_forgotten,
        **values,
    )


_FIELDS: Final = (
    "id", "text", "at_ms", "kind", "tool_name", "scope", "session_key", "agent_id", "importance",
    "importance_label", "trust_tier", "trust_reason", "state", "source_kind", "source_ref", "lang",
    "memory_id", "archived_at_ms", "is_forgotten",
)  # fmt: skip
