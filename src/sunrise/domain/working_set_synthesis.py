"""
Put together the working set of a scope from what the agent remembers and what it is asked.

The same memories, prompt and time give the same bytes. Nothing is written here that no memory says, and no
text decides what governs it: what is untrusted is never pinned, and a line of unknown trust says so.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from itertools import chain
from typing import Final

from sunrise.domain.admission.recall_loops import is_recalled
from sunrise.domain.context_budget import CLIP_MARK
from sunrise.domain.fence import line_of
from sunrise.domain.importance import ImportanceLabel
from sunrise.domain.payloads import screen
from sunrise.domain.records import memory_ref
from sunrise.domain.retention import DAY_MS
from sunrise.domain.secrets import is_only_redacted, redact
from sunrise.domain.text.cleaning import clean, clip
from sunrise.domain.times import written_time
from sunrise.domain.trust import QUARANTINED, TRUSTED, UNTRUSTED
from sunrise.domain.turns import Origin, owner_text, says_something
from sunrise.domain.working_set import ID_PREFIX, PROMPT, Stale, WorkingItem, WorkingSet
from sunrise.domain.working_set_currency import Statement, is_repeated, trigger_of, wording_of
from sunrise.domain.working_set_sections import Section
from sunrise.errors import DataError


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingSetPolicy:
    """
    The knobs of a working set. ``max_chars`` counts the lines as they are rendered, refs and all; they are
    dated in ``zone``.

    Raises:
        DataError: A number is negative; reason ``bad_working_set_policy``.
    """

    enabled: bool = True
    persist: bool = True
    max_chars: int = 900
    max_items_per_section: int = 3
    max_goal_chars: int = 160
    max_item_chars: int = 160
    goal_ttl_days: int = 14
    next_action_ttl_days: int = 7
    zone: tzinfo = field(default=UTC)

    def __post_init__(self) -> None:
        numbers = (
            self.max_chars,
            self.max_items_per_section,
            self.max_goal_chars,
            self.max_item_chars,
            self.goal_ttl_days,
            self.next_action_ttl_days,
        )
        if min(numbers) < 0:
            raise DataError("a bound of the working set is negative", reason="bad_working_set_policy")


DEFAULT_POLICY: Final = WorkingSetPolicy()


@dataclass(frozen=True, slots=True)
class Drawn:
    """
    What still holds, newest first, what does not, and how many never came into question.

    ``shown`` is how texts look on one line, as far as it was asked: none is looked at closely before.
    """

    current: list[tuple[Section, Remembered]]
    stale: list[Stale]
    left_out: Counter[str]
    shown: dict[tuple[str, int], tuple[str, str | None]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What must be known of one memory; ``ref`` is ``mem:<id>``."""

    ref: str
    text: str
    category: str | None = None
    importance_label: str | None = None
    created_ms: int | None = None
    trust_tier: str | None = None
    may_be_must: bool = True
    state: str | None = None


def synthesized(
    memories: Iterable[Remembered],
    *,
    scope: str,
    prompt: str = "",
    now_ms: int,
    before: WorkingSet | None = None,
    policy: WorkingSetPolicy = DEFAULT_POLICY,
) -> WorkingSet:
    """
    Return the working set of a scope, whose *memories* these are, in any order.

    The goal is what the prompt asks for, or, where it only says "go on", what the working set *before* this
    one was asked for; beside it the newest goal that a memory states. In every section what must be
    remembered comes first and then the newest, the sections taking turns until nothing fits any more.

    >>> rule = Remembered(ref="mem:1", text="Never deploy on Fridays.", trust_tier="trusted")
    >>> made = synthesized([rule], scope="global", prompt="Is the release ready?", now_ms=0)
    >>> [(str(item.section), item.ref) for item in made.items]
    [('goal', 'prompt'), ('constraints', 'mem:1')]
    """
    drawn = draw(memories, policy, now_ms=now_ms)
    return put_together(drawn, scope=scope, prompt=prompt, now_ms=now_ms, before=before, policy=policy)


