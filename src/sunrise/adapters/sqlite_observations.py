"""Observations in the ledger as the flows read them, and their grades."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import orjson
import pyarrow as pa

from sunrise.adapters.sqlite_connection import SqliteConnection
from sunrise.adapters.sqlite_frames import read_arrow
from sunrise.domain.records import RowTerms

GRADE_FIELDS = ("graded_at_ms", "label", "method", "rationale", "score", "version")
"""What a grade consists of, as the audit trail names it; the columns begin with ``importance_``."""

_GRADING = "graded_up_to"

ON_PURPOSE = "key >= 'store:' AND key < 'store;' AND detail_json ->> '$.on_purpose'"
"""The condition of observations that somebody stored on purpose: only those of a store are read further."""

UNGRADED_SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64()),
        pa.field("kind", pa.string()),
        pa.field("tool_name", pa.string()),
        pa.field("summary", pa.string()),
        pa.field("importance_label", pa.string()),
    ]
)
LIFECYCLE_SCHEMA = pa.schema(
    [
        pa.field("record_ref", pa.string()),
        pa.field("kind", pa.string()),
        pa.field("importance_label", pa.string()),
        pa.field("importance_score", pa.float64()),
        pa.field("trust_tier", pa.string()),
        pa.field("priority", pa.string()),
        pa.field("state", pa.string()),
        pa.field("created_ms", pa.int64()),
        pa.field("archived_at_ms", pa.int64()),
        pa.field("last_used_ms", pa.int64()),
        pa.field("entered_ms", pa.int64()),
        pa.field("is_recallable", pa.int64()),
    ]
)
DISTRIBUTION_SCHEMA = pa.schema(
    [
        pa.field("importance_label", pa.string()),
        pa.field("scope", pa.string()),
        pa.field("rows", pa.int64()),
    ]
)


class SqliteObservations(SqliteConnection):
    """The part of the ledger that hands out observations and takes their grades."""

    def observation_terms(self, *, after_id: int, limit: int) -> tuple[RowTerms, ...]:
        """Return rows past ``after_id`` in the order of their ids, as far as their terms are concerned."""
        # Terms of plain ASCII are the same by every analysis, and their texts need not be read.
        sql = """
          SELECT id, iif(terms GLOB '*[^ -~]*', json_array(summary, summary_en, tool_name), '[]')
          FROM observations WHERE id > ? ORDER BY id LIMIT ?"""
        with self.reading() as db:
            found = db.execute(sql, (after_id, limit)).fetchall()
        return tuple(RowTerms(row_id, tuple(filter(None, json.loads(texts)))) for row_id, texts in found)

    def put_observation_terms(self, made: Mapping[int, str]) -> int:
        """Give rows, by id, other analysed terms; return how many had others before."""
        sql = "UPDATE observations SET terms = :terms WHERE id = :id AND terms <> :terms"
        values = [{"id": row_id, "terms": terms} for row_id, terms in made.items()]
        with self.writing() as db:
            return max(db.executemany(sql, values).rowcount, 0) if values else 0

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

    def stored_on_purpose(self, *, after_id: int, up_to: int) -> Sequence[int]:
        """Return the observations past an id, up to another, that somebody stored on purpose."""
        # The range of keys is an index search, and few observations come from a store.
        sql = f"SELECT id FROM observations WHERE {ON_PURPOSE} AND id > ? AND id <= ? ORDER BY id"
        with self.reading() as db:
            return [int(row_id) for (row_id,) in db.execute(sql, (after_id, up_to))]

    def save_grades(self, grades: pa.Table, *, run_id: str, seen_up_to: int) -> int:
        """Fill empty grades, note each as a change and move the watermark in one transaction."""
        now = self.clock.now_ms()
        with self.writing() as db, grading(db, grades, now_ms=now):
            filled = write_grades(db, where="o.importance_label IS NULL", run_id=run_id, now_ms=now)
            self.raise_watermark(_GRADING, seen_up_to)
        return filled

    def lifecycle_rows(self) -> pa.Table:
        """
        Return what retention needs of each observation: kind, label, trust, state, times of use.

        A recall hands out memories, so the use of an observation is that of the memories linked to it.
        """
        sql = """
          WITH linked AS (
            SELECT l.observation_id, max(m.last_used_ms) AS last_used_ms
            FROM memory_links l LEFT JOIN usage m ON m.record_ref = 'mem:' || l.memory_id GROUP BY 1)
          SELECT 'obs:' || o.id AS record_ref, o.kind, o.importance_label, o.importance_score, o.trust_tier,
            CASE WHEN json_type(o.detail_json, '$.lifecycle.priority') = 'text'
                 THEN o.detail_json ->> '$.lifecycle.priority' END AS priority,
            o.state, o.ts_ms AS created_ms, o.archived_at_ms,
            nullif(max(coalesce(u.last_used_ms, 0), coalesce(linked.last_used_ms, 0)), 0) AS last_used_ms,
            o.created_at_ms AS entered_ms,
            u.record_ref IS NOT NULL OR linked.observation_id IS NOT NULL AS is_recallable
          FROM observations o LEFT JOIN usage u ON u.record_ref = 'obs:' || o.id
          LEFT JOIN linked ON linked.observation_id = o.id ORDER BY o.id"""
        return self._arrow(sql, LIFECYCLE_SCHEMA)

    def observation_texts(self, row_ids: Collection[int]) -> Mapping[int, str]:
        """Return the texts of these observations, by id."""
        sql = """
          SELECT o.id, o.summary FROM json_each(?) wanted
          CROSS JOIN observations o ON o.id = wanted.value"""
        with self.reading() as db:
            return dict(db.execute(sql, (json.dumps(list(row_ids)),)).fetchall())

    def distribution(self) -> pa.Table:
        """Return how many observations have each label and scope."""
        sql = """
          SELECT importance_label, scope, count(*) AS rows FROM observations
          GROUP BY importance_label, scope ORDER BY importance_label, scope"""
        return self._arrow(sql, DISTRIBUTION_SCHEMA)

    def _arrow(
        self, sql: str, schema: pa.Schema, parameters: Mapping[str, int | str] | None = None
    ) -> pa.Table:
        with self.reading() as db:
            return read_arrow(db, sql, schema, parameters or {})


@contextlib.contextmanager
def grading(db: sqlite3.Connection, grades: pa.Table, *, now_ms: int) -> Iterator[None]:
    """
    Lay grades beside the ledger for the time of a block, so that one statement takes them all.

    Many rows share a grade: each distinct one is laid down once, with its image for the audit trail.
    """
    teach_exact_values(db)
    db.execute(
        "CREATE TEMP TABLE IF NOT EXISTS given (number INTEGER PRIMARY KEY, score REAL, label TEXT,"
        " method TEXT, version INTEGER, rationale TEXT, image TEXT)"
    )
    db.execute("CREATE TEMP TABLE IF NOT EXISTS grading (id INTEGER PRIMARY KEY, number INTEGER)")
    # An error may have left some behind, where whoever holds the transaction went on in it.
    _clear_grading(db)
    distinct = grades.group_by(list(_GRADE_COLUMNS), use_threads=False).aggregate([("id", "list")])
    for number, ids in enumerate(distinct.column("id_list")):
        db.execute(_LAY_IDS, (number, orjson.dumps(ids.values.to_numpy(), option=orjson.OPT_SERIALIZE_NUMPY)))
    columns = [distinct.column(name).to_pylist() for name in _GRADE_COLUMNS]
    values = ((number, *grade) for number, grade in enumerate(zip(*columns, strict=True)))
    image = grade_image(lambda name: ":now" if name == "graded_at_ms" else name)
    db.executemany("INSERT INTO given VALUES (?, ?, ?, ?, ?, ?, NULL)", values)
    db.execute(f"UPDATE given SET image = {image}", {"now": now_ms})
    yield
    _clear_grading(db)


def write_grades(
    db: sqlite3.Connection,
    *,
    where: str,
    run_id: str,
    now_ms: int,
    fields: Collection[str] = GRADE_FIELDS,
    reason: str = "",
) -> int:
    """
    Set fields of the grades of the rows that a condition names, and note each row as one change.

    The method stands in the audit trail behind the reason. Returns how many rows changed.
    """
    new = {name: f"g.{name}" for name in fields} | (
        {"graded_at_ms": ":now"} if "graded_at_ms" in fields else {}
    )
    whole = set(new) == set(GRADE_FIELDS)
    after = "g.image" if whole else grade_image(lambda name: new.get(name, f"o.importance_{name}"))
    laid = "grading l CROSS JOIN given g ON g.number = l.number CROSS JOIN observations o ON o.id = l.id"
    note = f"""
      INSERT INTO changes (run_id, record_ref, field, before, after, reason, at_ms)
      SELECT :run_id, 'obs:' || o.id, 'importance', {_HELD_OR_NONE}, {after}, :reason || g.method, :now
      FROM {laid} WHERE {where} ORDER BY l.id"""
    values = ", ".join(f"importance_{name} = {value}" for name, value in new.items())
    fill = f"""
      UPDATE observations AS o SET {values} FROM grading l CROSS JOIN given g ON g.number = l.number
      WHERE o.id = l.id AND {where}"""
    db.execute(note, {"run_id": run_id, "reason": reason, "now": now_ms})
    return max(db.execute(fill, {"now": now_ms}).rowcount, 0)


def _clear_grading(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM grading")
    db.execute("DELETE FROM given")


def grade_image(sql_of: Callable[[str], str]) -> str:
    """Return the SQL of a whole grade as one JSON object, from the SQL of each of its fields."""
    values = {name: f"json_quote({sql_of(name)})" for name in GRADE_FIELDS}
    score = sql_of("score")
    values["score"] = f"CASE WHEN {score} IS NULL THEN 'null' ELSE exact_text({score}) END"
    parts = (f"""'"{name}":' || {value}""" for name, value in values.items())
    return "'{' || " + " || ',' || ".join(parts) + " || '}'"


HELD_GRADE = grade_image(lambda name: f"o.importance_{name}")
"""The grade that a row of observations, named ``o``, holds now."""


def teach_exact_values(db: sqlite3.Connection) -> None:
    """Let SQL write values as JSON and read them again without a loss: SQLite itself keeps 15 digits."""
    db.create_function("exact_text", 1, _exact_text, deterministic=True)
    db.create_function("exact_value", 1, _exact_value, deterministic=True)


_GRADE_COLUMNS = ("score", "label", "method", "version", "rationale")
_LAY_IDS = "INSERT INTO grading SELECT value, ? FROM json_each(CAST(? AS TEXT))"

_IS_EMPTY = " AND ".join(f"o.importance_{name} IS NULL" for name in GRADE_FIELDS)
# Most rows that are graded had no grade: whoever reads the trail takes null for one without any field.
_HELD_OR_NONE = f"CASE WHEN {_IS_EMPTY} THEN 'null' ELSE {HELD_GRADE} END"


def _exact_text(number: float) -> str:
    return repr(number)


def _exact_value(text: str | None) -> str | float | None:
    value: str | float | None = None if text is None else json.loads(text)
    return value
