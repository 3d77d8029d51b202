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

    remember_ahead: Wordings
    remember_behind: Wordings
    todo: Wordings
    standing: Wordings
    standing_request: Wordings
    decision: Wordings
    weak_decision: Wordings
    preference: Wordings
    fact: Wordings
    entity: Wordings
    question: Wordings
    hypothetical: Wordings
    reported: Wordings
    reaction: Wordings
    transient: Wordings
    tag_question: Wordings


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


class Wordings:
    """
    A pattern that is compiled when it is first looked for.

    To compile all that four languages say takes a second, and most processes never read a statement.
    """

    __slots__ = ("_compiled", "_parts")

    def __init__(self, *parts: str) -> None:
        self._parts = parts
        self._compiled: re.Pattern[str] | None = None

    def match(self, text: str) -> re.Match[str] | None:
        """Return where a text begins so, None where it does not."""
        return self._pattern().match(text)

    def search(self, text: str) -> re.Match[str] | None:
        """Return where this first stands in a text, None where it does not."""
        return self._pattern().search(text)

    def _pattern(self) -> re.Pattern[str]:
        # Two threads may compile it at the same time; either's is the same.
        if self._compiled is None:
            self._compiled = re.compile(fold_han(either(*self._parts)), re.ASCII)
        return self._compiled


def any_of(*parts: str) -> Wordings:
    """
    Return a pattern that any of these match, in either form of Chinese; words are words of ASCII.

    >>> any_of("決定", "we chose").search("我们决定, we chose").span()
    (2, 4)
    """
    return Wordings(*parts)


_LEVEL: dict[int, int | str] = {
    **TRADITIONAL_TO_SIMPLIFIED,
    **str.maketrans("’‘`´“”，：；？！（）～　【】", "''''\"\",:;?!()~ []"),
}
