"""What the ledger knows at its door: what was said before, what was seen again, and counts by day."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from zlib import crc32

import pyarrow as pa

from sunrise.adapters.sqlite_connection import SqliteConnection
from sunrise.adapters.sqlite_frames import read_arrow
from sunrise.domain.records import EntryCount, HeldBack
from sunrise.domain.text.analysis import written_terms

KEPT_SCHEMA = pa.schema(
    [
        pa.field("key", pa.string()),
        pa.field("ts_ms", pa.int64()),
        pa.field("last_seen_ms", pa.int64()),
        pa.field("kind", pa.string()),
        pa.field("tool_name", pa.string()),
        pa.field("summary", pa.string()),
        pa.field("terms", pa.string()),
        pa.field("scope", pa.string()),
        pa.field("session_key", pa.string()),
        pa.field("agent_id", pa.string()),
        pa.field("trust_tier", pa.string()),
        pa.field("source_kind", pa.string()),
        pa.field("importance_label", pa.string()),
        pa.field("memory_id", pa.string()),
    ]
)
"""A row that is kept, when it was said first and when it, or what was collapsed onto it, was said last."""

ENTERED_SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64()),
        *(KEPT_SCHEMA.field(name) for name in KEPT_SCHEMA.names if name != "last_seen_ms"),
    ]
)
"""A row as it entered."""

SIGHTING_SCHEMA = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("kept_key", pa.string(), nullable=False),
        pa.field("rule", pa.string(), nullable=False),
        pa.field("ts_ms", pa.int64(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("tool_name", pa.string()),
        pa.field("source_kind", pa.string(), nullable=False),
        pa.field("source_ref", pa.string()),
        pa.field("session_key", pa.string()),
        pa.field("agent_id", pa.string()),
        pa.field("episode_key", pa.string()),
        pa.field("text", pa.string()),
        pa.field("detail_json", pa.string()),
    ]
)
"""A row that was collapsed onto the one with ``kept_key``: a text or detail only where they differ."""

_SAID_BY_OTHERS = "o.source_kind NOT IN ('operator', 'tool')"
_KEPT = """
  o.key, min(o.ts_ms, coalesce((SELECT min(ts_ms) FROM sightings WHERE observation_id = o.id), o.ts_ms)),
  max(o.ts_ms, coalesce((SELECT max(ts_ms) FROM sightings WHERE observation_id = o.id), o.ts_ms)),
  o.kind, o.tool_name, o.summary, o.terms, o.scope, o.session_key, o.agent_id, o.trust_tier, o.source_kind,
  o.importance_label, o.memory_id"""


def fingerprint(terms: str) -> int:
    """
    Return a short number that rows with the same terms share; others may share it too.

    The terms are those with accents as written: numbers of forgotten texts are kept where the texts are not.

    >>> fingerprint("prefer dark mode") == fingerprint("prefer dark mode")
    True
    """
    return crc32(terms.encode("utf-8", "surrogatepass"))


def row_fingerprint(terms: str, *texts: str | None) -> int:
    """
    Return the fingerprint of a row with these terms, which were made of these texts of it.

    >>> row_fingerprint("schon", "schön") == row_fingerprint("schon", "schon")
    False
    """
    return fingerprint(written_terms(" ".join(filter(None, texts)), terms))


class SqliteEntry(SqliteConnection):
    """The part of the ledger that is asked before a row is kept."""

    def known_keys(self, keys: Sequence[str]) -> frozenset[str]:
        """Return which of these keys were taken already, as a row of their own or as a sighting."""
        sql = """
          SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM observations WHERE key = value)
            OR EXISTS (SELECT 1 FROM sightings WHERE key = value)"""
        with self.reading() as db:
            return frozenset(row[0] for row in db.execute(sql, (json.dumps(list(keys)),)))

    def fingerprints(self, *, since_ms: int, until_ms: int) -> frozenset[int]:
        """Return the fingerprints of rows that were said, or seen again, in a stretch of time."""
        # The index holds them by time: what is asked of a week costs a week, however old the ledger is.
        sql = """
          SELECT DISTINCT fingerprint FROM observations WHERE ts_ms BETWEEN :since AND :until
          UNION
          SELECT o.fingerprint FROM sightings s JOIN observations o ON o.id = s.observation_id
          WHERE s.ts_ms BETWEEN :since AND :until"""
        with self.reading() as db:
            found = db.execute(sql, {"since": since_ms, "until": until_ms})
            return frozenset(number for (number,) in found if number is not None)

    def kept_with_fingerprints(self, numbers: Sequence[int], *, since_ms: int, until_ms: int) -> pa.Table:
        """Return the rows with one of these fingerprints, said or seen again in a time, oldest first."""
        sql = f"""
          SELECT {_KEPT} FROM observations o
          WHERE o.fingerprint IN (SELECT value FROM json_each(:numbers)) AND o.id IN (
            SELECT id FROM observations WHERE ts_ms BETWEEN :since AND :until
              AND fingerprint IN (SELECT value FROM json_each(:numbers))
            UNION SELECT observation_id FROM sightings WHERE ts_ms BETWEEN :since AND :until
          ) ORDER BY o.id"""
        parameters: dict[str, int | str] = {
            "numbers": json.dumps(list(numbers)),
            "since": since_ms,
            "until": until_ms,
        }
        with self.reading() as db:
            return read_arrow(db, sql, KEPT_SCHEMA, parameters)

    def kept_by_others(self, *, since_ms: int, until_ms: int, limit: int) -> pa.Table:
        """Return the newest rows of a time that are neither the owner's nor a tool's, oldest first."""
        sql = f"""
          SELECT {_KEPT} FROM observations o WHERE o.id IN (
            SELECT o.id FROM observations o
            WHERE o.ts_ms BETWEEN :since AND :until AND {_SAID_BY_OTHERS} AND o.entry_rule IS NULL
            ORDER BY o.id DESC LIMIT :limit
          ) ORDER BY o.id"""
        with self.reading() as db:
            parameters = {"since": since_ms, "until": until_ms, "limit": limit}
            return read_arrow(db, sql, KEPT_SCHEMA, parameters)

    def told_lately(self, *, since_ms: int, until_ms: int, limit: int) -> pa.Table:
        """Return the newest rows of a time, hidden ones too, oldest first."""
        sql = f"""
          SELECT {_KEPT} FROM observations o WHERE o.id IN (
            SELECT id FROM observations WHERE ts_ms BETWEEN :since AND :until ORDER BY id DESC LIMIT :limit
          ) ORDER BY o.id"""
        with self.reading() as db:
            parameters = {"since": since_ms, "until": until_ms, "limit": limit}
            return read_arrow(db, sql, KEPT_SCHEMA, parameters)

    def rows_to_judge(self, *, after_id: int, since_ms: int, limit: int) -> pa.Table:
        """Return rows past an id that are not older than a moment, as they entered, oldest entry first."""
        sql = """
          SELECT id, key, ts_ms, kind, tool_name, summary, terms, scope, session_key, agent_id, trust_tier,
            source_kind, importance_label, memory_id
          FROM observations WHERE id > :after AND ts_ms >= :since ORDER BY id LIMIT :limit"""
        with self.reading() as db:
            parameters = {"after": after_id, "since": since_ms, "limit": limit}
            return read_arrow(db, sql, ENTERED_SCHEMA, parameters)

    def kept_for_rule(self, rule: str, *, agent_id: str | None, scope: str | None) -> str | None:
        """Return the key of the row onto which an agent's rows of one rule and scope are collapsed."""
        sql = """
          SELECT key FROM observations INDEXED BY observations_entry_rule
          WHERE entry_rule = ? AND agent_id IS ? AND scope IS ? ORDER BY id LIMIT 1"""
        with self.reading() as db:
            row = db.execute(sql, (rule, agent_id, scope)).fetchone()
        return str(row[0]) if row else None

    def held_back(self, *, since_ms: int, until_ms: int) -> tuple[HeldBack, ...]:
        """Return the rows that were held back as they entered in a time, and still are, by id."""
        # A row that was brought back and archived again was archived later than it was made. A note that
        # entered before sources were noted is called by its file, such as MEMORY.md.
        sql = """
          SELECT o.id, coalesce(s.source, iif(o.key LIKE 'markdown:%',
              substr(o.source_ref, 1, instr(o.source_ref, '#L') - 1), NULL)),
            o.entry_rule, o.trust_tier
          FROM observations o INDEXED BY observations_entry_rule LEFT JOIN entry_sources s
            ON s.first_id = (SELECT max(first_id) FROM entry_sources WHERE first_id <= o.id)
            AND s.last_id >= o.id
          WHERE o.entry_rule IS NOT NULL AND o.state = 'archived' AND o.archived_at_ms = o.created_at_ms
            AND o.created_at_ms BETWEEN ? AND ?
          ORDER BY o.id"""
        with self.reading() as db:
            return tuple(HeldBack(*row) for row in db.execute(sql, (since_ms, until_ms)))

    def owner_said(self, terms: Sequence[str]) -> bool:
        """Return whether one row of the owner holds all these analysed terms."""
        sql = """
          SELECT 1 FROM observations_fts f JOIN observations o ON o.id = f.rowid
          WHERE f.terms MATCH ? AND o.source_kind = 'operator' LIMIT 1"""
        wanted = " AND ".join(f'"{term}"' for term in terms if '"' not in term)
        with self.reading() as db:
            return bool(wanted) and db.execute(sql, (wanted,)).fetchone() is not None

    def was_recalled(self, key: str) -> bool:
        """Return whether a row was given back to the agent: by itself, or as the memory that it names."""
        sql = """
          SELECT 1 FROM observations o JOIN usage u
            ON u.record_ref IN ('obs:' || o.id, 'mem:' || o.memory_id)
          WHERE o.key = ? AND coalesce(u.last_retrieved_ms, u.last_included_ms, u.last_used_ms) IS NOT NULL"""
        with self.reading() as db:
            return db.execute(sql, (key,)).fetchone() is not None

    def sightings(self, *, observation_id: int) -> tuple[Mapping[str, object], ...]:
        """Return what was collapsed onto one row, oldest first, field by field."""
        names = "key, rule, ts_ms, kind, tool_name, source_kind, source_ref, session_key, agent_id, text"
        sql = f"SELECT {names} FROM sightings WHERE observation_id = ? ORDER BY ts_ms, key"
        with self.reading() as db:
            found = db.execute(sql, (observation_id,)).fetchall()
        return tuple(dict(zip(names.split(", "), row, strict=True)) for row in found)

    def entries(self, *, since: str) -> tuple[EntryCount, ...]:
        """Return how many rows entered or did not, since a day (``2026-11-28``), oldest day first."""
        sql = "SELECT day, outcome, reason, source, rows FROM entries WHERE day >= ? ORDER BY 1, 2, 3, 4"
        with self.reading() as db:
            return tuple(EntryCount(*row) for row in db.execute(sql, (since,)))


