"""What two searches brought, as memories with a fit each: by scores, or by ranks without a calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from sunrise.domain.calibration import Calibration, fuse, weight_beside
from sunrise.domain.fusion import reciprocal_rank_fusion
from sunrise.domain.neighbours import lifts
from sunrise.domain.query_words import QueryWords, WordFit
from sunrise.domain.ranking import Fit, Memory
from sunrise.domain.text.script import cjk_share
from sunrise.online.recall_hits import Hits
from sunrise.online.recall_legs import Legs

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
    legs: Legs,
    *,
    terms: Sequence[str],
    calibration: Calibration | None,
    dense_weight: float,
) -> Evidence:
    """Return what both legs know together; scores are compared only where a calibration says how."""
    memories = {ref: memory for found in legs.all for ref, memory in found.memories.items()}
    by_words, by_meaning = _refs(legs.by_words), _refs(legs.by_meaning)
    if calibration is None:
        fits = {ref: Fit(score) for ref, score in reciprocal_rank_fusion([by_words, by_meaning])}
        return Evidence(memories, fits, by_words, by_meaning, FUSED_BY_RANKS)
    words = QueryWords.of(terms, calibration.terms)
    often = legs.by_words.scores if legs.by_words is not None else {}
    by_word = {
        ref: words.fit(told, often.get(ref, 0.0)) for found in legs.all for ref, told in found.terms.items()
    }
    dense = {ref: calibration.dense_score(cosine) for ref, cosine in _cosines(legs, memories).items()}
    # Without the leg of meaning all weight is on the words.
    weight = dense_weight if legs.by_meaning is not None else 0.0
    fits = _beside({ref: _fit(by_word[ref], dense.get(ref), weight) for ref in memories}, memories)
    nearest = sorted((ref for ref in by_meaning if ref in dense), key=lambda ref: (-dense[ref], ref))
    return Evidence(memories, fits, by_words, tuple(nearest), FUSED_BY_SCORES, _elsewhere(legs, calibration))


def _fit(words: WordFit, dense: float | None, weight: float) -> Fit:
    fused = fuse(dense or 0.0, words.score, weight_beside(words.score, weight))
    return Fit(fused, words.score, dense, words.told, is_exact=words.is_exact)


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


def _refs(found: Hits | None) -> tuple[str, ...]:
    return () if found is None else found.refs


def _cosines(legs: Legs, memories: Mapping[str, Memory]) -> dict[str, float]:
    if legs.centred is None or legs.vector is None:
        return {}
    parts = [one.vectors for one in legs.all if one.vectors is not None]
    # A row that has the id of another one stands for it.
    places = {ref: at for at, ref in enumerate(ref for one in legs.all for ref in one.measurable)}
    if not places:
        return {}
    vectors = np.concatenate(parts)[list(places.values())]
    shares = np.array([cjk_share(memories[ref].text) for ref in places], np.float32)
    return dict(zip(places, legs.centred.of(legs.vector, vectors, shares).tolist(), strict=True))
