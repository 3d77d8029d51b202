"""From what two searches found to an order: relevance, priors, tiers, the floor, and why some fall out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from sunrise.domain.duplicates import sameness
from sunrise.domain.importance import effective_label
from sunrise.domain.priors import MOST_IMPORTANT, Priors
from sunrise.domain.records import RecordState
from sunrise.domain.trust import may_be_must

_WORDS_BESIDE: Final = 1.6
"""What a memory with all telling words of the query gains, on the scale of dense scores."""

_ELSEWHERE_BESIDE: Final = 0.8
"""The weight of how well unrelated texts fit the query: a query that is near to everything proves little."""

BELOW_FLOOR: Final = "below_floor"
"""The reason of a memory that answers no better than chance."""

PLUGIN_SEED_ID: Final = "__schema__"
"""The plugin makes its table from this row and deletes it; a crash in between leaves it there."""

_DIGITS: Final = 9
"""Two machines may differ in the last bits of a product; what is equal must stay equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """
    What a ranking knows of a memory beside its score.

    ``words`` are the analysed terms of its text, one space apart; None where it was not analysed yet.
    """

    id: str
    ref: str
    text: str
    scope: str
    importance: float | None = None
    importance_label: str | None = None
    trust_tier: str | None = None
    category: str | None = None
    state: str | None = None
    created_at_ms: int | None = None
    expires_at_ms: int | None = None
    source_ref: str | None = None
    origin: str | None = None
    words: str | None = None

    @property
    def sameness(self) -> str:
        """What it shares with those that say the same; see :mod:`sunrise.domain.duplicates`."""
        return sameness(self.text, self.words)

    @property
    def label(self) -> str | None:
        """The label that a ranking goes by; see :func:`sunrise.domain.importance.effective_label`."""
        return effective_label(self.importance_label, self.importance, may_be_must=self.may_be_must)

    @property
    def may_be_must(self) -> bool:
        """Whether it may lead others because it says so; see :func:`sunrise.domain.trust.may_be_must`."""
        return may_be_must(self.trust_tier, self.origin)

    @property
    def is_superseded(self) -> bool:
        """Whether a newer memory replaces it, as somebody said."""
        return self.state == RecordState.SUPERSEDED


@dataclass(frozen=True, slots=True)
class Fit:
    """
    How well one memory fits a query.

    ``relevance`` is the one score of both legs. ``lexical`` and ``dense`` are what it was made of, None where
    a leg said nothing or the scores of the legs cannot be compared. ``told`` is the share of the query's
    telling words. ``beside`` is what its neighbours added to the relevance, None where there are none.
    ``is_exact`` says that it has the words of the query and no others, ``is_of_time`` that it is of a day, a
    week or a month that the query names.
    """

    relevance: float
    lexical: float | None = None
    dense: float | None = None
    told: float = 0.0
    beside: float | None = None
    is_exact: bool = False
    is_of_time: bool = False


@dataclass(frozen=True, slots=True)
class Ranked:
    """A memory with all that its place is made of; ``replaced_by`` is the ref of one that is up to date."""

    memory: Memory
    fit: Fit
    priors: Priors
    score: float
    replaced_by: str | None = None

    @property
    def components(self) -> Mapping[str, float]:
        """The parts of the score by name, rounded as a receipt shows them."""
        parts = {
            "relevance": self.fit.relevance,
            "lexical": self.fit.lexical,
            "dense": self.fit.dense,
            "beside": self.fit.beside,
            "importance": self.priors.importance,
            "trust": self.priors.trust,
            "recency": self.priors.recency,
            "state": self.priors.state,
            "date": self.priors.date,
            "scope": None if self.priors.scope == 1 else self.priors.scope,
        }
        return MappingProxyType({name: round(part, 6) for name, part in parts.items() if part is not None})


@dataclass(frozen=True, slots=True)
class Chosen:
    """Those that are returned, best first, and the others with the reason."""

    kept: tuple[Ranked, ...] = ()
    rejected: tuple[tuple[str, str], ...] = ()


def ranked(memory: Memory, fit: Fit, priors: Priors, *, damping: float = 1.0) -> Ranked:
    """
    Return a memory with its score: relevance times priors, so that a prior above 1 always lifts.

    ``damping`` is the power to which priors are taken: sums of reciprocal ranks lie nearer to each other than
    scores do. A memory that says just what is asked counts as the most important one, whatever its label.

    >>> tea = Memory(id="1", ref="mem:1", text="tea", scope="global")
    >>> ranked(tea, Fit(0.5), Priors(recency=0.9)).score, ranked(tea, Fit(-0.5), Priors(state=0.5)).score
    (0.45, -1.0)
    """
    if fit.is_exact:
        priors = replace(priors, importance=MOST_IMPORTANT)
    factor = priors.product**damping
    score = fit.relevance * factor if fit.relevance >= 0 else fit.relevance / factor
    return Ranked(memory, fit, priors, round(score, _DIGITS))


