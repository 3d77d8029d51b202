"""Reciprocal rank fusion: one ranking out of several whose scores cannot be compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

RRF_K: Final = 60
"""The constant of the paper: how little the first ranks of one list may outweigh agreement of several."""


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[str]], *, k: int = RRF_K
) -> tuple[tuple[str, float], ...]:
    """
    Return each ref with the sum of ``1 / (k + rank)`` over the rankings, best first, equals by ref.

    A ref that stands twice in one ranking counts once, at its better rank. Cormack, Clarke and Buettcher,
    "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods", SIGIR 2009.

    >>> [ref for ref, _ in reciprocal_rank_fusion([["a", "b"], ["b", "c"]])]
    ['b', 'a', 'c']
    """
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, ref in enumerate(dict.fromkeys(ranking), start=1):
            scores[ref] = scores.get(ref, 0.0) + 1.0 / (k + rank)
    return tuple(sorted(scores.items(), key=lambda item: (-item[1], item[0])))
