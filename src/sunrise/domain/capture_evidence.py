"""
What a sentence's build says together, where no phrase says it alone: whether it is meant for good.

Who says "right, paint goes with the sage green" or "香菜我是真的不行" uses no phrase that can be listed.
But he speaks of something settled or disliked, of no day, of no one thing at hand, and asks nothing. A sign
has a weight, their sum is held against what a language asks for, and the signs are the reasons. A weight is
twice a log odds, fitted to labelled sentences; those of what is rare were set by hand.
"""

from __future__ import annotations

from dataclasses import dataclass

from sunrise.domain.capture_phrases import Wordings, any_of


@dataclass(frozen=True, slots=True)
class Sign:
    """One kind of wording, and how much it speaks for a statement, or against it where below zero."""

    name: str
    weight: int
    wordings: Wordings


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """
    The signs of one language.

    From ``enough`` on a statement is kept that shows no phrase; at ``too_little`` or below one is left that
    shows a weak phrase, at ``none`` one that shows a firm one. ``decided`` names the signs of a decision.
    """

    enough: int
    too_little: int
    none: int
    decided: frozenset[str]
    signs: tuple[Sign, ...]


@dataclass(frozen=True, slots=True)
class Weighed:
    """How much speaks for a statement, and the names of the signs that do."""

    points: int
    reasons: tuple[str, ...]


def sign(name: str, weight: int, wording: str) -> Sign:
    """
    Return the sign that a pattern shows in levelled texts, in either form of Chinese.

    >>> sign("decided", 3, "敲定").wordings.search("方案敲定了").group()
    '敲定'
    """
    return Sign(name, weight, any_of(wording))


def weighed(level: str, evidence: Evidence) -> Weighed:
    """
    Return what the signs in a levelled text come to; each counts once.

    >>> signs = (sign("dislikes", 2, "hate"), sign("moment", -3, "now"))
    >>> english = Evidence(enough=2, too_little=-3, none=-5, decided=frozenset(), signs=signs)
    >>> weighed("i hate rain", english), weighed("i hate it now", english).points
    (Weighed(points=2, reasons=('dislikes',)), -1)
    """
    found = [one for one in evidence.signs if one.wordings.search(level)]
    return Weighed(sum(one.weight for one in found), tuple(one.name for one in found if one.weight > 0))
