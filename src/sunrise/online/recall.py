"""Recall: the memories most useful for a query, found by words and by meaning, fused by rank."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import pyarrow as pa

from sunrise.domain import filters
from sunrise.domain.fusion import reciprocal_rank_fusion
from sunrise.domain.recall import (
    MAX_QUERY_CHARS,
    RecallItem,
    RecallReceipt,
    RecallReject,
    RecallRequest,
    RecallResult,
)
from sunrise.domain.records import memory_ref
from sunrise.domain.secrets import redact
from sunrise.domain.text.analysis import query_terms
from sunrise.domain.text.cleaning import clip
from sunrise.domain.vector_space import VectorSpace, searched
from sunrise.errors import DataError, StoreError
from sunrise.ports import Clock, Embedder, MemoryReader

_COLUMNS: Final = (
    "id",
    "text",
    "scope",
    "importance_label",
    "trust_tier",
    "category",
    "createdAt",
)
_LEG_DEPTH: Final = 50
"""Each leg brings more than is asked for: fusion lives on what stands low in one and high in the other."""
_MAX_TERMS: Final = 256
_TOP: Final = 10
_MAX_REJECTS: Final = 20
_PLUGIN_SEED_ID: Final = "__schema__"


def recall(
    request: RecallRequest, *, memories: MemoryReader, embedder: Embedder, clock: Clock
) -> RecallResult:
    """
    Return the memories most useful for a query, best first, and a receipt of how they were found.

    Scope, state and trust are filtered before ranking, in both legs. A leg that cannot run is left out and
    the receipt says why: an answer by words alone is better than none. Nothing is written.

    Raises:
        DataError: The scope is no text that a store can take.
    """
    trail = _Trail()
    with trail.stage("total"):
        items = _recall(request, memories=memories, embedder=embedder, trail=trail)
    return RecallResult(items, _receipt(request, trail, model_id=embedder.model_id, at_ms=clock.now_ms()))


@dataclass(slots=True)
class _Trail:
    """What happened on the way, gathered for the receipt."""

    latency_ms: dict[str, float] = field(default_factory=dict)
    tops: dict[str, tuple[str, ...]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    rejects: list[RecallReject] = field(default_factory=list)
    query_terms: int = 0
    reason: str | None = None

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.latency_ms[name] = (time.perf_counter() - started) * 1000


@dataclass(frozen=True, slots=True)
class _View:
    """The table as this reader may see it: what stands in every leg's search."""

    memories: MemoryReader
    spaces: tuple[VectorSpace, ...]
    where: str | None
    limit: int

    @property
    def search(self) -> dict[str, Any]:
        return {"columns": _COLUMNS, "limit": self.limit}


def _recall(
    request: RecallRequest, *, memories: MemoryReader, embedder: Embedder, trail: _Trail
) -> tuple[RecallItem, ...]:
    query = clip(request.query, MAX_QUERY_CHARS)
    with trail.stage("analyse"):
        words = query_terms(query)[:_MAX_TERMS]
    trail.query_terms = len(words)
    if not words:
        trail.reason = "empty_query"
        return ()
    try:
        view = _view(request, memories)
    except StoreError:
        trail.reason = "store_failed"
        return ()
    with trail.stage("lexical"):
        by_words = _lexical(view, words, trail)
    by_meaning = _dense(view, query, embedder, trail)
    with trail.stage("fuse"):
        return _fused(by_words, by_meaning, limit=request.limit, trail=trail)


def _view(request: RecallRequest, memories: MemoryReader) -> _View:
    columns = memories.schema().names
    where = filters.visible(scope=_scope(request), columns=columns, include_archived=request.include_archived)
    # Vectors whose model nobody wrote down are of another model, as far as anyone can tell.
    known = tuple(one for one in memories.spaces() if not one.is_legacy or "embedding_model" in columns)
    return _View(memories, known, where, limit=max(_LEG_DEPTH, request.limit))


def _scope(request: RecallRequest) -> str:
    return request.scope.strip() or filters.DEFAULT_SCOPE