def put_together(
    drawn: Drawn,
    *,
    scope: str,
    prompt: str = "",
    now_ms: int,
    before: WorkingSet | None = None,
    policy: WorkingSetPolicy = DEFAULT_POLICY,
) -> WorkingSet:
    """Return the working set of what was drawn from the memories of a scope, as :func:`synthesized` does."""
    # What is left out is counted anew: the same may be drawn for many prompts.
    drawn = replace(drawn, left_out=drawn.left_out.copy())
    asked, asked_now = _asked(prompt, before, policy, now_ms=now_ms)
    barred = drawn.left_out.total()
    items = _chosen(drawn, asked, policy)
    told = sum(item.ref != PROMPT for item in items) + drawn.left_out.total() - barred
    if told < len(drawn.current):
        drawn.left_out["section_full"] = len(drawn.current) - told
    return WorkingSet(
        scope=scope,
        items=tuple(sorted(items, key=_as_told)),
        stale=tuple(drawn.stale[:MAX_STALE]),
        left_out=dict(sorted(drawn.left_out.items())),
        asked_now=asked_now,
    )


MAX_MEMORIES: Final = 256
"""Of more memories than these only what must be remembered and then the newest are looked at."""
MAX_STALE: Final = 50
_LONGEST_READ: Final = 1000
"""A text says in its beginning what it is."""
_WHO_ASKS: Final = frozenset({Origin.OWNER, Origin.CRON})

# The sections in the order in which they take turns, so that the rules are the last to find no room.
_TURNS: Final = (
    Section.CONSTRAINTS,
    Section.GOAL,
    Section.DECISIONS,
    Section.NEXT_ACTIONS,
    Section.OPEN_QUESTIONS,
)
_PLACES: Final = {section: place for place, section in enumerate(Section)}


def draw(memories: Iterable[Remembered], policy: WorkingSetPolicy, *, now_ms: int) -> Drawn:
    """Return what of the memories of a scope may be pinned at a time, whatever is asked."""
    drawn = Drawn([], [], Counter())
    newer: list[Statement] = []
    for memory in _newest_first(memories):
        if reason := _barred(memory):
            drawn.left_out[reason] += 1
            continue
        said = wording_of(clip(memory.text, _LONGEST_READ), memory.category)
        statement = Statement(said, memory.created_ms, memory.state)
        section = statement.section
        if section is not None:
            trigger = trigger_of(statement, newer, oldest_ms=_oldest(section, policy, now_ms))
            if trigger is not None:
                drawn.stale.append(Stale(memory.ref, section, trigger))
            elif is_repeated(statement, newer):
                drawn.left_out["repeated"] += 1
            else:
                drawn.current.append((section, memory))
        if statement.tells:
            newer.append(statement)
    return drawn


def _oldest(section: Section, policy: WorkingSetPolicy, now_ms: int) -> int | None:
    days = {Section.GOAL: policy.goal_ttl_days, Section.NEXT_ACTIONS: policy.next_action_ttl_days}
    return now_ms - days[section] * DAY_MS if section in days else None


def _newest_first(memories: Iterable[Remembered]) -> list[Remembered]:
    unique = {memory.ref: memory for memory in sorted(memories, key=_identity)}
    looked_at = sorted(unique.values(), key=lambda one: (_is_lesser(one), _newness(one)))[:MAX_MEMORIES]
    return sorted(looked_at, key=_newness)


def _identity(memory: Remembered) -> tuple[str, ...]:
    return tuple(map(repr, (memory.ref, memory.created_ms, memory.text, memory.category, memory.state)))


def _newness(memory: Remembered) -> tuple[float, str]:
    return -math.inf if memory.created_ms is None else -memory.created_ms, memory.ref


