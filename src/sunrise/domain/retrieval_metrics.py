"""How good a ranking is against the refs that a golden query names, and whether another is better."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

BOOTSTRAP_ROUNDS: Final = 2000
"""So many that the ends of an interval move by less than a tenth of its width from seed to seed."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better the second of two rankings is over the same queries, with its interval."""

    mean: float
    low: float
    high: float
    pairs: int

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out 0: the difference is not chance alone."""
        return self.low > 0 or self.high < 0


def recall_at_k(ranked: Sequence[str], relevant: Collection[str], *, k: int) -> float:
    """
    Return the share of the relevant refs among the first k, each counted once.

    >>> recall_at_k(["a", "x", "b"], {"a", "b"}, k=2)
    0.5

    Raises:
        ValueError: k is below one, or nothing is relevant, so that no share exists.
    """
    wanted = _checked(relevant, k=k)
    return len(wanted.intersection(ranked[:k])) / len(wanted)


def hit_at_k(ranked: Sequence[str], relevant: Collection[str], *, k: int) -> bool:
    """
    Return whether any relevant ref is among the first k.

    >>> hit_at_k(["x", "a"], {"a"}, k=1), hit_at_k(["x", "a"], {"a"}, k=2)
    (False, True)

    Raises:
        ValueError: k is below one, or nothing is relevant.
    """
    return not _checked(relevant, k=k).isdisjoint(ranked[:k])


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """
    Return one over the rank of the first relevant ref, 0 when there is none.

    The mean of it over the queries is MRR.

    >>> reciprocal_rank(["x", "a", "b"], {"a", "b"})
    0.5

    Raises:
        ValueError: Nothing is relevant.
    """
    wanted = _checked(relevant, k=1)
    return next((1.0 / rank for rank, ref in enumerate(ranked, start=1) if ref in wanted), 0.0)


def ndcg_at_k(ranked: Sequence[str], relevant: Collection[str], *, k: int) -> float:
    """
    Return the discounted gain of the first k over that of the best order; each relevant ref gains one.

    >>> ndcg_at_k(["x", "a"], {"a"}, k=2) == 1 / math.log2(3)
    True

    Raises:
        ValueError: k is below one, or nothing is relevant.
    """
    wanted = _checked(relevant, k=k)
    # A ref that is ranked twice gains at its first place only.
    firsts = {ref: rank for rank, ref in reversed(list(enumerate(ranked[:k], start=1))) if ref in wanted}
    gained = math.fsum(1 / math.log2(rank + 1) for rank in firsts.values())
    return gained / math.fsum(1 / math.log2(rank + 1) for rank in range(1, min(len(wanted), k) + 1))


def leads_with_forbidden(
    ranked: Sequence[str], relevant: Collection[str], *, forbidden: Collection[str]
) -> bool:
    """
    Return whether a forbidden ref, such as a superseded fact, stands before the first relevant one.

    >>> leads_with_forbidden(["old", "new"], {"new"}, forbidden={"old"})
    True
    """
    named = (ref for ref in ranked if ref in forbidden or ref in relevant)
    return next(named, None) in frozenset(forbidden)


def is_wrong_scope(scopes: Collection[str], *, asked: str) -> bool:
    """
    Return whether anything that came back is of another scope than was asked in.

    >>> is_wrong_scope(["home", "work"], asked="home"), is_wrong_scope([], asked="home")
    (True, False)
    """
    return any(scope != asked for scope in scopes)


def percentile(values: Sequence[float], share: float) -> float:
    """
    Return the smallest value that at least a share of the values do not pass; 0 for none.

    >>> percentile([5.0, 1.0, 3.0], 0.5), percentile([5.0, 1.0, 3.0], 0.95)
    (3.0, 5.0)
    """
    place = max(math.ceil(share * len(values)), 1) - 1
    return sorted(values)[place] if values else 0.0


def mean(values: Sequence[float]) -> float:
    """
    Return the mean; 0 for no values.

    >>> mean([1.0, 0.0]), mean([])
    (0.5, 0.0)
    """
    return math.fsum(values) / len(values) if values else 0.0


def paired_bootstrap(
    after: Sequence[float],
    before: Sequence[float],
    *,
    seed: int = 0,
    rounds: int = BOOTSTRAP_ROUNDS,
    level: float = 0.95,
) -> Difference:
    """
    Return the mean of the differences of pairs, with the interval that resampling the pairs gives it.

    The same seed gives the same interval.

    >>> paired_bootstrap([1.0, 1.0], [0.0, 0.0])
    Difference(mean=1.0, low=1.0, high=1.0, pairs=2)

    Raises:
        ValueError: The two are not of the same length, or empty.
    """
    gains = [new - old for new, old in zip(after, before, strict=True)]
    if not gains:
        raise ValueError("without pairs there is no difference")
    chance = random.Random(seed)  # noqa: S311  resampling hides nothing
    means = [math.fsum(chance.choices(gains, k=len(gains))) / len(gains) for _ in range(rounds)]
    outside = (1 - level) / 2
    return Difference(mean(gains), percentile(means, outside), percentile(means, 1 - outside), len(gains))


def _checked(relevant: Collection[str], *, k: int) -> frozenset[str]:
    if k < 1:
        msg = f"k must be at least 1, not {k}"
        raise ValueError(msg)
    if not relevant:
        raise ValueError("a query without relevant refs has no figure")
    return frozenset(relevant)
