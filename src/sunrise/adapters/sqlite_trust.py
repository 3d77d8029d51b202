"""What the ledger knows of trust: how far each record is trusted, what it may come from, what was decided."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Any

from sunrise.adapters.sqlite_connection import SqliteConnection
from sunrise.domain.lineage import Derived, Holders, RowsRead, Source, named_parents
from sunrise.domain.memory_tools import memory_operation
from sunrise.domain.records import split_ref
from sunrise.domain.trust import TrustStanding, is_operators_decision, least

_INHERITED = "inherited_up_to"
_STANDING = "o.id, o.trust_tier, o.trust_reason, o.source_kind, o.ts_ms, o.summary, o.memory_id"
_DERIVED = """
  o.id, o.ts_ms, o.trust_tier, o.trust_reason, o.terms, o.episode_id, o.source_kind,
  CASE WHEN instr(o.detail_json, '"provenance"') THEN o.detail_json -> '$.provenance' END"""

_LEAVES_LESS = """(o.trust_tier IN ('untrusted', 'quarantined')
  OR o.source_kind IN ('tool', 'web') AND o.memory_id IS NULL)"""
"""The condition of rows that leave less trust to what is made of them."""

_LOOKED_THROUGH = 500
"""Hits of a search, newest first, of which those that can be parents are taken."""

_SELDOM = 200
"""A word that more rows hold tells little, and costs much."""

_WORDS = 8
_FEW = 3

_MOST_WORDS = 50_000
"""Words of which it is kept which rows hold them; then it is begun anew, so that memory stays bounded."""

_RESULTS = 200
_TURNS = 50


class SqliteTrust(SqliteConnection):
    """The part of the ledger that is asked about trust."""

    def newest_observation(self) -> int:
        """Return the id of the newest observation, 0 where there is none."""
        with self.reading() as db:
            return int(db.execute("SELECT coalesce(max(id), 0) FROM observations").fetchone()[0])

    def derived_rows(self, *, after_id: int, limit: int) -> tuple[Derived, ...]:
        """
        Return rows past an id that may owe their words to others and can still be trusted less, oldest first.

        Those are the agent's and the system's, those that name a memory, and those that name parents.
        """
        sql = f"""
          SELECT {_DERIVED} FROM observations o
          WHERE o.id > ? AND (o.trust_tier IS NULL OR o.trust_tier = 'trusted')
            AND (o.source_kind IN ('agent', 'system') OR o.memory_id IS NOT NULL
              OR instr(o.detail_json, '"provenance"'))
          ORDER BY o.id LIMIT ?"""
        with self.reading() as db:
            return tuple(_derived(row) for row in db.execute(sql, (after_id, limit)))

    def derived_row(self, row_id: int) -> Derived | None:
        """Return one row as :meth:`derived_rows` does, whatever its tier; None for one that owes nobody."""
        sql = f"""
          SELECT {_DERIVED} FROM observations o WHERE o.id = ?
            AND (o.source_kind IN ('agent', 'system') OR o.memory_id IS NOT NULL
              OR instr(o.detail_json, '"provenance"'))"""
        with self.reading() as db:
            row = db.execute(sql, (row_id,)).fetchone()
        return _derived(row) if row else None

    def stored_text(self, episode_id: int) -> str | None:
        """Return the whole text with which a memory was stored, which its result only begins to repeat."""
        sql = """
          SELECT c.detail_json ->> '$.arguments.text' FROM episodes r
          JOIN episodes c ON c.session_id = r.session_id AND c.tool_call_id = r.tool_call_id
          WHERE r.id = ? AND c.type = 'tool.call' AND json_type(c.detail_json, '$.arguments.text') = 'text'
          ORDER BY c.id DESC LIMIT 1"""
        with self.reading() as db:
            row = db.execute(sql, (episode_id,)).fetchone()
        return str(row[0]) if row else None

    def session_sources(self, row: Derived) -> tuple[list[int], list[int]]:
        """
        Return the episodes that stand before a row in its session: the owner's turns, and what is untrusted.

        Newest first, and no more than a few hundred.
        """
        if row.episode_id is None:
            return [], []
        sql = """
          SELECT e.id, e.tool_name
          FROM episodes e, (SELECT session_id, ts_ms FROM episodes WHERE id = :at) own
          WHERE e.session_id = own.session_id AND e.id <> :at AND (e.id < :at OR e.ts_ms < own.ts_ms)
            AND {what} ORDER BY e.id DESC LIMIT :limit"""
        untrusted = """
          e.type <> 'tool.call'
          AND (e.source_kind IN ('tool', 'web') OR e.trust_tier IN ('untrusted', 'quarantined'))"""
        with self.reading() as db:
            owners = db.execute(
                sql.format(what="e.source_kind = 'operator' AND e.trust_tier = 'trusted'"),
                {"at": row.episode_id, "limit": _TURNS},
            ).fetchall()
            others = db.execute(
                sql.format(what=untrusted), {"at": row.episode_id, "limit": _RESULTS}
            ).fetchall()
        return [one for one, _ in owners], [one for one, tool in others if memory_operation(tool) is None]

    def episode_text(self, episode_id: int) -> str:
        """Return what was said or answered, empty for an episode that is not there."""
        with self.reading() as db:
            row = db.execute("SELECT text FROM episodes WHERE id = ?", (episode_id,)).fetchone()
        return str(row[0]) if row else ""

    def has_untrusted(self, *, since_ms: int) -> bool:
        """Return whether any observation that is not older can leave another less trust."""
        sql = f"SELECT EXISTS (SELECT 1 FROM observations o WHERE o.ts_ms >= ? AND {_LEAVES_LESS})"
        with self.reading() as db:
            return bool(db.execute(sql, (since_ms,)).fetchone()[0])

    def rows_like(
        self, row: Derived, words: Sequence[str], *, since_ms: int, read: RowsRead | None = None
    ) -> tuple[list[str], list[tuple[str, int | None]]]:
        """
        Return the terms of rows that share telling words with one and were said before it, the newest first.

        First what the owner said; then what is untrusted and not older than a time, with its episode. What a
        tool of the memory answers is the agent's own and left out, unless that memory is untrusted. A row
        whose id is 0 is not in the ledger yet. ``read`` keeps what was read, for the next row.
        """
        owners: list[str] = []
        others: list[tuple[str, int | None]] = []
        for one in self._sources(row, words, RowsRead() if read is None else read):
            if not one.is_before(row, since_ms=since_ms):
                continue
            if one.is_owners:
                owners.append(one.terms)
            elif one.memory_id is not None or memory_operation(one.tool_name) is None:
                others.append((one.terms, one.episode_id))
        return owners, others

    def tiers_of(self, refs: Iterable[str]) -> Mapping[str, str | None]:
        """
        Return the tiers of records by their refs; what the ledger lacks is left out.

        A memory has the least of the observations that name it.
        """
        with self.reading() as db:
            found = ((ref, _tiers(db, ref)) for ref in refs)
            return {ref: least(*tiers) for ref, tiers in found if tiers}

    def set_inherited_up_to(self, row_id: int) -> None:
        """Note up to which observation trust was inherited; it never goes back."""
        self.raise_watermark(_INHERITED, row_id)

    def inherited_up_to(self) -> int:
        """Return up to which observation trust was inherited."""
        return self.watermark(_INHERITED)

    def trust_standings(self, *, tier: str | None, limit: int) -> tuple[TrustStanding, ...]:
        """Return the observations of one tier, newest first; None is unknown."""
        # A value that is bound would keep the partial index of the quarantined from being used.
        wanted = "= 'quarantined'" if tier == "quarantined" else "IS :tier"
        sql = f"""
          SELECT {_STANDING} FROM observations o
          WHERE o.trust_tier {wanted} ORDER BY o.id DESC LIMIT :limit"""
        with self.reading() as db:
            return tuple(_standing(row) for row in db.execute(sql, {"tier": tier, "limit": limit}))

    def observation_standings(self, row_ids: Iterable[int]) -> tuple[TrustStanding, ...]:
        """Return how far these observations are trusted, by id; those that are not there are left out."""
        return self._standings("o.id IN (SELECT value FROM json_each(?))", list(row_ids))

    def standings_of_memories(self, memory_ids: Iterable[str]) -> tuple[TrustStanding, ...]:
        """Return how far the observations that name these memories are trusted, by id."""
        return self._standings("o.memory_id IN (SELECT value FROM json_each(?))", list(memory_ids))

    def owners_with_marks(
        self, marks: Sequence[str], *, after_id: int, limit: int
    ) -> tuple[TrustStanding, ...]:
        """Return trusted observations of the owner past an id whose text holds one of some marks, by id."""
        held = " OR ".join("instr(o.summary, ?)" for _ in marks)
        sql = f"""
          SELECT {_STANDING} FROM observations o
          WHERE o.id > ? AND o.trust_tier = 'trusted' AND o.source_kind = 'operator' AND ({held})
          ORDER BY o.id LIMIT ?"""
        with self.reading() as db:
            return tuple(_standing(row) for row in db.execute(sql, (after_id, *marks, limit)))

    def trust_history(self, refs: Iterable[str]) -> Mapping[str, tuple[tuple[str | None, str], ...]]:
        """Return of each record the tier before each change, with the reason of the change, in order."""
        sql = """
          SELECT record_ref, before, reason FROM changes
          WHERE record_ref IN (SELECT value FROM json_each(?)) AND field = 'trust_tier' ORDER BY id"""
        found: dict[str, tuple[tuple[str | None, str], ...]] = {}
        with self.reading() as db:
            for ref, before, reason in db.execute(sql, (json.dumps(list(refs)),)):
                found[ref] = (*found.get(ref, ()), (json.loads(before), reason))
        return found

    def decided_by_operator(self, refs: Iterable[str]) -> frozenset[str]:
        """Return the records of these whose trust an operator set or released."""
        history = self.trust_history(refs)
        return frozenset(
            ref for ref, told in history.items() if any(is_operators_decision(reason) for _, reason in told)
        )

    def _standings(self, where: str, keys: list[Any]) -> tuple[TrustStanding, ...]:
        sql = f"SELECT {_STANDING} FROM observations o WHERE {where} ORDER BY o.id"
        with self.reading() as db:
            return tuple(_standing(row) for row in db.execute(sql, (json.dumps(keys),)))

    def _sources(self, row: Derived, words: Sequence[str], read: RowsRead) -> list[Source]:
        """Return the sources among the newest rows that share telling words with one, the newest first."""
        if len(read.words) > _MOST_WORDS:
            read.words.clear()
            read.sources.clear()
        with self.reading() as db:
            for word in words:
                if word not in read.words:
                    read.words[word] = _holders(db, word, read)
            # Of the newest no more are looked through: a search must not cost a second.
            hits = _sources_of(db, _hits(db, row, words, read), read)
            ids = sorted(hits, reverse=True)[:_LOOKED_THROUGH]
        return [found for one in ids if (found := read.sources[one])]


def _holders(db: sqlite3.Connection, word: str, read: RowsRead) -> Holders:
    sql = "SELECT rowid FROM observations_fts WHERE terms MATCH ? LIMIT ?"
    ids = [one for (one,) in db.execute(sql, (f'"{word}"', _SELDOM + 1))]
    return Holders(len(ids), _sources_of(db, ids, read) if len(ids) <= _SELDOM else set())


def _hits(db: sqlite3.Connection, row: Derived, words: Sequence[str], read: RowsRead) -> set[int]:
    """Return the sources that hold one of the most seldom words, or two of the frequent ones side by side."""
    # A row that is in the ledger finds itself; a text that is about to be stored does not.
    own = 1 if row.row_id else 0
    held = [(word, read.words[word]) for word in words]
    seldom = sorted((one for _, one in held if own < one.rows <= _SELDOM), key=attrgetter("rows"))
    found: set[int] = set().union(*(one.sources for one in seldom[:_WORDS]))
    if len(seldom) < _FEW:
        frequent = pairwise(word for word, one in held if one.rows > _SELDOM)
        match = " OR ".join(f'NEAR("{one}" "{two}", 3)' for one, two in list(frequent)[:_WORDS])
        sql = "SELECT rowid FROM observations_fts WHERE terms MATCH ? ORDER BY rowid DESC LIMIT ?"
        ids = [one for (one,) in db.execute(sql, (match, _LOOKED_THROUGH))] if match else []
        found |= _sources_of(db, ids, read)
    return found


def _sources_of(db: sqlite3.Connection, ids: Collection[int], read: RowsRead) -> set[int]:
    _read_sources(db, [one for one in ids if one not in read.sources], read)
    return {one for one in ids if read.sources[one]}


def _read_sources(db: sqlite3.Connection, ids: Sequence[int], read: RowsRead) -> None:
    owners = "(o.source_kind = 'operator' AND o.trust_tier IS 'trusted')"
    sql = f"""
      SELECT o.id, {owners}, o.ts_ms, o.ts_flag IS NULL, o.terms, o.episode_id, o.tool_name, o.memory_id
      FROM observations o WHERE o.id IN (SELECT value FROM json_each(?)) AND ({owners} OR {_LEAVES_LESS})"""
    if ids:
        read.sources.update(dict.fromkeys(ids))
        found = (Source(*values) for values in db.execute(sql, (json.dumps(ids),)))
        read.sources.update((one.row_id, one) for one in found)


def _derived(row: tuple[Any, ...]) -> Derived:
    row_id, ts_ms, tier, reason, terms, episode_id, source_kind, provenance = row
    return Derived(
        row_id,
        ts_ms,
        tier,
        reason,
        terms,
        parents=_parents(provenance),
        episode_id=episode_id,
        is_owners=source_kind == "operator",
    )


def _parents(provenance: str | None) -> tuple[str, ...]:
    try:
        return named_parents({"provenance": json.loads(provenance or "null")})
    except ValueError:
        # A provenance that is a plain text names nothing.
        return ()


def _standing(row: tuple[Any, ...]) -> TrustStanding:
    row_id, *rest = row
    return TrustStanding(f"obs:{row_id}", *rest)


def _tiers(db: sqlite3.Connection, ref: str) -> list[str | None]:
    kind, key = split_ref(ref)
    sql = {
        "obs": "SELECT trust_tier FROM observations WHERE id = ?",
        "ep": "SELECT trust_tier FROM episodes WHERE id = ?",
        "mem": "SELECT trust_tier FROM observations WHERE memory_id = ?",
    }.get(kind)
    found = db.execute(sql, (key if kind == "mem" else int(key),)).fetchall() if sql else []
    return [tier for (tier,) in found]
