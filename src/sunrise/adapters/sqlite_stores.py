"""Stores in the ledger: an observation and its link, a change, and what the table has yet to take."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import socket
import sqlite3
from collections.abc import Collection, Sequence
from typing import Any

from sunrise.adapters.processes import is_running
from sunrise.adapters.sqlite_connection import SqliteConnection
from sunrise.adapters.sqlite_entry import row_fingerprint
from sunrise.adapters.sqlite_runs import LEASE_MS
from sunrise.domain.records import RecordState, memory_ref
from sunrise.domain.store import same_text
from sunrise.domain.stored import NewStore, PendingStore, Stored

SALT = "texts.salt"
"""The note with what is mixed into the hash of every text, so that none can be looked up in a list."""

_STORED = "memory_id, status, scope, run_id, observation_id, pending_json IS NOT NULL"

_PENDING = "stores INDEXED BY stores_pending WHERE pending_json IS NOT NULL"


class SqliteStores(SqliteConnection):
    """The part of the ledger that takes what comes in by the door of store."""

    def stored_under(self, key: str, *, request: str) -> Stored | None:
        """Return the store with an idempotency key, and whether it asked for the same."""
        with self.reading() as db:
            return _under(db, key, request)

    def stored_alike(self, text: str, *, scope: str) -> tuple[str, ...]:
        """Return the memories of a scope that were stored with a text that says the same."""
        with self.reading() as db:
            return tuple(one.memory_id for one in _alike(db, text_mark(db, text), scope))

    def is_ignored_by_hand(self, memory_id: str) -> bool:
        """Return whether somebody stored this memory with the label `ignore`, which no store lifts."""
        sql = """
          SELECT EXISTS (
            SELECT 1 FROM memory_links l JOIN observations o ON o.id = l.observation_id
            WHERE l.memory_id = :id AND o.importance_method = 'stated' AND o.importance_label = 'ignore'
          ) OR EXISTS (
            SELECT 1 FROM changes WHERE record_ref = :ref AND reason GLOB 'store:*' AND json_valid(after)
            AND after ->> '$.importance_label' = 'ignore'
          )"""
        with self.reading() as db:
            row = db.execute(sql, {"id": memory_id, "ref": memory_ref(memory_id)}).fetchone()
        return bool(row[0])

    def begin_store(self, new: NewStore, *, gone: Collection[str] = ()) -> Stored:
        """
        Note a store in one transaction, or return the one that stands in its way.

        That is one with the same key, or one of the same text in the same scope whose memory is not among
        those that are ``gone``.
        """
        with self.writing() as db:
            if new.key is not None and (known := _under(db, new.key, new.request)):
                return known
            mark = None if new.text is None else text_mark(db, new.text, make_salt=True)
            if new.row is not None:
                for same in _alike(db, mark, new.scope):
                    if same.memory_id not in gone and same.memory_id != new.memory_id:
                        return same
            now = self.clock.now_ms()
            row_id = None if new.observation is None else _observe(db, new, now_ms=now)
            if new.row is not None:
                _note_change(db, new, now_ms=now)
            _insert_store(db, new, row_id, mark, now_ms=now)
        return Stored(
            memory_id=new.memory_id,
            status=new.status,
            scope=new.scope,
            run_id=new.run_id,
            observation_id=row_id,
            is_pending=new.row is not None,
            is_new=True,
        )

    def finish_stores(self, memory_ids: Sequence[str]) -> None:
        """Note that the table has these memories."""
        with self.writing() as db:
            db.executemany(
                "UPDATE stores SET pending_json = NULL, host = NULL, pid = NULL"
                " WHERE memory_id = ? AND pending_json IS NOT NULL",
                [(memory_id,) for memory_id in memory_ids],
            )

    def leave_store(self, memory_id: str) -> None:
        """Leave a store that failed to whoever comes next."""
        with self.writing() as db:
            db.execute("UPDATE stores SET host = NULL, pid = NULL WHERE memory_id = ?", (memory_id,))

    def pending_stores(self) -> int:
        """Return how many memories the table has yet to take, as far as the ledger knows."""
        with self.reading() as db:
            return int(db.execute(f"SELECT count(*) FROM {_PENDING}").fetchone()[0])

    def take_pending_stores(self) -> tuple[PendingStore, ...]:
        """Return stores that nobody is at any more, to be finished by the caller alone."""
        if not self.pending_stores():
            return ()
        sql = f"SELECT id, memory_id, pending_json, host, pid, at_ms FROM {_PENDING} ORDER BY id"
        with self.writing() as db:
            now = self.clock.now_ms()
            free = [row for row in db.execute(sql).fetchall() if _is_left(*row[3:], now_ms=now)]
            db.executemany(
                "UPDATE stores SET host = ?, pid = ?, at_ms = ? WHERE id = ?",
                [(socket.gethostname(), os.getpid(), now, row[0]) for row in free],
            )
        return tuple(PendingStore(memory_id, json.loads(text)) for _, memory_id, text, *_ in free)


def text_mark(db: sqlite3.Connection, text: str, *, make_salt: bool = False) -> str | None:
    """Return what texts that say the same have in common, unreadable; None while the ledger has no salt."""
    row = db.execute("SELECT text FROM notes WHERE name = ?", (SALT,)).fetchone()
    if row is None and not make_salt:
        return None
    salt = str(row[0]) if row else secrets.token_hex(16)
    if row is None:
        db.execute("INSERT INTO notes VALUES (?, ?, 0)", (SALT, salt))
    return marked(text, salt)


def marked(text: str, salt: str) -> str:
    """Return the mark of a text by a salt."""
    return hmac.new(
        salt.encode(), same_text(text).encode("utf-8", "surrogatepass"), hashlib.sha256
    ).hexdigest()


def _under(db: sqlite3.Connection, key: str, request: str) -> Stored | None:
    row = db.execute(
        f"SELECT {_STORED}, request_hash FROM stores WHERE key_hash = ?", (_hashed(key),)
    ).fetchone()
    return None if row is None else _stored(row[:-1], is_same=row[-1] == _hashed(request))


def _alike(db: sqlite3.Connection, mark: str | None, scope: str) -> list[Stored]:
    sql = f"SELECT {_STORED} FROM stores WHERE text_mark = ? AND scope = ? ORDER BY id"
    return [_stored(row) for row in db.execute(sql, (mark, scope))]


def _stored(row: Sequence[Any], *, is_same: bool = True) -> Stored:
    memory_id, status, scope, run_id, observation_id, is_pending = row
    return Stored(
        memory_id=memory_id,
        status=status,
        scope=scope,
        run_id=run_id,
        observation_id=observation_id,
        is_pending=bool(is_pending),
        is_same_request=is_same,
    )


def _observe(db: sqlite3.Connection, new: NewStore, *, now_ms: int) -> int:
    """Insert the observation of a store, and link it to the memory."""
    values = {
        **(new.observation or {}),
        "key": f"store:{new.run_id}",
        "memory_id": new.memory_id,
        "created_at_ms": now_ms,
    }
    values["fingerprint"] = row_fingerprint(
        values["terms"], values["summary"], values.get("summary_en"), values.get("tool_name")
    )
    row_id = _insert(db, "observations", values)
    _insert(db, "memory_links", {"memory_id": new.memory_id, "observation_id": row_id, "origin": "store"})
    return row_id


def _note_change(db: sqlite3.Connection, new: NewStore, *, now_ms: int) -> None:
    # A memory that was not there yet counts as archived: so an undo hides it, and an undo of that shows it.
    _insert(
        db,
        "changes",
        {
            "run_id": new.run_id,
            "record_ref": memory_ref(new.memory_id),
            "field": "state",
            "before": json.dumps(RecordState.ARCHIVED),
            "after": json.dumps(RecordState.ACTIVE),
            "reason": f"store:{new.status}",
            "at_ms": now_ms,
        },
    )


def _insert_store(
    db: sqlite3.Connection, new: NewStore, row_id: int | None, mark: str | None, *, now_ms: int
) -> None:
    _insert(
        db,
        "stores",
        {
            "memory_id": new.memory_id,
            "observation_id": row_id,
            "status": new.status,
            "scope": new.scope,
            "text_mark": mark,
            "key_hash": None if new.key is None else _hashed(new.key),
            "request_hash": _hashed(new.request),
            "run_id": new.run_id,
            "pending_json": None if new.row is None else json.dumps(new.row, ensure_ascii=False),
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "at_ms": now_ms,
        },
    )


def _insert(db: sqlite3.Connection, table: str, values: dict[str, Any]) -> int:
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    cursor = db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values()))
    return int(cursor.lastrowid or 0)


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _is_left(host: str | None, pid: int | None, at_ms: int, *, now_ms: int) -> bool:
    if host is None or pid is None or at_ms + LEASE_MS < now_ms:
        return True
    return host == socket.gethostname() and not is_running(pid)
