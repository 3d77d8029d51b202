"""
What a person's wording says of a sentence: that it is a wish for good, a decision, a question, a thought.

One table for each language, of patterns for texts as :func:`levelled` gives them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sunrise.domain.text.han_folding import TRADITIONAL_TO_SIMPLIFIED, fold_han


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """
    The wordings of one language.

    ``remember_ahead`` begins a sentence and is followed by what to remember, ``remember_behind`` ends it.
    ``standing`` says that something holds from now on; ``standing_request`` is that in the form of a
    question. ``decision`` is one whatever stands beside it; ``weak_decision`` and ``preference`` are none
    where ``transient`` says that they are about this moment or this thing.
    """

    remember_ahead: re.Pattern[str]
    remember_behind: re.Pattern[str]
    todo: re.Pattern[str]
    standing: re.Pattern[str]
    standing_request: re.Pattern[str]
    decision: re.Pattern[str]
    weak_decision: re.Pattern[str]
    preference: re.Pattern[str]
    fact: re.Pattern[str]
    entity: re.Pattern[str]
    question: re.Pattern[str]
    hypothetical: re.Pattern[str]
    reported: re.Pattern[str]
    reaction: re.Pattern[str]
    transient: re.Pattern[str]
    tag_question: re.Pattern[str]


def levelled(text: str) -> str:
    """
    Return a text in lower case, in Simplified Chinese, with the punctuation of ASCII; its length stays.

    >>> levelled("請記住：Use Tabs！")
    '请记住:use tabs!'
    """
    lowered = text.lower()
    return (lowered if len(lowered) == len(text) else text).translate(_LEVEL)


def either(*parts: str) -> str:
    """
    Return the part of a pattern that any of these match.

    >>> either("we chose", "we took")
    'we chose|we took'
    """
    return "|".join(parts)


def any_of(*parts: str) -> re.Pattern[str]:
    """
    Return a pattern that any of these match, in either form of Chinese; words are words of ASCII.

    >>> any_of("決定", "we chose").findall("我们决定, we chose")
    ['决定', 'we chose']
    """
    return re.compile(fold_han(either(*parts)), re.ASCII)


_LEVEL: dict[int, int | str] = {
    **TRADITIONAL_TO_SIMPLIFIED,
    **str.maketrans("’‘`´“”，：；？！（）～　【】", "''''\"\",:;?!()~ []"),
}