def _barred(memory: Remembered) -> str | None:
    """Return why a memory is never pinned, whatever it says."""
    if memory.trust_tier in (UNTRUSTED, QUARANTINED):
        return str(memory.trust_tier)
    if memory.ref.startswith(memory_ref(ID_PREFIX)) or is_recalled(memory.text):
        return "itself"
    return "ignored" if memory.importance_label == ImportanceLabel.IGNORE else None


def _asked(
    prompt: str, before: WorkingSet | None, policy: WorkingSetPolicy, *, now_ms: int
) -> tuple[WorkingItem | None, bool]:
    """Return what is asked for, and whether it is asked for right now."""
    turn = owner_text(prompt)
    if turn.origin in _WHO_ASKS and says_something(turn.text):
        text, reason = _shown(turn.text, policy.max_goal_chars, owner=turn.origin is Origin.OWNER)
        if reason is None:
            return WorkingItem(section=Section.GOAL, ref=PROMPT, text=text, created_ms=now_ms), True
    goals = () if before is None else before.of(Section.GOAL)
    oldest_ms = now_ms - policy.goal_ttl_days * DAY_MS
    for goal in goals:
        if goal.ref == PROMPT and (goal.created_ms or 0) >= oldest_ms:
            return replace(goal, text=_shortened(goal.text, policy.max_goal_chars)), False
    return None, False


def _chosen(drawn: Drawn, asked: WorkingItem | None, policy: WorkingSetPolicy) -> list[WorkingItem]:
    waiting = {section: _candidates(drawn, section, policy) for section in _TURNS}
    if asked is not None and asked.text:
        waiting[Section.GOAL] = chain([asked], waiting[Section.GOAL])
    chosen: list[WorkingItem] = []
    room = policy.max_chars
    for _ in range(policy.max_items_per_section):
        for section in _TURNS:
            item = next(waiting[section], None)
            if item is None:
                continue
            length = len(line_of(item.fenced)) + 1
            if length <= room:
                chosen.append(item)
                room -= length
            elif item.ref != PROMPT:
                drawn.left_out["no_room"] += 1
    return chosen


def _candidates(drawn: Drawn, section: Section, policy: WorkingSetPolicy) -> Iterator[WorkingItem]:
    """Yield the items of a section, best first; each is looked at closely only when its turn has come."""
    found = [memory for place, memory in drawn.current if place is section]
    for memory in sorted(found, key=_is_lesser):
        most = policy.max_goal_chars if section is Section.GOAL else policy.max_item_chars
        looked = drawn.shown.get((memory.ref, most))
        if looked is None:
            looked = _shown(memory.text, most, owner=memory.trust_tier == TRUSTED)
            drawn.shown[memory.ref, most] = looked
        text, reason = looked
        if reason is not None:
            drawn.left_out[reason] += 1
            continue
        yield WorkingItem(
            section=section,
            ref=memory.ref,
            text=text,
            created_ms=memory.created_ms,
            date=written_time(memory.created_ms, zone=policy.zone),
            importance=memory.importance_label or "",
            trust=memory.trust_tier or "",
        )


def _is_lesser(memory: Remembered) -> bool:
    return memory.importance_label != ImportanceLabel.MUST_REMEMBER


def _shown(text: str, most: int, *, owner: bool) -> tuple[str, str | None]:
    """Return a text on one line without secrets, and the reason where it must not be shown."""
    plain = redact(" ".join(clean(text).split())).text
    if is_only_redacted(plain):
        return "", "secret"
    if screen(plain, owner=owner):
        return "", "payload"
    shown = _shortened(plain, most)
    return shown, None if shown else "no_room"


def _shortened(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return clip(text, most - 1).rstrip() + CLIP_MARK if most else ""


def _as_told(item: WorkingItem) -> tuple[int, bool, float, str]:
    oldest_first = -math.inf if item.created_ms is None else item.created_ms
    return _PLACES[item.section], item.ref != PROMPT, oldest_first, item.ref
