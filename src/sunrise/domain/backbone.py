"""What the working set says already: a memory that says the same takes no second slot."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Self

from sunrise.domain.duplicates import sameness
from sunrise.domain.text.han_folding import fold_han
from sunrise.domain.text.stop_words import STOP_WORDS

_FEWEST_TERMS: Final = 2
"""One word that both have says nothing."""

_LEAST_SHARE: Final = 0.5
"""A memory that says what is pinned and more than as much again is worth a slot for the rest of it."""


@dataclass(frozen=True, slots=True)
class Saying:
    """
    A text that may be put before the agent; ``refs`` are the memories that it was made of.

    ``words`` is the text's sameness where it is known already.
    """

    refs: tuple[str, ...]
    text: str
    words: str | None = None

    @property
    def sameness(self) -> str:
        """What it shares with texts that say the same."""
        return sameness(self.text) if self.words is None else self.words


def backbone_duplicates(found: Iterable[Saying], pinned: Iterable[Saying]) -> dict[str, str]:
    """
    Return the refs of found memories that the working set says already, each with the ref that says it.

    A memory is said if the working set was made of it, if one of its items has the same words, or if one has
    the same telling words in the same order, with the same numbers and the same denials, but for words that
    only one of the two adds: any that the item adds, at most as many again that the memory does.

    >>> rule = Saying(("mem:1",), "Never deploy on Friday.")
    >>> found = [Saying(("mem:2",), "Rule: never deploy on Friday"), Saying(("mem:3",), "Deploy on Friday")]
    >>> backbone_duplicates(found, [rule])
    {'mem:2': 'mem:1'}
    """
    backbone = _Backbone.of(pinned)
    said: dict[str, str] = {}
    for saying in found:
        by = backbone.says(saying)
        if by is not None:
            said |= dict.fromkeys(saying.refs, by)
    return said


_DENIAL = re.compile(
    r"\b(?:not|no|never|without|except|unless|cannot|nor|neither|none|only|stop|stopped|avoid|forbid|forbidden"
    r"|disable|disabled|instead)\b|n't\b"
    r"|[不没无别勿禁非未否只]|ない|ません|なく|なし|않|못|없|안 |말고|말아|금지"
)


_NUMBER = re.compile(r"\S*\d\S*")

_Marks = tuple[tuple[str, ...], tuple[str, ...]]
"""The numbers and the denials of a text: with others it says another thing."""


@dataclass(frozen=True, slots=True)
class _Item:
    """A pinned text: the ref that it is told by, its telling words in order and each once, and its marks."""

    ref: str
    telling: tuple[str, ...]
    words: frozenset[str]
    marks: _Marks


@dataclass(slots=True)
class _Backbone:
    """The pinned texts by all that another may have in common with them."""

    by_ref: dict[str, str]
    by_words: dict[str, str]
    items: list[_Item]

    @classmethod
    def of(cls, pinned: Iterable[Saying]) -> Self:
        backbone = cls({}, {}, [])
        for saying in pinned:
            ref, words = next(iter(saying.refs), ""), saying.sameness
            for own in saying.refs:
                backbone.by_ref.setdefault(own, ref)
            if words:
                backbone.by_words.setdefault(words, ref)
                telling = tuple(_telling(words))
                item = _Item(ref, telling, frozenset(telling), _marks(words, saying.text))
                backbone.items.append(item)
        return backbone

    def says(self, saying: Saying) -> str | None:
        """Return the ref of a pinned text that says the same, or None."""
        own = next((self.by_ref[ref] for ref in saying.refs if ref in self.by_ref), None)
        words = saying.sameness
        if own is not None or words in self.by_words:
            return self.by_words[words] if own is None else own
        each = frozenset(words.split()) - STOP_WORDS
        # Few have all words of another, and their order, and what they deny, cost more to tell.
        near = [item for item in self.items if item.words <= each or each <= item.words]
        telling = tuple(_telling(words)) if near else ()
        near = [item for item in near if _is_about_the_same(item.telling, telling)]
        marks = _marks(words, saying.text) if near else None
        return next((item.ref for item in near if item.marks == marks), None)


def _marks(words: str, text: str) -> _Marks:
    plain = fold_han(text.casefold().replace("’", "'"))
    return tuple(sorted(_NUMBER.findall(words))), tuple(sorted(_DENIAL.findall(plain)))


def _telling(words: str) -> Iterator[str]:
    return (word for word in words.split() if word not in STOP_WORDS)


def _is_about_the_same(pinned: tuple[str, ...], found: tuple[str, ...]) -> bool:
    if _holds(pinned, found):
        return True
    return len(pinned) >= _LEAST_SHARE * len(found) and _holds(found, pinned)


def _holds(whole: tuple[str, ...], part: tuple[str, ...]) -> bool:
    """Return whether all telling words of a text stand in another, in their order."""
    if not _FEWEST_TERMS <= len(part) <= len(whole):
        return False
    rest = iter(whole)
    return all(word in rest for word in part)
