"""Telling by meaning that a row says nothing new: in other words, or in another language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.echoes import REPEAT_FROM, Said, echoes, said
from sunrise.domain.admission.evidence import stands_alone
from sunrise.domain.admission.figures import figures_of, told_figures
from sunrise.domain.admission.happenings import tells_duty, tells_happening, tells_trouble
from sunrise.domain.admission.machinery import tick_of
from sunrise.domain.admission.profiles import claims_of_user, makes_up
from sunrise.domain.admission.rule_names import RuleName
from sunrise.domain.admission.statements import told_in


@dataclass(frozen=True, slots=True)
class Seen:
    """
    A statement that an earlier row made: the row's key where it is kept, the rule where it is hidden.

    ``row`` is the whole row where the statement is a part of it.
    """

    text: str
    key: str | None = None
    rule: RuleName | None = None
    row: str = ""


@dataclass(frozen=True, slots=True)
class Likeness:
    """
    How like one statement is to what is known, each from -1 to 1.

    ``boot`` is to ``boot_text``, the nearest sentence of a boot file, ``junk`` to the nearest example of
    junk, which is of ``kind``, ``news`` to the nearest example of what is worth keeping, and ``repeat`` to
    ``seen``, the nearest statement of an earlier row. ``others`` are the nearest of rows that are kept.
    """

    statement: str
    boot: float
    junk: float
    kind: RuleName
    news: float
    repeat: float = -1.0
    seen: Seen | None = None
    boot_text: str = ""
    others: tuple[tuple[float, Seen], ...] = ()


class Meanings(Protocol):
    """Compares rows by vectors. Knows the boot files, the examples, and the rows that it was told of."""

    def likeness(self, candidate: Candidate, /) -> Sequence[Likeness]:
        """Return how like each statement of a row is to what is known; nothing where it cannot tell."""

    def parts(self, statement: str, /) -> Sequence[Likeness]:
        """Return the same of each clause of a statement, nothing where it is one clause."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a row is by meaning: a rule, and the kept row that it repeats where it repeats one."""

    rule: RuleName
    key: str | None = None


def _no_parts(_statement: str) -> Sequence[Likeness]:
    return ()


def finding_of(
    candidate: Candidate,
    likeness: Sequence[Likeness],
    *,
    off: frozenset[str],
    boot_figures: frozenset[str],
    owner_speaks: Callable[[], bool],
    parts: Callable[[str], Sequence[Likeness]] = _no_parts,
) -> Finding | None:
    """
    Return what a row is when every statement of it says nothing new, or None: it may be news.

    Where no row of the owner is known, ``owner_speaks`` says so: what is told of him is not made up then, and
    nothing is held back.
    """
    grounds = _Grounds(candidate, off, boot_figures, owner_speaks, parts)
    # What looks like a label before a statement may be what ticks.
    tick = tick_of(candidate.text, candidate.ts_ms) if len(likeness) == 1 else None
    if tick is not None and tick not in off:
        return Finding(tick)
    if not likeness and len(candidate.text) <= SCRAP and candidate.source_kind in ALONE:
        # A word or two, in which nothing is stated.
        return None if RuleName.HELD_BACK in off else Finding(RuleName.HELD_BACK)
    found = []
    alone = []
    for one in likeness:
        finding = _statement(one, grounds) or _strung(one, grounds)
        if finding is not None:
            found.append(finding)
        else:
            alone.append(one)
    if alone and not _brings_little(alone, grounds, found):
        return None
    # A row is a repeat of a kept one as soon as a part of it is: the rest of it is known or junk.
    repeats = [one for one in found if one.key is not None]
    held = [Finding(RuleName.HELD_BACK)] if alone else []
    return next(iter((*repeats, *held, *found)), None)


BOOT_FROM = (0.38, 0.47, 0.6)
"""The likeness to a sentence of a boot file from which a statement restates it, by how much hints at news."""

KIND_FROM = (0.12, 0.2)
"""By how much a statement is more like junk than like news, without and with one hint at news."""

KIND_LEAST = 0.28
"""A statement that is less like any example of junk is of no known kind."""

TICK_FROM = 0.8
"""The likeness from which two lines of the works differ in nothing but times and ids."""

NEWS_OF_USER = 0.45
"""A claim about the user that is more like news than this is not taken for made up."""

ALONE = frozenset({"agent", "system"})
"""The source kinds of what is held back where it brings too little: an import has its source."""

SCRAP = 24
"""A row of no more characters without a statement brings nothing."""

