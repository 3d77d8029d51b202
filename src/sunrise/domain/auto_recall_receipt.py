"""The receipt of auto-recall: what became of each memory in a turn, in refs and codes, never a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from sunrise.domain.auto_recall import MAX_RECEIPT_ITEMS, ReceiptPolicy
from sunrise.domain.filters import DEFAULT_SCOPE
from sunrise.domain.recall import Verbosity
from sunrise.domain.repeats import DEFAULT_REPEATS
from sunrise.domain.tier_selection import TIERS, UNKNOWN, QuotaSummary, SelectionMode

AUTO_RECALL_SCHEMA: Final = "sunrise.auto_recall.v1"


class Fate(StrEnum):
    """What became of a memory in a turn."""

    PINNED = "pinned"
    SELECTED = "selected"
    SUPPRESSED = "suppressed_by_repeat"
    BACKBONE = "backbone_duplicate"
    STALE_TODO = "stale_todo"
    BUDGET = "dropped_by_budget"
    LEFT_OUT = "left_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """
    What became of one memory, and why.

    ``why`` is a code: the rule that selected it, the reason that left it out, the ref that says it already.
    ``tier`` is empty for what did not compete for a slot. ``score`` is what was left after the penalty,
    ``times`` in how many turns of the window it was injected, ``exempt`` why that did not count.
    """

    ref: str
    fate: Fate
    why: str
    tier: str = UNKNOWN
    score: float | None = None
    times: int = 0
    exempt: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingSetNote:
    """What a receipt says of the working set: how many items each section has, never what they say."""

    generated: bool = False
    id: str | None = None
    chars: int = 0
    sections: Mapping[str, int] = field(default_factory=dict)
    persisted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the values under the names that agents read."""
        return {
            "generated": self.generated,
            "id": self.id,
            "chars": self.chars,
            "sections": dict(self.sections),
            "persisted": self.persisted,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetNote:
    """What the context budget did at the very end."""

    before_chars: int
    after_chars: int
    action: str
    dropped: tuple[str, ...] = ()

    def to_dict(self, bound: int = MAX_RECEIPT_ITEMS) -> dict[str, Any]:
        """Return the values under the names that agents read, with at most so many refs."""
        return {
            "beforeChars": self.before_chars,
            "afterChars": self.after_chars,
            "action": self.action,
            "droppedCount": len(self.dropped),
            "droppedIds": list(self.dropped[:bound]),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeNote:
    """
    Which scope was asked, and by what it was named.

    ``fallbacks`` are the scopes that were asked beside it, ``marker`` is what shows that they were.
    ``suppressed`` is the code of why none was asked.
    """

    scope: str = DEFAULT_SCOPE
    source: str = "default"
    fallbacks: tuple[str, ...] = ()
    marker: str | None = None
    suppressed: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the values under the names that agents read."""
        return {
            "scope": self.scope,
            "source": self.source,
            "fallbacks": list(self.fallbacks),
            "marker": self.marker,
            "suppressed": self.suppressed,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoRecallReceipt:
    """
    How what was put before the agent in a turn came about.

    ``skip_reason`` is the code of why nothing was looked up. ``outcomes`` tell of every memory that was
    pinned or found, those that were selected first.
    """

    at_ms: int
    turn: int = 0
    skip_reason: str | None = None
    scope: ScopeNote = field(default_factory=ScopeNote)
    selection_mode: SelectionMode = SelectionMode.TIER_QUOTA
    quota: QuotaSummary = field(default_factory=QuotaSummary)
    window_turns: int = DEFAULT_REPEATS.window_turns
    outcomes: tuple[Outcome, ...] = ()
    fts_top: tuple[str, ...] = ()
    vec_top: tuple[str, ...] = ()
    fused_top: tuple[str, ...] = ()
    working_set: WorkingSetNote | None = None
    budget: BudgetNote | None = None
    latency_ms: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    receipts: ReceiptPolicy = field(default_factory=ReceiptPolicy)

    def of(self, fate: Fate) -> tuple[Outcome, ...]:
        """Return the outcomes of one kind, in their order."""
        return tuple(one for one in self.outcomes if one.fate is fate)

    @property
    def found(self) -> tuple[Outcome, ...]:
        """What became of those that were found, whether or not they were selected."""
        return tuple(one for one in self.outcomes if one.fate is not Fate.PINNED)

    @property
    def tier_candidates(self) -> dict[str, int]:
        """How many of each tier were found."""
        return _by_tier(self.found)

    @property
    def tier_selected(self) -> dict[str, int]:
        """How many of each tier were put before the agent."""
        return _by_tier(self.of(Fate.SELECTED))

    @property
    def why_summary(self) -> str:
        """
        One line of codes: what was skipped, or how many memories had which fate.

        >>> AutoRecallReceipt(at_ms=0, skip_reason="greeting").why_summary
        'skipped=greeting'
        """
        if self.skip_reason is not None:
            return f"skipped={self.skip_reason}"
        counts = ((str(fate), len(self.of(fate))) for fate in Fate)
        return " ".join([str(self.selection_mode), *(f"{fate}={count}" for fate, count in counts if count)])

    def to_dict(self) -> dict[str, Any]:
        """Return what may be shown: bounded lists under the names that agents read; nothing if disabled."""
        if not self.receipts.enabled:
            return {}
        bound = self.receipts.bound
        return {
            "schema": AUTO_RECALL_SCHEMA,
            "verbosity": str(self.receipts.verbosity),
            "atMs": self.at_ms,
            "turn": self.turn,
            "skipped": self.skip_reason is not None,
            "skipReason": self.skip_reason,
            "scope": self.scope.to_dict(),
            "selectionMode": str(self.selection_mode),
            "quota": self.quota.to_dict(),
            "tierCounts": {
                "candidates": self.tier_candidates,
                "selected": self.tier_selected,
            },
            "ftsTop": list(self.fts_top[:bound]),
            "vecTop": list(self.vec_top[:bound]),
            "fusedTop": list(self.fused_top[:bound]),
            "whySummary": self.why_summary,
            "whyTheseIds": [_why(one, self.receipts.verbosity) for one in self.of(Fate.SELECTED)[:bound]],
            "pinnedByWorkingSet": self._listed(Fate.PINNED),
            "suppressedByRepeat": self._listed(Fate.SUPPRESSED),
            "excludedAsBackboneDuplicate": self._listed(Fate.BACKBONE),
            "todoGuardrail": self._listed(Fate.STALE_TODO),
            "leftOut": _by_reason(self.of(Fate.LEFT_OUT)),
            "workingSet": None if self.working_set is None else self.working_set.to_dict(),
            "contextBudget": None if self.budget is None else self.budget.to_dict(bound),
            "latencyMs": dict(self.latency_ms),
            "warnings": list(self.warnings[:MAX_RECEIPT_ITEMS]),
        }

    def compact_comment(self) -> str:
        """
        Return a comment of refs for the prompt, at high verbosity; else nothing.

        >>> receipts = ReceiptPolicy(verbosity=Verbosity.HIGH)
        >>> tea = Outcome(ref="mem:tea", fate=Fate.SELECTED, why="must")
        >>> AutoRecallReceipt(at_ms=0, outcomes=(tea,), receipts=receipts).compact_comment()
        '<!-- sunrise.auto_recall.v1 tier_quota_v1 selected=mem:tea -->'
        """
        if not self.receipts.enabled or self.receipts.verbosity is not Verbosity.HIGH:
            return ""
        parts = [AUTO_RECALL_SCHEMA, str(self.selection_mode)]
        if self.skip_reason is not None:
            parts.append(f"skipped={_sign(self.skip_reason)}")
        for fate in (Fate.PINNED, Fate.SELECTED, Fate.SUPPRESSED, Fate.BACKBONE, Fate.BUDGET):
            refs = [_sign(one.ref) for one in self.of(fate)[: self.receipts.bound]]
            if refs:
                parts.append(f"{fate}={','.join(refs)}")
        return f"<!-- {' '.join(parts)} -->"

    def _listed(self, fate: Fate) -> dict[str, Any]:
        refs = [one.ref for one in self.of(fate)]
        return {"count": len(refs), "ids": refs[: self.receipts.bound]}


_UNSAFE = re.compile(r"[^\w:.@/-]|-(?=-)")
_LONGEST_SIGN: Final = 80


def _sign(code: str) -> str:
    """Return a ref as it may stand in a comment: it cannot end it."""
    return _UNSAFE.sub("_", code)[:_LONGEST_SIGN].rstrip("-")


def _by_tier(outcomes: Iterable[Outcome]) -> dict[str, int]:
    counts = dict.fromkeys(TIERS, 0)
    for one in outcomes:
        if one.tier in counts:
            counts[one.tier] += 1
    return counts


def _by_reason(outcomes: Iterable[Outcome]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for one in outcomes:
        counts[one.why] = counts.get(one.why, 0) + 1
    return dict(sorted(counts.items()))


def _why(one: Outcome, verbosity: Verbosity) -> dict[str, Any]:
    said: dict[str, Any] = {"ref": one.ref, "score": one.score, "tier": one.tier, "rule": one.why}
    if verbosity is Verbosity.HIGH:
        said |= {"injectedBefore": one.times, "exempt": one.exempt}
    return said
