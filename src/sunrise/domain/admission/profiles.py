"""Claims about who the user is: kept where the owner said so, junk where a model made them up."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sunrise.domain.admission.content import content_of
from sunrise.domain.admission.wording import claim_of
from sunrise.domain.text.analysis import terms

OwnerSaid = Callable[[Sequence[str]], bool]
"""Whether one row of the owner holds all these index terms, stop words among them."""


def is_unsupported_profile(text: str, owner_said: OwnerSaid) -> bool:
    """
    Return whether a text asserts a name, age, work, place or family of the user that the owner never told.

    Every word that tells something must stand in one row of the owner that speaks in the first person, and
    for a place also of living there. What the user likes is no profile.

    >>> owner = "my name is dana and i live in brno".split()
    >>> said = lambda words: set(words) <= set(owner)
    >>> [is_unsupported_profile(f"User lives in {place}, prefers tea", said) for place in ("Brno", "Rome")]
    [False, True]
    """
    match = _CLAIM.search(claim_of(text))
    if match is None:
        return False
    words = _telling(match)
    beside = _AT_HOME if _PLACE.search(match[0]) else _HIMSELF
    return not any(owner_said([*words, *own]) for own in beside)


def makes_up(statement: str) -> bool:
    """
    Return whether a statement says what the user is, has or does as if it were so, and not that he said it.

    A day that is named spares it: who makes things up seldom gives one.

    >>> [makes_up(text) for text in ("The user earns 120k a year", "The user said he earns 120k a year")]
    [True, False]
    """
    lower = statement.lower()
    return _ABOUT_USER.match(lower) is not None and _SAID.search(lower) is None and _DAY.search(lower) is None


def claims_of_user(statement: str) -> bool:
    """
    Return whether a statement says what the user is, has or does, and not that he said it.

    >>> [claims_of_user(text) for text in ("User has a test on May 3", "User wants to rest, he said")]
    [True, False]
    """
    lower = statement.lower()
    return _OF_USER.match(lower) is not None and _SAID.search(lower) is None


def owner_speaks(owner_said: OwnerSaid) -> bool:
    """Return whether there are rows of the owner at all, in which he speaks of himself."""
    return any(owner_said(own) for own in _HIMSELF)


def _telling(match: re.Match[str]) -> list[str]:
    content = content_of(terms(match["what"]))
    numbers = _numbers(content.fixed)
    words = [word for word in content.words if word not in _PLAIN]
    if not words:
        # A number alone may stand in any row: what it counts must stand beside it.
        words = [word for word in content_of(terms(match[0])).words if word != "user"]
    return list(dict.fromkeys((*words, *numbers)))


def _numbers(fixed: Sequence[str]) -> list[str]:
    return [mark for mark in fixed if any(map(str.isdigit, mark))]


_USER = r"(?:the )?(?:user|human|owner|customer|client)"
_ABOUT_USER = re.compile(
    rf"(?:{_USER}(?:'s [a-z' ]{{2,40}}? (?:is|are|was|has|lives?|works?)\b| (?!said|told|asked|decided"
    rf"|wrote|reported|confirmed)"
    r"(?:is|was|has|had|does|will|can|[a-z]+[^s\W]s|grew|studied|graduated|worked|moved|lived|used to)\b)"
    r"|(?:用戶|用户|使用者|主人)(?!說|说|提到|表示|要求|決定|决定|問|问|確認|确认|寫道|写道|同意|解釋|解释))"
)
_OF_USER = re.compile(rf"(?:\W*(?:profile|observation|about the user)\W+)?(?:{_USER}\b|用[戶户]|使用者|主人)")
_SAID = re.compile(
    r"\b(?:said|says|told|tells|mention\w*|asked|asks|clarif\w*|explain\w*|decided|agreed|confirmed"
    r"|wrote|reported|announced"
    r"|wants? (?:us|me|the agent)|because|since|until|after|from now on|no longer|any ?more|so that"
    r"|instead|now|today|yesterday|last (?:week|month|night|year))\b"
    r"|說|说|提到|表示|要求|決定|决定|因為|因为|同意|之後|之后|改[成為为到用]"
)
_DAY = re.compile(
    r"\d{4}-\d\d-\d\d|\b\d{1,2}[/.]\d{1,2}\b|\d{1,2} ?[月日號号]|\b\d{1,2}:\d\d\b"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d|\b\d{1,2}(?:st|nd|rd"
    r"|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug"
    r"|sep|oct|nov|dec)"
)
_KIN = (
    r"(?:wife|husband|spouse|partner|son|daughter|child|children|kids?|brother|sister|siblings?|dog|cat"
    r"|pets?"
    r"|family|girlfriend|boyfriend)"
)
_HIS = (
    r"(?:full |first |last |real |current |preferred )*(?:name|age|birthday|birth date|date of birth|job|"
    r"job title|occupation|profession|employer|company|role|city|home ?town|address|country|location|"
    r"nationality|wife|husband|spouse|partner|son|daughter|family|education|degree|gender|ethnicity)"
)
_DOES = (
    r"(?:is|was) (?:called|named|born|based|located|living|employed|married|originally)(?: in| at| as"
    r"| on)?|"
    r"works (?:as|at|for|in|from)|lives (?:in|at|with|near)|resides (?:in|at)|studied|graduated from|"
    r"is from|comes from|is (?=\d+ years?\b)|turns (?=\d)|is (?=an? )|is (?=(?:currently )?(?:a|an) )|"
    rf"has (?=(?:an?|one|two|three|four|five|\d+|no)? ?(?:\w+ )?{_KIN}\b)"
)
_CLAIM = re.compile(
    rf"(?:^|[;.,] ?|\band )(?:{_USER}(?:'s {_HIS} (?:is|are|was)|s? (?:{_DOES}))"
    r"|(?:用戶|用户|使用者|主人)(?:的(?:名字|姓名|職業|职业|年齡|年龄|公司|城市|家人|妻子|丈夫|孩子)[是為为]?|是|名?叫|住在|"
    r"今年|出生[於于]|來自|来自|在(?=\S{1,8}(?:工作|上班))|任職[於于]|任职于|有(?=\S{0,3}(?:孩子|妻子|女兒|女儿|兒子|儿子))|"
    r"已婚|結婚|结婚))"
    r"(?P<what>[^.,;。；，]*)",
)

_PLACE = re.compile(r"\b(?:lives|resides|based|located|living|city|home ?town|address|location)\b|住在")
_HIMSELF = (("i",), ("my",), ("i'm",), ("me",), ("我",))
_AT_HOME = (("i", "live"), ("i", "move"), ("my", "home"), ("my", "address"), ("my", "flat"), ("我", "住"))

_PLAIN_WORDS = """
    year old work live born call name age job user currently current origin famili base locat employ
    with work's 岁 歲 工作
    """
_PLAIN = frozenset(_PLAIN_WORDS.split())
"""Stems that belong to the claim itself and tell nothing of the user."""
