"""Which memories take the slots of a turn: by quotas of importance, or the important ones first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from sunrise.errors import DataError

MUST: Final = "must"
NICE: Final = "nice"
UNKNOWN: Final = "unknown"
IGNORE: Final = "ignore"
TIERS: Final = (MUST, NICE, UNKNOWN, IGNORE)
"""As :func:`sunrise.domain.ranking.tier_of` names them, the most important first."""


class SelectionMode(StrEnum):
    """Whether importance is a prior with quotas, or goes before everything else as it once did."""

    TIER_QUOTA = "tier_quota_v1"
    TIER_FIRST = "tier_first_v1"


class Rule(StrEnum):
    """By which rule a candidate got its slot. ``wildcard`` is a slot that no quota claims."""

    HARD_RULE = "hard_rule"
    MUST = "must"
    NICE_FLOOR = "nice_floor"
    UNKNOWN = "unknown"
    WILDCARD = "wildcard"
    SPILL = "spill"
    TIER_FIRST = "tier_first"


class LeftOut(StrEnum):
    """Why a candidate got no slot."""

    MUST_CAP = "must_cap"
    UNKNOWN_CAP = "unknown_cap"
    IGNORED = "ignored"
    NO_SLOT = "no_slot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """
    How the slots are shared out.

    ``must_max`` and ``unknown_max`` are caps, ``nice_min`` is a floor as long as relevant ones are there.

    Raises:
        DataError: One of them is negative; reason ``bad_quota``.
    """

    must_max: int = 2
    nice_min: int = 2
    unknown_max: int = 1

    def __post_init__(self) -> None:
        if min(self.must_max, self.nice_min, self.unknown_max) < 0:
            msg = "a quota cannot be negative"
            raise DataError(msg, reason="bad_quota")

    @property
    def claimed(self) -> int:
        """How many slots they claim together."""
        return self.must_max + self.nice_min + self.unknown_max


DEFAULT_QUOTAS: Final = Quotas()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """
    A memory that could be injected, with its final score.

    ``is_relevant`` says that it fits well enough to claim the floor of its tier. ``is_recent`` gives it the
    first claim to a wildcard slot. ``is_hard_rule`` goes before all quotas and counts in the one of its tier;
    an ignored memory is none. A tier that does not exist is unknown.
    """

    ref: str
    tier: str
    score: float
    created_ms: int | None = None
    is_relevant: bool = True
    is_recent: bool = False
    is_hard_rule: bool = False


@dataclass(frozen=True, slots=True)
class Selected:
    """A candidate with a slot, and the rule that gave it."""

    candidate: Candidate
    rule: Rule

    @property
    def ref(self) -> str:
        """The ref of the candidate."""
        return self.candidate.ref


@dataclass(frozen=True, slots=True)
class Unselected:
    """A candidate without a slot, and why."""

    candidate: Candidate
    reason: LeftOut

    @property
    def ref(self) -> str:
        """The ref of the candidate."""
        return self.candidate.ref


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaSummary:
    """
    The quotas, and what became of the slots that they did not fill.

    ``wildcard_used`` slots were claimed by no quota, ``spilled`` ones by a tier that had too few candidates.
    """

    must_max: int = 0
    nice_min: int = 0
    unknown_max: int = 0
    wildcard_used: int = 0
    spilled: int = 0

    def to_dict(self) -> dict[str, int]:
        """Return the figures under the names that agents read."""
        return {
            "mustMax": self.must_max,
            "niceMin": self.nice_min,
            "unknownMax": self.unknown_max,
            "wildcardUsed": self.wildcard_used,
            "spilled": self.spilled,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Who got a slot, best score first, who did not, and the sum of it."""

    mode: SelectionMode
    selected: tuple[Selected, ...] = ()
    left_out: tuple[Unselected, ...] = ()
    quota: QuotaSummary = field(default_factory=QuotaSummary)

    @property
    def refs(self) -> tuple[str, ...]:
        """The refs of those with a slot, in their order."""
        return tuple(one.ref for one in self.selected)


def select(
    candidates: Iterable[Candidate],
    *,
    max_items: int,
    quotas: Quotas = DEFAULT_QUOTAS,
    mode: SelectionMode = SelectionMode.TIER_QUOTA,
) -> Selection:
    """
    Return who takes the slots, whatever the order in which the candidates come.

    With quotas a tier goes over its cap only where no candidate below a cap waits, and an ignored memory
    takes a slot only where nothing else waits. Equal scores: the newer first, then by ref.

    >>> found = [Candidate(ref=f"m{n}", tier="must", score=0.9 - n / 100) for n in range(3)]
    >>> found += [Candidate(ref=f"n{n}", tier="nice", score=0.5 - n / 100) for n in range(2)]
    >>> select(found, max_items=4).refs
    ('m0', 'm1', 'n0', 'n1')
    >>> select(found, max_items=4, mode=SelectionMode.TIER_FIRST).refs
    ('m0', 'm1', 'm2', 'n0')
    """
    order = _in_order(candidates)
    slots = _Slots(max(0, max_items), order)
    if mode is SelectionMode.TIER_FIRST:
        return _tier_first(slots)
    return _tier_quota(slots, quotas)


