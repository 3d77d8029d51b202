"""
The scorer heuristic-v1, as a table of signals.

It gives the same score and label as openclaw-mem's scorer of that name, down to its known errors (plain
substrings, no negation), so that both grade one store alike. A better scorer is another version.
"""

from __future__ import annotations

import re

from sunrise.domain.scoring.evidence import Evidence
from sunrise.domain.scoring.signals import TASK, Grade, Scorer, Signal

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

HEURISTIC_V1 = Scorer(method="heuristic-v1", version=1, signals=SIGNALS)


def grade(*, kind: str, tool_name: str | None, summary: str) -> Grade:
    """
    Return the grade of one observation, from its kind, its tool and its summary alone.

    >>> grade(kind="note", tool_name="chat", summary="Rule: never deploy on Fridays").label.value
    'nice_to_have'
    """
    return HEURISTIC_V1.grade(kind=kind, tool_name=tool_name, summary=summary)
