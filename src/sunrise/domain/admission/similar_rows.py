"""An index of kept rows that finds the one which says nearly the same."""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from itertools import pairwise

from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.content import content_of

ALIKE_FROM = 0.8
"""
The share of common words from which two texts are nearly the same.

A change of one word in nine, or one word more in five, is within it; what a changed word may mean is then
looked at by itself.
"""

FEW_WORDS = 8
"""A text of fewer words of content is like another only when they are the same, in the same order."""


class SimilarRows:
    """
    Kept rows, found by the words that they share.

    Rows meet only where scope, agent, trust, numbers, identifiers and negations are the same. Two sets of
    which four fifths are common share one of the first words in any order that is fixed, so only those are
    indexed, the longest first because long words are rare. Lives as long as one run; the oldest rows are
    forgotten beyond ``max_rows``.
    """

    def __init__(self, *, window_ms: int, max_rows: int = 50_000) -> None:
        self._window_ms = window_ms
        self._max_rows = max_rows
        self._rows: OrderedDict[str, _Row] = OrderedDict()
        self._places: dict[int, list[str]] = {}
        self._last: tuple[Candidate, _Look] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def nearest(self, candidate: Candidate) -> str | None:
        """Return the key of the kept row that says nearly the same within the window, or None."""
        look = self._look(candidate)
        best: tuple[float, str] | None = None
        tried: set[str] = set()
        for place in look.places:
            for key in self._places.get(place, ()):
                if key in tried:
                    continue
                tried.add(key)
                row = self._rows[key]
                if not self._in_window(row, candidate.ts_ms):
                    continue
                likeness = _likeness(look, candidate.text, row)
                if likeness >= ALIKE_FROM and (best is None or likeness > best[0]):
                    best = (likeness, key)
        return best[1] if best else None

    def remember(self, candidate: Candidate) -> None:
        """Keep a row that was admitted, so that later ones are found to be like it."""
        if candidate.key in self._rows:
            self.saw(candidate.key, candidate.ts_ms)
            return
        look = self._look(candidate)
        row = _Row(look, candidate.text, candidate.ts_ms, candidate.ts_ms)
        self._rows[candidate.key] = row
        for place in look.places:
            keys = self._places.setdefault(place, [])
            keys.append(candidate.key)
            if len(keys) > _MAX_AT_PLACE:
                del keys[0]
        if len(self._rows) > self._max_rows:
            self._forget_oldest()

    def saw(self, key: str, ts_ms: int) -> None:
        """
        Note that a kept row was said again: the window counts from there too.

        Sightings are within a window of each other, so the first and the last say enough.
        """
        row = self._rows.get(key)
        if row is not None:
            row.first_ms = min(row.first_ms, ts_ms)
            row.last_ms = max(row.last_ms, ts_ms)

    def _in_window(self, row: _Row, ts_ms: int) -> bool:
        return row.first_ms - self._window_ms <= ts_ms <= row.last_ms + self._window_ms

    def _look(self, candidate: Candidate) -> _Look:
        if self._last is None or self._last[0] is not candidate:
            self._last = (candidate, _look_at(candidate))
        return self._last[1]

    def _forget_oldest(self) -> None:
        key, row = self._rows.popitem(last=False)
        for place in row.look.places:
            keys = self._places[place]
            if key in keys:
                keys.remove(key)
            if not keys:
                del self._places[place]


_MAX_AT_PLACE = 64
_MAX_PLACES = 40


@dataclass(frozen=True, slots=True)
class _Look:
    words: tuple[str, ...]
    places: tuple[int, ...]


@dataclass(slots=True)
class _Row:
    look: _Look
    text: str
    first_ms: int
    last_ms: int


def _look_at(candidate: Candidate) -> _Look:
    content = content_of(candidate.terms)
    if not content.words and not content.fixed:
        return _Look((), ())
    frame = hash(
        (
            candidate.scope,
            candidate.agent_id,
            candidate.trust_tier,
            candidate.source_kind == "web",
            "?" in candidate.text or "？" in candidate.text,
            content.fixed,
        )
    )
    distinct = set(content.words)
    if len(distinct) < FEW_WORDS:
        return _Look(content.words, (hash((frame, content.words)),))
    first = sorted(distinct, key=_rare_first)
    count = min(_MAX_PLACES, len(first) - -(-len(first) * 4 // 5) + 1)
    return _Look(content.words, tuple([hash((frame, word)) for word in first[:count]]))


def _rare_first(word: str) -> tuple[int, str]:
    return -len(word), word


def _likeness(look: _Look, text: str, row: _Row) -> float:
    """Return the share of common words, or 0 where what differs may turn the meaning."""
    if look.words == row.look.words:
        return 1.0
    mine, theirs = set(look.words), set(row.look.words)
    share = len(mine & theirs) / len(mine | theirs)
    if share < ALIKE_FROM:
        return 0.0
    differing = mine ^ theirs
    # Two texts that begin with different words may speak of different people.
    if differing & _OPPOSITES or {look.words[0], row.look.words[0]} <= differing:
        return 0.0
    if not _same_order(look.words, row.look.words):
        return 0.0
    return 0.0 if _names(text) ^ _names(row.text) else share


def opposed(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """
    Return whether two texts differ in a word that is never a mere rewording of another.

    >>> opposed(("red", "bus"), ("blue", "bus")), opposed(("bus",), ("big", "bus"))
    (True, False)
    """
    return not _OPPOSITES.isdisjoint(set(mine) ^ set(theirs))


def _same_order(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Return whether half of the neighbours are the same: who does what to whom stands in the order."""
    ours, others = set(pairwise(mine)), set(pairwise(theirs))
    return len(ours & others) * 2 >= len(ours | others)


def _names(text: str) -> frozenset[str]:
    """Return the capitalised words, but for the one that begins a text because it begins it."""
    return frozenset(_NAME.findall(text))


_NAME = re.compile(r"(?<=[^.!?:;\s]\s)[A-Z]\w+")

_OPPOSITES_WORDS = """
    succeed success fail failur failed pass broke broken fix enabl disabl add remov start stop open
    close increas decreas rise rose fall fell allow deni forbid accept reject approv refus buy sell
    bought sold win lose won lost first last true fals yes left right old new hot cold begin end safe
    unsaf high low higher lower valid invalid present absent import export install uninstal connect
    disconnect lock unlock before after morning even monday tuesday wednesday thursday friday saturday
    sunday januari februari march april june juli august septemb octob novemb decemb one two three four
    five six seven eight nine ten red green blue black white 成功 失败 启用 禁用 增加 减少 开始 停止
    """
_OPPOSITES = frozenset(_OPPOSITES_WORDS.split())
"""Words that are never a mere rewording of another: where one is missing or more, two texts differ."""
