"""Whether a statement says what an earlier one said: quoted, reworded, or in another language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from sunrise.domain.admission.content import Content, content_of
from sunrise.domain.admission.figures import figures_of
from sunrise.domain.admission.similar_rows import opposed
from sunrise.domain.relative_days import NUMBER_WORDS
from sunrise.domain.text.analysis import terms

REPEAT_FROM = (0.53, 0.55)
"""The likeness to an earlier statement from which one is its repeat, without and with a hint at news."""

MARKED_FROM = (0.4, 0.3, 0.25)
"""The same where the earlier one holds all figures and names that mark a statement, by how many there are."""

MOSTLY_MARKED_FROM = 0.48
"""The same where it holds all figures and half of the marks, or names only."""

NEARLY_ALL = 0.9
"""The likeness from which one word may stand for another in two statements that are alike otherwise."""

QUOTED_FROM = 0.7
"""The share of a statement that stands in an earlier one in one piece, from which it is a quotation."""


@dataclass(frozen=True, slots=True)
class Said:
    """
    A statement as it is compared: its figures with months as numbers, and its marks.

    Marks are the figures of more than one digit and the names and identifiers, in Latin letters.
    """

    text: str
    figures: frozenset[str]
    marks: frozenset[str]


def said(text: str) -> Said:
    """
    Return a statement as it is compared.

    >>> sorted(said("Order 10467 of Ms Tsai, refunded on 8 April").figures)
    ['10467', '4', '8']
    >>> sorted(said("Order 10467 of Ms Tsai, refunded on 8 April").marks)
    ['10467', 'tsai']
    """
    figures = figures_of(_MONTH.sub(_month, text))
    marks = {one for one in figures if len(one) > 1 and not _YEAR.fullmatch(one)}
    marks.update(name for one in _MARK.findall(text) if (name := one.casefold()) not in _PLAIN)
    return Said(text, figures, frozenset(marks))


def echoes(one: Said, earlier: Said, whole: Said, likeness: float, *, hints: int) -> bool:
    """
    Return whether a statement says what an earlier one of the row ``whole`` said, no figure of it being new.

    >>> told = said("The deposit of 850 for the boxes is paid, the rest on delivery")
    >>> [echoes(said(text), told, told, 0.5, hints=0) for text in ("850 were paid", "950 were paid")]
    [True, False]
    """
    if not one.figures <= whole.figures | _worded(whole.text):
        return False
    if quotes(one.text, whole.text):
        return True
    least = REPEAT_FROM[min(hints, 1)]
    folded = whole.text.casefold()
    known = [mark for mark in one.marks if mark in whole.figures or mark in folded]
    counted = sum(any(map(str.isdigit, mark)) for mark in known)
    if counted and len(known) == len(one.marks):
        least = MARKED_FROM[min(counted, len(MARKED_FROM)) - 1]
    elif len(known) * 2 >= len(one.marks) > 0:
        least = min(least, MOSTLY_MARKED_FROM)
    bound = bool(likeness >= NEARLY_ALL or (known and len(known) == len(one.marks)))
    return likeness >= least and _same_turn(one.text, earlier.text, whole.text, bound=bound)


def quotes(statement: str, earlier: str) -> bool:
    """
    Return whether most of a statement stands in an earlier one as it is.

    >>> quotes("I remember: the bread is in the blue box", "Wait, the bread is in the blue box, not here")
    True
    """
    mine, theirs = _squeezed(statement), _squeezed(earlier)
    if len(mine) < _SHORTEST:
        return False
    run = SequenceMatcher(None, mine, theirs, autojunk=False).find_longest_match()
    if run.size < QUOTED_FROM * len(mine) or run.size < _SHORTEST:
        return False
    rest = f"{mine[: run.a]} {mine[run.a + run.size :]}"
    return ("not" in content_of(terms(rest)).fixed) is False


def _same_turn(statement: str, earlier: str, row: str, *, bound: bool) -> bool:
    statement, earlier = (_CONTRAST.sub(" ", text) for text in (statement, earlier))
    mine, theirs = content_of(terms(statement)), content_of(terms(earlier))
    ours, others = set(mine.words), set(theirs.words)
    if not ours & others or bool(_HAN.search(statement)) != bool(_HAN.search(earlier)):
        # Another language: its small words cannot be compared.
        return True
    if opposed(mine.words, theirs.words) and len(ours & others) * 2 > len(ours | others):
        return False
    partial = len(ours) <= _PART * len(others)
    denied = _denies(mine)
    denies = _denies(theirs) or (denied and _denies(content_of(terms(row))))
    if denied != denies and not (denies and partial):
        return False
    # Where nearly all words are common, the order and the rest decide.
    if len(ours & others) < _WORDS_ALIKE * len(ours | others):
        return True
    return _same_but_more(mine, theirs) or (bound and not _turned(mine.words, theirs.words))


def _denies(content: Content) -> bool:
    return "not" in content.fixed or not _REFUSING.isdisjoint((*content.words, *content.fixed))


def _turned(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Return whether what differs may turn the meaning: it stands in the order."""
    order = SequenceMatcher(None, mine, theirs, autojunk=False).ratio()
    return order < _ORDERED


