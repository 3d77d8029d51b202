"""Reads the observations of an openclaw-mem SQLite ledger, which is never written to."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any

import pyarrow as pa

from sunrise.adapters.arrow_rows import table_of
from sunrise.adapters.capture_jsonl import CAPTURE_SCHEMA, CaptureBatch
from sunrise.adapters.jsonl_lines import dump_json
from sunrise.adapters.sqlite_connection import store_errors
from sunrise.domain.capture import CaptureRow, capture_row
from sunrise.domain.records import RecordState, Rejected, SourcePosition
from sunrise.domain.secrets import redact
from sunrise.domain.text.cleaning import clean
from sunrise.domain.times import known_time
from sunrise.errors import DataError, StoreError

_COLUMNS = ("ts", "kind", "summary", "summary_en", "lang", "tool_name", "detail_json")
_STATES: Mapping[str, str] = {
    "captured": RecordState.CAPTURED,
    "categorized": RecordState.ACTIVE,
    "active": RecordState.ACTIVE,
    "consolidated": RecordState.ACTIVE,
    "stale": RecordState.STALE,
    "soft-archived": RecordState.ARCHIVED,
}
_LEFT_OUT = ("episodic_events", "docs_chunks", "graph_facts")
_BUSY_TIMEOUT_S = 10.0
_READER = "legacy1"
# The header of a SQLite file says here whether it is written by way of a write-ahead log.
_WAL_BYTES = slice(18, 20)


@dataclass(frozen=True, slots=True)
class LegacyLedger:
    """
    One openclaw-mem ledger as a source of observations; it is called by its path.

    Every row of ``observations`` is read with its importance, scope, trust, lifecycle and provenance: what
    has no column with us stays in the detail as it was. A row is known by its number and its own text, so a
    ledger that is moved, copied or read twice adds nothing, and two ledgers do not meet. Episodes, documents
    and graph facts are left out; :meth:`count_left_out` counts them.

    The file stays as it is to the byte. What lies in a write-ahead log beside it is read too. Times that
    name no zone are in ``zone``.
    """

    path: Path
    zone: tzinfo = field(default=UTC, kw_only=True)

    @property
    def name(self) -> str:
        """What positions and quarantine rows call it."""
        return str(self.path)

    def batches(
        self, position: SourcePosition | None, *, now_ms: int, batch_lines: int
    ) -> Iterator[CaptureBatch]:
        """
        Yield the rows behind ``position``, oldest first; nothing when there are none.

        Where the row that was read last is no longer there, the ledger is another one or was cut, and is
        read from its start.

        Raises:
            StoreError: The file is missing, is no openclaw-mem ledger, or cannot be read.
        """
        last_id = self._resume(position)
        fallback_ms = self._last_ts(last_id) or self._stat().st_mtime_ns // 1_000_000
        while rows := self._page(after=last_id, limit=max(1, batch_lines)):
            reading = _Reading(self.name, now_ms, fallback_ms, self.zone)
            for row in rows:
                reading.take(row)
            last_id, fallback_ms = int(rows[-1]["id"]), reading.fallback_ms
            yield reading.batch(self._position(rows[-1]))

    def count_left_out(self) -> Mapping[str, int]:
        """
        Return how many rows of the tables that are not imported the ledger holds, by table.

        Raises:
            StoreError: The file is missing, or cannot be read.
        """
        with self._reading() as db:
            there = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            return {
                table: int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608  our names
                for table in _LEFT_OUT
                if table in there
            }

    def _resume(self, position: SourcePosition | None) -> int:
        if position is None:
            return 0
        rows = self._page(after=position.offset - 1, limit=1)
        same = bool(rows) and _fingerprint(rows[0]) == position.fingerprint
        return position.offset if same else 0

    def _last_ts(self, last_id: int) -> int | None:
        """Return the last good time up to a row, so that a resumed reading dates as an undisturbed one."""
        for row in reversed(self._page(after=last_id - 100, limit=100) if last_id else []):
            ts_ms = known_time(row, zone=self.zone)
            if row["id"] <= last_id and ts_ms is not None:
                return ts_ms
        return None

    def _page(self, *, after: int, limit: int) -> list[dict[str, Any]]:
        with self._reading() as db:
            there = {row[1] for row in db.execute("PRAGMA table_info(observations)")}
            if not {"id", "ts", "summary"} <= there:
                raise StoreError(f"{self.path} is no openclaw-mem ledger: it has no observations")
            columns = ", ".join(name if name in there else f"NULL AS {name}" for name in _COLUMNS)
            cursor = db.execute(
                f"SELECT id, {columns} FROM observations WHERE id > ? ORDER BY id LIMIT ?",  # noqa: S608
                (after, limit),
            )
            return [dict(zip(("id", *_COLUMNS), map(_readable, row), strict=True)) for row in cursor]

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection that can only read."""
        with store_errors(f"the ledger {self.path} cannot be read"):
            if not self._is_alone():
                with self._connected("mode=ro") as db:
                    yield db
                return
            before = self._stat()
            try:
                with self._connected("mode=ro&immutable=1") as db:
                    yield db
            finally:
                # No lock protected us. Whatever was read of a file that changed says nothing.
                after = self._stat()
                if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
                    raise StoreError(f"the ledger {self.path} was written while it was read; try again")

    @contextlib.contextmanager
    def _connected(self, how: str) -> Iterator[sqlite3.Connection]:
        uri = f"{self.path.absolute().as_uri()}?{how}"
        with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_TIMEOUT_S)) as db:
            # A broken byte in an old row must not stop the import.
            db.text_factory = _text
            yield db

    def _is_alone(self) -> bool:
        # A read-only connection to such a file would leave an empty log beside it. Without a log nobody
        # has the ledger open, so it can be read as a plain file.
        with self.path.open("rb") as file:
            in_wal_mode = file.read(100)[_WAL_BYTES] == b"\x02\x02"
        return in_wal_mode and not Path(f"{self.path}-wal").exists()

    def _stat(self) -> Any:
        try:
            return self.path.stat()
        except OSError as error:
            raise StoreError(f"the ledger {self.path} cannot be read: {error}") from error

    def _position(self, row: Mapping[str, Any]) -> SourcePosition:
        stat = self._stat()
        return SourcePosition(
            source=self.name,
            device=stat.st_dev,
            inode=stat.st_ino,
            offset=int(row["id"]),
            line=0,
            fingerprint=_fingerprint(row),
        )


