"""
The lane that answers the turn: what was found, less what is said or told already, shared out by quotas.

Importance is one factor of a score, the penalty of repeats another; nothing is deleted for either.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sunrise.domain.auto_recall import AutoRecallPolicy
from sunrise.domain.auto_recall_receipt import Fate, Outcome
from sunrise.domain.backbone import Saying, backbone_duplicates
from sunrise.domain.duplicates import sameness
from sunrise.domain.ranking import Chosen, Ranked, tier_of
from sunrise.domain.repeats import Contender, Injection, Repeat, after_repeats, is_hard_rule, suppressed
from sunrise.domain.retention import DAY_MS
from sunrise.domain.tier_selection import (
    IGNORE,
    Candidate,
    QuotaSummary,
    Rule,
    Selected,
    Selection,
    Unselected,
    select,
)

RELEVANT_SHARE: Final = 0.2
"""With less of the best score of a turn a memory gets no slot, whatever its tier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """
    What a selection must know of a turn: its number in the session, the time, and what came before it.

    ``prompt`` is what the person or the job asked; a memory that says just this is not told back.
    """

    number: int
    now_ms: int
    prompt: str = ""
    history: tuple[Injection, ...] = ()
    pinned: tuple[Saying, ...] = ()


@dataclass(frozen=True, slots=True)
class HotLane:
    """The memories to inject, best first, and what became of every one that was pinned or found."""

    selected: tuple[Ranked, ...]
    outcomes: tuple[Outcome, ...]
    quota: QuotaSummary

    @property
    def has_answer(self) -> bool:
        """Whether anything fits the turn, even if the working set says it or it was told a moment ago."""
        return any(one.fate in _ANSWERS for one in self.outcomes)


_ANSWERS: Final = frozenset({Fate.SELECTED, Fate.BACKBONE, Fate.SUPPRESSED})


def hot_lane(
    found: Chosen, turn: Turn, *, policy: AutoRecallPolicy, hard_rules: Collection[str] = ()
) -> HotLane:
    """
    Return what of the memories that were found, each thing once, is put before the agent in a turn.

    A memory that is the prompt itself falls out, then stale tasks, what the working set says already, and
    what fits so much worse than the best that it answers nothing. The others compete with what the penalty of
    repeats leaves of their scores.
    ``hard_rules`` are refs that an operator protects beside those whose category says so. What a newer memory
    replaces counts as ignored: it takes a slot only where nothing else waits, and is told last.
    """
    found = _without_the_prompt(found, turn.prompt)
    stale = _stale(found.kept, turn, policy)
    said = _said(found.kept, turn.pinned) if policy.dedupe_backbone else {}
    rules = {one.memory.ref for one in found.kept if _is_rule(one, hard_rules)}
    weak = _weak(found.kept, rules)
    out = {*stale, *said, *weak}
    running = [one for one in found.kept if one.memory.ref not in out]
    rules &= {one.memory.ref for one in running}
    judged = _judged(running, rules, turn, policy)
    selection = _selection(running, judged, rules, turn, policy)
    lost = set[str]()
    if any(one.is_lowered for one in judged.values()):
        fresh = _selection(running, {}, rules, turn, policy)
        worthy = {*fresh.refs, *_worthy(running, selection)}
        lost.update(suppressed(judged.values(), without=worthy, selected=selection.refs))
    by_ref = {one.memory.ref: one for one in running}
    outcomes = (
        *_pinned(turn.pinned),
        *(_outcome(one, Fate.SELECTED, str(one.rule), judged) for one in selection.selected),
        *_left_out(selection, judged, lost),
        *(_excluded(one, said, stale) for one in found.kept if one.memory.ref in out),
        *(Outcome(ref=ref, fate=Fate.LEFT_OUT, why=why, tier="") for ref, why in found.rejected),
    )
    told = sorted((by_ref[ref] for ref in selection.refs), key=lambda one: one.memory.is_superseded)
    return HotLane(tuple(told), outcomes, selection.quota)


def _without_the_prompt(found: Chosen, prompt: str) -> Chosen:
    key = sameness(prompt)
    echoes = {one.memory.ref for one in found.kept if one.memory.sameness == key}
    if not echoes:
        return found
    return Chosen(
        tuple(one for one in found.kept if one.memory.ref not in echoes),
        (*found.rejected, *((ref, "is_the_prompt") for ref in sorted(echoes))),
    )


def after_budget(outcomes: Iterable[Outcome], dropped: Mapping[str, str]) -> tuple[Outcome, ...]:
    """Return the outcomes once the context budget dropped some refs, each with the code of why."""
    return tuple(
        replace(one, fate=Fate.BUDGET, why=dropped[one.ref])
        if one.ref in dropped and one.fate in (Fate.SELECTED, Fate.PINNED)
        else one
        for one in outcomes
    )


def injections(outcomes: Iterable[Outcome], *, turn: int) -> tuple[Injection, ...]:
    """Return what the next turns must know of this one: pinned memories need no place in it."""
    return tuple(Injection(turn, one.ref) for one in outcomes if one.fate is Fate.SELECTED)


