"""The figures of answers to golden queries, and what they differ by from those of an earlier run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sunrise.domain.retrieval_metrics import (
    Difference,
    hit_at_k,
    mean,
    ndcg_at_k,
    paired_bootstrap,
    percentile,
    recall_at_k,
    reciprocal_rank,
)
from tasks.eval_answers import Answer

NDCG_DEPTH = 10


def figures_of(answers: Sequence[Answer], *, ks: Sequence[int]) -> dict[str, Any]:
    """
    Return the figures of answers as programs read them.

    ``recall`` and ``hit`` are maps from k to percent; ``mrr`` and ``ndcg`` go from 0 to 1. Off-topic queries
    have none of these. ``wrong_scope`` is percent of all, ``stale_first`` of the queries that forbid an
    answer, ``off_topic_answered`` of the off-topic ones; None where there are none of the kind.
    """
    off_topic = [float(bool(one.ranked)) for one in answers if one.is_off_topic]
    stale = [float(one.stale_first) for one in answers if one.has_forbidden]
    return {
        "queries": len(answers),
        **_rates(answers, ks=ks),
        "by_category": _by(answers, lambda one: one.category, ks=ks),
        "by_language": _by(answers, lambda one: one.lang, ks=ks),
        "wrong_scope": _percent([float(one.wrong_scope) for one in answers]),
        "stale_first": _percent(stale) if stale else None,
        "off_topic_answered": _percent(off_topic) if off_topic else None,
        "latency_ms": latency_of(answers),
    }


def latency_of(answers: Sequence[Answer]) -> dict[str, float]:
    """Return the percentiles of the time that a query took, in milliseconds."""
    times = [one.ms for one in answers]
    return {name: round(percentile(times, share), 2) for name, share in (("p50", 0.5), ("p95", 0.95))}


def differences(
    after: Iterable[Answer], before: Iterable[Answer], *, ks: Sequence[int]
) -> dict[str, Difference]:
    """Return by how much each measure differs over the queries that both runs were asked, with intervals."""
    earlier = {(one.golden, one.key): one for one in before if not one.is_off_topic}
    pairs = [
        (one, earlier[one.golden, one.key])
        for one in after
        if not one.is_off_topic and (one.golden, one.key) in earlier
    ]
    if not pairs:
        return {}
    return {
        name: paired_bootstrap([measure(new) for new, _ in pairs], [measure(old) for _, old in pairs])
        for name, measure in measures(ks).items()
    }


def measures(ks: Sequence[int]) -> Mapping[str, Callable[[Answer], float]]:
    """Return the measures of one answer by name, all from 0 to 1."""
    return {
        **{f"recall@{k}": _at(recall_at_k, k) for k in ks},
        **{f"hit@{k}": _at(hit_at_k, k) for k in ks},
        "mrr": lambda one: reciprocal_rank(one.ranked, one.relevant),
        f"ndcg@{NDCG_DEPTH}": _at(ndcg_at_k, NDCG_DEPTH),
    }


def _at(measure: Callable[..., float], k: int) -> Callable[[Answer], float]:
    return lambda one: float(measure(one.ranked, one.relevant, k=k))


def _rates(answers: Sequence[Answer], *, ks: Sequence[int]) -> dict[str, Any]:
    asked = [one for one in answers if not one.is_off_topic]
    means = {name: mean([measure(one) for one in asked]) for name, measure in measures(ks).items()}
    return {
        "recall": {str(k): round(100 * means[f"recall@{k}"], 2) for k in ks},
        "hit": {str(k): round(100 * means[f"hit@{k}"], 2) for k in ks},
        "mrr": round(means["mrr"], 4),
        "ndcg": round(means[f"ndcg@{NDCG_DEPTH}"], 4),
    }


def _by(
    answers: Sequence[Answer], group: Callable[[Answer], str], *, ks: Sequence[int]
) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[Answer]] = {}
    for one in answers:
        if not one.is_off_topic:
            groups.setdefault(group(one), []).append(one)
    return {name: {"queries": len(groups[name]), **_rates(groups[name], ks=ks)} for name in sorted(groups)}


def _percent(values: Sequence[float]) -> float:
    return round(100 * mean(values), 2)
