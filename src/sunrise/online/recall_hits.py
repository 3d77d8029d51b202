"""What one search brought, read out of its table once: memories, their terms, and their vectors."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sunrise.domain import filters
from sunrise.domain.ranking import Memory
from sunrise.domain.records import memory_ref
from sunrise.domain.text.dated_terms import current_terms, text_terms
from sunrise.domain.trust import known_tier
from sunrise.domain.vector_space import VectorSpace
from sunrise.online.centred_cosines import Floats

COLUMNS: Final = (
    "id",
    "text",
    "terms",
    "scope",
    "importance",
    "importance_label",
    "trust_tier",
    "category",
    "createdAt",
    "state",
    "expires_at_ms",
    "source_ref",
    "source_kind",
)
"""What is read of a row, in the order in which a memory is made of it."""


@dataclass(frozen=True, slots=True)
class Hits:
    """
    The hits of one search, best first, by ref.

    ``memories`` and ``terms`` are of those that were not known already. So are ``vectors``, a row for each of
    ``measurable``: the refs of those whose vector is of use. ``scores`` are those of BM25, where words were
    searched.
    """

    refs: tuple[str, ...]
    memories: Mapping[str, Memory]
    terms: Mapping[str, str | None]
    scores: Mapping[str, float]
    measurable: tuple[str, ...]
    vectors: Floats | None


def hits_of(found: pa.Table, *, space: VectorSpace | str, model_id: str, known: Collection[str] = ()) -> Hits:
    """Read what a search brought; of memories that are *known*, by ref, only the place."""
    ids = found.column("id").to_pylist()
    if not all(ids):
        # A row without an id cannot be named.
        found = found.filter(pc.greater(pc.utf8_length(found.column("id")), 0))
    refs = _refs(found)
    scores = found.column("_score").to_pylist() if "_score" in found.column_names else []
    new = [at for at, ref in enumerate(refs) if ref not in known]
    if len(new) < len(refs):
        found = found.take(pa.array(new, pa.int64()))
    memories, terms = _read(found)
    measurable, vectors = ((), None) if isinstance(space, str) else _vectors(found, space, model_id)
    return Hits(refs, memories, terms, dict(zip(refs, scores, strict=False)), measurable, vectors)


def _refs(found: pa.Table) -> tuple[str, ...]:
    return tuple(map(memory_ref, found.column("id").to_pylist()))


def _read(found: pa.Table) -> tuple[dict[str, Memory], dict[str, str | None]]:
    memories, terms = dict[str, Memory](), dict[str, str | None]()
    # Column by column: a row as a dict costs as much as all that is done with it.
    for name, text, stored, *row in zip(*(_column(found, one) for one in COLUMNS), strict=True):
        ref = memory_ref(name)
        if ref not in memories:
            told = current_terms(stored, text or "") if stored else stored
            memories[ref], terms[ref] = _memory(name, ref, text, told, *row), told
    return memories, terms


def _column(found: pa.Table, name: str) -> list[Any]:
    at = found.schema.get_field_index(name)
    column = found.column(at) if at >= 0 else None
    if column is None or column.null_count == len(found):
        return [None] * len(found)
    values: list[Any] = column.to_pylist()
    return values


def _memory(
    name: str,
    ref: str,
    text: str | None,
    terms: str | None,
    scope: str | None,
    importance: float | None,
    importance_label: str | None,
    trust_tier: str | None,
    category: str | None,
    created: float | None,
    state: str | None,
    expires_at_ms: int | None,
    source_ref: str | None,
    origin: str | None,
) -> Memory:
    return Memory(
        id=name,
        ref=ref,
        text=text or "",
        scope=scope or filters.DEFAULT_SCOPE,
        importance=importance,
        importance_label=importance_label,
        trust_tier=known_tier(trust_tier),
        category=category,
        state=state,
        created_at_ms=int(created) if created is not None and math.isfinite(created) else None,
        expires_at_ms=expires_at_ms,
        source_ref=source_ref,
        origin=origin,
        words=text_terms(terms) if terms else None,
    )


def _vectors(found: pa.Table, space: VectorSpace, model_id: str) -> tuple[tuple[str, ...], Floats | None]:
    """Return the refs of the rows whose vector is of use, and the vectors."""
    if space.column not in found.column_names:
        return (), None
    if space.is_legacy:
        # Whose the vectors of a hit by words are stands beside them.
        found = found.filter(pc.equal(found.column("embedding_model"), model_id))
    there = found.select(["id", space.column])
    if there.column(space.column).null_count:
        there = there.filter(there.column(space.column).is_valid())
    flat = there.column(space.column).combine_chunks().flatten().to_numpy(zero_copy_only=False)
    dimension = there.schema.field(space.column).type.list_size
    matrix = flat.reshape(len(there), dimension).astype(np.float32, copy=False)
    refs, fit = _refs(there), np.isfinite(matrix).all(axis=1) & matrix.any(axis=1)
    if fit.all():
        return refs, matrix
    return tuple(ref for ref, good in zip(refs, fit.tolist(), strict=True) if good), matrix[fit]
