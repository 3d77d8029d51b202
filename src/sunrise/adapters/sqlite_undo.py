"""Grades given anew, and runs taken back: many rows at once, and every one leaves a change of its own."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from sunrise.adapters.sqlite_changed_fields import changed_once, fielded, newest_part
from sunrise.adapters.sqlite_connection import SqliteConnection
from sunrise.adapters.sqlite_frames import read_arrow
from sunrise.adapters.sqlite_observations import (
    GRADE_FIELDS,
    HELD_GRADE,
    grading,
    teach_exact_values,
    write_grades,
)
from sunrise.domain.receipts import RunReceipt
from sunrise.domain.undo import UNDO, UndoneBatch, UndoPlan

PLAIN_FIELDS = (
    "archived_at_ms",
    "importance_label",
    "importance_score",
    "scope",
    "state",
    "trust_reason",
    "trust_tier",
)
"""Fields of observations that stand in the audit trail under the name of their column."""

GRADE = "importance"
"""The field under which the six columns of a grade are changed as one."""

REGRADABLE_SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64()),
        pa.field("kind", pa.string()),
        pa.field("tool_name", pa.string()),
        pa.field("summary", pa.string()),
        pa.field("importance_label", pa.string()),
        pa.field("held_score", pa.float64()),
        pa.field("held_method", pa.string()),
        pa.field("held_version", pa.int64()),
        pa.field("held_rationale", pa.string()),
    ]
)


MEMORIES_SCHEMA = pa.schema(
    [
        pa.field("record_ref", pa.string()),
        pa.field("field", pa.string()),
        pa.field("expected", pa.string()),
        pa.field("target", pa.string()),
        pa.field("over_later", pa.bool_()),
    ]
)


class SqliteUndo(SqliteConnection):
    """The part of the ledger that gives grades anew and takes runs back."""

    def regradable(
        self, *, after_id: int, limit: int, since_ms: int | None = None, scope: str | None = None
    ) -> pa.Table:
        """Return observations past an id with the grades they hold, oldest first."""
        sql = """
          SELECT id, kind, tool_name, summary, importance_label, importance_score, importance_method,
            importance_version, importance_rationale
          FROM observations NOT INDEXED
          WHERE id > :after AND ts_ms >= :since AND scope IS coalesce(:scope, scope)
          ORDER BY id LIMIT :limit"""
        # Nothing that a ledger holds is older than its calendar.
        since = 0 if since_ms is None else since_ms
        parameters = {"after": after_id, "since": since, "limit": limit, "scope": scope}
        with self.reading() as db:
            return read_arrow(db, sql, REGRADABLE_SCHEMA, parameters)  # type: ignore[arg-type]

    def save_regrades(
        self, grades: pa.Table, *, own: Collection[str], run_id: str, force: Collection[str] = ()
    ) -> int:
        """
        Replace grades that a method of ``own`` gave, and fill empty ones; return how many rows changed.

        Any other grade stands, but for the fields that ``force`` names. All in one transaction.

        Raises:
            ValueError: A forced field is none that a grade has.
        """
        if not set(force) <= {*GRADE_FIELDS} - {"graded_at_ms"}:
            msg = f"a grade has no such field: {', '.join(sorted(force))}"
            raise ValueError(msg)
        now = self.clock.now_ms()
        with self.writing() as db, grading(db, grades, now_ms=now), _listed(db, own):
            ours = "(o.importance_label IS NULL OR o.importance_method IN (SELECT name FROM listed))"
            said = [name for name in GRADE_FIELDS if name != "graded_at_ms"]
            where = f"{ours} AND {_differs(said)}"
            forced = f"NOT coalesce({ours}, 0) AND {_differs(force)}"
            # The forced last: with its method forced a row would pass for one of ours.
            changed = write_grades(db, where=where, run_id=run_id, now_ms=now, reason="regrade:")
            if force:
                changed += write_grades(
                    db, where=forced, run_id=run_id, now_ms=now, fields=force, reason="forced:"
                )
            return changed

    def recorded_run(self, run_id: str) -> RunReceipt | None:
        """Return the receipt of one run, or None."""
        with self.reading() as db:
            row = db.execute("SELECT receipt_json FROM runs WHERE run_id = ?", (run_id,)).fetchone()
        return RunReceipt.from_dict(json.loads(row[0])) if row else None

    def plan_undo(self, run_id: str) -> UndoPlan:
        """Look at what a run changed, and at who changed the same fields of the same records since."""
        with self.reading() as db:
            newest = db.execute("SELECT coalesce(max(id), 0) FROM changes").fetchone()[0]
            later = db.execute(_later_runs("changes", "obs"), {"undone": run_id}).fetchall()
            with fielded(db, run_id):
                later += db.execute(_later_runs("fielded", "mem"), {"undone": run_id}).fetchall()
            root = _root(db, run_id)
            kinds = dict(
                db.execute(
                    "SELECT substr(record_ref, 1, 4), count(*) FROM changes WHERE run_id = ? GROUP BY 1",
                    (run_id,),
                ).fetchall()
            )
            rows_by_run: Counter[str] = Counter()
            for run, rows, _ in sorted(later, key=lambda one: -one[2]):
                rows_by_run[run] += rows
            return UndoPlan(
                undone=run_id,
                checked_up_to=int(newest),
                later_runs={run: rows for run, rows in rows_by_run.items() if _root(db, run) != root},
                observations=kinds.get("obs:", 0),
                memories=kinds.get("mem:", 0),
            )

    def undo_observations(
        self, plan: UndoPlan, *, run_id: str, below: int | None, limit: int, dry_run: bool = False
    ) -> UndoneBatch:
        """
        Restore one batch of fields of observations, newest change first, and note each, in one transaction.

        A field gets what it held before the run first changed it. Where it holds that already nothing is
        done. Where it holds anything but what the last change wrote, or that change came after the plan was
        made, it is left alone. A dry run only counts.
        """
        with self.reading() if dry_run else self.writing() as db:
            _lay_out(db, plan, below=below, limit=limit)
            # Fields that no column answers to keep the verdict that they were laid out with: skipped.
            for name in {name for (name,) in db.execute("SELECT DISTINCT field FROM undoing")}:
                if name in _FIELDS:
                    _judge(db, name, checked_up_to=plan.checked_up_to)
                    if not dry_run:
                        _restore(db, name, plan=plan, run_id=run_id, now_ms=self.clock.now_ms())
            return _told(db, limit)

    def memories_to_undo(self, plan: UndoPlan) -> pa.Table:
        """
        Return the fields of memories that a run changed, newest change first; nothing is written.

        ``target`` is what the field held before the run, ``expected`` what it must hold now, both as JSON
        texts; ``expected`` is null where somebody changed it since the plan was made.
        """
        sql = """
          SELECT record_ref, field, CASE WHEN last_id <= ? THEN expected END, target, later
          FROM undoing ORDER BY change_id DESC"""
        with self.reading() as db:
            with fielded(db, plan.undone):
                _lay_out(db, plan, below=None, limit=-1, table="fielded", kind="mem")
            found = db.execute(sql, (newest_part(plan.checked_up_to),))
            rows = [(*row[:-1], bool(row[-1])) for row in found]
            db.execute("DELETE FROM undoing")
            alone = changed_once(db, plan.undone)
            rows += [(one.record_ref, one.field, one.after, one.before, False) for one in alone]
        columns = zip(*rows, strict=True) if rows else [()] * len(MEMORIES_SCHEMA)
        arrays = [pa.array(column, spec.type) for column, spec in zip(columns, MEMORIES_SCHEMA, strict=True)]
        return pa.Table.from_arrays(arrays, schema=MEMORIES_SCHEMA)


@dataclass(frozen=True, slots=True)
class _Field:
    """How SQL compares and sets a field of an observation, named ``o``, with a change laid out as ``u``."""

    is_target: str
    is_expected: str
    before: str
    after: str
    assign: str


def _last(table: str) -> str:
    return f"(SELECT max(x.id) FROM {table} x WHERE x.record_ref = c.record_ref AND x.field = c.field)"


def _later(table: str) -> str:
    """Return the SQL of: somebody else came later, and no undo has since brought back what the run left."""
    return f"""
      l.run_id <> :undone AND NOT (l.reason GLOB '{UNDO}*' AND l.after IS (
        SELECT x.after FROM {table} x WHERE x.record_ref = c.record_ref AND x.field = c.field
          AND x.run_id = :undone ORDER BY x.id DESC LIMIT 1))"""


def _later_runs(table: str, kind: str) -> str:
    return f"""
      SELECT l.run_id, count(DISTINCT c.record_ref), max(l.id)
      FROM {table} c CROSS JOIN {table} l ON l.id = {_last(table)}
      WHERE c.run_id = :undone AND c.record_ref GLOB '{kind}:*' AND {_later(table)} GROUP BY l.run_id"""


def _laid_out(table: str) -> str:
    """Return the SQL that finds what each field held before the run, and what it must hold now."""
    return f"""
      INSERT INTO undoing
      SELECT c.id, c.record_ref, CAST(substr(c.record_ref, 5) AS INTEGER), c.field, c.before, l.after, l.id,
        l.run_id IN (SELECT name FROM listed) AND {_later(table)}, 'skipped', NULL, NULL
      FROM {table} c CROSS JOIN {table} l ON l.id = {_last(table)}
      WHERE c.run_id = :undone AND c.id < :below AND c.record_ref GLOB :kind || ':*' AND NOT EXISTS (
        SELECT 1 FROM {table} x WHERE x.record_ref = c.record_ref AND x.field = c.field AND x.id < c.id
          AND x.run_id = c.run_id)
      ORDER BY c.id DESC LIMIT :limit"""


_ABOVE_ALL = 2**63 - 1


def _plain(column: str) -> _Field:
    is_number = column == "importance_score"
    target, expected = (_value(text, "$", is_number=is_number) for text in ("u.target", "u.expected"))
    return _Field(
        is_target=f"o.{column} IS {target}",
        is_expected=f"o.{column} IS {expected}",
        before="u.expected",
        after="u.target",
        assign=f"{column} = {target}",
    )


def _value(text: str, path: str, *, is_number: bool) -> str:
    """Return the SQL of a value within a JSON text; SQLite itself would end a text at its first NUL."""
    exact = f"exact_value({text} -> '{path}')"
    quick = f"{text} ->> '{path}'"
    return exact if is_number else f"(CASE WHEN instr({text}, '\\u0000') THEN {exact} ELSE {quick} END)"


def _whole(text: str) -> str:
    """Return the SQL of a grade as the audit trail holds it now, from what older versions wrote there too."""
    parts = (f"""'"{name}":' || coalesce({text} -> '$.{name}', 'null')""" for name in GRADE_FIELDS)
    whole = "'{' || " + " || ',' || ".join(parts) + " || '}'"
    return f"CASE WHEN {_is_old(text)} THEN {whole} ELSE {text} END"


def _is_old(text: str) -> str:
    # Before grades were noted whole, a change held score and label alone, or null.
    return f"{text} -> '$.graded_at_ms' IS NULL"


def _grade() -> _Field:
    values = (
        f"importance_{name} = {_value('u.target', f'$.{name}', is_number=name == 'score')}"
        for name in GRADE_FIELDS
    )
    old = """o.importance_label IS u.expected ->> '$.label'
      AND o.importance_score IS exact_value(u.expected -> '$.score')"""
    return _Field(
        is_target=f"{HELD_GRADE} = {_whole('u.target')}",
        is_expected=f"CASE WHEN {_is_old('u.expected')} THEN {old} ELSE {HELD_GRADE} = u.expected END",
        before=HELD_GRADE,
        after=_whole("u.target"),
        assign=", ".join(values),
    )


_FIELDS = {GRADE: _grade(), **{name: _plain(name) for name in PLAIN_FIELDS}}


def _root(db: sqlite3.Connection, run_id: str) -> str:
    """Return the run that a chain of undos began with; a run that is no undo is its own."""
    sql = "SELECT reason FROM changes WHERE run_id = ? LIMIT 1"
    while (row := db.execute(sql, (run_id,)).fetchone()) and row[0].startswith(UNDO):
        run_id = row[0].removeprefix(UNDO)
    return run_id


def _differs(fields: Collection[str]) -> str:
    differences = (f"o.importance_{name} IS NOT g.{name}" for name in fields)
    return f"({' OR '.join(differences) or '0'})"


@contextlib.contextmanager
def _listed(db: sqlite3.Connection, names: Collection[str]) -> Iterator[None]:
    db.execute("CREATE TEMP TABLE IF NOT EXISTS listed (name TEXT PRIMARY KEY)")
    db.execute("DELETE FROM listed")
    db.executemany("INSERT INTO listed VALUES (?)", [(name,) for name in names])
    yield


def _lay_out(
    db: sqlite3.Connection,
    plan: UndoPlan,
    *,
    below: int | None,
    limit: int,
    table: str = "changes",
    kind: str = "obs",
) -> None:
    teach_exact_values(db)
    db.execute(
        "CREATE TEMP TABLE IF NOT EXISTS undoing (change_id INTEGER PRIMARY KEY, record_ref TEXT, id INTEGER,"
        " field TEXT, target TEXT, expected TEXT, last_id INTEGER, later INTEGER, verdict TEXT, before TEXT,"
        " after TEXT)"
    )
    db.execute("DELETE FROM undoing")
    with _listed(db, plan.later_runs):
        values: dict[str, Any] = {"undone": plan.undone, "kind": kind, "limit": limit}
        db.execute(_laid_out(table), {**values, "below": _ABOVE_ALL if below is None else below})


def _judge(db: sqlite3.Connection, name: str, *, checked_up_to: int) -> None:
    field = _FIELDS[name]
    sql = f"""
      UPDATE undoing AS u SET before = {field.before}, after = {field.after}, verdict = CASE
        WHEN {field.is_target} THEN 'already_so'
        WHEN u.last_id <= :checked AND {field.is_expected} THEN 'restored' ELSE 'skipped' END
      FROM observations o WHERE o.id = u.id AND u.field = :field"""
    db.execute(sql, {"field": name, "checked": checked_up_to})


def _restore(db: sqlite3.Connection, name: str, *, plan: UndoPlan, run_id: str, now_ms: int) -> None:
    note = """
      INSERT INTO changes (run_id, record_ref, field, before, after, reason, at_ms)
      SELECT ?, record_ref, field, before, after, ?, ? FROM undoing
      WHERE field = ? AND verdict = 'restored' ORDER BY change_id DESC"""
    fill = f"""
      UPDATE observations AS o SET {_FIELDS[name].assign} FROM undoing u
      WHERE o.id = u.id AND u.field = ? AND u.verdict = 'restored'"""
    db.execute(note, (run_id, f"{UNDO}{plan.undone}", now_ms, name))
    db.execute(fill, (name,))


def _told(db: sqlite3.Connection, limit: int) -> UndoneBatch:
    counted = db.execute("SELECT field, verdict, count(*) FROM undoing GROUP BY field, verdict").fetchall()
    over = db.execute("SELECT count(*) FROM undoing WHERE later AND verdict = 'restored'").fetchone()[0]
    refs = "SELECT DISTINCT record_ref FROM undoing WHERE verdict = 'skipped' ORDER BY id LIMIT 50"
    skipped = tuple(ref for (ref,) in db.execute(refs))
    rows, lowest = db.execute("SELECT count(*), min(change_id) FROM undoing").fetchone()
    db.execute("DELETE FROM undoing")
    return UndoneBatch(
        counts={(field, verdict): rows for field, verdict, rows in counted},
        over_later=int(over),
        skipped=skipped,
        below=int(lowest) if rows == limit else None,
    )
