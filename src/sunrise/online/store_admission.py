"""What a text must pass before it is stored: made safe, without secrets, screened and graded."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sunrise.domain.importance import (
    LEAST_OF_PURPOSE,
    UNKNOWN_IMPORTANCE,
    Importance,
    ImportanceLabel,
    stated_importance,
)
from sunrise.domain.payloads import screen
from sunrise.domain.records import RecordState
from sunrise.domain.scope_policy import UNCHECKED, written_scope
from sunrise.domain.scoring.signals import PURPOSE_RATIONALE, Grade, Scorer, on_purpose
from sunrise.domain.secrets import is_only_redacted, redact
from sunrise.domain.store import StorePolicy, StoreRequest
from sunrise.domain.text.analysis import terms
from sunrise.domain.text.cleaning import clean, clip
from sunrise.domain.text.script import detect_lang
from sunrise.domain.trust import QUARANTINED, Origin, least, tier_at_entry
from sunrise.domain.turns import tier_by_speaker

_STATED: Final = "stated"
_ON_PURPOSE: Final = "on_purpose"
_CATEGORIES: Final = (("action", "todo"), ("decision", "decision"), ("policy", "preference"))
"""Signals that tell a category, the first that fires."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """
    A text as it may be stored, and what is known of it.

    ``inherits`` is the tier that it has from what it repeats, where that lowered its own. ``refused`` says
    why it may not be stored.
    """

    text: str
    terms: str = ""
    scope: str
    tier: str | None = None
    inherits: str | None = None
    payload: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
    clipped: bool = False
    category: str | None = None
    importance: Importance = UNKNOWN_IMPORTANCE
    importance_columns: dict[str, Any] = field(default_factory=dict)
    source_ref: str | None = None
    refused: str | None = None

    @property
    def label(self) -> str | None:
        """The label of importance as stores hold it: none for what nobody knows."""
        label = self.importance.label
        return None if label is ImportanceLabel.UNKNOWN else label.value

    @property
    def trust_reason(self) -> str | None:
        """Why the text is trusted less than its origin gives, None where it is not."""
        if self.payload:
            return f"payload:{','.join(self.payload)}"
        return None if self.inherits is None else f"inherits_{self.inherits}"

    def lowered(self, tier: str | None) -> Admitted:
        """Return this with a tier that it inherits, where it has no lower one."""
        lowest = least(self.tier, tier)
        return self if lowest == self.tier or lowest is None else replace(self, tier=lowest, inherits=lowest)

    def governance(self, request: StoreRequest, *, now_ms: int) -> dict[str, Any]:
        """Return the columns of the memory beside id, text, terms and vectors."""
        return {
            "importance": self.importance.score,
            "importance_label": self.label,
            "category": self.category,
            "scope": self.scope,
            "trust_tier": self.tier,
            "source_kind": request.source_kind,
            "source_ref": self.source_ref,
            "agentId": request.agent_id,
            "lang": detect_lang(self.text),
            "state": RecordState.ACTIVE.value,
            "updated_at_ms": now_ms,
            "expires_at_ms": request.expiry(now_ms),
            "review_at_ms": request.review_at_ms,
        }

    def observation(self, request: StoreRequest, *, now_ms: int) -> dict[str, Any]:
        """Return the columns of the observation in the ledger."""
        detail: dict[str, Any] = {"door": "store", **({"category": self.category} if self.category else {})}
        if request.on_purpose:
            # Whoever grades it later must not give it less than a purpose gives.
            detail["on_purpose"] = True
        return {
            "ts_ms": now_ms if request.said_at_ms is None else request.said_at_ms,
            "kind": self.category or "note",
            "summary": self.text,
            "lang": detect_lang(self.text),
            "scope": self.scope,
            "agent_id": request.agent_id,
            "trust_tier": self.tier,
            "trust_reason": self.trust_reason,
            "source_kind": request.source_kind,
            "source_ref": self.source_ref,
            "state": RecordState.ACTIVE.value,
            "detail_json": json.dumps(detail),
            "terms": self.terms,
            **self.importance_columns,
        }


def admitted(request: StoreRequest, policy: StorePolicy, *, now_ms: int) -> Admitted:
    """
    Return a request's text as it may be stored.

    The origin alone gives a tier of trust; what the text looks like, and whose message it is by its marks,
    can only lower it.
    """
    named = written_scope(request.scope, policy.scopes or UNCHECKED)
    if not named.is_valid:
        return Admitted(text="", scope=request.scope.strip(), refused="bad_scope")
    whole = clean(request.text).strip()
    without = redact(clip(whole, policy.max_chars))
    text = without.text.strip()
    clipped = len(whole) > policy.max_chars
    if not text or is_only_redacted(text):
        return Admitted(
            text="", scope=named.scope, redacted=without.kinds, clipped=clipped,
            refused="only_a_secret" if text else "empty_text",
        )  # fmt: skip
    payload = screen(text, owner=request.source_kind == Origin.OWNER)
    # A mark of another speaker lowers the text as a parent would: to unknown too.
    claimed = QUARANTINED if payload else None
    tier = tier_at_entry(request.source_kind, claimed=claimed, parents=(tier_by_speaker(text),))
    category, importance, columns = _judged(request, policy.scorer, text, now_ms=now_ms)
    return Admitted(
        text=text,
        terms=terms(text),
        scope=named.scope,
        tier=tier,
        payload=payload,
        redacted=without.kinds,
        clipped=clipped,
        category=category,
        importance=importance,
        importance_columns=columns,
        # An address may carry a password.
        source_ref=None if request.source_ref is None else redact(clean(request.source_ref)).text,
    )


def _judged(
    request: StoreRequest, scorer: Scorer | None, text: str, *, now_ms: int
) -> tuple[str | None, Importance, dict[str, Any]]:
    """Return category, importance, and its columns in the ledger: what is stated, else the scorer's."""
    told = None
    if scorer is not None and (request.category is None or request.importance is None):
        told = scorer.explain(kind=request.category or "note", tool_name=None, summary=text)
    fired = {one.name for one in told.fired} if told else set()
    category = request.category or next((name for signal, name in _CATEGORIES if signal in fired), None)
    importance, columns = _importance_of(request, None if told is None else told.grade)
    if columns:
        columns["importance_graded_at_ms"] = now_ms
    return category, importance, columns


def _importance_of(request: StoreRequest, grade: Grade | None) -> tuple[Importance, dict[str, Any]]:
    """Return what is stated, else the scorer's grade, raised to the least that a purpose gives."""
    stated = stated_importance(request.importance)
    if stated is not None:
        is_known = stated.label is not ImportanceLabel.UNKNOWN
        rationale = "Stated by who stored it."
        return stated, _grade(stated, method=_STATED, version=1, rationale=rationale) if is_known else {}
    if grade is None:
        if not request.on_purpose:
            return UNKNOWN_IMPORTANCE, {}
        least = LEAST_OF_PURPOSE
        return least, _grade(least, method=_ON_PURPOSE, version=1, rationale=PURPOSE_RATIONALE)
    grade = on_purpose(grade) if request.on_purpose else grade
    importance = Importance(grade.score, grade.label)
    return importance, _grade(
        importance, method=grade.method, version=grade.version, rationale=grade.rationale
    )


def _grade(importance: Importance, *, method: str, version: int, rationale: str) -> dict[str, Any]:
    return {
        "importance_score": importance.score,
        "importance_label": importance.label.value,
        "importance_method": method,
        "importance_version": version,
        "importance_rationale": rationale,
    }
