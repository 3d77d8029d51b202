"""Links of observations to memories, and what the ledger knows of the memories that they name."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from sunrise.adapters.sqlite_connection import SqliteConnection
from sunrise.adapters.sqlite_frames import read_arrow
from sunrise.adapters.sqlite_observations import ON_PURPOSE
from sunrise.domain.importance import ImportanceLabel
from sunrise.domain.links import LinkedUpTo
from sunrise.domain.records import RecordState
from sunrise.domain.trust import TIERS

GOVERNANCE_SCHEMA = pa.schema(
    [
        pa.field("memory_id", pa.string()),
        pa.field("observation_id", pa.int64()),
        pa.field("importance", pa.float64()),
        pa.field("importance_label", pa.string()),
        pa.field("importance_from", pa.string()),
        pa.field("scope", pa.string()),
        pa.field("category", pa.string()),
        pa.field("trust_tier", pa.string()),
        pa.field("source_kind", pa.string()),
        pa.field("source_ref", pa.string()),
        pa.field("lang", pa.string()),
        pa.field("state", pa.string()),
    ]
)

_KNOWN_VALUES = {
    "importance_label": frozenset(map(str, ImportanceLabel)),
    "trust_tier": frozenset(tier for tier in TIERS if tier),
    # A memory is archived for its own use of it, never for an observation's.
    "state": frozenset(str(state) for state in RecordState if state is not RecordState.ARCHIVED),
}
"""What these columns may hold; anything else is nothing that a memory could be told."""

_FEW = (
    "scope",
    "category",
    "source_kind",
    "lang",
    "importance_label",
    "importance_from",
    "trust_tier",
    "state",
)
"""
Columns of few different values, read as one JSON list a row.

