"""Secrets that older rules let into the ledger: found, and taken out of its rows and its pages."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sunrise.adapters.jsonl_lines import dump_json
from sunrise.adapters.secret_gate import harmless_lines
from sunrise.adapters.sqlite_connection import BUSY_TIMEOUT_MS, SqliteConnection, store_errors
from sunrise.adapters.sqlite_entry import row_fingerprint
from sunrise.domain.capture_identity import hidden_key
from sunrise.domain.scrubber import SECRETS, Scrubber
from sunrise.domain.secret_spans import (
    RedactedField,
    Scrubbed,
    SecretRecord,
    SecretsFound,
    scrubbed,
    scrubbed_json,
)
from sunrise.domain.text.analysis import terms

UNFINISHED = "sweep.unfinished"
"""The note that stands from the redaction until no page of the file holds what was redacted."""

_BATCH = 2000
_JSON = {("changes", "before"), ("changes", "after"), ("notes", "text")}
_OWN = {"observations": "terms"}
"""Columns that follow from others of their row."""

_NAMED_BY = {"quarantine": "position"}
_REFS = {"observations": "obs", "episodes": "ep"}
_PAUSE_S = 0.1


@dataclass(frozen=True, slots=True)
class _Texts:
    """A table, what a row of it is known by, and the columns that hold texts."""

    table: str
    key: tuple[str, ...]
    columns: tuple[str, ...]

    def scrub(self, column: str, text: str, by: Scrubber) -> Scrubbed:
        if column.endswith("_json") or (self.table, column) in _JSON:
            return scrubbed_json(text, dumps=dump_json, scrub=by.scrub, scrub_value=by.scrub_value)
        return by.scrub(text)


class SqliteSweep(SqliteConnection):
    """The part of the ledger that gives up what should never have got in."""

    def find_secrets(self, scrubber: Scrubber = SECRETS) -> SecretsFound:
        """Look at every text of every table, in batches, and return the records that hold a secret."""
        # By a connection of its own: a long look must not keep the lease from being renewed.
        with store_errors(f"the ledger {self.path} cannot be read"), _opened(self.path, "mode=ro") as db:
            return _find(db, scrubber)

    def redact_records(
        self, records: Sequence[SecretRecord], *, run_id: str, scrubber: Scrubber = SECRETS
    ) -> int:
        """
        Take the secrets out of these records, in one transaction; return how many changed.

        What was taken out of which field is noted, never what it was. A note stands until
        :meth:`finish_redaction` has done its work.
        """
        by_table: dict[str, list[SecretRecord]] = {}
        for record in records:
            by_table.setdefault(record.table, []).append(record)
        changed = 0
        with self.writing() as db:
            for texts in _tables(db):
                found = by_table.get(texts.table, [])
                with without_guards(db, texts.table) if found else contextlib.nullcontext():
                    changed += sum(_redact(db, texts, record, scrubber) for record in found)
            self._note(db, [one for record in records for one in record.fields], run_id=run_id)
            if changed:
                leave_unfinished(db, now_ms=self.clock.now_ms())
        return changed

    def note_redactions(self, fields: Sequence[RedactedField], *, run_id: str) -> None:
        """Note what is taken out of another store."""
        with self.writing() as db:
            self._note(db, fields, run_id=run_id)

    def finish_redaction(self, *, patience_s: float = 20.0) -> bool:
        """
        Rebuild the full-text index and the file, empty its log, and drop the note.

        Return False, and let the note stand, where somebody who reads the file kept the log from being
        emptied for the whole of ``patience_s``.
        """
        deadline = time.monotonic() + patience_s
        with self.reading() as db, _impatient(db):
            done = (
                _until(deadline, lambda: db.execute(_REBUILD))
                and _until(deadline, lambda: db.execute("VACUUM"))
                and _until(deadline, lambda: _empty_log(db))
            )
        if done:
            with self.writing() as db:
                db.execute("DELETE FROM notes WHERE name = ?", (UNFINISHED,))
        return done

    def needs_finishing(self) -> bool:
        """Return whether something was redacted, and pages of the file may hold it still."""
        with self.reading() as db:
            return db.execute("SELECT 1 FROM notes WHERE name = ?", (UNFINISHED,)).fetchone() is not None

    def _note(self, db: sqlite3.Connection, redactions: Sequence[RedactedField], *, run_id: str) -> None:
        now = self.clock.now_ms()
        db.executemany(
            "INSERT INTO redactions (run_id, record_ref, field, kind, at_ms) VALUES (?, ?, ?, ?, ?)",
            [(run_id, one.record_ref, one.field, one.kind, now) for one in redactions],
        )


def find_secrets_in(path: Path, scrubber: Scrubber = SECRETS) -> SecretsFound:
    """
    Look through a copy of a ledger, which is not changed.

    Raises:
        StoreError: The file is no ledger.
    """
    with reading_copy(path) as db:
        return _find(db, scrubber)


@contextlib.contextmanager
def reading_copy(path: Path) -> Iterator[sqlite3.Connection]:
    """
    Lend a copy of a ledger for reads; nothing is put beside it.

    Raises:
        StoreError: The file is no ledger.
    """
    with store_errors(f"the backup {path} cannot be read"), _opened(path, "mode=ro&immutable=1") as db:
        yield db


def leave_unfinished(db: sqlite3.Connection, *, now_ms: int) -> None:
    """Note that pages of the file may hold what its rows do not hold any more."""
    db.execute("INSERT OR REPLACE INTO notes VALUES (?, 'yes', ?)", (UNFINISHED, now_ms))


_REBUILD = "INSERT INTO observations_fts (observations_fts) VALUES ('rebuild')"


def _opened(path: Path, query: str) -> contextlib.closing[sqlite3.Connection]:
    return contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?{query}", uri=True))


def _find(db: sqlite3.Connection, scrubber: Scrubber) -> SecretsFound:
    seen: dict[str, int] = {}
    records: list[SecretRecord] = []
    values: set[str] = set()
    for texts in _tables(db):
        for rows in _batches(db, texts):
            seen[texts.table] = seen.get(texts.table, 0) + len(rows)
            for row in _suspects(texts, rows, scrubber):
                record, taken = _looked_at(texts, row, scrubber)
                if record is not None:
                    records.append(record)
                    values |= taken
    return SecretsFound(seen=seen, records=tuple(records), values=frozenset(values))


def _tables(db: sqlite3.Connection) -> list[_Texts]:
    """Return every table of the schema with its columns of text, so that none that is added is forgotten."""
    found = []
    for _, table, kind, *_ in db.execute("PRAGMA main.table_list").fetchall():
        if kind != "table" or table.startswith("sqlite_"):
            continue
        columns = db.execute(f"PRAGMA table_info({table})").fetchall()
        key = tuple(name for _, name, _, _, _, place in sorted(columns, key=lambda one: one[5]) if place)
        texts = tuple(name for _, name, kind, *_ in columns if kind == "TEXT" and name != _OWN.get(table))
        if key and texts:
            found.append(_Texts(table, key, texts))
    return found


def _batches(db: sqlite3.Connection, texts: _Texts) -> Iterator[list[tuple[Any, ...]]]:
    names = ", ".join(f'"{name}"' for name in (*texts.key, *texts.columns))
    # A cursor of its own, so that nothing else that reads ends it.
    cursor = db.cursor().execute(f"SELECT {names} FROM {texts.table}")
    while rows := cursor.fetchmany(_BATCH):
        yield rows


def _suspects(texts: _Texts, rows: list[tuple[Any, ...]], scrubber: Scrubber) -> Iterator[tuple[Any, ...]]:
    width = len(texts.key)
    lines = ["\n".join(filter(None, row[width:])).encode("utf-8", "surrogatepass") for row in rows]
    for row, harmless in zip(rows, harmless_lines(lines, scrubber), strict=True):
        if not harmless:
            yield row


def _looked_at(
    texts: _Texts, row: tuple[Any, ...], scrubber: Scrubber
) -> tuple[SecretRecord | None, frozenset[str]]:
    width = len(texts.key)
    key = row[:width]
    found = {
        column: after
        for column, text in zip(texts.columns, row[width:], strict=True)
        if text and (after := texts.scrub(column, text, scrubber)).kinds
    }
    if not found:
        return None, frozenset()
    ref = _ref(texts.table, key)
    redactions = tuple(
        RedactedField(ref, column, kind) for column, after in found.items() for kind in after.kinds
    )
    values = frozenset().union(*(after.values for after in found.values()))
    return SecretRecord(texts.table, key, redactions), values


def _ref(table: str, key: tuple[Any, ...]) -> str:
    name = ":".join(map(str, key))
    # What a row is known by may itself be what must not be told.
    return f"{_REFS.get(table, table)}:{hidden_key(name) if scrubbed(name).kinds else name}"


def _redact(db: sqlite3.Connection, texts: _Texts, record: SecretRecord, scrubber: Scrubber) -> int:
    where = " AND ".join(f'"{name}" IS ?' for name in texts.key)
    names = ", ".join(f'"{name}"' for name in texts.columns)
    row = db.execute(f"SELECT {names} FROM {texts.table} WHERE {where}", record.key).fetchone()
    # It may have gone, or been written anew, since it was found.
    before = dict(zip(texts.columns, row or (), strict=False))
    after = {
        column: scrub.text
        for column, text in before.items()
        if text and (scrub := texts.scrub(column, text, scrubber)).kinds
    }
    if not after:
        return 0
    if "key" in after:
        after["key"] = hidden_key(before["key"])
    values: dict[str, object] = {
        **after,
        **_following(db, texts.table, {**before, **after}, after, record.key),
    }
    update = f"UPDATE {texts.table} SET {{}} WHERE {where}"
    try:
        _set(db, update, values, record.key)
    except sqlite3.IntegrityError:
        # Without its secret it would be called what another row is called.
        _set(db, update, {**values, **_told_apart(texts, {**before, **after}, record)}, record.key)
    return 1


def _set(db: sqlite3.Connection, update: str, values: dict[str, object], key: Sequence[Any]) -> None:
    assigned = ", ".join(f'"{name}" = ?' for name in values)
    db.execute(update.format(assigned), (*values.values(), *key))


def _following(
    db: sqlite3.Connection, table: str, row: dict[str, Any], after: dict[str, str], key: Sequence[Any]
) -> dict[str, object]:
    """Return the columns that follow from those that changed: the analysed terms and their number."""
    if table != "observations" or not after.keys() & {"summary", "summary_en", "tool_name"}:
        return {}
    texts = (row["summary"], row["summary_en"], row["tool_name"])
    analysed = terms(" ".join(filter(None, texts)))
    columns = {row[1] for row in db.execute("PRAGMA table_info(observations)")}
    numbered = (
        "fingerprint" in columns
        and db.execute("SELECT fingerprint FROM observations WHERE id = ?", key).fetchone()[0] is not None
    )
    return {"terms": analysed, **({"fingerprint": row_fingerprint(analysed, *texts)} if numbered else {})}


def _told_apart(texts: _Texts, row: dict[str, Any], record: SecretRecord) -> dict[str, object]:
    mark = hidden_key(f"{texts.table} {record.key}")
    if "key" in texts.columns:
        return {"key": mark}
    name = _NAMED_BY.get(texts.table, texts.key[-1])
    return {name: f"{row[name]} {mark}"}


@contextlib.contextmanager
def without_guards(db: sqlite3.Connection, table: str) -> Iterator[None]:
    """Let rows of an append-only table be changed until the block ends; inside a transaction none sees it."""
    guards = db.execute(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?"
        " AND upper(sql) LIKE '%BEFORE UPDATE%'",
        (table,),
    ).fetchall()
    for name, _ in guards:
        db.execute(f"DROP TRIGGER {name}")
    yield
    # After an error the whole transaction goes, and with it that they were dropped.
    for _, script in guards:
        db.execute(script)


@contextlib.contextmanager
def _impatient(db: sqlite3.Connection) -> Iterator[None]:
    """Come back at once where somebody else holds the file, and build what VACUUM builds on the disk."""
    db.execute("PRAGMA busy_timeout = 200")
    db.execute("PRAGMA temp_store = FILE")
    try:
        yield
    finally:
        db.execute("PRAGMA temp_store = MEMORY")
        db.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")


def _empty_log(db: sqlite3.Connection) -> None:
    if db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        raise sqlite3.OperationalError("database is locked by a reader")


def _until(deadline: float, action: Callable[[], object]) -> bool:
    """Try an action until nobody is in its way, or time is up."""
    while True:
        try:
            action()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) and "busy" not in str(error):
                raise
            if time.monotonic() > deadline:
                return False
            time.sleep(_PAUSE_S)
        else:
            return True
