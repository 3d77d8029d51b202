"""How good a ranking is against the refs that a golden query names as relevant."""

from __future__ import annotations

from collections.abc import Collection, Sequence


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


def _checked(relevant: Collection[str], *, k: int) -> frozenset[str]:
    if k < 1:
        msg = f"k must be at least 1, not {k}"
        raise ValueError(msg)
    if not relevant:
        raise ValueError("a query without relevant refs has no figure")
    return frozenset(relevant)
