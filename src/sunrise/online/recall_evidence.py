"""What two searches brought, as memories with a fit each: by scores, or by ranks without a calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from sunrise.domain.calibration import Calibration, fuse, weight_beside
from sunrise.domain.fusion import reciprocal_rank_fusion
from sunrise.domain.neighbours import lifts
from sunrise.domain.query_dates import Span
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
    spans: Sequence[Span],
    phrases: Sequence[str] = (),
    calibration: Calibration | None,
    dense_weight: float,
) -> Evidence:
    """
    Return what both legs know together; scores are compared only where a calibration says how.

    Without one, to be of a time that the query names counts as much as to be the first of a leg. *phrases*
    are the names of that time.
    """
    by_words, by_meaning = _refs(legs.by_words), _refs(legs.by_meaning)
    memories = {ref: memory for found in legs.all for ref, memory in found.memories.items()}
    of_time = _of_time(memories, spans, phrases)
    if of_time:
        by_date_alone = _found_by_date_alone(legs, terms, of_time)
        memories = {ref: memory for ref, memory in memories.items() if ref not in by_date_alone}
        by_words = tuple(ref for ref in by_words if ref not in by_date_alone)
    if calibration is None:
        closest = max(of_time.values(), default=0.0)
        best = [[ref] for ref in sorted(memories) if closest and of_time[ref] == closest]
        ranks = reciprocal_rank_fusion([by_words, by_meaning, *best])
        fits = {ref: Fit(score, is_of_time=bool(of_time.get(ref))) for ref, score in ranks}
        return Evidence(memories, fits, by_words, by_meaning, FUSED_BY_RANKS)
    words = QueryWords.of(terms, calibration.terms)
    often = legs.by_words.scores if legs.by_words is not None else {}
    by_word = {
        ref: words.fit(held, often.get(ref, 0.0), of_time=of_time.get(ref))
        for found in legs.all
        for ref, held in found.terms.items()
    }
    dense = {ref: calibration.dense_score(cosine) for ref, cosine in _cosines(legs, memories).items()}
    # Without the leg of meaning all weight is on the words.
    weight = dense_weight if legs.by_meaning is not None else 0.0
    fits = {
        ref: _fit(by_word[ref], dense.get(ref), weight, is_of_time=bool(of_time.get(ref))) for ref in memories
    }
    fits = _beside(fits, memories)
    nearest = sorted((ref for ref in by_meaning if ref in dense), key=lambda ref: (-dense[ref], ref))
    return Evidence(memories, fits, by_words, tuple(nearest), FUSED_BY_SCORES, _elsewhere(legs, calibration))


def _found_by_date_alone(legs: Legs, terms: Sequence[str], of_time: Mapping[str, float]) -> frozenset[str]:
    """Return what was found only for a part of a date, which stands in many other dates."""
    near = set(_refs(legs.by_meaning))
    return frozenset(
        ref
        for found in legs.all
        for ref, held in found.terms.items()
        # What was not analysed yet may hold the words.
        if not of_time[ref]
        and ref not in near
        and held is not None
        and not any(f" {term} " in f" {held} " for term in terms)
    )


def _of_time(
    memories: Mapping[str, Memory], spans: Sequence[Span], phrases: Sequence[str]
) -> dict[str, float]:
    """Return how well each memory is of a short time that is named; nothing where none is."""
    named = [span for span in spans if span.is_short]
    if not named:
        return {}
    return {
        ref: max(
            *(span.closeness(memory.created_at_ms) for span in named),
            float(any(f" {phrase} " in f" {memory.words} " for phrase in phrases)),
        )
        for ref, memory in memories.items()
    }


def _fit(words: WordFit, dense: float | None, weight: float, *, is_of_time: bool) -> Fit:
    fused = fuse(dense or 0.0, words.score, weight_beside(words.score, weight))
    return Fit(fused, words.score, dense, words.told, is_exact=words.is_exact, is_of_time=is_of_time)


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
    places = {
        ref: at for at, ref in enumerate(ref for one in legs.all for ref in one.measurable) if ref in memories
    }
    if not places:
        return {}
    vectors = np.concatenate(parts)[list(places.values())]
    shares = np.array([cjk_share(memories[ref].text) for ref in places], np.float32)
    return dict(zip(places, legs.centred.of(legs.vector, vectors, shares).tolist(), strict=True))