def insert_sightings(db: sqlite3.Connection, sightings: pa.Table, *, now_ms: int) -> int:
    """Insert what was collapsed, where its key is new; return how many that were."""
    sql = """
      INSERT INTO sightings (key, observation_id, rule, ts_ms, kind, tool_name, source_kind, source_ref,
        session_key, agent_id, episode_id, text, detail_json, at_ms)
      SELECT :key, id, :rule, :ts_ms, :kind, :tool_name, :source_kind, :source_ref, :session_key, :agent_id,
        (SELECT id FROM episodes WHERE key = :episode_key), :text, :detail_json, :now
      FROM observations WHERE key = :kept_key ON CONFLICT (key) DO NOTHING"""
    values = [{**row, "now": now_ms} for row in sightings.to_pylist()]
    return max(db.executemany(sql, values).rowcount, 0) if values else 0


def count_entries(db: sqlite3.Connection, counts: Iterable[EntryCount]) -> None:
    """Add to the counts of a day."""
    db.executemany(
        "INSERT INTO entries VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (day, outcome, reason, source) DO UPDATE SET rows = rows + excluded.rows",
        [(one.day, one.outcome, one.reason, one.source, one.rows) for one in counts if one.rows],
    )


def admitted_since(
    db: sqlite3.Connection, row_id: int, *, day: str, rows: pa.Table | None = None
) -> list[EntryCount]:
    """
    Return how many rows past an id each origin gave, those left out that entered hidden.

    Where it is known that they are ``rows``, they are counted there.
    """
    if rows is not None:
        return [EntryCount(day, "admitted", "new", *pair) for pair in sorted(_visible(rows).items())]
    sql = """
      SELECT source_kind, count(*) FROM observations
      WHERE id > ? AND entry_rule IS NULL AND trust_tier IS NOT 'quarantined' GROUP BY source_kind"""
    return [EntryCount(day, "admitted", "new", origin, rows) for origin, rows in db.execute(sql, (row_id,))]


def _visible(rows: pa.Table) -> Counter[str]:
    tiers = rows.column("trust_tier").to_pylist()
    rules = (
        rows.column("entry_rule").to_pylist() if "entry_rule" in rows.column_names else [None] * len(tiers)
    )
    origins = rows.column("source_kind").to_pylist()
    return Counter(
        origin
        for origin, tier, rule in zip(origins, tiers, rules, strict=True)
        if rule is None and tier != "quarantined"
    )
