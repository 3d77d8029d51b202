"""Reads the transcripts in an agent's SQLite database, where OpenClaw keeps them since 2026.9."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from sunrise.adapters.episode_frames import EventGathering, TranscriptBatch
from sunrise.adapters.jsonl_lines import BATCH_BYTES, MAX_LINE_BYTES, parse_object, sample_of
from sunrise.domain.capture import RejectReason
from sunrise.domain.records import Rejected, SourcePosition
from sunrise.domain.sessions import Session, session_of
from sunrise.domain.times import known_time
from sunrise.errors import DataError, StoreError

BUSY_TIMEOUT_S = 10.0
"""How long to wait for a gateway that holds the whole file, as it does while it starts."""

_GROUPS = (b"group", b"channel")
_ANCHOR = "SELECT session_id, seq, created_at FROM transcript_events WHERE rowid = ?"
_EVENTS = """
  SELECT rowid, session_id, seq, created_at, event_json, event_zstd, event_utf8_bytes
  FROM transcript_events WHERE rowid > ? AND rowid <= ? ORDER BY rowid LIMIT ?"""
_UNPACKED_EVENTS = _EVENTS.replace("event_zstd", "NULL").replace("event_utf8_bytes", "NULL")
_WINDOW = "SELECT session_key, chat_type FROM session_windows WHERE session_id = ?"
_BARE_WINDOW = _WINDOW.replace("chat_type", "NULL")


@dataclass(frozen=True, slots=True)
class AgentDatabase:
    """
    One agent's database as a source of observations and episodes; it is called by its path.

    A position is the rowid of the last event read; the fingerprint is of that event's session, place and
    time. New events get higher rowids as long as that event stands where it stood. When it does not (a
    session was deleted or rewound, the file vacuumed or replaced) all is read again, and keys keep it from
    counting twice. Events of abandoned branches are read too: they happened.
    Times that name no zone are in ``zone``.
    """

    path: Path
    agent_id: str | None = None
    zone: tzinfo = field(default=UTC, kw_only=True)

    @property
    def name(self) -> str:
        """What positions and quarantine rows call it."""
        return str(self.path)

    def batches(
        self, position: SourcePosition | None, *, now_ms: int, batch_lines: int
    ) -> Iterator[TranscriptBatch]:
        """
        Yield what came since ``position``, in batches; nothing when nothing came or there is no such file.

        Raises:
            StoreError: The file is there and cannot be read, or holds no transcripts.
        """
        try:
            stat = self.path.stat()
            # Never immutable: a gateway writes, and what it has written may still be in its log alone.
            address = f"file:{quote(str(self.path.absolute()))}?mode=ro"
            with closing(sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT_S)) as db:
                # One text that is no UTF-8 must not keep the others from being read.
                db.text_factory = bytes
                reading = _Reading(
                    db, self, stat, EventGathering(now_ms, int(stat.st_mtime * 1000), self.zone)
                )
                yield from reading.batches(position, lines=batch_lines)
        except FileNotFoundError:
            return
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"cannot read the transcripts in {self.path}: {error}") from error


@dataclass(slots=True)
class _Reading:
    """One pass over the events of an open database."""

    db: sqlite3.Connection
    source: AgentDatabase
    stat: os.stat_result
    gathering: EventGathering
    rejected: list[Rejected] = field(default_factory=list)
    sessions: dict[str, Session] = field(default_factory=dict)

    def batches(self, position: SourcePosition | None, *, lines: int) -> Iterator[TranscriptBatch]:
        after, taken = self._resume(position)
        # The end is taken once: a gateway that writes without pause must not keep us reading.
        events = _EVENTS if "event_zstd" in self._columns("transcript_events") else _UNPACKED_EVENTS
        last = self.db.execute("SELECT coalesce(max(rowid), 0) FROM transcript_events").fetchone()[0]
        while after < last:
            # Each batch is a read of its own, so that no long one keeps the gateway's log from shrinking.
            count, size, anchor = 0, 0, None
            with closing(self.db.execute(events, (after, last, lines))) as rows:
                for row in rows:
                    anchor = row
                    count += 1
                    size += self._take(row)
                    if size >= BATCH_BYTES:
                        break
            if anchor is None:
                return
            after, taken = anchor[0], taken + count
            yield self._close_batch(anchor, taken, size)

    def _resume(self, position: SourcePosition | None) -> tuple[int, int]:
        """Return the rowid and the count to go on from, 0 when the last event is not where it was."""
        if position is None or (position.device, position.inode) != (self.stat.st_dev, self.stat.st_ino):
            return 0, 0
        row = self.db.execute(_ANCHOR, (position.offset,)).fetchone()
        same = row is not None and _fingerprint(*row) == position.fingerprint
        return (position.offset, position.line) if same else (0, 0)

    def _close_batch(self, anchor: tuple[Any, ...], taken: int, size: int) -> TranscriptBatch:
        position = SourcePosition(
            source=self.source.name,
            device=self.stat.st_dev,
            inode=self.stat.st_ino,
            offset=anchor[0],
            line=taken,
            fingerprint=_fingerprint(*anchor[1:4]),
        )
        rejected, self.rejected = tuple(self.rejected), []
        return self.gathering.close_batch(rejected=rejected, position=position, taken_bytes=size)

    def _take(self, row: tuple[Any, ...]) -> int:
        """Take one event into the gathering, or refuse it; return its size."""
        rowid, session, seq, created_at, plain, packed, size = row
        session_id = _name(session)
        body = b""
        try:
            body = _body(plain, packed, size)
            stated = {"created_at": _name(created_at) if isinstance(created_at, bytes) else created_at}
            self.gathering.fallback_ms = (
                known_time(stated, zone=self.source.zone) or self.gathering.fallback_ms
            )
            self.gathering.take(parse_object(body), self._session(session_id))
        except DataError as error:
            shown = body or (plain if isinstance(plain, bytes) else b"")
            self.rejected.append(
                Rejected(
                    source=self.source.name,
                    # Not the rowid, which a vacuum changes.
                    position=f"{session_id}:{seq}",
                    reason=str(error.reason),
                    sample=sample_of(shown[:16_000], error.reason),
                    line=rowid,
                )
            )
        return len(body)

    def _session(self, session_id: str) -> Session:
        if session_id not in self.sessions:
            key, chat_type = self._window(session_id)
            self.sessions[session_id] = session_of(
                session_id,
                session_key=_name(key) if key else None,
                agent_id=self.source.agent_id,
                in_group=chat_type in _GROUPS,
            )
        return self.sessions[session_id]

    def _window(self, session_id: str) -> tuple[bytes | None, bytes | None]:
        columns = self._columns("session_windows")
        sql = _WINDOW if "chat_type" in columns else _BARE_WINDOW
        row = self.db.execute(sql, (session_id,)).fetchone() if columns else None
        return row or (None, None)

    def _columns(self, table: str) -> set[str]:
        rows = self.db.execute("SELECT name FROM pragma_table_info(?)", (table,))
        return {_name(name) for (name,) in rows}


def _name(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _body(plain: object, packed: object, size: object) -> bytes:
    if isinstance(plain, bytes) and len(plain) <= MAX_LINE_BYTES:
        return plain
    if isinstance(plain, bytes) or (isinstance(size, int) and size > MAX_LINE_BYTES):
        raise DataError("a huge event", reason=RejectReason.LINE_TOO_LONG)
    if not isinstance(packed, bytes) or not isinstance(size, int) or size < 0:
        raise DataError("no event", reason=RejectReason.WRONG_TYPE)
    try:
        return bytes(pa.decompress(packed, decompressed_size=size, codec="zstd", asbytes=True))
    except (OSError, ValueError) as error:
        raise DataError("not packed as it should be", reason=RejectReason.MALFORMED_JSON) from error


def _fingerprint(session_id: object, seq: object, created_at: object) -> str:
    return hashlib.sha256(f"{_name(session_id)}:{seq}:{created_at}".encode()).hexdigest()
