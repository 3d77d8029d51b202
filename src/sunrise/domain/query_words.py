"""What the words of a query are worth, and how much of it stands in a memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Self

from sunrise.domain.calibration import TermFrequencies, idf, lexical_score
from sunrise.domain.text.common_words import common_terms
from sunrise.domain.text.dated_terms import text_terms

_FREQUENCY_SHARE: Final = 0.1
"""How much of the score by words is BM25: of two memories with the same words the terser one is first."""

_COMMON_SHARE: Final = 0.3
"""A common word counts for less in ``told``: in a small home one memory has it by chance."""

_TIME_BESIDE: Final = 2.0
"""The weight of being of the time that a query names; all its words together weigh 1."""


@dataclass(frozen=True, slots=True)
class WordFit:
    """
    How a memory fits by words.

    ``score`` is mostly the share of the query's worth that stands in it, ``told`` is that share with common
    words counted for less. ``is_exact`` says that it has the words of the query, all of them, and no others.
    """

    score: float
    told: float
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class QueryWords:
    """The terms of a query with the idf of each; those that stand nowhere count too."""

    weights: Mapping[str, float]
    total: float
    _tells: Mapping[str, float] = field(init=False, repr=False, compare=False)
    _all_told: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        common = common_terms()
        tells = {
            term: worth * (_COMMON_SHARE if term in common else 1.0) for term, worth in self.weights.items()
        }
        object.__setattr__(self, "_tells", tells)
        object.__setattr__(self, "_all_told", math.fsum(tells.values()))

    @classmethod
    def of(cls, terms: Iterable[str], frequencies: TermFrequencies) -> Self:
        """Weigh the terms of a query by how rare they are in the memories."""
        weights = {term: idf(frequencies.of(term), frequencies.documents) for term in terms}
        return cls(weights, math.fsum(weights.values()))

    def coverage(self, terms: str) -> float:
        """
        Return what share of the query's worth stands in a memory with these terms, however often.

        >>> QueryWords({"green": 1.0, "tea": 3.0}, 4.0).coverage("tea with milk and tea")
        0.75
        """
        return self._share(self._held(terms))

    def fit(self, terms: str | None, bm25: float, *, of_time: float | None = None) -> WordFit:
        """
        Return how well a memory fits by words, from 0 to 1: mostly coverage, a little BM25.

        Where the query names a time, to be of it (*of_time*, from 0 to 1) counts twice as much as all its
        words together: who names a day asks for what was then. A memory that was not analysed yet is scored
        by BM25 alone.
        """
        frequency = lexical_score(bm25, self.total)
        if terms is None:
            return WordFit(frequency, frequency)
        held = self._held(terms)
        share = self._share(held)
        if of_time is not None:
            share = (share + _TIME_BESIDE * of_time) / (1 + _TIME_BESIDE) if self.weights else of_time
        score = (1.0 - _FREQUENCY_SHARE) * share + _FREQUENCY_SHARE * frequency
        is_whole = bool(held) and len(held) == len(self.weights)
        return WordFit(score, self._told(held), is_whole and _are_all(held, terms))

    def _held(self, terms: str) -> set[str]:
        # Quicker than to split a text for the sake of a few words.
        padded = f" {terms} "
        return {term for term in self.weights if f" {term} " in padded}

    def _share(self, held: set[str]) -> float:
        return math.fsum(self.weights[term] for term in held) / self.total if self.total > 0.0 else 0.0

    def _told(self, held: set[str]) -> float:
        return math.fsum(self._tells[term] for term in held) / self._all_told if self.total > 0.0 else 0.0


def _are_all(held: set[str], terms: str) -> bool:
    """Return whether a memory has no other terms. The parts of ``memory-engine`` stand beside it."""
    return not any(term.isalnum() for term in set(text_terms(terms).split()) - held)