@dataclass(slots=True)
class _Slots:
    """The slots that are free yet, and the candidates that wait, best first."""

    free: int
    waiting: list[Candidate]
    taken: list[Selected] = field(default_factory=list)

    def fill(self, rule: Rule, first: Sequence[Candidate], *, most: int) -> int:
        """Give slots to the first of some waiting candidates; return how many got one."""
        chosen = first[: min(most, self.free)]
        names = {one.ref for one in chosen}
        self.taken += [Selected(one, rule) for one in chosen]
        self.waiting = [one for one in self.waiting if one.ref not in names]
        self.free -= len(chosen)
        return len(chosen)

    def hard_rules(self) -> list[Candidate]:
        return [one for one in self.waiting if one.is_hard_rule and one.tier != IGNORE]

    def of(self, tier: str) -> list[Candidate]:
        return [one for one in self.waiting if one.tier == tier]

    def count(self, tier: str) -> int:
        return sum(one.candidate.tier == tier for one in self.taken)

    def left(self, tier: str, quota: int) -> int:
        """Return how much of a quota is left."""
        return max(0, quota - self.count(tier))


def _tier_quota(slots: _Slots, quotas: Quotas) -> Selection:
    unclaimed = max(0, slots.free - quotas.claimed)
    slots.fill(Rule.HARD_RULE, slots.hard_rules(), most=slots.free)
    # The floor is kept free while the important ones take their slots.
    nice = [one for one in slots.of(NICE) if one.is_relevant]
    floor = min(slots.left(NICE, quotas.nice_min), len(nice), slots.free)
    slots.fill(Rule.MUST, slots.of(MUST), most=min(slots.left(MUST, quotas.must_max), slots.free - floor))
    slots.fill(Rule.NICE_FLOOR, nice, most=floor)
    slots.fill(Rule.UNKNOWN, slots.of(UNKNOWN), most=slots.left(UNKNOWN, quotas.unknown_max))
    recent_first = sorted(slots.waiting, key=lambda one: (_turn(one), not one.is_recent))
    wildcards = slots.fill(Rule.WILDCARD, recent_first, most=unclaimed)
    spilled = slots.fill(Rule.SPILL, sorted(slots.waiting, key=_turn), most=slots.free)
    return Selection(
        mode=SelectionMode.TIER_QUOTA,
        selected=tuple(sorted(slots.taken, key=lambda one: _place(one.candidate))),
        left_out=_left_out(slots, quotas),
        quota=QuotaSummary(
            must_max=quotas.must_max,
            nice_min=quotas.nice_min,
            unknown_max=quotas.unknown_max,
            wildcard_used=wildcards,
            spilled=spilled,
        ),
    )


def _tier_first(slots: _Slots) -> Selection:
    slots.fill(Rule.HARD_RULE, slots.hard_rules(), most=slots.free)
    slots.fill(Rule.TIER_FIRST, sorted(slots.waiting, key=_rank), most=slots.free)
    return Selection(
        mode=SelectionMode.TIER_FIRST,
        selected=tuple(sorted(slots.taken, key=lambda one: (_rank(one.candidate), _place(one.candidate)))),
        left_out=_left_out(slots, None),
    )


def _turn(candidate: Candidate) -> int:
    """Return when it is a candidate's turn for what is left: musts and unknowns are at their caps by then."""
    return {NICE: 0, IGNORE: 2}.get(candidate.tier, 1)


def _left_out(slots: _Slots, quotas: Quotas | None) -> tuple[Unselected, ...]:
    why = {IGNORE: LeftOut.IGNORED}
    if quotas and slots.count(MUST) >= quotas.must_max:
        why[MUST] = LeftOut.MUST_CAP
    if quotas and slots.count(UNKNOWN) >= quotas.unknown_max:
        why[UNKNOWN] = LeftOut.UNKNOWN_CAP
    return tuple(Unselected(one, why.get(one.tier, LeftOut.NO_SLOT)) for one in slots.waiting)


def _in_order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return each candidate once, best first."""
    known = [one if one.tier in TIERS else replace(one, tier=UNKNOWN) for one in candidates]
    if len({one.ref for one in known}) == len(known):
        # What differs in its ref needs no more to be told apart.
        return sorted(known, key=_place)
    once: dict[str, Candidate] = {}
    for one in sorted(known, key=lambda one: (_place(one), _rank(one), *_marks(one))):
        once.setdefault(one.ref, one)
    return list(once.values())


def _place(candidate: Candidate) -> tuple[float, float, str]:
    score = -math.inf if math.isnan(candidate.score) else candidate.score
    created = -math.inf if candidate.created_ms is None else candidate.created_ms
    return (-score, -created, candidate.ref)


def _rank(candidate: Candidate) -> int:
    return TIERS.index(candidate.tier)


def _marks(candidate: Candidate) -> tuple[bool, bool, bool]:
    return (not candidate.is_hard_rule, not candidate.is_relevant, not candidate.is_recent)
