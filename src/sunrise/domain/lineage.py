"""Whether a text that an agent made carries on what it read somewhere untrusted, told by words and order."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from sunrise.domain.text.han_folding import fold_han
from sunrise.domain.text.script import CJK_CLASS
from sunrise.domain.text.stop_words import STOP_WORDS

LARGE_SHARE: Final = 0.5
"""A parent holds half of what no text of the owner holds: a summary keeps that much of the words."""

ENOUGH: Final = 3.0
"""And at least this much of it: two words stand together by chance, three of a short fact hardly do."""

COPIED: Final = 6.0
"""So much in a row is a sentence that was copied, however long the rest is that was put around it."""

MAX_PARENTS: Final = 50
"""So many named parents are looked at; a record that names more names them to hide something."""


@dataclass(frozen=True, slots=True)
class Derived:
    """
    One row that was made from something else: what it says, as analysed terms, and the parents that it names.

    ``episode_id`` is the moment in which it was made, where that is known. ``is_owners`` says that the words
    are the owner's: then only parents that are named count.
    """

    row_id: int
    ts_ms: int
    tier: str | None
    reason: str | None
    terms: str
    parents: tuple[str, ...] = ()
    episode_id: int | None = None
    is_owners: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """
    One row of the ledger that others may be made from, as analysed terms.

    ``is_owners`` says that the owner said it and is trusted; every other source is untrusted. ``is_dated``
    says that its time is known.
    """

    row_id: int
    is_owners: bool
    ts_ms: int
    is_dated: bool
    terms: str
    episode_id: int | None
    tool_name: str | None
    memory_id: str | None

    def is_before(self, row: Derived, *, since_ms: int) -> bool:
        """Return whether a row can be made from this one; what is untrusted must not be older than a time."""
        in_order = self.ts_ms <= row.ts_ms or not self.is_dated
        return self.row_id != row.row_id and in_order and (self.is_owners or self.ts_ms >= since_ms)


@dataclass(slots=True)
class Holders:
    """How many rows hold a word, and which of them are sources; of a frequent word none are kept."""

    rows: int
    sources: set[int]


@dataclass(slots=True)
class RowsRead:
    """
    What a run read of the ledger to judge a row, which the next row need not read again.

    ``sources`` has rows by their ids, None for one that is no source; one that is not there is to be read.
    """

    words: dict[str, Holders] = field(default_factory=dict)
    sources: dict[int, Source | None] = field(default_factory=dict)

    def add(self, row: Derived) -> None:
        """Note that a row may have become a source: it is trusted less now."""
        self.sources.pop(row.row_id, None)
        for word in row.terms.split():
            if word in self.words:
                self.words[word].sources.add(row.row_id)


@dataclass(frozen=True, slots=True)
class Share:
    """How much of a text no owner said, and how much of that the likeliest parent holds; a word counts 1."""

    novel: float
    held: float

    @property
    def is_large(self) -> bool:
        """Whether the parent is a parent."""
        return self.held >= ENOUGH and self.held >= LARGE_SHARE * self.novel


def is_derived(text: str, *, owner: Iterable[str], untrusted: Iterable[str]) -> bool:
    """
    Return whether a text comes from one of the untrusted texts rather than from the owner.

    All are analysed terms (:func:`sunrise.domain.text.analysis.terms`). Twice it is asked how much of what no
    owner said one passage holds: once of the words, which find a summary, once of words that follow each
    other, which find a sentence of the owner's own words turned round.

    >>> page = "payout go to account de89-3704 from june on"
    >>> is_derived("the payout account is de89-3704", owner=["send me the payout list"], untrusted=[page])
    True
    >>> is_derived("the payout account is de89-3704", owner=[page], untrusted=[page])
    False
    """
    words = content(text)
    near = _nearest(untrusted, words)
    if not near:
        return False
    owners = [content(one) for one in owner]
    plain = _novel((word for word in words if word not in _NEGATIONS), owners)
    runs = _novel(_runs(words), map(_runs, owners))
    width = _width(words)
    for one in near:
        told = content(one)
        if _shared(plain, told, width=width).is_large:
            return True
        copied = _shared(runs, _runs(told), width=width)
        if copied.is_large or copied.held >= COPIED:
            return True
    return False


def content(terms: str) -> list[str]:
    """
    Return what a text is about, in order: no stop words but negations, no single CJK characters.

    >>> content("the user said: never 部 署 部署 on friday")
    ['said:', 'never', '部署', 'friday']
    """
    return [term for term in terms.split() if term not in _SAYS_NOTHING and not _SINGLE.fullmatch(term)]


def share(
    words: Sequence[str], *, owner: Iterable[Sequence[str]], untrusted: Iterable[Sequence[str]]
) -> Share:
    """
    Return how much of some words no owner's text holds, and how much of that one passage of the others does.

    A passage is four times as long as the words, or sixty: all that a long page says somewhere is no parent.
    """
    novel, width = _novel(words, owner), _width(words)
    found = (_shared(novel, text, width=width) for text in untrusted)
    return max(found, key=lambda one: one.held, default=Share(sum(novel.values()), 0.0))


def named_parents(detail: Mapping[str, Any]) -> tuple[str, ...]:
    """
    Return the refs that a record names as what it was made from, in order, each once.

    >>> named_parents({"provenance": {"derived_from": ["obs:3", "mem:a", "obs:3"], "sources": "ep:9"}})
    ('obs:3', 'mem:a', 'ep:9')
    """
    provenance = detail.get("provenance")
    if not isinstance(provenance, dict):
        return ()
    found: list[str] = []
    for name in PARENT_FIELDS:
        value = provenance.get(name)
        refs = value if isinstance(value, list) else [value]
        found += [ref for ref in refs if isinstance(ref, str) and _REF.fullmatch(ref)]
    return tuple(dict.fromkeys(found))[:MAX_PARENTS]


def search_words(terms: str, *, limit: int = 32) -> list[str]:
    """
    Return words by which texts like this one can be looked up, in the order of the text.

    >>> search_words("the payout account is de89-3704", limit=2)
    ['account', 'de89-3704']
    """
    words = list(dict.fromkeys(word for word in content(terms) if word not in _NEGATIONS))
    telling = set(_most_telling(words)[:limit])
    return [word for word in words if word in telling]


def passages(raw: str, terms: str) -> list[str]:
    """
    Return the parts of a long text that may hold much of an analysed text, so that only they are analysed.

    >>> page = "nothing here. " * 2000 + "The payouts go to account DE89-3704." + " nothing here." * 2000
    >>> {("de89" in part, len(part)) for part in passages(page, "payout go account de89-3704")}
    {(True, 6000)}
    >>> passages("the owner moved to Brno", "payout go account de89-3704")
    []
    """
    words = _most_telling(set(content(terms)))[:_NEEDLES]
    if not words:
        return []
    text = _folded(raw)
    # To look for each by itself is quick, and tells nearly every text that holds nothing.
    stems = sorted({_stem(word) for word in words if _stem(word) in text}, key=len, reverse=True)
    fewest = min(_FEWEST, len(words))
    if len(stems) < fewest:
        return []
    size = max(_PASSAGE, 4 * len(terms))
    found: dict[int, set[str]] = {}
    for match in re.finditer("|".join(map(re.escape, stems)), text):
        place = match.start() // size
        # Parts overlap by half, so that nothing is cut in two.
        for start in {place * size, (match.start() - size // 2) // size * size + size // 2}:
            found.setdefault(max(start, 0), set()).add(match[0])
    likely = sorted(found, key=lambda start: (-len(found[start]), start))[:_PASSAGES]
    return [text[start : start + size] for start in likely if len(found[start]) >= fewest]


PARENT_FIELDS: Final = ("derived_from", "sources", "parents")

_REF = re.compile(r"obs:\d{1,18}|ep:\d{1,18}|mem:\S{1,200}")
_SINGLE = re.compile(f"[{CJK_CLASS}]")
_IN_CJK = re.compile(f"[{CJK_CLASS}]{{2}}(?:\x1f[{CJK_CLASS}]{{2}})?")
# That there is a user and that something is remembered stands in every memory and says nothing of where it
# came from. A negation is a stop word that turns a sentence round.
_FRAME = frozenset({
    "user", "owner", "rememb", "store", "memori", "note", "用户", "使用", "用者", "记住", "记得",
})  # fmt: skip
_NEGATIONS = frozenset({
    "no", "not", "nor", "cannot", "can't", "don't", "doesn't", "didn't", "won't", "isn't", "aren't", "wasn't",
    "weren't", "shan't", "shouldn't",
})  # fmt: skip
_SAYS_NOTHING = (STOP_WORDS - _NEGATIONS) | _FRAME
_SHORTEST_PASSAGE = 60
_LONGER = 4
_NEEDLES = 64
_PASSAGE = 6000
_PASSAGES = 3
_FEWEST = 2
_INVISIBLE = dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))


def _weight(word: str) -> float:
    """Return what a word counts: a number, a name in code or an address is met by chance less often."""
    if _IN_CJK.fullmatch(word):
        # Two characters are about a word, and every character stands in two pairs.
        return 0.5
    return 1.0 if word.replace("\x1f", "").isalpha() else 2.0


def _most_telling(words: Iterable[str]) -> list[str]:
    return sorted(words, key=lambda word: (-_weight(word), -len(word), word))


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    return fold_han(unicodedata.normalize("NFKC", text).translate(_INVISIBLE)).casefold()


def _stem(word: str) -> str:
    # What the analysis made of a word's end may not be how it is written.
    return word[:-1] if len(word) > 3 and word.isascii() else word


def _runs(words: Sequence[str]) -> list[str]:
    return [f"{first}\x1f{second}" for first, second in pairwise(words)]


def _width(words: Sequence[str]) -> int:
    return max(_SHORTEST_PASSAGE, _LONGER * len(words))


def _novel(words: Iterable[str], owner: Iterable[Sequence[str]]) -> dict[str, float]:
    """Return the weights of the words that no owner's text holds."""
    said = {word for text in owner for word in text}
    return {word: _weight(word) for word in words if word not in said}


