"""What the terms of a text say: its content, and beside it what must not differ between near repeats."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sunrise.domain.text.stop_words import STOP_WORDS


@dataclass(frozen=True, slots=True)
class Content:
    """
    The terms of a text, parted.

    ``words`` are what it is about, in reading order. ``fixed`` are its numbers and identifiers, its
    negations, and the small words that turn a meaning (before, after, was, will).
    """

    words: tuple[str, ...]
    fixed: tuple[str, ...]


@lru_cache(maxsize=64)
def content_of(terms: str) -> Content:
    """
    Return the content of analysed text.

    >>> content_of("the deploy at 9 was not finish but the rollback after it")
    Content(words=('deploy', 'finish', 'rollback'), fixed=('9', 'was', 'not', 'after'))
    """
    parts = terms.split()
    return Content(
        tuple([word for part in parts if (word := _WORDS[part])]),
        tuple([mark for part in parts if (mark := _MARKS[part])]),
    )


class _Words(dict[str, str]):
    """The word of content that a term stands for, or nothing. Rows are made of the same few thousand."""

    def __missing__(self, term: str) -> str:
        if len(self) >= _TERMS_KEPT:
            self.clear()
        # A single character of Chinese is told by its pairs.
        told = term.isalpha() and len(term) > 1 and term not in _PARTS
        self[term] = word = _SAME.get(term, term) if told else ""
        return word


class _Marks(dict[str, str]):
    """What a term must be matched by exactly, or nothing."""

    def __missing__(self, term: str) -> str:
        if len(self) >= _TERMS_KEPT:
            self.clear()
        self[term] = mark = _PARTS.get(term, "" if term.isalpha() else term)
        return mark


_TERMS_KEPT = 1 << 15
_WORDS = _Words()
_MARKS = _Marks()

_FRAME_WORDS = """
    note fact rememb remind memori import signific key point context convers indic state mention say
    said accord record keep mind session summari everyth someth anyth 记住 记得 注意 重要 备注
    """
_FRAME = frozenset(_FRAME_WORDS.split())
"""The words that an extractor puts around a fact, as stems."""

_TURNS_WORDS = """
    before after over under above below between until once off out up down on more most few all any if
    or then than never alway without only was were had will would should must may might can could less
    almost near except unless
    """
_TURNS = frozenset(_TURNS_WORDS.split())
"""Words of which one more or one less may change what is said: the order, the time, the extent, the mood."""

_DENIES_WORDS = """
    not no nor don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't can't cannot
    couldn't won't wouldn't shan't shouldn't ain't needn't mustn't
    不 没 别 無 无 未 非 勿 莫 否 ない せん 안 않
    """
_DENIES = frozenset(_DENIES_WORDS.split())

_SAME = {
    "human": "user",
    "owner": "user",
    "用户": "user",
    "like": "prefer",
    "favor": "prefer",
    "favour": "prefer",
    "enjoy": "prefer",
    "love": "prefer",
    "偏好": "prefer",
    "喜欢": "prefer",
    "assist": "agent",
    "ai": "agent",
    "bot": "agent",
    "concis": "short",
    "brief": "short",
    "desir": "want",
    "written": "write",
    "wrote": "write",
}
"""Words that an extractor takes one for the other."""

_PARTS: dict[str, str] = {
    **dict.fromkeys(STOP_WORDS | _FRAME, ""),
    **{word: word for word in _TURNS},
    **dict.fromkeys(_DENIES, "not"),
}