def _same_but_more(mine: Content, theirs: Content) -> bool:
    """Return whether the words are the same in the same order, but for some that only one side has."""
    short, long = sorted((mine.words, theirs.words), key=len)
    rest = iter(long)
    turns = {one for one in mine.fixed if one.isalpha()}
    return all(word in rest for word in short) and turns <= set(theirs.fixed)


def _month(match: re.Match[str]) -> str:
    return f" {_MONTHS[match[1][:3].lower()]} "


def _worded(text: str) -> frozenset[str]:
    """Return the figures that a text gives in words, and its hours of the afternoon as the clock has them."""
    told = {_NUMBERS[word] for word in _IN_WORDS.findall(text.lower())}
    for han in _IN_HAN.findall(text):
        tens, ten, ones = han.rpartition("十")
        value = _HAN_DIGITS.get(ones, 0) + (10 * _HAN_DIGITS.get(tens, 1) if ten else 0)
        told.add(str(value))
    figures = told | figures_of(text)
    if _AFTERNOON.search(text):
        told.update(str(int(one) + 12) for one in figures if len(one) <= 2 and 0 < int(one) < 12)
    if _HALF.search(text):
        told.add("30")
    # The full hour.
    return frozenset((*told, "0"))


def _squeezed(text: str) -> str:
    return _BLANK.sub("", text.casefold())


_SHORTEST = 8
_PART = 0.85
_ORDERED = 0.8
_WORDS_ALIKE = 0.8

_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_MONTH = re.compile(
    r"\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?\b"
)
_YEAR = re.compile(r"20[1-4]\d")
_MARK = re.compile(
    r"(?<![.!?:;\n] )(?<!^)(?<!\w)[A-Z][\w-]*[\w]|\b[a-z]+[_./-][\w./-]*\w|\b[a-zA-Z]+-?\d[\w-]*"
    r"|\b[a-z]+[A-Z]\w+|\b(?=\w*\d)(?=\w*[a-z])\w{6,}\b",
    re.ASCII,
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_CONTRAST = re.compile(r", not\b|，?不是|而不是")
_NUMBERS = {name: str(number) for number, name in enumerate(["zero", *NUMBER_WORDS])}
_IN_WORDS = re.compile(rf"\b(?:{'|'.join(_NUMBERS)})\b")
_HAN_DIGITS = {han: value for value, han in enumerate("零一二三四五六七八九")} | {"兩": 2, "两": 2}
_IN_HAN = re.compile(r"[一二三四五六七八九兩两]?十[一二三四五六七八九]?|[一二三四五六七八九兩两]")
_AFTERNOON = re.compile(r"\bpm\b|\dpm\b|afternoon|evening|tonight|下午|晚上|傍晚|今晚", re.IGNORECASE)
_HALF = re.compile(r"半|half", re.IGNORECASE)
_REFUSING_WORDS = """
    never noth nobodi stop skip cancel fail refus longer out
    """
_REFUSING = frozenset(_REFUSING_WORDS.split())
_BLANK = re.compile(r"[\W_]+")
_PLAIN_WORDS = """
    the user agent assistant ms mr mrs monday tuesday wednesday thursday friday saturday sunday jan feb mar
    apr may jun jul aug sep oct nov dec january february march april june july august september october
    november december english chinese
    """
_PLAIN = frozenset(_PLAIN_WORDS.split())