_FEWEST_CLAUSES = 2
_BESIDE_NEWS = (-0.05, 0.1)


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


@dataclass(frozen=True, slots=True)
class _Grounds:
    """What a statement is judged by, beside its likeness."""

    candidate: Candidate
    off: frozenset[str]
    boot_figures: frozenset[str]
    owner_speaks: Callable[[], bool]
    parts: Callable[[str], Sequence[Likeness]]

    def look(self, one: Likeness) -> _Look:
        text = one.statement
        told = told_figures(text, self.candidate.ts_ms)
        happens = tells_happening(text) and not tells_duty(text)
        return _Look(one, told, told - self.boot_figures, happens, tells_trouble(text))


def _statement(one: Likeness, grounds: _Grounds) -> Finding | None:
    look = grounds.look(one)
    repeat = _repeat_of(look, grounds.candidate)
    rule = _kind(look, grounds.candidate)
    # What the owner said is no made-up claim, but a repeat of his.
    if rule is RuleName.UNSUPPORTED_PROFILE and ((repeat and repeat.key) or not grounds.owner_speaks()):
        rule = None
    if rule is not None and rule not in grounds.off:
        return Finding(rule)
    if repeat is None:
        return None
    rule = repeat.rule or RuleName.NEAR_DUPLICATE
    return None if rule in grounds.off else Finding(rule, repeat.key)


def _strung(one: Likeness, grounds: _Grounds) -> Finding | None:
    """Return what a statement is of which each clause is known by itself."""
    found = [_statement(part, grounds) for part in grounds.parts(one.statement)]
    # What stands before a colon introduces the rest.
    rest = found[1:] if found and found[0] is None and ":" in one.statement else found
    if len(rest) < _FEWEST_CLAUSES or None in rest:
        return None
    return rest[0]


def _brings_little(alone: Sequence[Likeness], grounds: _Grounds, found: Sequence[Finding]) -> bool:
    """Return whether to hold back what only the agent says: it brings too little to stand by itself."""
    candidate = grounds.candidate
    if candidate.source_kind not in ALONE or RuleName.HELD_BACK in grounds.off or not grounds.owner_speaks():
        return False
    if any(one.key for one in found) and any(figures_of(one.statement) for one in alone):
        # What adds a figure to a row that is known is news.
        return False
    # What looks like a label may tell something: where no part of the row is known, all of it counts.
    text = "\n".join(one.statement for one in alone) if found else told_in(candidate.text)
    known = frozenset().union(*(figures_of(one.boot_text) for one in alone))
    claims = all(claims_of_user(one.statement) for one in alone)
    return not stands_alone(text, candidate.ts_ms, known, claims=claims)


def _kind(look: _Look, candidate: Candidate) -> RuleName | None:
    """Return which kind of junk a statement is, by the boot files, the works, or the examples."""
    one, hints = look.one, look.hints
    if _restates(look):
        return RuleName.BOOT_FILE
    tick = tick_of(one.statement, candidate.ts_ms)
    if tick is not None:
        return tick
    if one.kind is RuleName.SYSTEM_DUMP and candidate.source_kind in ALONE:
        # Ports and sizes of the works are no figures that tell.
        hints = look.happens + (look.happens and len(look.figures) > 1)
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


def _repeat_of(look: _Look, candidate: Candidate) -> Seen | None:
    """Return the earlier statement that says the same: the nearest, or the nearest of those that are kept."""
    one = look.one
    mine = said(one.statement)
    plain = not look.figures and not look.trouble
    if one.seen is not None and plain and candidate.source_kind == "system" and one.repeat >= TICK_FROM:
        return one.seen
    if one.seen is not None and _repeats(look, mine, one.seen, one.repeat):
        return one.seen
    return next((seen for likeness, seen in one.others if _repeats(look, mine, seen, likeness)), None)


def _repeats(look: _Look, mine: Said, seen: Seen, likeness: float) -> bool:
    """Return whether what is near in meaning is the same in figures, and in what turns a meaning."""
    if seen.key is None:
        near = likeness >= REPEAT_FROM[min(look.hints, 1)]
        return near and look.figures <= figures_of(seen.text) and not look.trouble
    if (
        seen.rule is RuleName.HELD_BACK
        and likeness >= REPEAT_FROM[0]
        and look.figures <= figures_of(seen.row)
    ):
        return not look.trouble
    earlier = said(seen.text)
    whole = said(seen.row) if seen.row else earlier
    return echoes(mine, earlier, whole, likeness, hints=look.hints)
