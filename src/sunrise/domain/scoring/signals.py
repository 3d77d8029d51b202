"""
A scorer as data: a table of signals, and the interpreter that reads it for one text.

Frames of many texts are read by another interpreter; both add up by :meth:`Scorer.add_up`, so that they
differ at most in what they see, never in what it counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sunrise.domain.importance import (
    DEFAULT_SCORE,
    NICE_TO_HAVE_FROM,
    ImportanceLabel,
    label_from_score,
)
from sunrise.domain.scoring.evidence import Evidence
from sunrise.domain.scoring.task_markers import SPOKEN, is_task, task_words

TASK = "task"
"""Known before the table is read, from the kind and the task markers."""

MOST_REASONS = 2
NOTHING_SEEN = "No signal seen."
PURPOSE_RATIONALE = "Stored on purpose."


@dataclass(frozen=True, slots=True)
class Grade:
    """A score with its label, and the sentences that explain it."""

    score: float
    label: ImportanceLabel
    rationale: str
    reasons: tuple[str, ...]
    penalties: tuple[str, ...]
    method: str
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """
    One row of the table: what it looks for, what it adds, and the sentence it gives.

    It fires when any of ``cases`` has all of its evidence (no cases: always), after ``only_after`` has fired
    and none of ``unless`` has. A weight below zero makes its sentence a penalty.
    """

    name: str
    weight: float
    sentence: str
    cases: tuple[tuple[Evidence, ...], ...] = ()
    only_after: str | None = None
    unless: tuple[str, ...] = ()

    def may_fire(self, fired: set[str]) -> bool:
        """Return whether the guards let it fire, given the names of those that *fired* before."""
        return (self.only_after is None or self.only_after in fired) and fired.isdisjoint(self.unless)

    def seen_in(self, text: str, lowered: str) -> bool:
        """Return whether any case is there with all of its evidence."""
        for case in self.cases:
            for evidence in case:
                if not evidence.seen_in(text, lowered):
                    break
            else:
                return True
        return not self.cases

    def found_in(self, text: str, lowered: str) -> tuple[str, ...]:
        """Return the words of every case that is there with all of its evidence, each once."""
        found: list[str] = []
        for case in self.cases:
            words = [evidence.found_in(text, lowered) for evidence in case]
            if all(words):
                found += [word for some in words for word in some]
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class FiredSignal:
    """A signal that fired on a text, what it added, and the words that fired it."""

    name: str
    weight: float
    sentence: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """A grade with all that led to it: ``base`` and the weights add up to the score, before it is clamped."""

    grade: Grade
    base: float
    fired: tuple[FiredSignal, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorer:
    """
    A table of signals with its name and version.

    The order of ``signals`` matters: a row refers to rows above it, and the score is the sum of floats added
    in this order. ``base`` is not zero, so that one strong signal alone makes a text worth keeping.
    ``spoken`` are the words that make a text a task wherever they stand.
    """

    method: str
    version: int
    signals: tuple[Signal, ...]
    base: float = DEFAULT_SCORE
    spoken: Evidence = SPOKEN

    def grade(self, *, kind: str, tool_name: str | None, summary: str) -> Grade:
        """Return the grade of one observation, from its kind, its tool and its summary alone."""
        text = text_of(tool_name, summary)
        lowered = text.lower()
        task = is_task(text, kind=kind, spoken=self.spoken)
        return self.add_up(lambda signal: signal.seen_in(text, lowered), task=task)

    def explain(self, *, kind: str, tool_name: str | None, summary: str) -> Explanation:
        """Return the grade of one observation with every signal that fired and the words that fired it."""
        text = text_of(tool_name, summary)
        lowered = text.lower()
        words_of_task = task_words(text, kind=kind, spoken=self.spoken)
        fired = self._fired(lambda signal: signal.seen_in(text, lowered), task=bool(words_of_task))
        told = tuple(
            FiredSignal(
                one.name,
                one.weight,
                one.sentence,
                one.found_in(text, lowered) if one.cases else words_of_task,
            )
            for one in fired
        )
        return Explanation(self._sum(fired), self.base, told)

    def add_up(self, seen: Callable[[Signal], bool], *, task: bool) -> Grade:
        """Return the grade of a text by which of its signals are *seen*, and whether it is a task."""
        return self._sum(self._fired(seen, task=task))

    def _fired(self, seen: Callable[[Signal], bool], *, task: bool) -> list[Signal]:
        names = {TASK} if task else set()
        fired: list[Signal] = []
        for signal in self.signals:
            if signal.may_fire(names) and seen(signal):
                names.add(signal.name)
                fired.append(signal)
        return fired

    def _sum(self, fired: list[Signal]) -> Grade:
        score = self.base
        reasons: list[str] = []
        penalties: list[str] = []
        for signal in fired:
            score += signal.weight
            (reasons if signal.weight > 0 else penalties).append(signal.sentence)
        score = max(0.0, min(score, 1.0))
        rationale = " ".join(reasons[:MOST_REASONS] + penalties[:1]) or NOTHING_SEEN
        return Grade(
            score,
            label_from_score(score),
            rationale,
            tuple(reasons),
            tuple(penalties),
            self.method,
            self.version,
        )


def on_purpose(grade: Grade) -> Grade:
    """Return the grade of a text that somebody stored on purpose: never below ``nice_to_have``."""
    if grade.score >= NICE_TO_HAVE_FROM:
        return grade
    return replace(
        grade, score=NICE_TO_HAVE_FROM, label=ImportanceLabel.NICE_TO_HAVE, rationale=PURPOSE_RATIONALE
    )


def text_of(tool_name: str | None, summary: str) -> str:
    """
    Return what is graded of an observation: its tool and its summary.

    >>> text_of(" cron ", "backup done"), text_of(None, "backup done"), text_of("cron", " ")
    ('cron: backup done', 'backup done', 'cron')
    """
    tool, summary = (tool_name or "").strip(), summary.strip()
    return f"{tool}: {summary}" if tool and summary else summary or tool