def _nearest(texts: Iterable[str], words: Sequence[str]) -> list[str]:
    """Return the texts that share enough with some words to be looked at, those that share most first."""
    weights = {word: _weight(word) for word in words}
    near = [(sum(weights[word] for word in weights.keys() & text.split()), text) for text in texts]
    return [text for held, text in sorted(near, key=lambda one: -one[0]) if held >= ENOUGH]


def _shared(novel: Mapping[str, float], text: Sequence[str], *, width: int) -> Share:
    whole = sum(novel.values())
    return Share(whole, _most_held(novel, text, width=width) if whole >= ENOUGH else 0.0)


def _most_held(novel: Mapping[str, float], text: Sequence[str], *, width: int) -> float:
    """Return the weight of the novel words that the best passage holds."""
    hits = [(place, word) for place, word in enumerate(text) if word in novel]
    inside: dict[str, int] = {}
    held = best = 0.0
    first = 0
    for place, word in hits:
        while hits[first][0] <= place - width:
            held -= _leave(inside, hits[first][1], novel)
            first += 1
        held += 0.0 if inside.get(word) else novel[word]
        inside[word] = inside.get(word, 0) + 1
        best = max(best, held)
    return best


def _leave(inside: dict[str, int], word: str, novel: Mapping[str, float]) -> float:
    inside[word] -= 1
    return 0.0 if inside[word] else novel[word]
