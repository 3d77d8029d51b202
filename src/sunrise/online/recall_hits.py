"""What one search brought, read out of its table once: memories, their terms, and their vectors."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sunrise.domain import filters
from sunrise.domain.ranking import Memory
from sunrise.domain.records import memory_ref
from sunrise.domain.row_names import ROW_COLUMNS, row_name
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

_REF: Final = "_ref"


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


def hits_of(
    found: pa.Table,
    *,
    space: VectorSpace | str,
    model_id: str,
    known: Collection[str] = (),
    shared: Collection[str] = (),
) -> Hits:
    """
    Read what a search brought; of memories that are *known*, by ref, only the place.

    Rows without an id, and those of a *shared* one, are named by what they hold.
    """
    refs = _refs(found, shared)
    found = found.append_column(_REF, pa.array(refs, pa.string()))
    scores = found.column("_score").to_pylist() if "_score" in found.column_names else []
    new = [at for at, ref in enumerate(refs) if ref not in known]
    if len(new) < len(refs):
        found = found.take(pa.array(new, pa.int64()))
    memories, terms = _read(found)
    measurable, vectors = ((), None) if isinstance(space, str) else _vectors(found, space, model_id)
    return Hits(refs, memories, terms, dict(zip(refs, scores, strict=False)), measurable, vectors)


def shared_ids(*searches: pa.Table) -> frozenset[str]:
    """
    Return the ids that several of the rows have that some searches brought.

    Rows that say the same are brought together, so that by their texts it is seen whether two searches
    brought different rows of an id.
    """
    several, told = set[str](), set[tuple[str, str]]()
    for found in searches:
        ids = found.column("id").to_pylist()
        if len(set(ids)) < len(ids):
            several |= _several(ids)
        if len(searches) > 1:
            told.update(zip(ids, found.column("text").to_pylist(), strict=True))
    if len(told) > len({name for name, _ in told}):
        several |= _several(name for name, _ in told)
    return frozenset(several)


def _several(ids: Iterable[str]) -> set[str]:
    return {name for name, count in Counter(ids).items() if name and count > 1}


def _refs(found: pa.Table, shared: Collection[str]) -> tuple[str, ...]:
    ids = found.column("id").to_pylist()
    if all(ids) and not shared:
        return tuple(map(memory_ref, ids))
    rows = found.select([name for name in ROW_COLUMNS if name in found.column_names]).to_pylist()
    return tuple(
        memory_ref(row["id"] if row["id"] and row["id"] not in shared else row_name(row)) for row in rows
    )


def _read(found: pa.Table) -> tuple[dict[str, Memory], dict[str, str | None]]:
    memories, terms = dict[str, Memory](), dict[str, str | None]()
    # Column by column: a row as a dict costs as much as all that is done with it.
    columns = (_column(found, one) for one in (_REF, *COLUMNS))
    for ref, name, text, stored, *row in zip(*columns, strict=True):
        if ref not in memories:
            told = current_terms(stored, text or "") if stored else stored
            memories[ref], terms[ref] = _memory(name or "", ref, text, told, *row), told
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
    there = found.select([_REF, space.column])
    if there.column(space.column).null_count:
        there = there.filter(there.column(space.column).is_valid())
    flat = there.column(space.column).combine_chunks().flatten().to_numpy(zero_copy_only=False)
    dimension = there.schema.field(space.column).type.list_size
    matrix = flat.reshape(len(there), dimension).astype(np.float32, copy=False)
    refs, fit = tuple(there.column(_REF).to_pylist()), np.isfinite(matrix).all(axis=1) & matrix.any(axis=1)
    if fit.all():
        return refs, matrix
    return tuple(ref for ref, good in zip(refs, fit.tolist(), strict=True) if good), matrix[fit]