class _Reading:
    """The rows of one batch."""

    def __init__(self, source: str, now_ms: int, fallback_ms: int, zone: tzinfo) -> None:
        self.source = source
        self.now_ms = now_ms
        self.fallback_ms = fallback_ms
        self.zone = zone
        self.rows: list[CaptureRow] = []
        self.states: list[str | None] = []
        self.rejected: list[Rejected] = []
        self.redacted = 0
        self.bytes = 0

    def take(self, row: Mapping[str, Any]) -> None:
        """Take one row of the old ledger, as a row of ours or as a refused one."""
        self.bytes += sum(
            len(str(row[name]).encode("utf-8", "replace")) for name in _COLUMNS if row[name] is not None
        )
        try:
            made, had_secret = capture_row(
                _record(row),
                dumps=dump_json,
                fallback_ms=self.fallback_ms,
                now_ms=self.now_ms,
                zone=self.zone,
            )
        except DataError as error:
            sample = redact(clean(dump_json(dict(row))[:4000])).text[:500]
            self.rejected.append(Rejected(self.source, str(row["id"]), str(error.reason), sample))
            return
        self.rows.append(made._replace(key=_key(row)))
        self.states.append(_state(row))
        self.redacted += had_secret
        if made.ts_flag is None:
            self.fallback_ms = made.ts_ms

    def batch(self, position: SourcePosition) -> CaptureBatch:
        """Return what was taken."""
        return CaptureBatch(
            rows=table_of(self.rows, CAPTURE_SCHEMA).append_column(
                "state", pa.array(self.states, pa.string())
            ),
            rejected=tuple(self.rejected),
            position=position,
            seen=len(self.rows) + len(self.rejected),
            redacted=self.redacted,
            bytes=self.bytes,
        )


def _record(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row as the captured object it once was."""
    record = {name: row[name] for name in _COLUMNS}
    provenance = _detail(row).get("provenance")
    if isinstance(provenance, dict):
        record |= {name: provenance[name] for name in ("source_kind", "source_ref") if name in provenance}
    if _is_blank(row):
        # openclaw-mem kept the text of some captures in the detail alone.
        record["text"] = _detail(row).get("text")
    return record


def _is_blank(row: Mapping[str, Any]) -> bool:
    return not any(str(row[name] or "").strip() for name in ("summary", "summary_en"))


def _detail(row: Mapping[str, Any]) -> dict[str, Any]:
    try:
        detail = json.loads(row["detail_json"] or "{}")
    except (ValueError, TypeError, RecursionError):
        return {}
    return detail if isinstance(detail, dict) else {}


def _state(row: Mapping[str, Any]) -> str | None:
    """Return where the row stood in its life, in our words."""
    lifecycle = _detail(row).get("lifecycle")
    state = lifecycle.get("state") if isinstance(lifecycle, dict) else None
    return _STATES.get(state) if isinstance(state, str) else None


def _key(row: Mapping[str, Any]) -> str:
    return f"legacy:{row['id']}:{_digest(row)}"


def _fingerprint(row: Mapping[str, Any]) -> str:
    return f"{_READER}:{row['id']}:{_digest(row)}"


def _digest(row: Mapping[str, Any]) -> str:
    """Return a digest of what never changes of a row: grades and uses are written into its detail."""
    names = ("id", "ts", "kind", "tool_name", "summary", "summary_en")
    told = json.dumps([row[name] for name in names])
    if _is_blank(row):
        told += json.dumps(_detail(row).get("text"))
    return hashlib.sha256(told.encode()).hexdigest()[:32]


def _readable(value: object) -> object:
    return _text(value) if isinstance(value, bytes) else value


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
