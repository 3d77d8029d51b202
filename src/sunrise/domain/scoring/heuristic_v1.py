"""
The scorer heuristic-v1: a table of signals and the one interpreter that adds them up.

It gives the same score and label as openclaw-mem's scorer of that name, down to its known errors (plain
substrings, no negation), so that both grade one store alike. A better scorer is another version.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sunrise.domain.importance import ImportanceLabel, label_from_score
from sunrise.domain.scoring.task_markers import is_task

METHOD = "heuristic-v1"
VERSION = 1
BASE_SCORE = 0.30
"""Not zero, so that one strong signal alone makes a text worth keeping."""


@dataclass(frozen=True, slots=True)
class Grade:
    """A score with its label, and the sentences that explain it."""

    score: float
    label: ImportanceLabel
    rationale: str
    reasons: tuple[str, ...]
    penalties: tuple[str, ...]
    method: str = METHOD
    version: int = VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """
    What may stand in a text: any of these is enough.

    ``words`` are looked for in the lowered text and ``marks`` in the text as it is, both as plain substrings;
    ``pattern`` in the lowered text, and only where one of its ``hints`` is in it, if it has hints.
    """

    words: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None
    hints: tuple[str, ...] = ()

    def seen_in(self, text: str, lowered: str) -> bool:
        """Return whether *text*, also given *lowered*, shows this evidence."""
        for word in self.words:
            if word in lowered:
                return True
        for mark in self.marks:
            if mark in text:
                return True
        if self.pattern is None:
            return False
        for hint in self.hints:
            if hint in lowered:
                return self.pattern.search(lowered) is not None
        return not self.hints and self.pattern.search(lowered) is not None


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

    def fires(self, text: str, lowered: str, fired: set[str]) -> bool:
        """Return whether this signal fires, given the names of those that *fired* before."""
        if self.only_after is not None and self.only_after not in fired:
            return False
        if not fired.isdisjoint(self.unless):
            return False
        # Loops, not any(all(...)): this line is most of the time of a grade.
        for case in self.cases:
            for evidence in case:
                if not evidence.seen_in(text, lowered):
                    break
            else:
                return True
        return not self.cases


TASK = "task"
"""Known before the table is read, from the kind and the task markers."""

# The order matters: a row refers to rows above it, and the sums are those of floats added in this order.
SIGNALS = (
    Signal(
        name="secret",
        weight=-0.40,
        sentence="Looks like a secret, so it is kept low.",
        cases=(
            (
                Evidence(
                    words=("begin rsa private key", "begin openssh private key"),
                    marks=("sk-", "ghp_", "AKIA"),
                ),
            ),
        ),
    ),
    Signal(
        name="policy",
        weight=0.40,
        sentence="States a preference or a rule for what comes later.",
        cases=(
            (
                Evidence(
                    words=(
                        "prefer",
                        "always",
                        "never",
                        "must",
                        "should",
                        "do not",
                        "don't",
                        "required",
                        "rule",
                        "policy",
                        "hard requirement",
                    ),
                    marks=(
                        "偏好",
                        "規則",
                        "一定",
                        "必須",
                        "不要",
                        "禁止",
                        "原則",
                        "硬性",
                        "需求",
                        "不做",
                        "不改",
                    ),
                ),
            ),
        ),
    ),
    Signal(
        name="decision",
        weight=0.30,
        sentence="Records a decision to hold to.",
        unless=(TASK,),
        cases=(
            (
                Evidence(
                    words=("decide", "decision", "chose", "we will", "we'll", "mvp", "scope", "architecture"),
                    marks=("決定", "選擇", "採用", "方案", "架構", "範圍"),
                ),
            ),
            # A thing set up for good is a decision too, when what was set up can be named.
            (
                Evidence(words=("create", "added", "set up", "setup")),
                Evidence(words=("repo", "cron", "jobid", "github.com")),
            ),
        ),
    ),
    Signal(
        name="identifier",
        weight=0.20,
        sentence="Names something that can be looked up again.",
        cases=(
            (
                Evidence(
                    words=("uv run", "python -m", "openclaw ", "openclaw-mem"),
                    marks=("OPENCLAW_",),
                    pattern=re.compile(
                        r"https?://\S+|\bagents\.[a-z0-9_.]+\b"
                        r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
                    ),
                    hints=("://", "agents.", "-"),
                ),
            ),
        ),
    ),
    Signal(
        name="runbook",
        weight=0.20,
        sentence="Tells how something is run.",
        cases=(
            (
                Evidence(
                    words=(
                        "cron",
                        "every ",
                        "tz",
                        "asia/taipei",
                        "how to",
                        "openclaw ",
                        "uv run",
                        "python -m",
                    )
                ),
            ),
        ),
    ),
    Signal(
        name="incident",
        weight=0.15,
        sentence="Tells of a failure that may come back.",
        cases=(
            (
                Evidence(
                    words=(
                        "error",
                        "failed",
                        "exception",
                        "traceback",
                        "timeout",
                        "rate_limit",
                        "unauthorized",
                        "forbidden",
                    )
                ),
            ),
        ),
    ),
    Signal(
        name="fix",
        weight=0.10,
        sentence="Gives its cause or its remedy.",
        only_after="incident",
        cases=((Evidence(words=("root cause", "fixed by", "workaround", "mitigation", "resolved by")),),),
    ),
    Signal(
        name="action",
        weight=0.20,
        sentence="Is a task until it is done.",
        only_after=TASK,
    ),
    Signal(
        name="deadline",
        weight=0.10,
        sentence="Says by when.",
        only_after=TASK,
        cases=(
            (
                Evidence(
                    words=("today", "tomorrow", "eod", "before"),
                    marks=("今天", "明天", "之前"),
                    pattern=re.compile(r"\bby\s+\d{4}-\d{2}-\d{2}\b"),
                ),
            ),
        ),
    ),
    Signal(
        name="chatter",
        weight=-0.25,
        sentence="Is small talk or an acknowledgement.",
        cases=(
            (
                Evidence(
                    marks=("收到", "謝謝", "哈哈"),
                    pattern=re.compile(r"\b(?:lol|thanks|thx|ok|got it|nice)\b"),
                    hints=("lol", "thanks", "thx", "ok", "got it", "nice"),
                ),
            ),
        ),
    ),
    Signal(
        name="progress",
        weight=-0.20,
        sentence="Only reports progress.",
        unless=("identifier", "incident", TASK),
        cases=((Evidence(words=("done", "finished", "pushed", "merged", "wip")),),),
    ),
    Signal(
        name="calendar",
        weight=-0.15,
        sentence="Only notes an appointment.",
        unless=("identifier", "incident", TASK),
        cases=(
            (
                Evidence(words=("meeting", "call"), marks=("開會", "約")),
                Evidence(pattern=re.compile(r"\b\d{1,2}(?:am|pm|:\d{2})\b")),
            ),
        ),
    ),
)

_MOST_REASONS = 2
_NOTHING_SEEN = "No signal seen."


def grade(*, kind: str, tool_name: str | None, summary: str) -> Grade:
    """
    Return the grade of one observation, from its kind, its tool and its summary alone.

    >>> grade(kind="note", tool_name="chat", summary="Rule: never deploy on Fridays").label.value
    'nice_to_have'
    """
    text = _text(tool_name, summary)
    lowered = text.lower()
    fired = {TASK} if is_task(text, kind=kind) else set()
    score = BASE_SCORE
    reasons: list[str] = []
    penalties: list[str] = []
    for signal in SIGNALS:
        if signal.fires(text, lowered, fired):
            fired.add(signal.name)
            score += signal.weight
            (reasons if signal.weight > 0 else penalties).append(signal.sentence)
    score = max(0.0, min(score, 1.0))
    rationale = " ".join(reasons[:_MOST_REASONS] + penalties[:1]) or _NOTHING_SEEN
    return Grade(score, label_from_score(score), rationale, tuple(reasons), tuple(penalties))


def _text(tool_name: str | None, summary: str) -> str:
    tool, summary = (tool_name or "").strip(), summary.strip()
    return f"{tool}: {summary}" if tool and summary else summary or tool
