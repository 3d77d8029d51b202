"""What was injected a moment ago counts less, so that the same memories do not fill every turn."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sunrise.domain.trust import QUARANTINED, UNTRUSTED
from sunrise.errors import DataError

STRONG_HIT: Final = 0.85
"""
A memory with so much of the score by words answers what was asked, however often it was told.

Nine tenths of that score are the share of the query's worth that stands in the memory: from here on five
sixths of it do, and all of it gives at least 0.9.
"""

HARD_RULES: Final = frozenset({"hard_rule", "hard_constraint", "always_pin"})
"""The categories and labels by which an operator says that a memory must never be left out."""

_DIGITS: Final = 9
"""As scores are rounded where they are made: what is equal stays equal."""

_LEAST_FACTOR: Final = 0.01
"""A penalty puts a memory behind the others; it never takes all difference between two of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatPolicy:
    """
    The knobs of the penalty.

    A memory that was injected in one of the last ``window_turns`` turns loses the share ``penalty`` of its
    score, and the same share of the rest for every further turn. What the further turns take, its novelty,
    leaves at least ``novelty_floor``.

    Raises:
        DataError: The window is negative, or a share is not between 0 and 1; reason ``bad_repeat_policy``.
    """

    window_turns: int = 6
    penalty: float = 0.35
    novelty_floor: float = 0.25

    def __post_init__(self) -> None:
        if self.window_turns < 0 or not 0.0 <= self.penalty <= 1.0 or not 0.0 <= self.novelty_floor <= 1.0:
            msg = "a window of repeats is at least 0, its shares lie between 0 and 1"
            raise DataError(msg, reason="bad_repeat_policy")


DEFAULT_REPEATS: Final = RepeatPolicy()


@dataclass(frozen=True, slots=True)
class Injection:
    """That a memory was put before the agent in a turn of the session; turns are counted upwards."""

    turn: int
    ref: str


class Exempt(StrEnum):
    """Why a memory keeps its score though it was injected a moment ago."""

    PINNED = "pinned"
    HARD_RULE = "hard_rule"
    STRONG_HIT = "strong_hit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """
    What the penalty must know of a memory that was found.

    ``lexical`` is the component of its score by words, None where nothing was scored by words.
    """

    ref: str
    score: float
    lexical: float | None = None
    is_pinned: bool = False
    is_hard_rule: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """
    A memory with the score that is left to it.

    ``times`` is in how many turns of the window it was injected. ``repeat`` and ``novelty`` are the factors,
    both 1 for what is new or exempt.
    """

    ref: str
    score: float
    times: int = 0
    repeat: float = 1.0
    novelty: float = 1.0
    exempt: Exempt | None = None

    @property
    def is_lowered(self) -> bool:
        """Whether it lost anything."""
        return self.repeat * self.novelty < 1.0


def after_repeats(
    contenders: Iterable[Contender],
    history: Iterable[Injection],
    *,
    turn: int,
    policy: RepeatPolicy = DEFAULT_REPEATS,
) -> tuple[Repeat, ...]:
    """
    Return the contenders, in their order, with what is left of their scores in a turn.

    >>> history = [Injection(1, "mem:a"), Injection(2, "mem:a"), Injection(2, "mem:b")]
    >>> found = [Contender(ref="mem:a", score=1.0), Contender(ref="mem:b", score=1.0, lexical=0.95)]
    >>> [(one.ref, one.times, one.score) for one in after_repeats(found, history, turn=3)]
    [('mem:a', 2, 0.4225), ('mem:b', 1, 1.0)]
    """
    times = times_injected(history, turn=turn, policy=policy)
    return tuple(_judged(one, times.get(one.ref, 0), policy) for one in contenders)


def times_injected(
    history: Iterable[Injection], *, turn: int, policy: RepeatPolicy = DEFAULT_REPEATS
) -> dict[str, int]:
    """Return in how many turns of the window before a turn each memory was injected."""
    counts: dict[str, int] = {}
    for injection in set(recent(history, turn=turn, policy=policy)):
        counts[injection.ref] = counts.get(injection.ref, 0) + 1
    return counts


def recent(
    history: Iterable[Injection], *, turn: int, policy: RepeatPolicy = DEFAULT_REPEATS
) -> tuple[Injection, ...]:
    """
    Return the injections that still count in a turn; no others need to be kept.

    >>> recent([Injection(1, "mem:a"), Injection(4, "mem:b")], turn=8)
    (Injection(turn=4, ref='mem:b'),)
    """
    return tuple(one for one in history if turn - policy.window_turns <= one.turn < turn)


def suppressed(
    judged: Iterable[Repeat], *, without: Collection[str], selected: Collection[str]
) -> tuple[str, ...]:
    """
    Return the refs that lost their place to the penalty.

    ``without`` are those that would have been selected without it, ``selected`` those that were.

    >>> judged = [Repeat(ref="mem:a", score=0.4, repeat=0.65), Repeat(ref="mem:b", score=0.3)]
    >>> suppressed(judged, without=["mem:a", "mem:b"], selected=["mem:c"])
    ('mem:a',)
    """
    lost = set(without) - set(selected)
    return tuple(one.ref for one in judged if one.is_lowered and one.ref in lost)


def is_hard_rule(category: str | None, labels: Iterable[str] = (), *, trust_tier: str | None = None) -> bool:
    """
    Return whether an operator marked a memory as one that must never be left out.

    Only what governs a memory is asked, its category and its labels as whole values, never its text: a text
    cannot make itself a rule. What is not trusted is no rule, whatever it is labelled.

    >>> is_hard_rule("Hard-Rule"), is_hard_rule("decision", ["always_pin"]), is_hard_rule("my hard_rule")
    (True, True, False)
    >>> is_hard_rule("hard_rule", trust_tier="untrusted")
    False
    """
    if trust_tier in (UNTRUSTED, QUARANTINED):
        return False
    return any(_label(value) in HARD_RULES for value in (category or "", *labels))


_GAP = re.compile(r"[-\s]+")


def _judged(contender: Contender, times: int, policy: RepeatPolicy) -> Repeat:
    exempt = _exempt(contender) if times else None
    if not times or exempt:
        return Repeat(ref=contender.ref, score=contender.score, times=times, exempt=exempt)
    kept = 1.0 - policy.penalty
    novelty = max(policy.novelty_floor, kept ** (times - 1))
    return Repeat(
        ref=contender.ref,
        score=_lowered(contender.score, max(_LEAST_FACTOR, kept * novelty)),
        times=times,
        repeat=kept,
        novelty=novelty,
    )


def _exempt(contender: Contender) -> Exempt | None:
    if contender.is_pinned:
        return Exempt.PINNED
    if contender.is_hard_rule:
        return Exempt.HARD_RULE
    is_strong = contender.lexical is not None and contender.lexical >= STRONG_HIT
    return Exempt.STRONG_HIT if is_strong else None


def _lowered(score: float, factor: float) -> float:
    # A score below 0 is one that fits worse than chance: less of it would be more.
    return round(score * factor if score >= 0.0 else score / factor, _DIGITS)


def _label(value: str) -> str:
    return _GAP.sub("_", unicodedata.normalize("NFKC", value).strip().casefold())
