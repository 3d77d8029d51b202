"""
What a sentence's build says together, where no phrase says it alone: whether it is meant for good.

Who says "right, paint goes with the sage green" or "香菜我是真的不行" uses no phrase that can be listed.
But he speaks of something settled or disliked, of no day, of no one thing at hand, and asks nothing. Each such
sign has a weight, their sum is held against what a language asks for, and the signs are the reasons.
"""

from __future__ import annotations

from dataclasses import dataclass

from sunrise.domain.capture_phrases import Wordings


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
    shows a weak one. ``decided`` names the signs of a decision.
    """

    enough: int
    too_little: int
    decided: frozenset[str]
    signs: tuple[Sign, ...]


@dataclass(frozen=True, slots=True)
class Weighed:
    """How much speaks for a statement, and the names of the signs that do."""

    points: int
    reasons: tuple[str, ...]


def weighed(level: str, evidence: Evidence) -> Weighed:
    """
    Return what the signs in a levelled text come to; each counts once.

    >>> from sunrise.domain.capture_phrases import any_of
    >>> signs = (Sign("dislikes", 2, any_of("hate")), Sign("moment", -3, any_of("now")))
    >>> english = Evidence(enough=2, too_little=-3, decided=frozenset(), signs=signs)
    >>> weighed("i hate rain", english), weighed("i hate it now", english).points
    (Weighed(points=2, reasons=('dislikes',)), -1)
    """
    found = [sign for sign in evidence.signs if sign.wordings.search(level)]
    return Weighed(sum(sign.weight for sign in found), tuple(sign.name for sign in found if sign.weight > 0))