def _lexical(view: _View, words: list[str], trail: _Trail) -> list[dict[str, Any]]:
    try:
        found = view.memories.search_terms(" ".join(words), where=view.where, **view.search)
    except DataError as error:
        trail.skipped["lexical"] = error.reason
        return []
    except StoreError:
        trail.skipped["lexical"] = "store_failed"
        return []
    return _rows(found)


def _dense(view: _View, query: str, embedder: Embedder, trail: _Trail) -> list[dict[str, Any]]:
    space = searched(view.spaces, embedder.model_id, embedder.dimension)
    if not isinstance(space, VectorSpace):
        trail.skipped["dense"] = space
        return []
    try:
        with trail.stage("embed"):
            vector = embedder.embed_query([query])[0]
    except Exception:  # Whatever breaks in a model or its network, the words still answer.
        trail.skipped["dense"] = "embedder_failed"
        return []
    # A column of its own holds vectors of one model; in the legacy one each row says whose its vector is.
    of_model = filters.of_model(embedder.model_id) if space.is_legacy else None
    search = partial(view.memories.search_vector, vector, column=space.column)
    try:
        with trail.stage("dense"):
            rows = _rows(search(where=filters.both(view.where, of_model), **view.search))
            if not rows and not _rows(search(where=of_model, columns=["id"], limit=1)):
                trail.skipped["dense"] = "no_vectors_of_model"
            return rows
    except DataError as error:
        trail.skipped["dense"] = error.reason
    except StoreError:
        trail.skipped["dense"] = "store_failed"
    return []


def _rows(found: pa.Table) -> list[dict[str, Any]]:
    return [row for row in found.to_pylist() if row["id"]]


def _fused(
    by_words: list[dict[str, Any]], by_meaning: list[dict[str, Any]], *, limit: int, trail: _Trail
) -> tuple[RecallItem, ...]:
    rankings = [[memory_ref(row["id"]) for row in rows] for rows in (by_words, by_meaning)]
    rows = {memory_ref(row["id"]): row for row in (*by_meaning, *by_words)}
    ranked = reciprocal_rank_fusion(rankings)
    trail.tops = {"fts": tuple(rankings[0][:_TOP]), "vec": tuple(rankings[1][:_TOP])}
    trail.tops["fused"] = tuple(ref for ref, _ in ranked[:_TOP])
    items: list[RecallItem] = []
    for ref, score in ranked:
        reason = _why_not_returned(rows[ref], full=len(items) == limit)
        if reason is None:
            items.append(_item(ref, rows[ref], score))
        else:
            trail.rejects.append(RecallReject(ref, reason))
    if not items:
        trail.reason = "no_leg" if len(trail.skipped) == 2 else "no_match"
    return tuple(items)


def _why_not_returned(row: dict[str, Any], *, full: bool) -> str | None:
    if row["id"] == _PLUGIN_SEED_ID:
        # The plugin makes its table from this row and deletes it; a crash in between leaves it there.
        return "plugin_seed_row"
    if not (row.get("text") or "").strip():
        return "empty_text"
    return "over_limit" if full else None


def _item(ref: str, row: dict[str, Any], score: float) -> RecallItem:
    created = row.get("createdAt")
    return RecallItem(
        ref=ref,
        # Whatever let it in: no secret goes out.
        text=redact(row["text"]).text,
        scope=row.get("scope") or filters.DEFAULT_SCOPE,
        importance_label=row.get("importance_label"),
        trust_tier=row.get("trust_tier"),
        category=row.get("category"),
        created_at_ms=int(created) if created is not None and math.isfinite(created) else None,
        score=score,
    )


def _receipt(request: RecallRequest, trail: _Trail, *, model_id: str, at_ms: int) -> RecallReceipt:
    return RecallReceipt(
        at_ms=at_ms,
        scope=_scope(request),
        limit=request.limit,
        query_chars=len(request.query),
        query_terms=trail.query_terms,
        model_id=model_id,
        fts_top=trail.tops.get("fts", ()),
        vec_top=trail.tops.get("vec", ()),
        fused_top=trail.tops.get("fused", ()),
        rejects=tuple(trail.rejects[:_MAX_REJECTS]),
        lexical_skipped=trail.skipped.get("lexical"),
        dense_skipped=trail.skipped.get("dense"),
        reason=trail.reason,
        latency_ms=trail.latency_ms,
    )