def in_order(found: Iterable[Ranked]) -> list[Ranked]:
    """
    Return memories by their scores, best first, equals by ref.

    The score of a superseded memory is lowered to that of the worst current one, so that none stands before
    what replaced it.
    """
    memories = list(found)
    lowest = min((one.score for one in memories if not one.memory.is_superseded), default=math.inf)
    placed = (
        replace(one, score=lowest) if one.memory.is_superseded and one.score > lowest else one
        for one in memories
    )
    return sorted(placed, key=lambda one: (-one.score, one.memory.is_superseded, one.memory.ref))


def chosen(
    order: Sequence[Ranked],
    *,
    limit: int,
    now_ms: int = 0,
    is_below_floor: Callable[[Fit], bool] | None = None,
) -> Chosen:
    """Return the first memories of an order that may be handed out, and the reason for every other one."""
    kept: list[Ranked] = []
    rejected: list[tuple[str, str]] = []
    said: set[str] = set()
    for one in order:
        if is_below_floor is not None and is_below_floor(one.fit):
            rejected.append((one.memory.ref, BELOW_FLOOR))
            continue
        reason = _why_not(one.memory, said, full=len(kept) == limit, now_ms=now_ms)
        if reason is None:
            kept.append(one)
            said.add(one.memory.sameness)
        else:
            rejected.append((one.memory.ref, reason))
    return Chosen(tuple(kept), tuple(rejected))


def filled_up(found: Chosen, more: Chosen, *, limit: int) -> Chosen:
    """
    Return what was found, with as much of what was found elsewhere as the limit leaves room for, in order.

    Nothing of the first falls out for the second, and what it says already is not told twice.
    """
    said = {one.memory.sameness for one in found.kept} | {one.memory.ref for one in found.kept}
    fresh = [one for one in more.kept if said.isdisjoint((one.memory.sameness, one.memory.ref))]
    kept = in_order((*found.kept, *fresh[: max(0, limit - len(found.kept))]))
    return Chosen(tuple(kept), (*found.rejected, *more.rejected))


def is_below_floor(fit: Fit, *, elsewhere: float | None, least: float) -> bool:
    """
    Return whether a memory answers no better than chance: unrelated texts are as near, and words are missing.

    *elsewhere* is how well unrelated texts fit the query, on the scale of dense scores. Without it nobody can
    tell, and the memory may fit. A memory without a vector is judged by its words alone, and one of a time
    that the query names always fits.

    >>> strange, known = Fit(0.1, 0.05, 0.6, 0.05), Fit(0.3, 0.3, 0.6, 0.3)
    >>> [is_below_floor(one, elsewhere=1.4, least=0.0) for one in (strange, known)]
    [True, False]
    >>> is_below_floor(strange, elsewhere=0.4, least=0.0), is_below_floor(strange, elsewhere=None, least=0.0)
    (False, False)
    """
    if elsewhere is None or fit.is_of_time:
        return False
    return (fit.dense or 0.0) + _WORDS_BESIDE * fit.told - _ELSEWHERE_BESIDE * elsewhere < least


def tier_of(label: str | None) -> str:
    """
    Return the policy tier of a label; what nobody graded is unknown.

    >>> tier_of("must_remember"), tier_of("nice_to_have"), tier_of(None), tier_of("ignore")
    ('must', 'nice', 'unknown', 'ignore')
    """
    return {"must_remember": "must", "nice_to_have": "nice", "ignore": "ignore"}.get(label or "", "unknown")


def policy_tier(tiers: Iterable[str]) -> str:
    """
    Return how far down the tiers an answer had to go.

    >>> policy_tier(["nice"]), policy_tier(["must", "unknown"]), policy_tier(["ignore"])
    ('must+nice', 'must+nice+unknown', 'must+nice+unknown+ignore')
    """
    found = set(tiers)
    names = ["must+nice"]
    if found & {"unknown", "ignore"}:
        names.append("unknown")
    if "ignore" in found:
        names.append("ignore")
    return "+".join(names)


def count_tiers(found: Iterable[Ranked]) -> dict[str, int]:
    """Return how many memories are of each tier, all four named."""
    counts: dict[str, int] = dict.fromkeys(("must", "nice", "unknown", "ignore"), 0)
    for one in found:
        counts[tier_of(one.memory.importance_label)] += 1
    return counts


def _why_not(memory: Memory, said: set[str], *, full: bool, now_ms: int) -> str | None:
    if memory.id == PLUGIN_SEED_ID:
        return "plugin_seed_row"
    if not memory.text.strip():
        return "empty_text"
    if memory.expires_at_ms is not None and memory.expires_at_ms <= now_ms:
        return "expired"
    if full:
        return "over_limit"
    return "near_duplicate" if memory.sameness in said else None
