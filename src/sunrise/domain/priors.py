"""What speaks for a memory whatever is asked: its importance, trust, age and state, and its scope."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from types import MappingProxyType
from typing import Final

from sunrise.domain.importance import ImportanceLabel
from sunrise.domain.query_dates import Span
from sunrise.domain.retention import DAY_MS
from sunrise.domain.trust import QUARANTINED, TRUSTED, UNTRUSTED

MOST_IMPORTANT: Final = 1.05
_IMPORTANCE: Final = MappingProxyType({"must_remember": MOST_IMPORTANT, "nice_to_have": 1.01, "ignore": 0.9})
_STATE: Final = MappingProxyType({"stale": 0.92, "consolidated": 0.96, "superseded": 0.85})
_TRUSTED: Final = 1.03
_OF_FALLBACK: Final = 0.8
"""Of equal relevance the oldest memory of the own scope stands before the newest of a fallback scope."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingPolicy:
    """
    The knobs of a ranking.

    ``dense_weight`` is how much of a fused score is meaning; None: what was measured for the model. With
    ``has_floor`` an answer of chance is none. A memory of now counts 1 and loses half of what
    age can take, ``1 - recency_floor``, every ``half_life_days``: the oldest keeps the floor, so that an
    exact answer of last year wins over a weak one of today. ``zone`` says when a named day begins.
    """

    dense_weight: float | None = None
    has_floor: bool = True
    half_life_days: float = 90.0
    recency_floor: float = 0.85
    date_boost: float = 1.15
    embed_timeout_s: float = 10.0
    zone: tzinfo = field(default=UTC)


DEFAULT_POLICY: Final = RankingPolicy()


@dataclass(frozen=True, slots=True, kw_only=True)
class Priors:
    """The factors of one memory; 1 leaves a score as it is."""

    importance: float = 1.0
    trust: float = 1.0
    recency: float = 1.0
    state: float = 1.0
    date: float = 1.0
    scope: float = 1.0

    @property
    def product(self) -> float:
        """All of them together."""
        return self.importance * self.trust * self.recency * self.state * self.date * self.scope


def recency(created_ms: int | None, *, now_ms: int, policy: RankingPolicy = DEFAULT_POLICY) -> float:
    """
    Return the factor of an age: 1 for now and for the future, the floor for long ago and for no date.

    >>> recency(0, now_ms=90 * 86_400_000), recency(None, now_ms=0)
    (0.925, 0.85)
    """
    floor = policy.recency_floor
    if created_ms is None:
        return floor
    days = max(0, now_ms - created_ms) / DAY_MS
    return floor + (1.0 - floor) * math.exp2(-days / policy.half_life_days)


def priors_of(
    *,
    importance_label: str | None,
    trust_tier: str | None,
    state: str | None,
    created_ms: int | None,
    now_ms: int,
    spans: Sequence[Span] = (),
    of_fallback: bool = False,
    policy: RankingPolicy = DEFAULT_POLICY,
) -> Priors:
    """
    Return the factors of a memory; what a column does not say counts 1.

    >>> priors_of(importance_label="ignore", trust_tier=None, state=None, created_ms=0, now_ms=0).product
    0.7
    """
    in_span = created_ms is not None and any(span.begin_ms <= created_ms < span.end_ms for span in spans)
    return Priors(
        importance=_IMPORTANCE.get(_weighed_label(importance_label, trust_tier) or "", 1.0),
        trust=_TRUSTED if trust_tier == TRUSTED else 1.0,
        recency=recency(created_ms, now_ms=now_ms, policy=policy),
        state=_STATE.get(state or "", 1.0),
        date=policy.date_boost if in_span else 1.0,
        scope=_OF_FALLBACK if of_fallback else 1.0,
    )


def _weighed_label(label: str | None, tier: str | None) -> str | None:
    """Return the label that counts: what is untrusted is no must, whoever called it one."""
    is_must = tier in (UNTRUSTED, QUARANTINED) and label == ImportanceLabel.MUST_REMEMBER
    return ImportanceLabel.NICE_TO_HAVE.value if is_must else label
