"""The memories of a scope that say what a new text says, and those that nearly do."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from sunrise.domain import filters
from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.content import content_of
from sunrise.domain.admission.similar_rows import ALIKE_FROM, SimilarRows
from sunrise.domain.records import RecordState, memory_ref
from sunrise.domain.row_names import of_ids, row_name
from sunrise.domain.store import same_text
from sunrise.domain.text.analysis import accented_terms, query_terms, terms
from sunrise.domain.text.dated_terms import current_terms, text_terms, with_any_day
from sunrise.domain.trust import Origin, least
from sunrise.errors import DataError
from sunrise.ports import MemoryReader

READ: Final = (
    "id", "text", "terms", "scope", "trust_tier", "state", "archived_at_ms", "category", "importance",
    "importance_label", "agentId", "expires_at_ms", "review_at_ms", "createdAt", "source_kind",
)  # fmt: skip

_CANDIDATES: Final = 16
_MAX_TERMS: Final = 12
_LONGEST_EXACT: Final = 4000
_DIGIT: Final = re.compile(r"\d")
_AROUND: Final = ".,;:!?\"'()[]{}，。；：！？「」"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewText:
    """A text that asks to be kept, with what decides whether a memory stands for it."""

    text: str
    terms: str
    scope: str
    tier: str | None
    source_kind: str
    agent_id: str | None
    now_ms: int
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Alike:
    """The row that says the same, as it was read, and the refs of those that nearly do."""

    same: Mapping[str, Any] | None = None
    near: tuple[str, ...] = ()


def find_alike(new: NewText, rows: Sequence[dict[str, Any]]) -> Alike:
    """
    Return the one of some rows of a scope that stands for a new text, if one does.

    One does that says the same and is trusted as much at least. Of the owner's words nothing else does; of
    other words also one that says nearly the same and leaves nothing out, with the same numbers, names and
    negations, unless that is replaced.
    """
    fit = [row for row in rows if _may_stand(row, new)]
    wanted = same_text(new.text)
    exact = [row for row in fit if same_text(row["text"]) == wanted]
    if exact:
        return Alike(min(exact, key=_oldest_first))
    nearly = None if new.source_kind == Origin.OWNER else _nearly(new, fit)
    others = [row for row in rows if row is not nearly and _share(new.terms, _terms_of(row)) >= ALIKE_FROM]
    return Alike(nearly, tuple(sorted(memory_ref(row["id"]) for row in others)))


def rows_saying(text: str, scope: str, *, memories: MemoryReader) -> list[dict[str, Any]]:
    """
    Return the rows of a scope that say what a text says, whatever their trust and state, by their names.

    Raises:
        StoreError: The table cannot be read.
    """
    columns, wanted = memories.schema().names, same_text(text)
    where = filters.in_scope(scope, columns=columns)
    found = {row_name(row): row for row in _searched(text, terms(text), memories, where, columns)}
    found |= {row_name(row): row for row in _scanned(text, terms(text), memories, where, columns).to_pylist()}
    return [row for _, row in sorted(found.items()) if row["text"] and same_text(row["text"]) == wanted]


def rows_near(
    text: str, analysed: str, scope: str, *, memories: MemoryReader, known: Sequence[str]
) -> list[dict[str, Any]]:
    """
    Return the rows of a scope that share most telling words with a text, whatever their trust and state.

    *known* are ids to look at beside what the search finds.

    Raises:
        StoreError: The table cannot be read.
    """
    columns = memories.schema().names
    where = filters.in_scope(scope, columns=columns)
    found = {row_name(row): row for row in _searched(text, analysed, memories, where, columns)}
    missing = {*known}.difference(row["id"] for row in found.values())
    if missing:
        # An id may stand in another scope too.
        held = memories.scan(READ, where=filters.both(where, of_ids(missing)))
        found |= {row_name(row): row for row in held.to_pylist()}
    return [row for row in found.values() if row["id"] and row["text"]]


def _searched(
    text: str, analysed: str, memories: MemoryReader, where: str | None, columns: Collection[str]
) -> list[dict[str, Any]]:
    telling = sorted(query_terms(text), key=lambda term: (-len(term), term))[:_MAX_TERMS]
    try:
        sought = [*telling, *accented_terms(text)]
        found = memories.search_terms(" ".join(sought), columns=READ, where=where, limit=_CANDIDATES)
    except DataError:
        # Before the first index there are few rows, and only the same text is looked for.
        found = _scanned(text, analysed, memories, where, columns)
    rows: list[dict[str, Any]] = found.to_pylist()
    return rows


def _scanned(
    text: str, analysed: str, memories: MemoryReader, where: str | None, columns: Collection[str]
) -> pa.Table:
    same = [f"text = {filters.sql_text(text)}"] if len(text) <= _LONGEST_EXACT else []
    if "terms" in columns and 0 < len(analysed) <= _LONGEST_EXACT:
        low, high = map(filters.sql_text, with_any_day(analysed))
        same.append(f"terms = {filters.sql_text(analysed)}")
        same.append(f"(terms >= {low} AND terms < {high})")
    return memories.scan(READ, where=filters.both(where, f"({' OR '.join(same) or 'false'})"))


def _may_stand(row: Mapping[str, Any], new: NewText) -> bool:
    """Return whether a row may stand for a text: it is seen by the same readers, and trusted no less."""
    expires, agent = row.get("expires_at_ms"), row.get("agentId")
    is_over = expires is not None and expires <= new.now_ms
    is_foreign = bool(agent) and bool(new.agent_id) and agent != new.agent_id
    return not is_over and not is_foreign and least(row.get("trust_tier"), new.tier) == new.tier


def _nearly(new: NewText, rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    # Agent and trust were looked at: here only what is said counts.
    alike = SimilarRows(window_ms=1)
    figures = _figures(new.text)
    by_id = {
        row["id"]: row
        for row in rows
        # What is out of date says nearly what its successor says.
        if row["id"] not in new.replaces
        and row.get("state") != RecordState.SUPERSEDED
        and _figures(row["text"]) == figures
        and not _says_more(new.terms, _terms_of(row))
    }
    for name, row in by_id.items():
        alike.remember(_candidate(name, row["text"], _terms_of(row)))
    nearest = alike.nearest(_candidate("", new.text, new.terms))
    return None if nearest is None else by_id[nearest]


def _candidate(key: str, text: str, analysed: str) -> Candidate:
    return Candidate(
        key=key, ts_ms=0, kind="", tool_name=None, text=text, terms=analysed, source_kind=Origin.AGENT
    )


def _figures(text: str) -> list[str]:
    """Return what has a digit in it as it was written: terms lose signs and units."""
    return [word.strip(_AROUND) for word in text.casefold().split() if _DIGIT.search(word)]


def _says_more(mine: str, theirs: str) -> bool:
    own, other = set(content_of(mine).words), set(content_of(theirs).words)
    return len(own - other) > len(other - own)


def _terms_of(row: Mapping[str, Any]) -> str:
    """Return the terms of what a row says: of what day it is makes no text another."""
    return text_terms(current_terms(row.get("terms") or "", row["text"]))


def _share(mine: str, theirs: str) -> float:
    own, other = set(content_of(mine).words), set(content_of(theirs).words)
    return len(own & other) / max(len(own | other), 1)


def _oldest_first(row: Mapping[str, Any]) -> tuple[bool, str]:
    return row.get("state") in (RecordState.ARCHIVED, RecordState.SUPERSEDED), row["id"]
