"""Where a better answer to a recall may lie, looked for only where the answer is empty or weak."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import pyarrow.compute as pc

from sunrise.domain import filters
from sunrise.domain.filters import DEFAULT_SCOPE
from sunrise.domain.memory_filter import in_any_of
from sunrise.domain.ranking import Chosen, Ranked
from sunrise.domain.recall import Elsewhere, RecallRequest
from sunrise.domain.records import RecordState
from sunrise.errors import DataError
from sunrise.online.recall_evidence import FUSED_BY_SCORES
from sunrise.online.recall_trail import Trail
from sunrise.ports import MemoryReader

NO_ANSWERS: Final = ("no_match", "below_floor")
"""The reasons of empty answers for which another place may have one."""

_ENOUGH_TOLD: Final = 0.5
"""An answer that has this share of the telling words of the question is not weak."""

_LOOKED_AT: Final = 40


def is_weak(answer: Chosen, trail: Trail) -> bool:
    """Return whether nothing was found, or nothing with half of the question's telling words."""
    if not answer.kept:
        return trail.reason in NO_ANSWERS
    return trail.fusion == FUSED_BY_SCORES and all(one.fit.told < _ENOUGH_TOLD for one in answer.kept)


def better_in_archive(answer: Chosen, with_archived: Chosen, trail: Trail) -> str | None:
    """Return the first archived memory that fits better than all of an answer; ``trail`` is of the second."""
    best = max((one.score for one in answer.kept), default=None)
    found = (one for one in with_archived.kept if one.memory.state == RecordState.ARCHIVED)
    return next((one.memory.ref for one in found if _fits_better(one, best, trail)), None)


def _fits_better(one: Ranked, best: float | None, trail: Trail) -> bool:
    if best is not None:
        return one.score > best and one.fit.told >= _ENOUGH_TOLD
    # Without scores the search by meaning brings whatever is nearest, however far that is.
    return trail.fusion == FUSED_BY_SCORES or one.memory.ref in trail.tops.get("fts", ())


def count_scopes(
    request: RecallRequest, *, memories: MemoryReader, scope: str, terms: Sequence[str]
) -> Elsewhere:
    """
    Return how many memories the asked scope has, and what the others have that the caller may see.

    Raises:
        StoreError: The table cannot be read.
    """
    columns = memories.schema().names
    shown = filters.shown(columns, include_archived=request.include_archived)
    allowed = None if request.may_see is None else {*request.may_see, scope}
    where = filters.both(in_any_of(allowed, columns), shown)
    counts = _by_scope(memories, columns, where)
    here = counts.pop(scope, 0)
    likeliest = _likeliest(memories, terms, where, known=counts)
    return Elsewhere(here=here, scopes=len(counts), scope=likeliest)


def _by_scope(memories: MemoryReader, columns: Sequence[str], where: str | None) -> Counter[str]:
    counts: Counter[str] = Counter()
    named = "scope" if "scope" in columns else "id"
    for batch in memories.batches([named], where=where):
        if named == "id":
            counts[DEFAULT_SCOPE] += batch.num_rows
            continue
        for one in pc.value_counts(batch.column("scope")).to_pylist():
            counts[one["values"] or DEFAULT_SCOPE] += one["counts"]
    return counts


def _likeliest(
    memories: MemoryReader, terms: Sequence[str], where: str | None, *, known: Counter[str]
) -> str | None:
    """Return the scope of the memory that has most of the words, else the one that holds most."""
    if not known:
        return None
    try:
        rows = memories.search_terms(" ".join(terms), columns=["scope"], where=where, limit=_LOOKED_AT)
        named = [one or DEFAULT_SCOPE for one in rows.column("scope").to_pylist()]
    except (DataError, KeyError):
        # Before the first index there is nothing to search in by words.
        named = []
    return next((one for one in named if one in known), None) or min(
        known, key=lambda one: (-known[one], one)
    )
