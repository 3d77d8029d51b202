"""Telling by meaning that a row says nothing new: in other words, or in another language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.content import content_of
from sunrise.domain.admission.figures import figures_of, told_figures
from sunrise.domain.admission.happenings import tells_happening, tells_trouble
from sunrise.domain.admission.machinery import tick_of
from sunrise.domain.admission.profiles import makes_up
from sunrise.domain.admission.rule_names import RuleName
from sunrise.domain.text.analysis import terms


@dataclass(frozen=True, slots=True)
class Seen:
    """A statement that an earlier row made: the row's key where it is kept, the rule where it is hidden."""

    text: str
    key: str | None = None
    rule: RuleName | None = None


@dataclass(frozen=True, slots=True)
class Likeness:
    """
    How like one statement is to what is known, each from -1 to 1.

    ``boot`` is to ``boot_text``, the nearest sentence of a boot file, ``junk`` to the nearest example of
    junk, which is of ``kind``, ``news`` to the nearest example of what is worth keeping, and ``repeat`` to
    ``seen``, the nearest statement of an earlier row.
    """

    statement: str
    boot: float
    junk: float
    kind: RuleName
    news: float
    repeat: float = -1.0
    seen: Seen | None = None
    boot_text: str = ""


class Meanings(Protocol):
    """Compares rows by vectors. Knows the boot files, the examples, and the rows that it was told of."""

    def likeness(self, candidate: Candidate, /) -> Sequence[Likeness]:
        """Return how like each statement of a row is to what is known; nothing where it cannot tell."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a row is by meaning: a rule, and the kept row that it repeats where it repeats one."""

    rule: RuleName
    key: str | None = None


def finding_of(
    candidate: Candidate,
    likeness: Sequence[Likeness],
    *,
    off: frozenset[str],
    boot_figures: frozenset[str],
    owner_speaks: Callable[[], bool],
) -> Finding | None:
    """
    Return what a row is when every statement of it says nothing new, or None: it may be news.

    Where no row of the owner is known, ``owner_speaks`` says so, and what is told of him is not made up.
    """
    # What looks like a label before a statement may be what ticks.
    tick = tick_of(candidate.text, candidate.ts_ms) if len(likeness) == 1 else None
    if tick is not None and tick not in off:
        return Finding(tick)
    found = []
    for one in likeness:
        finding = _statement(one, candidate, off, boot_figures, owner_speaks)
        if finding is None:
            return None
        found.append(finding)
    repeats = [one for one in found if one.key is not None]
    # A row is a repeat of a kept one as soon as a part of it is: the rest of it is known or junk.
    return repeats[0] if repeats else found[0] if found else None


BOOT_FROM = (0.38, 0.5, 0.7)
"""The likeness to a sentence of a boot file from which a statement restates it, by how much hints at news."""

KIND_FROM = (0.12, 0.2)
"""By how much a statement is more like junk than like news, without and with one hint at news."""

KIND_LEAST = 0.28
"""A statement that is less like any example of junk is of no known kind."""

REPEAT_FROM = (0.55, 0.65)
"""The likeness to an earlier statement from which one is its repeat, without and with a hint at news."""

REPEAT_WITH_FIGURES = 0.45
"""The same where the statement has figures that tell, and an earlier one that is kept holds them all."""

TICK_FROM = 0.8
"""The likeness from which two lines of the works differ in nothing but times and ids."""

NEWS_OF_USER = 0.45
"""A claim about the user that is more like news than this is not taken for made up."""

_BESIDE_NEWS = (-0.05, 0.1)
_WORDS_ALIKE = 0.8


@dataclass(frozen=True, slots=True)
class _Look:
    """A statement, and what in it hints at news: ``figures`` are those ``told`` that no boot file holds."""

    one: Likeness
    told: frozenset[str]
    figures: frozenset[str]
    happens: bool
    trouble: bool

    @property
    def hints(self) -> int:
        return bool(self.figures) + self.happens + self.trouble


def _statement(
    one: Likeness,
    candidate: Candidate,
    off: frozenset[str],
    boot_figures: frozenset[str],
    owner_speaks: Callable[[], bool],
) -> Finding | None:
    text = one.statement
    told = told_figures(text, candidate.ts_ms)
    look = _Look(one, told, told - boot_figures, tells_happening(text), tells_trouble(text))
    repeat = one.seen if one.seen and _repeats(look, one.seen, candidate) else None
    rule = _kind(look, candidate.ts_ms)
    # What the owner said is no made-up claim, but a repeat of his.
    if rule is RuleName.UNSUPPORTED_PROFILE and ((repeat and repeat.key) or not owner_speaks()):
        rule = None
    if rule is not None and rule not in off:
        return Finding(rule)
    if repeat is None:
        return None
    rule = repeat.rule or RuleName.NEAR_DUPLICATE
    return None if rule in off else Finding(rule, repeat.key)


def _kind(look: _Look, ts_ms: int) -> RuleName | None:
    """Return which kind of junk a statement is, by the boot files, the works, or the examples."""
    one, hints = look.one, look.hints
    if _restates(look):
        return RuleName.BOOT_FILE
    tick = tick_of(one.statement, ts_ms)
    if tick is not None:
        return tick
    if one.kind is RuleName.SYSTEM_DUMP:
        # Ports and sizes of the works are no figures that tell.
        hints = look.happens
    near = not look.trouble and hints < len(KIND_FROM) and one.junk >= KIND_LEAST
    if near and one.junk - one.news >= KIND_FROM[hints]:
        return one.kind
    if makes_up(one.statement) and one.news < NEWS_OF_USER:
        return RuleName.UNSUPPORTED_PROFILE
    return None


def _restates(look: _Look) -> bool:
    # Small numbers stand in every boot file: only those of the sentence itself are known.
    new = bool(look.told - figures_of(look.one.boot_text))
    hints = new + look.happens + look.trouble
    if hints >= len(BOOT_FROM) or look.one.boot < BOOT_FROM[hints]:
        return False
    return look.one.boot - look.one.news >= _BESIDE_NEWS[min(hints, 1)]


def _repeats(look: _Look, seen: Seen, candidate: Candidate) -> bool:
    """Return whether what is near in meaning is the same in figures, and in what turns a meaning."""
    one, known = look.one, figures_of(seen.text)
    plain = not look.figures and not look.trouble
    if plain and candidate.source_kind == "system" and one.repeat >= TICK_FROM:
        return True
    least = REPEAT_FROM[min(look.hints, 1)]
    if seen.key is None:
        return one.repeat >= least and look.figures <= known and not look.trouble
    if look.figures <= known and any(len(figure) > 1 for figure in look.figures):
        least = REPEAT_WITH_FIGURES
    if one.repeat < least:
        return False
    return figures_of(one.statement) <= known and _same_turn(one.statement, seen.text)


def _same_turn(statement: str, earlier: str) -> bool:
    mine, theirs = content_of(terms(statement)), content_of(terms(earlier))
    if ("not" in mine.fixed) != ("not" in theirs.fixed):
        return False
    # Where nearly all words are common, the order and the rest decide: likeness of rows has looked at them.
    ours, others = set(mine.words), set(theirs.words)
    return len(ours & others) < _WORDS_ALIKE * len(ours | others) or mine == theirs
