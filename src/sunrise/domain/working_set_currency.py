"""Which statements of a working set still hold, and which are too old, done, answered or replaced."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from sunrise.domain.admission.figures import figures_of
from sunrise.domain.duplicates import sameness
from sunrise.domain.records import RecordState
from sunrise.domain.text.han_folding import fold_han
from sunrise.domain.working_set_sections import Section, says_changed, says_done, section_of, subject_of


class Trigger(StrEnum):
    """Why a statement holds no longer. The values are the codes of receipts."""

    TOO_OLD = "too_old"
    DONE = "done"
    ANSWERED = "answered"
    SUPERSEDED = "superseded"
    MEMORY_ARCHIVED = "memory_archived"
    MEMORY_STALE = "memory_stale"
    MEMORY_SUPERSEDED = "memory_superseded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """
    What a text says of itself, as far as its currency hangs on it.

    ``section`` is None for what belongs in no section: it may still say that something is done.
    """

    section: Section | None = None
    is_done: bool = False
    is_change: bool = False
    subject: frozenset[str] = frozenset()
    figures: frozenset[str] = frozenset()
    denies: bool = False
    same: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """What one memory states, and when it stated it."""

    said: Wording
    created_ms: int | None = None
    state: str | None = None

    @property
    def section(self) -> Section | None:
        """Where it belongs."""
        return self.said.section

    @property
    def tells(self) -> bool:
        """Whether it says something that holds, so that older statements are measured by it."""
        return (self.said.section is not None or self.said.is_done) and self.state not in _OF_STATE


# The same memories are read turn after turn.
@lru_cache(maxsize=4096)
def wording_of(text: str, category: str | None) -> Wording:
    """Read a text; what states nothing of any use is not looked at closely."""
    section = section_of(text, category)
    is_done = says_done(text)
    if section is None and not is_done:
        return Wording()
    return Wording(
        section=section,
        is_done=is_done,
        is_change=section in _REPLACEABLE and says_changed(text),
        subject=subject_of(text),
        figures=figures_of(text),
        denies=_DENIAL.search(fold_han(text.casefold())) is not None,
        same=sameness(text),
    )


def is_repeated(statement: Statement, newer: Sequence[Statement]) -> bool:
    """Return whether a newer statement of the same section says the same."""
    said = statement.said
    return any(
        one.said.section is said.section and (one.said.same == said.same or _agree(one.said, said))
        for one in newer
    )


def trigger_of(statement: Statement, newer: Sequence[Statement], *, oldest_ms: int | None) -> Trigger | None:
    """
    Return why a statement does not hold any more, or None.

    What was said before *oldest_ms* is too old; without a date nobody can tell. Only what was surely said
    later makes a statement stale. A goal is replaced by any other; a decision or a rule by one of the same
    subject with other figures or the other way round, and by one that says that it changes something of it.
    """
    if statement.state in _OF_STATE:
        return _OF_STATE[statement.state]
    if statement.section is Section.NEXT_ACTIONS and statement.said.is_done:
        return Trigger.DONE
    if oldest_ms is not None and statement.created_ms is not None and statement.created_ms < oldest_ms:
        return Trigger.TOO_OLD
    trigger, settles = _SETTLED_BY.get(statement.section, (Trigger.SUPERSEDED, _replaces))
    settled = any(settles(one.said, statement.said) and _is_later(one, statement) for one in newer)
    return trigger if settled else None


_REPLACEABLE: Final = frozenset({Section.DECISIONS, Section.CONSTRAINTS})
_OF_STATE: Final = {
    str(RecordState.ARCHIVED): Trigger.MEMORY_ARCHIVED,
    str(RecordState.STALE): Trigger.MEMORY_STALE,
    str(RecordState.SUPERSEDED): Trigger.MEMORY_SUPERSEDED,
}
_DONE_SHARE: Final = 0.8
_ANSWERED_SHARE: Final = 0.75
_CHANGED_SHARE: Final = 0.5
_FEWEST_TERMS: Final = 2
"""One term that two texts have in common says little of what they are about."""

_DENIAL = re.compile(
    r"\b(?:not|never|no|cannot|without|avoid|stop|forbid|forbidden|prohibited)\b|n['’]t\b"
    r"|[不别勿禁]|ない|ません|なく|않|금지|하지 ?[마말]"
)


def _is_later(one: Statement, other: Statement) -> bool:
    return one.created_ms is not None and (other.created_ms is None or one.created_ms > other.created_ms)


def _agree(one: Wording, other: Wording) -> bool:
    same_subject = len(one.subject) >= _FEWEST_TERMS and one.subject == other.subject
    return same_subject and one.figures == other.figures and one.denies == other.denies


def _replaces(newer: Wording, older: Wording) -> bool:
    if newer.section not in _REPLACEABLE or newer.same == older.same:
        return False
    if newer.subject == older.subject:
        return bool(newer.subject) and not _agree(newer, older)
    return newer.is_change and _covers(newer, older, _CHANGED_SHARE)


def _finishes(newer: Wording, older: Wording) -> bool:
    return newer.is_done and _covers(newer, older, _DONE_SHARE)


def _answers(newer: Wording, older: Wording) -> bool:
    return newer.section is Section.DECISIONS and _covers(newer, older, _ANSWERED_SHARE)


def _is_goal_too(newer: Wording, older: Wording) -> bool:
    return newer.section is older.section


def _covers(newer: Wording, older: Wording, share: float) -> bool:
    """Return whether so much of what the older one is about is in the newer one."""
    common = len(newer.subject & older.subject)
    return common >= min(_FEWEST_TERMS, max(1, len(older.subject))) and common >= share * len(older.subject)


_SETTLED_BY: Final[Mapping[Section | None, tuple[Trigger, Callable[[Wording, Wording], bool]]]] = {
    Section.NEXT_ACTIONS: (Trigger.DONE, _finishes),
    Section.OPEN_QUESTIONS: (Trigger.ANSWERED, _answers),
    Section.GOAL: (Trigger.SUPERSEDED, _is_goal_too),
}
"""For each section what a newer statement does to an older one, and how that is seen."""
