"""What may be archived: use-based tiers, and the reasons that protect a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from sunrise.domain.importance import DEFAULT_SCORE, ImportanceLabel
from sunrise.domain.records import RecordState
from sunrise.domain.repeats import is_hard_rule

DAY_MS = 86_400_000

DURABLE_KINDS = frozenset({"preference", "decision", "fact", "learning", "plan", "entity"})
"""Kinds that state something lasting (seed: use-based retention, tier P1)."""


class Tier(StrEnum):
    """P0 is never archived; P1 and P2 after their days without use (architecture seed, lifecycle manager)."""

    P0 = "P0"
    P1 = "P1"
    P2 = "P2"


class Verdict(StrEnum):
    """What the lifecycle does with one record, and why."""

    ARCHIVE = "archive"
    REVIVE = "revive"
    REST = "already_archived"
    PROTECTED_P0 = "p0"
    PROTECTED_HARD_RULE = "hard_rule"
    PROTECTED_PINNED = "pinned"
    PROTECTED_OPEN_TODO = "open_todo"
    PROTECTED_MUST_REMEMBER = "must_remember"
    PROTECTED_UNGRADED = "ungraded"
    PROTECTED_NO_RECALL_YET = "no_recall_yet"
    PROTECTED_NOT_RECALLABLE = "not_recallable"
    PROTECTED_RECENT_USE = "recent_use"
    PROTECTED_YOUNG = "young"
    PROTECTED_TOO_EARLY = "too_early"


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """
    Days without use after which P1 and P2 records are archived, and since when use could be seen at all.

    ``served_since_ms`` is when the home first served a recall, None where it never did.
    """

    p1_days: int = 90
    p2_days: int = 30
    served_since_ms: int | None = None

    def limit_ms(self, tier: Tier) -> int:
        """Return the unused time of a tier in milliseconds; P0 has none and is asked for in vain."""
        return {Tier.P1: self.p1_days, Tier.P2: self.p2_days}[tier] * DAY_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """
    What retention must know of one record. Times are epoch milliseconds, UTC.

    ``importance_label`` is the effective one. ``entered_ms`` is when the record came into this home, or was
    last brought back into use, where that is known: an old text that was imported yesterday has had one day
    to be used. ``is_recallable`` is unset where no recall can hand the record out, so that nothing can be
    concluded from its not being used.
    """

    kind: str
    importance_label: str | None
    priority: str | None
    state: str | None
    created_ms: int
    archived_at_ms: int | None
    last_used_ms: int | None
    importance_score: float | None = None
    entered_ms: int | None = None
    trust_tier: str | None = None
    is_pinned: bool = False
    is_recallable: bool = True

    @property
    def goes_by_age(self) -> bool:
        """
        Whether something speaks against keeping it, so that it may go without having been offered to anyone.

        An ``ignore`` with a score above that of a text without any signal has something that speaks for it,
        only too little to be kept for that alone.
        """
        is_ignored = self.importance_label == ImportanceLabel.IGNORE
        return is_ignored and (self.importance_score is None or self.importance_score < DEFAULT_SCORE)

    @property
    def why_archived(self) -> str:
        """The reason that stands in the audit trail where it is archived."""
        return f"{'ignored' if self.goes_by_age else 'unused'}_{tier_of(self)}"


@dataclass(frozen=True, slots=True)
class ArchiveLimit:
    """
    How much one run may archive of one store without being asked about it.

    A run passes up to ``unchecked_rows`` rows, whatever their share, so that one row of five is no anomaly.
    """

    max_share: float = 0.1
    unchecked_rows: int = 5

    def is_passed(self, *, archived: int, active: int) -> bool:
        """
        Return whether so many of the active rows of a store are too many for one run.

        >>> [ArchiveLimit().is_passed(archived=n, active=100) for n in (10, 11)]
        [False, True]
        >>> [ArchiveLimit().is_passed(archived=n, active=8) for n in (5, 6)]
        [False, True]
        """
        return archived > max(self.unchecked_rows, self.max_share * active)


def too_much(limit: ArchiveLimit, archived: Mapping[str, int], active: Mapping[str, int]) -> tuple[str, ...]:
    """
    Return the stores of which a run would archive too much, each measured by itself.

    A large ledger must not hide that all memories would go: recall answers from the memories.

    >>> too_much(ArchiveLimit(), {"memories": 40, "observations": 0}, {"memories": 40, "observations": 9_000})
    ('memories',)
    """
    return tuple(
        store
        for store, rows in archived.items()
        if limit.is_passed(archived=rows, active=active.get(store, 0))
    )


def tier_of(standing: Standing) -> Tier:
    """
    Return the tier: what the record says of itself, else P1 for durable kinds, else P2.

    Trust plays no part: frequent use never makes an untrusted record trusted, nor keeps it.
    """
    if standing.priority in Tier.__members__:
        return Tier(str(standing.priority))
    return Tier.P1 if standing.kind in DURABLE_KINDS else Tier.P2


def judge(standing: Standing, *, policy: RetentionPolicy, now_ms: int) -> Verdict:
    """
    Say what becomes of a record.

    An archived record comes back once it was used after it was archived. A record without a grade is left
    alone: unknown importance is never a reason to hide something. Only a record that was judged to be
    ignored goes by its age; any other one must have been there for the time of its tier since recalls are
    served, and not have been used.
    """
    if standing.state == RecordState.ARCHIVED:
        used_since = (standing.last_used_ms or 0) > (standing.archived_at_ms or 0)
        return Verdict.REVIVE if used_since else Verdict.REST
    protected = _protection(standing)
    if protected is not None:
        return protected
    limit = _limit_ms(standing, policy)
    if standing.goes_by_age:
        unused_since = standing.last_used_ms or standing.created_ms
    elif policy.served_since_ms is None or not standing.is_recallable:
        never = policy.served_since_ms is None
        return Verdict.PROTECTED_NO_RECALL_YET if never else Verdict.PROTECTED_NOT_RECALLABLE
    else:
        unused_since = max(
            standing.created_ms,
            standing.entered_ms or 0,
            standing.last_used_ms or 0,
            policy.served_since_ms,
        )
    if now_ms - unused_since >= limit:
        return Verdict.ARCHIVE
    if now_ms - standing.created_ms < limit:
        return Verdict.PROTECTED_YOUNG
    was_used = now_ms - (standing.last_used_ms or 0) < limit
    return Verdict.PROTECTED_RECENT_USE if was_used else Verdict.PROTECTED_TOO_EARLY


def _limit_ms(standing: Standing, policy: RetentionPolicy) -> int:
    """
    Return how long a record may stay unused; one that was used is as durable as any of P1.

    With the days of P2 alone, what is asked for on the same day of every month would be gone after 30 of 31.
    """
    limit = policy.limit_ms(tier_of(standing))
    if standing.last_used_ms is None or standing.goes_by_age:
        return limit
    return max(limit, policy.limit_ms(Tier.P1))


def _protection(standing: Standing) -> Verdict | None:
    if tier_of(standing) is Tier.P0:
        return Verdict.PROTECTED_P0
    is_current = standing.state not in (RecordState.SUPERSEDED, RecordState.STALE)
    if is_current and is_hard_rule(standing.kind, trust_tier=standing.trust_tier):
        return Verdict.PROTECTED_HARD_RULE
    if is_current and standing.is_pinned:
        return Verdict.PROTECTED_PINNED
    if standing.importance_label == ImportanceLabel.MUST_REMEMBER:
        return Verdict.PROTECTED_MUST_REMEMBER
    if standing.importance_label in (None, ImportanceLabel.UNKNOWN):
        return Verdict.PROTECTED_UNGRADED
    return None