Python makes a text for each value of each row; of these it makes one a row, and reads what is in each once.
"""

_READ_SCHEMA = pa.schema(
    [
        *(GOVERNANCE_SCHEMA.field(n) for n in ("memory_id", "observation_id", "importance", "source_ref")),
        pa.field("few", pa.string()),
    ]
)

_MARKS = ("writeback.observations", "writeback.links", "writeback.changes")


class SqliteLinks(SqliteConnection):
    """The part of the ledger that knows which observation speaks of which memory."""

    def linked_up_to(self) -> LinkedUpTo:
        """Return how far the ledger is filled at this moment: what a writeback that begins now covers."""
        sql = " UNION ALL ".join(
            f"SELECT coalesce(max(id), 0) FROM {table}"
            for table in ("observations", "memory_links", "changes")
        )
        with self.reading() as db:
            return LinkedUpTo(*(int(row[0]) for row in db.execute(sql)))

    def linked_governance(self, *, up_to: LinkedUpTo, everything: bool = False) -> pa.Table:
        """
        Return the governance values of the observations of memories that need a look, in no order.

        Those are memories that were linked, or of which an observation was changed, since the last writeback,
        and those that it could not resolve; ``everything`` asks for all that are linked. What a tool wrote
        down is the agent's word. A memory is archived for its own use of it, never for an observation's.
        """
        seen = LinkedUpTo(*(self.watermark(name) for name in _MARKS))
        values: dict[str, int | str] = {**_named("seen", seen), **_named("to", up_to)}
        with self.reading() as db:
            # What is new needs no look at all that was touched; both at once take half as long again.
            new = f"{_KNOWN} FROM {_LINKED} WHERE l.id > :seen_links AND l.id <= :to_links"
            parts = [read_arrow(db, new, _READ_SCHEMA, values)]
            if seen.links:
                # The join goes by memory: through all links by their id it would read every one.
                touched = "" if everything else f"({_TOUCHED}) t CROSS JOIN "
                by = "" if everything else "l.memory_id = t.memory_id AND"
                old = f"{_KNOWN} FROM {touched}{_LINKED} WHERE {by} l.id <= :seen_links"
                parts.append(read_arrow(db, old, _READ_SCHEMA, values))
        return _decoded(pa.concat_tables(parts))

    def links_since_writeback(self, *, up_to: LinkedUpTo) -> int:
        """Return how many links are new since the last writeback, at most."""
        return max(0, up_to.links - self.watermark(_MARKS[1]))

    def unlinked_observations(self, *, up_to: LinkedUpTo, limit: int) -> tuple[int, Sequence[int]]:
        """Return how many observations since the last writeback stored a memory and name none, and some."""
        sql = """
          SELECT id FROM observations INDEXED BY observations_unlinked
          WHERE tool_name = 'memory_store' AND memory_id IS NULL AND id > ? AND id <= ? ORDER BY id"""
        with self.reading() as db:
            found = db.execute(sql, (self.watermark(_MARKS[0]), up_to.observations)).fetchall()
        return len(found), tuple(int(row_id) for (row_id,) in found[:limit])

    def unresolved_memories(self) -> Mapping[str, str]:
        """Return the memories that the last writeback could not resolve, with the reason."""
        with self.reading() as db:
            return dict(db.execute("SELECT memory_id, reason FROM unresolved_memories").fetchall())

    def finish_writeback(self, *, up_to: LinkedUpTo, unresolved: Mapping[str, str]) -> None:
        """Move the watermarks, and keep what could not be resolved, in one transaction."""
        now = self.clock.now_ms()
        with self.writing() as db:
            known = {row[0] for row in db.execute("SELECT memory_id FROM unresolved_memories")}
            gone = [(name,) for name in known - unresolved.keys()]
            db.executemany("DELETE FROM unresolved_memories WHERE memory_id = ?", gone)
            db.executemany(
                "INSERT INTO unresolved_memories VALUES (?, ?, ?)"
                " ON CONFLICT (memory_id) DO UPDATE SET reason = excluded.reason",
                [(name, reason, now) for name, reason in unresolved.items()],
            )
            seen = (self.watermark(_MARKS[2]), up_to.changes)
            newest = db.execute(
                f"SELECT coalesce(max(id), 0) FROM changes c WHERE {_TELLING}", seen
            ).fetchone()
            # What nobody needs to look at does not move it: so a run that does nothing leaves it alone.
            for name, value in zip(_MARKS, up_to._replace(changes=int(newest[0])), strict=True):
                self.raise_watermark(name, value)


def insert_links(db: sqlite3.Connection, newest: int) -> None:
    """Link the observations past an id to the memories that they name."""
    db.execute(
        """
        INSERT INTO memory_links (memory_id, observation_id, origin)
        SELECT memory_id, id, CASE
            WHEN tool_name IS NOT NULL THEN 'tool_result' WHEN source_kind = 'import' THEN 'import'
            ELSE 'capture' END
        FROM observations NOT INDEXED WHERE id > ? AND memory_id IS NOT NULL AND memory_id NOT IN (
          SELECT memory_id FROM tombstones WHERE lifted_at_ms IS NULL)
        ORDER BY id
        ON CONFLICT DO NOTHING""",
        (newest,),
    )


_KNOWN = f"""
  SELECT l.memory_id, o.id, o.importance_score, o.source_ref, json_array(o.scope,
    o.detail_json -> '$.category', o.source_kind, o.lang, o.importance_label,
    CASE WHEN o.importance_method = 'stated' THEN 'stated' WHEN {ON_PURPOSE} THEN 'on_purpose' END,
    o.trust_tier, o.state)"""

_LINKED = "memory_links l CROSS JOIN observations o ON o.id = l.observation_id"

# Changes of observations that may say something new of a memory; archiving one does not.
_TELLING = """
  c.id > ?1 AND c.id <= ?2 AND c.record_ref GLOB 'obs:*'
  AND c.field IN ('importance', 'importance_label', 'importance_score', 'scope', 'trust_tier')"""

_TOUCHED = f"""
  SELECT memory_id FROM memory_links WHERE id > :seen_links AND id <= :to_links
  UNION SELECT memory_id FROM unresolved_memories
  UNION SELECT l.memory_id FROM changes c
    CROSS JOIN memory_links l ON l.observation_id = CAST(substr(c.record_ref, 5) AS INTEGER)
    WHERE {_TELLING.replace("?1", ":seen_changes").replace("?2", ":to_changes")}"""


def _named(prefix: str, up_to: LinkedUpTo) -> dict[str, int]:
    return {f"{prefix}_{name}": value for name, value in up_to._asdict().items()}


def _decoded(rows: pa.Table) -> pa.Table:
    coded = rows.column("few").combine_chunks().dictionary_encode()
    known = [_meant(json.loads(few)) for few in coded.dictionary.to_pylist()]
    for place, name in enumerate(_FEW):
        values = pa.array([one[place] for one in known], pa.string())
        rows = rows.append_column(name, values.take(coded.indices))
    return rows.select(GOVERNANCE_SCHEMA.names)


def _meant(few: list[Any]) -> list[Any]:
    """Return what is told of a memory: what a tool wrote down is the agent's word."""
    said = dict(zip(_FEW, few, strict=True))
    for name, values in _KNOWN_VALUES.items():
        said[name] = said[name] if said[name] in values else None
    said["source_kind"] = "agent" if said["source_kind"] == "tool" else said["source_kind"]
    said["category"] = said["category"] if isinstance(said["category"], str) else None
    return list(said.values())
