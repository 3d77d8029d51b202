"""Recall: the memories most useful for a query, found by words and by meaning, ranked by evidence."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import partial
from typing import Final

from sunrise.domain import filters
from sunrise.domain.calibration import Calibration
from sunrise.domain.model_figures import ModelFigures, figures_of
from sunrise.domain.priors import DEFAULT_POLICY, RankingPolicy, priors_of
from sunrise.domain.query_dates import Span, phrases_of, terms_of, times_in
from sunrise.domain.ranking import (
    BELOW_FLOOR,
    Chosen,
    Ranked,
    chosen,
    filled_up,
    in_order,
    is_below_floor,
    ranked,
)
from sunrise.domain.recall import Elsewhere, RecallItem, RecallReceipt, RecallRequest, RecallResult
from sunrise.domain.secrets import redact
from sunrise.domain.succession import after_succession
from sunrise.domain.text.analysis import accented_terms, query_terms
from sunrise.domain.text.model_input import HEAD_CHARS, MAX_CHARS, clamped
from sunrise.domain.times import written_time
from sunrise.domain.vector_space import VectorSpace
from sunrise.errors import StoreError
from sunrise.online.recall_elsewhere import better_in_archive, count_scopes, is_weak
from sunrise.online.recall_evidence import Evidence, gathered
from sunrise.online.recall_legs import Question, View, centring, run_legs, view_of
from sunrise.online.recall_receipt import receipt_of
from sunrise.online.recall_trail import Trail
from sunrise.ports import Clock, Embedder, MemoryReader

_MAX_TERMS: Final = 64
_LEGS: Final = 2
_RANK_DAMPING: Final = 0.5
"""Sums of reciprocal ranks lie near to each other: the third of a list has 97 % of the first."""


def recall(
    request: RecallRequest,
    *,
    memories: MemoryReader,
    embedder: Embedder,
    clock: Clock,
    calibration: Calibration | None = None,
    policy: RankingPolicy = DEFAULT_POLICY,
) -> RecallResult:
    """
    Return the memories most useful for a query, best first, and a receipt of how they were found.

    Scope, state and trust are filtered before ranking, in both legs. Untrusted memories come only where there
    would be no answer without them. With a *calibration* of the vectors that answer the legs are fused by
    score, else by ranks. A leg that cannot run is left out and the receipt says why: an answer by words alone
    is better than none. Nothing is written: who hands the answer out notes its use.

    Raises:
        DataError: The scope is no text that a store can take.
    """
    answer, receipt = weighed(
        request, memories=memories, embedder=embedder, clock=clock, calibration=calibration, policy=policy
    )
    return RecallResult(tuple(item_of(one, zone=policy.zone) for one in answer.kept), receipt)


def weighed(
    request: RecallRequest,
    *,
    memories: MemoryReader,
    embedder: Embedder,
    clock: Clock,
    calibration: Calibration | None = None,
    policy: RankingPolicy = DEFAULT_POLICY,
    may_be_untrusted: bool = True,
    enough: int | None = None,
) -> tuple[Chosen, RecallReceipt]:
    """
    Do what :func:`recall` does, and return the memories with all that their places are made of.

    What nobody asked for is never untrusted: without ``may_be_untrusted`` no answer is better than such one.
    With ``enough`` memories of its own scope no fallback scope is looked in; else the limit is enough.
    """
    now, most = clock.now_ms(), enough or request.limit
    asked = _Asked(request, memories, embedder, calibration, policy, now, may_be_untrusted, most)
    trail = Trail()
    with trail.stage("total"):
        answer = _answer(asked, trail)
        if request.look_elsewhere and is_weak(answer, trail):
            with trail.stage("elsewhere"):
                trail.elsewhere = _elsewhere(asked, answer)
    return answer, receipt_of(
        request, trail, answer, scope=asked.scope, model_id=embedder.model_id, at_ms=asked.now_ms
    )


def item_of(one: Ranked, *, zone: tzinfo) -> RecallItem:
    """Return a memory as it is handed out, dated in *zone*."""
    memory = one.memory
    return RecallItem(
        ref=memory.ref,
        # Whatever let it in: no secret goes out.
        text=redact(memory.text).text,
        scope=memory.scope,
        importance_label=memory.importance_label,
        trust_tier=memory.trust_tier,
        category=memory.category,
        created_at_ms=memory.created_at_ms,
        score=one.score,
        date=written_time(memory.created_at_ms, zone=zone),
    )


def unanswered(request: RecallRequest, *, reason: str, now_ms: int) -> RecallResult:
    """Return the answer of a memory that cannot be asked: no items, and a receipt with the reason."""
    scope = request.scope.strip() or filters.DEFAULT_SCOPE
    trail = Trail(reason=reason)
    return RecallResult((), receipt_of(request, trail, Chosen(), scope=scope, model_id="none", at_ms=now_ms))


@dataclass(frozen=True, slots=True)
class _Asked:
    """One recall: what is asked, of whom, and when."""

    request: RecallRequest
    memories: MemoryReader
    embedder: Embedder
    calibration: Calibration | None
    policy: RankingPolicy
    now_ms: int
    may_be_untrusted: bool = True
    enough: int = 0
    is_fallback: bool = False

    @property
    def scope(self) -> str:
        return self.request.scope.strip() or filters.DEFAULT_SCOPE

    @property
    def figures(self) -> ModelFigures:
        return figures_of(self.embedder.model_id)

    @property
    def dense_weight(self) -> float:
        said = self.policy.dense_weight
        return self.figures.dense_weight if said is None else said


def _answer(asked: _Asked, trail: Trail) -> Chosen:
    with trail.stage("analyse"):
        question = _question(asked)
    trail.query_terms = len(question.terms)
    if not question.terms and not question.more_terms:
        trail.reason = "empty_query"
        return Chosen()
    found = _searched(asked, question, trail, with_untrusted=False)
    is_answered = trail.reason != "store_failed" and len(trail.skipped) < _LEGS
    found = _with_fallbacks(asked, question, found, trail)
    if not found.kept and asked.may_be_untrusted and is_answered:
        trail.with_untrusted = True
        found = _searched(asked, question, trail, with_untrusted=True)
    if found.kept:
        trail.reason = None
    return found


def _with_fallbacks(asked: _Asked, question: Question, found: Chosen, trail: Trail) -> Chosen:
    """Fill up an answer that is not enough from the fallback scopes, in their order; never with untrusted."""
    for scope in asked.request.fallbacks:
        if len(found.kept) >= asked.enough:
            break
        there, beside = replace(asked.request, scope=scope), Trail()
        fallback = replace(asked, request=there, is_fallback=True)
        more = _searched(fallback, question, beside, with_untrusted=False)
        found = filled_up(found, more, limit=asked.request.limit)
        trail.found = (*trail.found, *beside.found)
        trail.fallback_scopes = (*trail.fallback_scopes, scope)
    return found


def _elsewhere(asked: _Asked, answer: Chosen) -> Elsewhere:
    """Look for a better answer where this caller may look; what cannot be read is left out."""
    request, question, trail = asked.request, _question(asked), Trail()
    found = Elsewhere()
    with suppress(StoreError):
        if not answer.kept:
            found = count_scopes(request, memories=asked.memories, scope=asked.scope, terms=question.terms)
        if not request.include_archived:
            wider = replace(asked, request=replace(request, include_archived=True))
            archived = _searched(wider, question, trail, with_untrusted=False)
            found = replace(found, archived=better_in_archive(answer, archived, trail))
    return found


def _question(asked: _Asked) -> Question:
    text = clamped(asked.request.query, max_chars=MAX_CHARS, head_chars=HEAD_CHARS)
    zone = asked.policy.zone
    times = times_in(text, now_ms=asked.now_ms, zone=zone)
    # A day may be named in words that no memory of it has: "yesterday", 五月.
    days = terms_of(times.spans, zone=zone)
    telling = _telling(query_terms(times.rest, has_more=bool(days)), asked.calibration)
    more = (*days, *query_terms(" ".join(times.dates)), *accented_terms(times.rest))
    return Question(text, tuple(telling), asked.policy.embed_timeout_s, times.spans, more)


def _telling(terms: list[str], calibration: Calibration | None) -> list[str]:
    """Return the terms that tell most, in their order: a pasted prompt has hundreds."""
    if len(terms) <= _MAX_TERMS:
        return terms
    if calibration is None:
        return terms[-_MAX_TERMS:]
    rarest = sorted(range(len(terms)), key=lambda at: (calibration.terms.of(terms[at]), -at))[:_MAX_TERMS]
    return [terms[at] for at in sorted(rarest)]


def _searched(asked: _Asked, question: Question, trail: Trail, *, with_untrusted: bool) -> Chosen:
    try:
        view = view_of(
            asked.memories,
            asked.embedder,
            scope=asked.scope,
            include_archived=asked.request.include_archived,
            include_untrusted=with_untrusted,
            limit=asked.request.limit,
        )
    except StoreError:
        trail.reason = "store_failed"
        return Chosen()
    calibration = _fitting(asked.calibration, view)
    legs = run_legs(view, question, asked.embedder, calibration, trail)
    with trail.stage("fuse"):
        evidence = gathered(
            legs,
            terms=question.terms,
            spans=question.spans,
            phrases=phrases_of(question.spans, zone=asked.policy.zone),
            calibration=calibration,
            dense_weight=asked.dense_weight,
        )
        trail.tops = {"fts": evidence.by_words, "vec": evidence.by_meaning}
        trail.fusion = evidence.fusion
        trail.calibration_id = None if calibration is None else centring(calibration).id
    with trail.stage("rank"):
        return _ranked(asked, question, evidence, trail)


def _fitting(calibration: Calibration | None, view: View) -> Calibration | None:
    """Return the calibration unless it is of other vectors than those that are searched."""
    space = view.space
    if calibration is None or not isinstance(space, VectorSpace) or calibration.column == space.column:
        return calibration
    return None


def _ranked(asked: _Asked, question: Question, evidence: Evidence, trail: Trail) -> Chosen:
    damping = 1.0 if evidence.is_scored else _RANK_DAMPING
    order = in_order(
        _scored(asked, evidence, ref, question.spans, damping=damping) for ref in evidence.memories
    )
    if evidence.is_scored and asked.calibration is not None:
        order = after_succession(order, worth=asked.calibration.terms.worth)
    trail.found = tuple(order)
    floor = partial(is_below_floor, elsewhere=evidence.elsewhere, least=asked.figures.least_fit)
    found = chosen(
        order,
        limit=asked.request.limit,
        now_ms=asked.now_ms,
        is_below_floor=floor if asked.policy.has_floor else None,
    )
    if not found.kept:
        trail.reason = _why_empty(found, trail)
    return found


def _why_empty(found: Chosen, trail: Trail) -> str:
    if any(reason == BELOW_FLOOR for _, reason in found.rejected):
        return BELOW_FLOOR
    return "no_leg" if len(trail.skipped) == _LEGS else "no_match"


def _scored(
    asked: _Asked, evidence: Evidence, ref: str, spans: tuple[Span, ...], *, damping: float
) -> Ranked:
    memory = evidence.memories[ref]
    priors = priors_of(
        importance_label=memory.label,
        trust_tier=memory.trust_tier,
        state=memory.state,
        created_ms=memory.created_at_ms,
        now_ms=asked.now_ms,
        spans=spans,
        of_fallback=asked.is_fallback,
        policy=asked.policy,
    )
    return ranked(memory, evidence.fits[ref], priors, damping=damping)
