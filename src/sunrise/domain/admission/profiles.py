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
_KIN = (
    r"(?:wife|husband|spouse|partner|son|daughter|child|children|kids?|brother|sister|siblings?|dog|cat|pets?"
    r"|family|girlfriend|boyfriend)"
)
_HIS = (
    r"(?:full |first |last |real |current |preferred )*(?:name|age|birthday|birth date|date of birth|job|"
    r"job title|occupation|profession|employer|company|role|city|home ?town|address|country|location|"
    r"nationality|wife|husband|spouse|partner|son|daughter|family|education|degree|gender|ethnicity)"
)
_DOES = (
    r"(?:is|was) (?:called|named|born|based|located|living|employed|married|originally)(?: in| at| as| on)?|"
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
