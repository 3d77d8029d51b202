"""What the words of a query are worth, and how much of it stands in a memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Self

from sunrise.domain.calibration import TermFrequencies, idf, lexical_score

_FREQUENCY_SHARE: Final = 0.1
"""How much of the score by words is BM25: of two memories with the same words the terser one is first."""


@dataclass(frozen=True, slots=True)
class QueryWords:
    """The terms of a query with the idf of each; those that stand nowhere count too."""

    weights: Mapping[str, float]
    total: float

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
        if self.total <= 0.0:
            return 0.0
        return math.fsum(self.weights[term] for term in self.weights.keys() & set(terms.split())) / self.total

    def score(self, terms: str | None, bm25: float) -> float:
        """
        Return how well a memory fits by words, from 0 to 1: mostly coverage, a little BM25.

        A memory that was not analysed yet is scored by BM25 alone.
        """
        frequency = lexical_score(bm25, self.total)
        if terms is None:
            return frequency
        return (1.0 - _FREQUENCY_SHARE) * self.coverage(terms) + _FREQUENCY_SHARE * frequency
