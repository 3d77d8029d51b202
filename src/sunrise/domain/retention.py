"""What may be archived: use-based tiers, and the reasons that protect a record."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sunrise.domain.importance import ImportanceLabel
from sunrise.domain.records import RecordState

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
    PROTECTED_MUST_REMEMBER = "must_remember"
    PROTECTED_UNGRADED = "ungraded"
    PROTECTED_RECENT_USE = "recent_use"
    PROTECTED_YOUNG = "young"


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """Days without use after which P1 and P2 records are archived."""

    p1_days: int = 90
    p2_days: int = 30

    def limit_ms(self, tier: Tier) -> int:
        """Return the unused time of a tier in milliseconds; P0 has none and is asked for in vain."""
        return {Tier.P1: self.p1_days, Tier.P2: self.p2_days}[tier] * DAY_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What retention must know of one record. Times are epoch milliseconds, UTC."""

    kind: str
    importance_label: str | None
    priority: str | None
    state: str | None
    created_ms: int
    archived_at_ms: int | None
    last_used_ms: int | None


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
    alone: unknown importance is never a reason to hide something.
    """
    if standing.state == RecordState.ARCHIVED:
        used_since = (standing.last_used_ms or 0) > (standing.archived_at_ms or 0)
        return Verdict.REVIVE if used_since else Verdict.REST
    protected = _protection(standing)
    if protected is not None:
        return protected
    limit = policy.limit_ms(tier_of(standing))
    if now_ms - (standing.last_used_ms or standing.created_ms) >= limit:
        return Verdict.ARCHIVE
    if now_ms - standing.created_ms >= limit:
        return Verdict.PROTECTED_RECENT_USE
    return Verdict.PROTECTED_YOUNG


def _protection(standing: Standing) -> Verdict | None:
    if tier_of(standing) is Tier.P0:
        return Verdict.PROTECTED_P0
    if standing.importance_label == ImportanceLabel.MUST_REMEMBER:
        return Verdict.PROTECTED_MUST_REMEMBER
    if standing.importance_label in (None, ImportanceLabel.UNKNOWN):
        return Verdict.PROTECTED_UNGRADED
    return None
