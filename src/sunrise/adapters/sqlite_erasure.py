"""What is erased from the ledger: rows that speak of a forgotten memory, and its text in all others."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from sunrise.adapters.sqlite_entry import fingerprint
from sunrise.adapters.sqlite_stores import SALT, marked
from sunrise.adapters.sqlite_sweep import SqliteSweep, leave_unfinished, reading_copy, without_guards
from sunrise.domain.records import memory_ref, observation_ref
from sunrise.domain.scrubber import Scrubber
from sunrise.domain.secret_spans import RedactedField, SecretRecord
from sunrise.domain.sought_texts import KIND, MARK
from sunrise.domain.text.analysis import terms
from sunrise.domain.working_set import ID_PREFIX

_JSON_MARK: Final = json.dumps(MARK)
_OBSERVATION: Final = "obs:"
_STANDS: Final = "lifted_at_ms IS NULL"


class SqliteErasure(SqliteSweep):
    """The part of the ledger that takes out what was forgotten."""

    def begin_erasure(self, memory_ids: Collection[str]) -> None:
        """Note that these memories are to be erased: an undo shows none of their records again."""
        sql = f"UPDATE tombstones SET erasing_since_ms = ? WHERE memory_id = ? AND {_STANDS}"
        with self.writing() as db:
            db.executemany(sql, [(self.clock.now_ms(), name) for name in memory_ids])

    def finish_erasure(self, memory_ids: Collection[str]) -> None:
        """Note that these memories are erased."""
        sql = f"UPDATE tombstones SET erased_at_ms = ? WHERE memory_id = ? AND {_STANDS}"
        with self.writing() as db:
            db.executemany(sql, [(self.clock.now_ms(), name) for name in memory_ids])

    def erased(self, *, run_id: str | None = None, done: bool = False) -> frozenset[str]:
        """
        Return the memories that are erased, or were to be, of those that one run forgot, or of all.

        ``done`` leaves out those of which something may still hold what they said.
        """
        sql = f"""
          SELECT memory_id FROM tombstones INDEXED BY tombstones_erasing
          WHERE erasing_since_ms IS NOT NULL AND {_STANDS} AND run_id = coalesce(?, run_id)
            AND (erased_at_ms IS NOT NULL OR NOT ?)"""
        with self.reading() as db:
            return frozenset(name for (name,) in db.execute(sql, (run_id, done)))

    def buried_with(self, memory_ids: Collection[str]) -> tuple[str, ...]:
        """Return the memories that were forgotten together with these, and these as far as they were."""
        sql = f"""
          SELECT DISTINCT memory_id FROM tombstones WHERE {_STANDS} AND run_id IN (
            SELECT run_id FROM tombstones WHERE {_STANDS} AND memory_id IN (SELECT value FROM json_each(?)))
          ORDER BY 1"""
        with self.reading() as db:
            return tuple(name for (name,) in db.execute(sql, (json.dumps(list(memory_ids)),)))

    def buried_saying(self, text: str, *, scope: str) -> tuple[str, ...]:
        """Return the forgotten memories of a scope that said what a text says."""
        sql = f"""
          SELECT DISTINCT memory_id FROM tombstones
          WHERE text_mark = ? AND {_STANDS} AND (scope IS NULL OR scope = ?) ORDER BY 1"""
        with self.reading() as db:
            mark = next(iter(_marks(db, [text])), None)
            return tuple(name for (name,) in db.execute(sql, (mark, scope)))

    def texts_known_of(self, memory_ids: Collection[str]) -> frozenset[str]:
        """Return what forgotten memories said, as far as the ledger still tells it and can be sure of it."""
        with self.reading() as db:
            return frozenset(_texts_of(db, memory_ids, _tombstone_marks(db, memory_ids), _salt(db)))

    def rows_speaking_of(
        self, memory_ids: Collection[str], *, refs: Collection[str] = ()
    ) -> tuple[SecretRecord, ...]:
        """Return the rows that speak of memories or say just what they said, and of named observations."""
        with self.reading() as db:
            marks = _tombstone_marks(db, memory_ids)
            return tuple(_rows(db, memory_ids, refs, marks, _salt(db)))

    def texts_in_copy(self, copy: Path, memory_ids: Collection[str]) -> frozenset[str]:
        """
        Return what forgotten memories said, as far as a copy of the ledger tells it.

        Raises:
            StoreError: The copy cannot be read.
        """
        with self.reading() as db:
            marks, salt = _tombstone_marks(db, memory_ids), _salt(db)
        with reading_copy(copy) as db:
            return frozenset(_texts_of(db, memory_ids, marks, salt))

    def rows_in_copy(self, copy: Path, memory_ids: Collection[str]) -> int:
        """
        Return how many rows of a copy of the ledger speak of forgotten memories, or say what they said.

        Raises:
            StoreError: The copy cannot be read.
        """
        with self.reading() as db:
            marks, salt = _tombstone_marks(db, memory_ids), _salt(db)
        with reading_copy(copy) as db:
            return sum(1 for _ in _rows(db, memory_ids, (), marks, salt))

    def erase_records(
        self,
        rows: Sequence[SecretRecord],
        texts: Sequence[SecretRecord],
        *,
        scrubber: Scrubber,
        run_id: str,
    ) -> int:
        """
        Empty the rows, and take the texts out of the other records, in one transaction.

        Which fields were emptied is noted, never what they held. Return how many rows changed.
        """
        sets = [one for one in texts if one.table == "notes" and str(one.key[0]).startswith(ID_PREFIX)]
        whole = [*rows, *(one for one in sets if one not in rows)]
        rest = [one for one in texts if one not in sets]
        with self.writing() as db:
            for row in whole:
                _EMPTIED[row.table](db, row)
            if whole:
                self.note_redactions([one for row in whole for one in row.fields], run_id=run_id)
                leave_unfinished(db, now_ms=self.clock.now_ms())
            return len(whole) + self.redact_records(rest, run_id=run_id, scrubber=scrubber)


def _salt(db: sqlite3.Connection) -> str | None:
    row = db.execute("SELECT text FROM notes WHERE name = ?", (SALT,)).fetchone()
    return None if row is None else str(row[0])


def _marks(db: sqlite3.Connection, texts: Sequence[str]) -> list[str]:
    salt = _salt(db)
    return [] if salt is None else [marked(text.strip(), salt) for text in texts]


def _tombstone_marks(db: sqlite3.Connection, memory_ids: Collection[str]) -> dict[str, int | None]:
    sql = f"""
      SELECT text_mark, fingerprint FROM tombstones
      WHERE text_mark IS NOT NULL AND {_STANDS} AND memory_id IN (SELECT value FROM json_each(?))"""
    return dict(db.execute(sql, (json.dumps(list(memory_ids)),)).fetchall())


def _texts_of(
    db: sqlite3.Connection, memory_ids: Collection[str], marks: dict[str, int | None], salt: str | None
) -> Iterator[str]:
    """Yield earlier and last texts of memories: from changes of them, and from what says just the same."""
    sql = """
      SELECT before, after FROM changes
      WHERE field = 'text' AND record_ref IN (SELECT value FROM json_each(?))"""
    for told in db.execute(sql, (_refs(memory_ids),)).fetchall():
        yield from (text for text in map(json.loads, told) if isinstance(text, str) and text != MARK)
    for _, summary in _saying(db, marks, salt):
        yield summary
    sql = "SELECT summary, detail_json FROM observations WHERE memory_id IN (SELECT value FROM json_each(?))"
    for row in db.execute(sql, (json.dumps(list(memory_ids)),)).fetchall():
        said = [row[0], *_leaves(json.loads(row[1]))]
        yield from (text for text in said if salt and text != MARK and marked(text.strip(), salt) in marks)


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)


def _saying(
    db: sqlite3.Connection, marks: dict[str, int | None], salt: str | None
) -> Iterator[tuple[int, str]]:
    """Yield the observations that say just what a tombstone is of."""
    columns = {row[1] for row in db.execute("PRAGMA table_info(observations)")}
    if salt is None or not marks or "fingerprint" not in columns:
        return
    numbers = json.dumps(sorted({number for number in marks.values() if number is not None}))
    sql = """
      SELECT id, summary FROM observations
      WHERE fingerprint IN (SELECT value FROM json_each(?)) ORDER BY id"""
    for row_id, summary in db.execute(sql, (numbers,)).fetchall():
        if marked(summary.strip(), salt) in marks:
            yield row_id, summary


def _rows(
    db: sqlite3.Connection,
    memory_ids: Collection[str],
    refs: Collection[str],
    marks: dict[str, int | None],
    salt: str | None,
) -> Iterator[SecretRecord]:
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    ids = json.dumps(list(memory_ids))
    named = {int(ref.removeprefix(_OBSERVATION)) for ref in refs if ref.startswith(_OBSERVATION)}
    named |= {row_id for row_id, _ in _saying(db, marks, salt)}
    sql = "SELECT id FROM observations WHERE memory_id IN (SELECT value FROM json_each(?1))"
    if "memory_links" in tables:
        sql += (
            " UNION SELECT observation_id FROM memory_links"
            " WHERE memory_id IN (SELECT value FROM json_each(?1))"
        )
    named |= {row_id for (row_id,) in db.execute(sql, (ids,))}
    listed = json.dumps(sorted(named))
    for table, sql, field, parameter in (
        ("observations", _OBSERVATIONS, "summary", listed),
        ("sightings", _SIGHTINGS, "text", listed),
        ("changes", _CHANGES, "before", _refs(memory_ids)),
        ("notes", _WORKING_SETS, "text", _refs(memory_ids)),
        ("stores", _STORES, "request_hash", ids),
    ):
        if table in tables:
            for (key,) in db.execute(sql, (parameter,)).fetchall():
                yield SecretRecord(table, (key,), (RedactedField(_named(table, key), field, KIND),))


def _named(table: str, key: int | str) -> str:
    return observation_ref(int(key)) if table == "observations" else f"{table}:{key}"


def _refs(memory_ids: Collection[str]) -> str:
    return json.dumps([memory_ref(name) for name in memory_ids])


_OBSERVATIONS: Final = f"""
  SELECT id FROM observations WHERE id IN (SELECT value FROM json_each(?))
    AND (summary <> '{MARK}' OR summary_en IS NOT NULL OR detail_json <> '{{}}') ORDER BY id"""
_SIGHTINGS: Final = """
  SELECT key FROM sightings WHERE observation_id IN (SELECT value FROM json_each(?))
    AND (text IS NOT NULL OR detail_json IS NOT NULL) ORDER BY key"""
_CHANGES: Final = f"""
  SELECT id FROM changes WHERE field = 'text' AND record_ref IN (SELECT value FROM json_each(?))
    AND (before <> '{_JSON_MARK}' OR after <> '{_JSON_MARK}') ORDER BY id"""
_WORKING_SETS: Final = f"""
  SELECT name FROM notes WHERE name GLOB '{ID_PREFIX}*'
    AND EXISTS (SELECT 1 FROM json_each(?) r WHERE instr(notes.text, json_quote(r.value))) ORDER BY name"""
_STORES: Final = f"""
  SELECT id FROM stores WHERE memory_id IN (SELECT value FROM json_each(?))
    AND (request_hash <> '{KIND}' OR pending_json IS NOT NULL) ORDER BY id"""


def _empty_observation(db: sqlite3.Connection, row: SecretRecord) -> None:
    analysed = terms(MARK)
    db.execute(
        "UPDATE observations SET summary = ?, summary_en = NULL, detail_json = '{}', terms = ?,"
        " fingerprint = ? WHERE id = ?",
        (MARK, analysed, fingerprint(analysed), *row.key),
    )


def _empty_sighting(db: sqlite3.Connection, row: SecretRecord) -> None:
    db.execute("UPDATE sightings SET text = NULL, detail_json = NULL WHERE key = ?", row.key)


def _empty_change(db: sqlite3.Connection, row: SecretRecord) -> None:
    with without_guards(db, "changes"):
        sql = "UPDATE changes SET before = ?, after = ? WHERE id = ?"
        db.execute(sql, (_JSON_MARK, _JSON_MARK, *row.key))


def _drop_working_set(db: sqlite3.Connection, row: SecretRecord) -> None:
    # It is made anew at the next turn.
    db.execute("DELETE FROM notes WHERE name = ?", row.key)


def _empty_store(db: sqlite3.Connection, row: SecretRecord) -> None:
    # A hash of the request without salt can be tried out; an idempotency key stays known.
    db.execute("UPDATE stores SET request_hash = ?, pending_json = NULL WHERE id = ?", (KIND, *row.key))


_EMPTIED: Final = {
    "observations": _empty_observation,
    "sightings": _empty_sighting,
    "changes": _empty_change,
    "notes": _drop_working_set,
    "stores": _empty_store,
}
