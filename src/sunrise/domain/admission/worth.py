"""What a row looks like beside what came before it, and when that says that it is not worth keeping."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.figures import told_figures
from sunrise.domain.admission.happenings import tells_duty, tells_happening, tells_trouble
from sunrise.domain.admission.profiles import claims_of_user
from sunrise.domain.admission.rule_names import RuleName
from sunrise.domain.admission.statements import told_in

MAX_CHARS: Final = 600
"""So much of a row is looked at."""


Told = tuple[frozenset[str], frozenset[str]]
"""The words and the figures of a row."""


@dataclass(frozen=True, slots=True)
class Odds:
    """
    The odds that a row is worth keeping, as natural logarithms: 0 is as likely as not.

    ``whole`` knows what came before the row and what the boot files say, ``bare`` knows the row alone.
    ``repeats`` says that nearly all words and all figures of a row of the owner stand in what he said before,
    or in a boot file.
    """

    whole: float
    bare: float
    repeats: bool = False


class Worth(Protocol):
    """Weighs rows by what they say."""

    def odds(self, candidate: Candidate, /) -> Odds | None:
        """Return the odds of a row, or None: it was not weighed."""


def looked_at(text: str) -> str:
    """
    Return what of a row is weighed: without what an extractor adds at its end, and its beginning only.

    >>> looked_at("Tea is at four (importance 7)")
    'Tea is at four'
    """
    return told_in(text[:_MOST_READ])[:MAX_CHARS] or text[:MAX_CHARS]


def looks_of(text: str, ts_ms: int, source_kind: str) -> tuple[float, ...]:
    """
    Return what is weighed of a row beside its vector and its neighbours, each about 0 to 1.

    ``text`` is what :func:`looked_at` gives. The order is that of :data:`LOOKS`.

    >>> dict(zip(LOOKS, looks_of("Paid NT$850 on Monday", 0, "agent")))["money"]
    1.0
    """
    return (
        min(len(told_figures(text, ts_ms)), _MOST) / _MOST,
        float(tells_happening(text)),
        float(tells_trouble(text)),
        float(tells_duty(text)),
        float(claims_of_user(text)),
        math.log1p(len(text) + 2 * len(_HAN.findall(text))) / 8,
        float(_MONEY.search(text) is not None),
        float(_DATE.search(text) is not None),
        min(len(_NAME.findall(text)), _MOST) / _MOST,
        *(float(source_kind == one) for one in SOURCES),
    )


SOURCES: Final = ("operator", "agent", "tool", "web", "import", "system")

LOOKS: Final = (
    "figures",
    "happening",
    "trouble",
    "duty",
    "claim",
    "length",
    "money",
    "date",
    "names",
    *SOURCES,
)
"""The names of :func:`looks_of`."""

NEIGHBOURS: Final = (
    "nearest", "nearest_of_owner", "words_known", "words_common", "figures_known", "figures_new", "near",
    "boot",
)  # fmt: skip
"""
What is weighed of the rows before.

The cosine of the nearest row and of the owner's nearest; of the five nearest the largest share of the row's
words that one of them holds, and of words in common; the share of its figures that one of them holds, -1
without any; how many figures none of them holds, of four; their mean cosine; the cosine of the nearest
sentence of a boot file, 0 without any.
"""


def is_held(candidate: Candidate, odds: Odds) -> bool:
    """
    Return whether to hold a row back by its odds.

    Of the owner's only what is little worth by itself too, what he said before, or what has hardly any odds:
    that he says nearly the same of two things is no reason to hide the second. Notes of memory files are
    never held back: whoever wrote them down has decided that they are worth keeping, however short they are.
    """
    if candidate.is_note or odds.whole >= HELD_BELOW:
        return False
    if candidate.source_kind != "operator":
        return True
    return odds.repeats or odds.bare < OWNERS_BELOW or odds.whole < OWNERS_LEAST


def repeats(mine: Told, earlier: Told, cosine: float) -> bool:
    """
    Return whether a row says again what an earlier one said.

    >>> tea, four = frozenset({"tea", "at", "four"}), frozenset({"4"})
    >>> repeats((tea, four), (tea, four), 0.9), repeats((tea, four), (tea, frozenset()), 0.9)
    (True, False)
    """
    (words, figures), (theirs, counted) = mine, earlier
    return cosine > _LIKE_AGAIN and len(words & theirs) >= _WORDS_AGAIN * len(words) and figures <= counted


def is_doubtful(rule: RuleName, odds: Odds) -> bool:
    """Return whether a rule that goes by wording is overruled, because the row is clearly worth keeping."""
    return rule in _BY_WORDING and odds.whole > OVERRULED_ABOVE


HELD_BELOW: Final = 0.25
OWNERS_BELOW: Final = 0.0
OWNERS_LEAST: Final = -3.0
OVERRULED_ABOVE: Final = 1.0
"""
Where a row is held back, one of the owner's by itself and by all, and where a rule is overruled.

Chosen on months of authors that the network had not learned from, and on what owners say elsewhere.
"""

_BY_WORDING: Final = frozenset(
    {
        RuleName.UNSUPPORTED_PROFILE,
        RuleName.SYSTEM_DUMP,
        RuleName.TRANSIENT_STATE,
        RuleName.ACKNOWLEDGEMENT,
        RuleName.BOOT_FILE,
    }
)

NEAR_COSINE: Final = 0.35
"""A row before that is less like it than this shares no words that count."""

FIGURES_COSINE: Final = 0.45
"""A row before that is less like it than this knows none of its figures."""


def beside(
    mine: Told,
    nearest: Sequence[tuple[float, frozenset[str], frozenset[str]]],
) -> tuple[float, float, float, float]:
    """
    Return what of a row's words and figures stands in the rows that are nearest to it.

    Each row is its words and its figures, those before with their cosine. The order is that of
    :data:`NEIGHBOURS`, from ``words_known``.

    >>> words, figures = frozenset({"tea", "four"}), frozenset({"4", "7"})
    >>> beside((words, figures), [(0.9, frozenset({"tea"}), frozenset({"4"}))])
    (0.5, 0.5, 0.5, 0.25)
    """
    words, figures = mine
    known = common = 0.0
    told = 0.0 if figures else -1.0
    left = figures
    for cosine, theirs, counted in nearest:
        if cosine >= NEAR_COSINE and words:
            both = len(words & theirs)
            known = max(known, both / len(words))
            common = max(common, both / len(words | theirs))
        if cosine >= FIGURES_COSINE and figures:
            told = max(told, len(figures & counted) / len(figures))
            left = left - counted
    return known, common, told, min(len(left), _MOST) / _MOST


_LIKE_AGAIN: Final = 0.6
_WORDS_AGAIN: Final = 0.8
_MOST: Final = 4
_MOST_READ: Final = 4000
_HAN = re.compile(r"[\u3400-\u9fff]")
_MONEY = re.compile(r"[$€£¥]|\bNT|\b(?:USD|EUR|SEK|TWD|SGD|GBP|CHF|JPY|CNY)\b|\d ?[元塊块円]")
_DATE = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d"
    r"|\d (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\d ?[月號号]|[週周][一二三四五六日]",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
