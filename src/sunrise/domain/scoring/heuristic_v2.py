"""
The scorer heuristic-v2, as a table of signals: heuristic-v1 without its known errors.

Words are whole words, what is negated does not count, a secret is known by the mark that the ledger's door
left in its place, and Simplified Chinese and Japanese are read as well.
"""

from __future__ import annotations

import re

from sunrise.domain.scoring.evidence import Evidence, whole_words
from sunrise.domain.scoring.negations import BLIND
from sunrise.domain.scoring.signals import TASK, Scorer, Signal
from sunrise.domain.scoring.word_lists import ENGLISH, unspaced


def _words_of(signal: str) -> Evidence:
    blind, hints = BLIND.get(signal, (None, ()))
    return whole_words(*ENGLISH[signal], words=unspaced(signal), blind=blind, blind_hints=hints)


_ADDRESS = Evidence(
    pattern=re.compile(
        r"https?://\S+|\bagents\.[a-z0-9_.]+\b|\bopenclaw_[a-z0-9]"
        r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
        re.ASCII,
    ),
    hints=("://", "agents.", "openclaw_", "-"),
)
_RHYTHM = Evidence(
    pattern=re.compile(
        r"\bevery [0-9]+ ?(?:s|m|h|d|min|sec|seconds?|minutes?|hours?|days?|weeks?|months?)\b"
        r"|\bevery (?:other )?(?:mon|tues|wednes|thurs|fri|satur|sun|week)?day\b"
        r"|\b(?:asia|europe|america|africa|australia|pacific)/[a-z_]+\b|每[0-9]+(?:天|小時|小时|分鐘|分钟)",
        re.ASCII,
    ),
    hints=("every ", "asia/", "europe/", "america/", "africa/", "australia/", "pacific/", "每"),
)
_BY_DATE = Evidence(
    pattern=re.compile(
        r"\bby (?:[0-9]{4}-[0-9]{2}-[0-9]{2}|(?:mon|tues|wednes|thurs|fri|satur|sun)day|noon|midnight)\b",
        re.ASCII,
    ),
    hints=("by ",),
)
_CLOCK = Evidence(
    pattern=re.compile(r"\b[0-9]{1,2}(?: ?[ap]\.?m\b|:[0-9]{2}\b|點|点|時|时)", re.ASCII),
)
_RULE = Evidence(
    pattern=re.compile(r"\brules? ?[:：]", re.ASCII),
    hints=("rule",),
    blind=BLIND["policy"][0],
    blind_hints=BLIND["policy"][1],
)
_SECRET = Evidence(
    words=("[redacted:",),
    pattern=re.compile(r"\bbegin (?:[a-z0-9]{1,20} ){0,3}private key\b", re.ASCII),
    hints=("private key",),
)
_SPOKEN = Evidence(words=unspaced("task"), blind=BLIND["task"][0], blind_hints=BLIND["task"][1])
_NO_NEWS = ("identifier", "incident", TASK)
"""What gives a report or an appointment a use beyond its day."""

# Weights and guards are those of heuristic-v1: only what is seen differs.
SIGNALS = (
    Signal(
        name="secret",
        weight=-0.40,
        sentence="Held a secret, so it is kept low.",
        cases=((_SECRET,),),
    ),
    Signal(
        name="policy",
        weight=0.40,
        sentence="States a preference or a rule for what comes later.",
        cases=((_words_of("policy"),), (_RULE,)),
    ),
    Signal(
        name="decision",
        weight=0.30,
        sentence="Records a decision to hold to.",
        unless=(TASK,),
        cases=((_words_of("decision"),), (_words_of("made"), _words_of("made_thing"))),
    ),
    Signal(
        name="identifier",
        weight=0.20,
        sentence="Names something that can be looked up again.",
        cases=((_ADDRESS,), (_words_of("command"),)),
    ),
    Signal(
        name="runbook",
        weight=0.20,
        sentence="Tells how or when something is run.",
        cases=((_words_of("runbook"),), (_RHYTHM,)),
    ),
    Signal(
        name="incident",
        weight=0.15,
        sentence="Tells of a failure that may come back.",
        cases=((_words_of("incident"),),),
    ),
    Signal(
        name="fix",
        weight=0.10,
        sentence="Gives its cause or its remedy.",
        only_after="incident",
        cases=((_words_of("fix"),),),
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
        cases=((_words_of("deadline"),), (_BY_DATE,)),
    ),
    Signal(
        name="chatter",
        weight=-0.25,
        sentence="Is small talk or an acknowledgement.",
        cases=((_words_of("chatter"),),),
    ),
    Signal(
        name="progress",
        weight=-0.20,
        sentence="Only reports progress.",
        unless=_NO_NEWS,
        cases=((_words_of("progress"),),),
    ),
    Signal(
        name="calendar",
        weight=-0.15,
        sentence="Only notes an appointment.",
        unless=_NO_NEWS,
        cases=((_words_of("calendar"), _CLOCK),),
    ),
)

HEURISTIC_V2 = Scorer(method="heuristic-v2", version=1, signals=SIGNALS, spoken=_SPOKEN)
