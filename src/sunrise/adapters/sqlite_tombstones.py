"""What was forgotten: tombstones that hold no text, and what a burial takes along in the ledger."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence

from sunrise.adapters.sqlite_connection import SqliteConnection
from sunrise.adapters.sqlite_entry import fingerprint
from sunrise.adapters.sqlite_stores import SALT, marked, text_mark
from sunrise.domain.forget import Forgotten, Tombstone
from sunrise.domain.record_requests import SHORTEST_PREFIX
from sunrise.domain.records import RecordState, memory_ref, observation_ref
from sunrise.domain.row_names import id_in
from sunrise.domain.text.analysis import written_terms

FORGOTTEN = "forgotten"
"""What the audit trail calls the state of a memory that is gone."""

_STANDS = "lifted_at_ms IS NULL"


class SqliteTombstones(SqliteConnection):
    """The part of the ledger that knows what must not come back."""

    def bury(self, tombstones: Sequence[Tombstone], *, run_id: str) -> int:
        """
        Note what is forgotten before the table lets go of it; return how many observations were hidden.

        In one transaction links and waiting changes of the memories go, and their observations are archived.
        """
        now, hidden = self.clock.now_ms(), 0
        with self.writing() as db:
            for one in tombstones:
                _lay(db, one, run_id=run_id, now_ms=now)
                hidden += _hide_observations(db, one, run_id=run_id, now_ms=now)
                _let_go(db, one.memory_id)
        return hidden

    def finish_burial(self, memory_ids: Sequence[str]) -> None:
        """Note that the table no longer holds these memories."""
        with self.writing() as db:
            db.executemany(
                "UPDATE tombstones SET is_pending = 0 WHERE memory_id = ?", [(one,) for one in memory_ids]
            )

    def unfinished_burials(self) -> tuple[str, ...]:
        """Return the memories that are forgotten, and that the table may still hold."""
        sql = f"""
          SELECT DISTINCT memory_id FROM tombstones INDEXED BY tombstones_pending
          WHERE is_pending = 1 AND {_STANDS} ORDER BY 1"""
        with self.reading() as db:
            return tuple(name for (name,) in db.execute(sql))

    def buried(self, memory_ids: Iterable[str] | None = None) -> frozenset[str]:
        """Return the ids of forgotten memories, of these or of all."""
        sql = f"SELECT memory_id FROM tombstones WHERE {_STANDS}"
        if memory_ids is not None:
            sql += " AND memory_id IN (SELECT value FROM json_each(:ids))"
        ids = json.dumps(list(memory_ids or ()))
        with self.reading() as db:
            return frozenset(
                name for (name,) in db.execute(sql, {"ids": ids} if memory_ids is not None else {})
            )

    def newest_forgotten(self, *, limit: int) -> tuple[Forgotten, ...]:
        """Return what was forgotten last and not let in again, newest first, whoever asked for it."""
        sql = f"SELECT memory_id, run_id, at_ms FROM tombstones WHERE {_STANDS} ORDER BY id DESC LIMIT ?"
        with self.reading() as db:
            return tuple(Forgotten(*row) for row in db.execute(sql, (limit,)))

    def buried_named(
        self, name: str, *, scopes: Collection[str] | None, with_unscoped: bool = False
    ) -> tuple[str, ...]:
        """
        Return the forgotten memory that had a name as its id, else those whose ids begin so, at most two.

        None are all scopes. What is kept out of all scopes tells of no scope, and is left out where some
        are named, but *with_unscoped*.
        """
        sql = f"""
          SELECT DISTINCT memory_id FROM tombstones INDEXED BY tombstones_memory
          WHERE %s AND {_STANDS} AND (:scopes IS NULL OR (scope IS NULL AND :unscoped)
            OR scope IN (SELECT value FROM json_each(:scopes))) ORDER BY 1 LIMIT 2"""
        ways = ["memory_id = :name"]
        if len(name) >= SHORTEST_PREFIX:
            # Not LIKE: an id may hold its wildcards.
            ways.append("memory_id >= :name AND substr(memory_id, 1, length(:name)) = :name")
        named = None if scopes is None else json.dumps(list(scopes))
        values = {"name": name, "scopes": named, "unscoped": with_unscoped}
        with self.reading() as db:
            found = (db.execute(sql % way, values).fetchall() for way in ways)
            return tuple(one for (one,) in next(filter(None, found), ()))

    def may_be_forgotten(self, terms: Sequence[str]) -> list[bool]:
        """Return of each analysed text whether it may be a forgotten one: of most it surely is not."""
        sql = f"SELECT DISTINCT fingerprint FROM tombstones WHERE fingerprint IS NOT NULL AND {_STANDS}"
        with self.reading() as db:
            numbers = {number for (number,) in db.execute(sql)}
        return [fingerprint(text) in numbers for text in terms] if numbers else [False] * len(terms)

    def forgotten_texts(self, texts: Sequence[tuple[str, str | None]]) -> list[bool]:
        """Return of each text and scope whether it is forgotten there; without a scope, whether anywhere."""
        sql = f"""
          SELECT 1 FROM tombstones WHERE text_mark = :mark AND {_STANDS}
            AND (scope IS NULL OR :scope IS NULL OR scope = :scope) LIMIT 1"""
        with self.reading() as db:
            row = db.execute("SELECT text FROM notes WHERE name = ?", (SALT,)).fetchone()
            if row is None:
                return [False] * len(texts)
            return [
                db.execute(sql, {"mark": marked(text, row[0]), "scope": scope}).fetchone() is not None
                for text, scope in texts
            ]

    def lift_tombstones(self, text: str, *, scope: str, memory_id: str | None = None) -> int:
        """Let a text, and a memory, come in again; return how many tombstones were lifted."""
        sql = f"""
          UPDATE tombstones SET lifted_at_ms = :now, is_pending = 0 WHERE {_STANDS} AND (memory_id = :id
            OR (text_mark = :mark AND (scope IS NULL OR scope = :scope)))"""
        with self.writing() as db:
            values = {
                "now": self.clock.now_ms(),
                "mark": text_mark(db, text),
                "scope": scope,
                "id": memory_id,
            }
            return max(db.execute(sql, values).rowcount, 0)

    def made_of(self, refs: Sequence[str]) -> tuple[tuple[str, str | None], ...]:
        """Return the observations that name one of these records as a parent, with the memory of each."""
        sql = """
          SELECT o.id, o.memory_id FROM observations o INDEXED BY observations_with_provenance
          WHERE instr(o.detail_json, '"provenance"') AND EXISTS (
            SELECT 1 FROM json_each(?) r WHERE instr(o.detail_json -> '$.provenance', json_quote(r.value)))
          ORDER BY o.id"""
        with self.reading() as db:
            found = db.execute(sql, (json.dumps(list(refs)),)).fetchall()
        return tuple((observation_ref(row_id), memory_id) for row_id, memory_id in found)

    def linked_observations(self, memory_id: str) -> tuple[str, ...]:
        """Return the refs of the observations that speak of a memory."""
        # A burial takes the links away, and the rows still name it.
        sql = """
          SELECT observation_id FROM memory_links WHERE memory_id = ?1
          UNION SELECT id FROM observations WHERE memory_id = ?1 ORDER BY 1"""
        with self.reading() as db:
            return tuple(observation_ref(row_id) for (row_id,) in db.execute(sql, (memory_id,)))


def _lay(db: sqlite3.Connection, one: Tombstone, *, run_id: str, now_ms: int) -> None:
    said = one.text.strip()
    db.execute(
        "INSERT INTO tombstones (memory_id, text_mark, fingerprint, scope, reason, run_id, at_ms)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            one.memory_id,
            text_mark(db, said, make_salt=True) if said else None,
            fingerprint(written_terms(said)) if said else None,
            one.scope,
            one.reason,
            run_id,
            now_ms,
        ),
    )
    _note(
        db,
        (run_id, memory_ref(one.memory_id), one.state, FORGOTTEN, f"forget:{one.reason}", now_ms),
    )


def _hide_observations(db: sqlite3.Connection, one: Tombstone, *, run_id: str, now_ms: int) -> int:
    sql = """
      SELECT o.id, o.state, o.summary FROM memory_links l JOIN observations o ON o.id = l.observation_id
      WHERE l.memory_id = ? AND o.state <> ? ORDER BY o.id"""
    shared, said = id_in(one.memory_id), one.text.strip()
    linked = db.execute(sql, (shared or one.memory_id, RecordState.ARCHIVED)).fetchall()
    # Of a row that shares its id only those go with it that say what it says.
    rows = [(row_id, state) for row_id, state, text in linked if not shared or (said and said in text)]
    for row_id, state in rows:
        _note(db, (run_id, observation_ref(row_id), state, RecordState.ARCHIVED, "forget", now_ms))
    db.executemany(
        "UPDATE observations SET state = ? WHERE id = ?",
        [(RecordState.ARCHIVED, row_id) for row_id, _ in rows],
    )
    return len(rows)


def _note(db: sqlite3.Connection, change: tuple[str, str, str | None, str, str, int]) -> None:
    run_id, ref, before, after, reason, at_ms = change
    db.execute(
        "INSERT INTO changes (run_id, record_ref, field, before, after, reason, at_ms)"
        " VALUES (?, ?, 'state', ?, ?, ?, ?)",
        (run_id, ref, json.dumps(before), json.dumps(after), reason, at_ms),
    )


def _let_go(db: sqlite3.Connection, memory_id: str) -> None:
    """Leave nothing that would look for the memory, or bring it back."""
    db.execute("DELETE FROM memory_links WHERE memory_id = ?", (memory_id,))
    db.execute("DELETE FROM unresolved_memories WHERE memory_id = ?", (memory_id,))
    db.execute(
        "UPDATE stores SET pending_json = NULL, text_mark = NULL, host = NULL, pid = NULL"
        " WHERE memory_id = ?",
        (memory_id,),
    )
    db.execute(
        "DELETE FROM outbox WHERE change_id IN (SELECT id FROM changes WHERE record_ref = ?)",
        (memory_ref(memory_id),),
    )
