"""What two searches brought, as memories with a fit each: by scores, or by ranks without a calibration."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sunrise.domain import filters
from sunrise.domain.calibration import Calibration, fuse, weight_beside
from sunrise.domain.fusion import reciprocal_rank_fusion
from sunrise.domain.neighbours import lifts
from sunrise.domain.query_words import QueryWords, WordFit
from sunrise.domain.ranking import Fit, Memory
from sunrise.domain.records import memory_ref
from sunrise.domain.text.dated_terms import text_terms
from sunrise.domain.text.script import cjk_share
from sunrise.domain.vector_space import VectorSpace
from sunrise.online.centred_cosines import Floats
from sunrise.online.recall_legs import COLUMNS, Legs, View

FUSED_BY_SCORES: Final = "calibrated"
FUSED_BY_RANKS: Final = "rrf"


@dataclass(frozen=True, slots=True)
class Evidence:
    """
    The memories that were found, how each fits, and the refs of each leg in its order.

    ``elsewhere`` is how well other matters fit, on the scale of dense scores.
    """

    memories: Mapping[str, Memory]
    fits: Mapping[str, Fit]
    by_words: tuple[str, ...]
    by_meaning: tuple[str, ...]
    fusion: str
    elsewhere: float | None = None

    @property
    def is_scored(self) -> bool:
        """Whether the fits are scores, that can be judged, and not only an order."""
        return self.fusion == FUSED_BY_SCORES


def gathered(
    view: View,
    legs: Legs,
    *,
    terms: Sequence[str],
    model_id: str,
    calibration: Calibration | None,
    dense_weight: float,
) -> Evidence:
    """Return what both legs know together; scores are compared only where a calibration says how."""
    memories, terms_of = _read(legs)
    by_words, by_meaning = _refs(legs.by_words), _refs(legs.by_meaning)
    if calibration is None:
        fits = {ref: Fit(score) for ref, score in reciprocal_rank_fusion([by_words, by_meaning])}
        return Evidence(memories, fits, by_words, by_meaning, FUSED_BY_RANKS)
    words = QueryWords.of(terms, calibration.terms)
    frequency = _frequencies(legs.by_words)
    by_word = {ref: words.fit(told, frequency.get(ref, 0.0)) for ref, told in terms_of.items()}
    cosines = _cosines(legs, view.space, memories, model_id)
    dense = {ref: calibration.dense_score(cosine) for ref, cosine in cosines.items()}
    # Without the leg of meaning all weight is on the words.
    weight = dense_weight if legs.by_meaning is not None else 0.0
    fits = _beside({ref: _fit(by_word[ref], dense.get(ref), weight) for ref in memories}, memories)
    nearest = sorted((ref for ref in by_meaning if ref in dense), key=lambda ref: (-dense[ref], ref))
    return Evidence(memories, fits, by_words, tuple(nearest), FUSED_BY_SCORES, _elsewhere(legs, calibration))


def _fit(words: WordFit, dense: float | None, weight: float) -> Fit:
    fused = fuse(dense or 0.0, words.score, weight_beside(words.score, weight))
    return Fit(fused, words.score, dense, words.told)


def _beside(fits: Mapping[str, Fit], memories: Mapping[str, Memory]) -> dict[str, Fit]:
    found = lifts(memories.values(), {ref: fit.relevance for ref, fit in fits.items()})
    return {
        ref: replace(fit, relevance=fit.relevance + found[ref], beside=found[ref]) if ref in found else fit
        for ref, fit in fits.items()
    }


def _elsewhere(legs: Legs, calibration: Calibration) -> float | None:
    if legs.centred is None or legs.vector is None:
        return None
    cosine = legs.centred.elsewhere(legs.vector)
    return None if cosine is None else calibration.dense_score(cosine)


def _read(legs: Legs) -> tuple[dict[str, Memory], dict[str, str | None]]:
    """Return what both legs brought, each memory once, and the terms of each, by ref."""
    memories, terms = dict[str, Memory](), dict[str, str | None]()
    for found in (legs.by_meaning, legs.by_words):
        if found is None:
            continue
        # Column by column: a row as a dict costs as much as all that is done with it.
        for name, text, told, *row in zip(*(_column(found, one) for one in COLUMNS), strict=True):
            ref = memory_ref(name)
            if ref not in memories:
                memories[ref], terms[ref] = _memory(name, ref, text, told, *row), told
    return memories, terms


def _column(found: pa.Table, name: str) -> list[Any]:
    column = found.column(name) if name in found.column_names else None
    if column is None or column.null_count == len(found):
        return [None] * len(found)
    values: list[Any] = column.to_pylist()
    return values


def _refs(found: pa.Table | None) -> tuple[str, ...]:
    return () if found is None else tuple(map(memory_ref, found.column("id").to_pylist()))


def _memory(
    name: str,
    ref: str,
    text: str | None,
    terms: str | None,
    scope: str | None,
    importance_label: str | None,
    trust_tier: str | None,
    category: str | None,
    created: float | None,
    state: str | None,
    expires_at_ms: int | None,
    source_ref: str | None,
) -> Memory:
    return Memory(
        id=name,
        ref=ref,
        text=text or "",
        scope=scope or filters.DEFAULT_SCOPE,
        importance_label=importance_label,
        trust_tier=trust_tier,
        category=category,
        state=state,
        created_at_ms=int(created) if created is not None and math.isfinite(created) else None,
        expires_at_ms=expires_at_ms,
        source_ref=source_ref,
        words=text_terms(terms) if terms else None,
    )


def _frequencies(found: pa.Table | None) -> dict[str, float]:
    if found is None:
        return {}
    return dict(zip(_refs(found), found.column("_score").to_pylist(), strict=True))


def _cosines(
    legs: Legs, space: VectorSpace | str, memories: Mapping[str, Memory], model_id: str
) -> dict[str, float]:
    if isinstance(space, str) or legs.centred is None or legs.vector is None:
        return {}
    own = model_id if space.is_legacy else None
    found = [one for one in (legs.by_meaning, legs.by_words) if one is not None]
    parts = [_vectors(one, space.column, own) for one in found if space.column in one.column_names]
    # What both legs found stands there twice, with the same vector.
    places = {ref: at for at, ref in enumerate(ref for refs, _ in parts for ref in refs)}
    if not places:
        return {}
    vectors = np.concatenate([matrix for _, matrix in parts])[list(places.values())]
    shares = np.array([cjk_share(memories[ref].text) for ref in places], np.float32)
    return dict(zip(places, legs.centred.of(legs.vector, vectors, shares).tolist(), strict=True))


def _vectors(found: pa.Table, column: str, model_id: str | None) -> tuple[list[str], Floats]:
    """Return the refs of the rows whose vector is of use, and the vectors."""
    if model_id is not None:
        # Whose the vectors of a hit by words are stands beside them.
        found = found.filter(pc.equal(found.column("embedding_model"), model_id))
    there = found.select(["id", column])
    there = there.filter(there.column(column).is_valid()) if there.column(column).null_count else there
    flat = there.column(column).combine_chunks().flatten().to_numpy(zero_copy_only=False)
    dimension = there.schema.field(column).type.list_size
    matrix = flat.reshape(len(there), dimension).astype(np.float32, copy=False)
    fit = np.isfinite(matrix).all(axis=1) & matrix.any(axis=1)
    return [ref for ref, good in zip(_refs(there), fit.tolist(), strict=True) if good], matrix[fit]
