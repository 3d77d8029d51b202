"""The receipt of a recall, made of what its stages left: refs, counts, codes and figures, never a text."""

from __future__ import annotations

from typing import Final

from sunrise.domain.ranking import Chosen, Ranked, count_tiers, policy_tier, tier_of
from sunrise.domain.recall import (
    RecallReceipt,
    RecallReject,
    RecallRequest,
    ScoredRef,
    Verbosity,
)
from sunrise.online.recall_trail import Trail

_TOP: Final = 10
_MAX_REJECTS: Final = 20
_MAX_DETAILS: Final = 10


def receipt_of(
    request: RecallRequest, trail: Trail, answer: Chosen, *, scope: str, model_id: str, at_ms: int
) -> RecallReceipt:
    """Return the receipt of an answer; what is told of single memories is bounded."""
    found = [one for one in trail.found if one.memory.ref]
    tops = {leg: tuple(refs[:_TOP]) for leg, refs in trail.tops.items()}
    return RecallReceipt(
        at_ms=at_ms,
        scope=scope,
        limit=request.limit,
        query_chars=len(request.query),
        query_terms=trail.query_terms,
        model_id=model_id,
        fusion=trail.fusion,
        calibration_id=trail.calibration_id,
        fts_top=tops.get("fts", ()),
        vec_top=tops.get("vec", ()),
        fused_top=tuple(one.memory.ref for one in found[:_TOP]),
        policy_tier=policy_tier(tier_of(one.memory.label) for one in answer.kept),
        tier_candidates=count_tiers(found),
        tier_selected=count_tiers(answer.kept),
        with_untrusted=trail.with_untrusted,
        why_summary=_summary(trail, answer),
        scores=tuple(_scored(one, trail) for one in answer.kept[:_MAX_DETAILS]),
        rejects=tuple(RecallReject(ref, reason) for ref, reason in answer.rejected[:_MAX_REJECTS]),
        rejected_by_reason=_by_reason(answer),
        lexical_skipped=trail.skipped.get("lexical"),
        dense_skipped=trail.skipped.get("dense"),
        reason=trail.reason,
        elsewhere=trail.elsewhere,
        latency_ms=trail.latency_ms,
        verbosity=Verbosity(request.verbosity),
        fallback_scopes=trail.fallback_scopes,
        scope_warning=request.scope_warning,
    )


def _summary(trail: Trail, answer: Chosen) -> str:
    """Return one line of codes: how it was fused, how many were found and returned, and what was missing."""
    parts = [trail.fusion or "nothing", f"found={len(trail.found)}", f"returned={len(answer.kept)}"]
    parts += [f"{leg}_skipped={reason}" for leg, reason in sorted(trail.skipped.items())]
    if trail.with_untrusted:
        parts.append("untrusted_admitted")
    if trail.reason:
        parts.append(trail.reason)
    return " ".join(parts)


def _scored(one: Ranked, trail: Trail) -> ScoredRef:
    return ScoredRef(
        ref=one.memory.ref,
        score=round(one.score, 6),
        tier=tier_of(one.memory.label),
        why=tuple(_reasons(one, trail)),
        components=one.components,
    )


def _reasons(one: Ranked, trail: Trail) -> list[str]:
    legs = [leg for leg in ("fts", "vec") if one.memory.ref in trail.tops.get(leg, ())]
    said = {"fts": "words", "vec": "meaning"}
    parts = one.priors
    named = (
        ("exact", one.fit.is_exact),
        ("important", parts.importance > 1 and not one.fit.is_exact),
        ("ignored", parts.importance < 1),
        ("trusted", parts.trust > 1),
        ("in_asked_time", parts.date > 1),
        ("fallback_scope", parts.scope < 1),
        (f"state_{one.memory.state}", parts.state < 1),
        (f"replaced_by {one.replaced_by}", one.replaced_by is not None),
    )
    return [said[leg] for leg in legs] + [name for name, holds in named if holds]


def _by_reason(answer: Chosen) -> dict[str, int]:
    counts: dict[str, int] = {}
    for _, reason in answer.rejected:
        counts[reason] = counts.get(reason, 0) + 1
    return dict(sorted(counts.items()))