def _stale(found: Iterable[Ranked], turn: Turn, policy: AutoRecallPolicy) -> set[str]:
    memories = (one.memory for one in found)
    return {
        memory.ref
        for memory in memories
        if policy.is_stale_todo(memory.category, memory.created_at_ms, now_ms=turn.now_ms)
    }


def _weak(found: Sequence[Ranked], rules: Collection[str]) -> set[str]:
    """Return the refs of those that are far from the best: a slot is better empty than filled with noise."""
    best = max((one.score for one in found), default=0.0)
    # A share of what is below 0 would be more than all of it.
    least = min(best, best * RELEVANT_SHARE)
    return {one.memory.ref for one in found if one.score < least and one.memory.ref not in rules}


def _said(found: Iterable[Ranked], pinned: Sequence[Saying]) -> dict[str, str]:
    memories = (one.memory for one in found)
    return backbone_duplicates((Saying((one.ref,), one.text, one.sameness) for one in memories), pinned)


def _is_rule(one: Ranked, hard_rules: Collection[str]) -> bool:
    memory = one.memory
    return memory.ref in hard_rules or (
        memory.may_be_must and is_hard_rule(memory.category, trust_tier=memory.trust_tier)
    )


def _judged(
    running: Iterable[Ranked], rules: Collection[str], turn: Turn, policy: AutoRecallPolicy
) -> dict[str, Repeat]:
    pinned = {ref for saying in turn.pinned for ref in saying.refs}
    contenders = (
        Contender(
            ref=one.memory.ref,
            score=one.score,
            lexical=one.fit.lexical,
            is_pinned=one.memory.ref in pinned,
            is_hard_rule=one.memory.ref in rules,
        )
        for one in running
    )
    repeats = after_repeats(contenders, turn.history, turn=turn.number, policy=policy.repeats)
    return {one.ref: one for one in repeats}


def _selection(
    running: Sequence[Ranked],
    judged: Mapping[str, Repeat],
    rules: Collection[str],
    turn: Turn,
    policy: AutoRecallPolicy,
) -> Selection:
    return select(
        (
            Candidate(
                ref=one.memory.ref,
                tier=_tier(one),
                score=judged[one.memory.ref].score if one.memory.ref in judged else one.score,
                created_ms=one.memory.created_at_ms,
                is_recent=_is_recent(one, turn, policy),
                is_hard_rule=one.memory.ref in rules,
            )
            for one in running
        ),
        max_items=policy.hot_slots(has_working_set=bool(turn.pinned)),
        quotas=policy.quotas,
        mode=policy.selection_mode,
    )


def _worthy(running: Iterable[Ranked], selection: Selection) -> set[str]:
    """Return who with a whole score would stand before one of the same tier that got a slot by its score."""
    least: dict[str, float] = {}
    for one in selection.selected:
        if one.rule is not Rule.HARD_RULE:
            least[one.candidate.tier] = min(one.candidate.score, least.get(one.candidate.tier, math.inf))
    tiers = {one.memory.ref: _tier(one) for one in running}
    return {one.memory.ref for one in running if one.score > least.get(tiers[one.memory.ref], math.inf)}


def _tier(one: Ranked) -> str:
    return IGNORE if one.memory.is_superseded else tier_of(one.memory.label)


def _is_recent(one: Ranked, turn: Turn, policy: AutoRecallPolicy) -> bool:
    created = one.memory.created_at_ms
    return created is not None and turn.now_ms - created <= policy.recent_days * DAY_MS


def _pinned(pinned: Iterable[Saying]) -> list[Outcome]:
    refs = dict.fromkeys(ref for saying in pinned for ref in saying.refs)
    return [Outcome(ref=ref, fate=Fate.PINNED, why="working_set", tier="") for ref in refs]


def _left_out(selection: Selection, judged: Mapping[str, Repeat], lost: Collection[str]) -> list[Outcome]:
    told = [
        _outcome(one, Fate.SUPPRESSED, "repeat", judged)
        if one.ref in lost
        else _outcome(one, Fate.LEFT_OUT, str(one.reason), judged)
        for one in selection.left_out
    ]
    return sorted(told, key=lambda one: one.fate is not Fate.SUPPRESSED)


def _outcome(one: Selected | Unselected, fate: Fate, why: str, judged: Mapping[str, Repeat]) -> Outcome:
    repeat = judged[one.ref]
    return Outcome(
        ref=one.ref,
        fate=fate,
        why=why,
        tier=one.candidate.tier,
        score=round(one.candidate.score, 6),
        times=repeat.times,
        exempt=None if repeat.exempt is None else str(repeat.exempt),
    )


def _excluded(one: Ranked, said: Mapping[str, str], stale: Collection[str]) -> Outcome:
    ref = one.memory.ref
    if ref in stale:
        fate, why = Fate.STALE_TODO, "older_than_ttl"
    else:
        fate, why = (Fate.BACKBONE, said[ref]) if ref in said else (Fate.LEFT_OUT, "too_weak")
    return Outcome(
        ref=ref,
        fate=fate,
        why=why,
        tier=_tier(one),
        score=round(one.score, 6),
    )
