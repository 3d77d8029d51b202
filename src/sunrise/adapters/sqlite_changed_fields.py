"""Changes of memories field by field: many fields stand in the audit trail as one row."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator

from sunrise.domain.records import Change, fields_changed

_PARTS = 64
"""More fields than a memory has: a part is numbered behind the change that it is of."""


def newest_part(change_id: int) -> int:
    """Return the highest number that a part of a change may have."""
    return change_id * _PARTS + _PARTS - 1


@contextlib.contextmanager
def fielded(db: sqlite3.Connection, run_id: str) -> Iterator[None]:
    """
    Lay out every change of the memories that a run did not change alone, or not once; one row a field.

    They are there for the time of a block. The table ``fielded`` has the columns of ``changes``; its ids are
    in their order.
    """
    db.execute(
        "CREATE TEMP TABLE IF NOT EXISTS fielded (id INTEGER PRIMARY KEY, run_id TEXT, record_ref TEXT,"
        " field TEXT, before TEXT, after TEXT, reason TEXT)"
    )
    db.execute("DROP INDEX IF EXISTS temp.fielded_record")
    db.execute("DELETE FROM fielded")
    sql = f"""
      SELECT id, run_id, record_ref, field, before, after, reason FROM changes
      WHERE record_ref IN (
        SELECT c.record_ref FROM changes c
        WHERE c.run_id = ? AND c.record_ref GLOB 'mem:*' AND {_CONTESTED})"""
    found = db.execute(sql, (run_id,)).fetchall()
    db.executemany("INSERT INTO fielded VALUES (?, ?, ?, ?, ?, ?, ?)", _parts(found))
    db.execute("CREATE INDEX temp.fielded_record ON fielded (record_ref, field, id)")
    yield
    db.execute("DELETE FROM fielded")


def changed_once(db: sqlite3.Connection, run_id: str) -> Iterator[Change]:
    """Yield the fields of the memories that a run alone changed, and once; newest first."""
    sql = f"""
      SELECT record_ref, field, before, after, reason FROM changes c
      WHERE c.run_id = ? AND c.record_ref GLOB 'mem:*' AND NOT {_CONTESTED} ORDER BY id DESC"""
    for row in db.execute(sql, (run_id,)):
        yield from fields_changed(Change(*row))


_CONTESTED = "EXISTS (SELECT 1 FROM changes x WHERE x.record_ref = c.record_ref AND x.id <> c.id)"


def _parts(found: list[tuple[int, str, str, str, str, str, str]]) -> Iterator[tuple[int | str, ...]]:
    for change_id, run_id, *rest in found:
        for place, one in enumerate(fields_changed(Change(*rest))):
            number = change_id * _PARTS + place
            yield number, run_id, one.record_ref, one.field, one.before, one.after, one.reason
