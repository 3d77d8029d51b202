"""The analysed terms of rows in memory, scored by BM25 as the full-text index of lancedb scores them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sunrise.adapters.held_vectors import Floats, Places, highest

Lengths = npt.NDArray[np.int32]

_K1: Final = 1.2
_B: Final = 0.75
_KNOWN_CODES: Final = 16_384


class HeldTerms:
    """
    For each term the places of the rows that it stands in, and how often it does.

    Rows that come later stand behind the others. The score of a row depends on all rows, so scores are worked
    out when they are asked for: they are the same whether rows came at once or one by one.
    """

    def __init__(self, terms: pa.ChunkedArray) -> None:
        words = pc.utf8_split_whitespace(terms.combine_chunks())
        flat = pc.list_flatten(words).dictionary_encode()
        rows = pc.list_parent_indices(words).to_numpy().astype(np.uint32)
        order = pc.sort_indices(flat.dictionary)
        # A list of Python's texts would take ten times as much.
        self._vocabulary = flat.dictionary.take(order)
        codes = np.argsort(order.to_numpy()).astype(np.uint32)[flat.indices.to_numpy()]
        # Questions share their words, and Arrow makes a new text each time one is compared.
        self._code = lru_cache(_KNOWN_CODES)(self._looked_up)
        # Of an empty text the split makes one empty word, and that stands first.
        is_word = codes >= (self._code("") is not None)
        codes, rows = codes[is_word], rows[is_word]
        self._lengths = np.bincount(rows, minlength=len(terms)).astype(np.int32)
        of_term, self._places, self._often = _counted(codes, rows)
        self._begins = np.searchsorted(of_term, np.arange(len(self._vocabulary) + 1, dtype=np.uint32))
        self._later, self._rows = _LaterTerms(len(terms)), len(terms)
        self._documents, self._words = int(np.count_nonzero(self._lengths)), int(self._lengths.sum())
        self._left = Counter[str]()

    @property
    def is_telling(self) -> bool:
        """Whether there is any term at all."""
        return self._words > 0

    @property
    def nbytes(self) -> int:
        """What is taken by all of it, as nearly as can be told."""
        return int(self._vocabulary.nbytes) + self._begins.nbytes + 2 * self._places.nbytes

    def followed(self, *, later: Sequence[str | None], left: Iterable[str | None]) -> Self:
        """
        Return the terms with those of rows that came, behind the others, and without those of rows that left.

        A row that left keeps its place: who asks leaves it out.
        """
        made = object.__new__(type(self))
        made.__dict__ |= self.__dict__
        for words in ((text or "").split() for text in later):
            self._later.add(words)
            made._count(words, 1)
        made._rows = self._rows + len(later)
        gone = [(text or "").split() for text in left]
        if gone:
            made._left = self._left + Counter(word for words in gone for word in set(words))
        for words in gone:
            made._count(words, -1)
        return made

    def _count(self, words: Sequence[str], rows: int) -> None:
        self._documents, self._words = self._documents + rows * bool(words), self._words + rows * len(words)

    def best(self, terms: Sequence[str], places: Places, limit: int) -> tuple[Places, Floats]:
        """Return the best rows for some terms of those at some ascending places, and their scores."""
        scores = self._scores(terms, places) if len(places) else np.zeros(0, np.float32)
        hit = np.flatnonzero(scores)
        best = hit[_first(scores[hit], min(limit, len(hit)))]
        best = best[np.argsort(-scores[best], kind="stable")]
        return places[best], scores[best]

    def _scores(self, terms: Sequence[str], places: Places) -> Floats:
        # What came later lies far from the other rows of its scope.
        parts = np.split(places, [np.searchsorted(places, len(self._lengths))])
        return np.concatenate([self._scores_together(terms, part) for part in parts if len(part)])

    def _scores_together(self, terms: Sequence[str], places: Places) -> Floats:
        first, end = int(places[0]), int(places[-1]) + 1
        scores = np.zeros(end - first, np.float32)
        for term in terms:
            at, often, lengths, frequency = self._standing(term, first, end)
            scores[at - first] += self._bm25(often, lengths, frequency)
        return scores if end - first == len(places) else scores[places - first]

    def _standing(self, term: str, first: int, end: int) -> tuple[Places, Floats, Lengths, int]:
        """
        Return the rows between two places that have a term: places, how often they have it, and lengths.

        The number is that of all rows that have it.
        """
        code = self._code(term) if term else None
        whole = slice(0, 0) if code is None else slice(self._begins[code], self._begins[code + 1])
        at, often = self._places[whole], self._often[whole]
        later, later_often = self._later.of(term, self._rows)
        frequency = len(at) + len(later) - self._left[term]
        is_later = first >= len(self._lengths)
        if is_later:
            at, often = later, later_often
        inside = slice(*np.searchsorted(at, (first, end)))
        at, often = at[inside], often[inside]
        return at, often, self._later.lengths_at(at) if is_later else self._lengths[at], frequency

    def _looked_up(self, term: str) -> int | None:
        vocabulary = self._vocabulary
        at = bisect_left(range(len(vocabulary)), term, key=lambda code: vocabulary[code].as_py())
        return at if at < len(vocabulary) and vocabulary[at].as_py() == term else None

    def _bm25(self, often: Floats, lengths: Lengths, frequency: int) -> Floats:
        telling = np.float32(np.log1p((self._documents - frequency + 0.5) / (frequency + 0.5)))
        relative = (lengths * (self._documents / max(1, self._words))).astype(np.float32)
        counts: Floats = telling * often * np.float32(_K1 + 1)
        counts /= often + _K1 * (1 - _B + _B * relative)
        return counts


class _LaterTerms:
    """The terms of rows that came one by one. It only grows: who knows of fewer rows reads no further."""

    def __init__(self, first: int) -> None:
        self._first = first
        self._lengths = list[int]()
        self._found: dict[str, tuple[list[int], list[int]]] = {}

    def add(self, words: Sequence[str]) -> None:
        """Add the next row."""
        for term, often in Counter(words).items():
            places, counts = self._found.setdefault(term, ([], []))
            # Who reads meanwhile looks at the places first.
            counts.append(often)
            places.append(self._first + len(self._lengths))
        self._lengths.append(len(words))

    def of(self, term: str, rows: int) -> tuple[Places, Floats]:
        """Return which of so many rows a term stands in, and how often."""
        places, counts = self._found.get(term, ([], []))
        known = bisect_left(places, rows)
        return np.array(places[:known], np.uint32), np.array(counts[:known], np.float32)

    def lengths_at(self, places: Places) -> Lengths:
        """Return of how many words the rows at some places are."""
        return np.array([self._lengths[place - self._first] for place in places.tolist()], np.int32)


def _counted(codes: Places, rows: Places) -> tuple[Places, Places, Floats]:
    """Return each term and row that occur together, by term and then by row, and how often they do."""
    standing = codes.astype(np.uint64) << np.uint64(32) | rows
    standing.sort()
    is_first = np.ones(len(standing), np.bool_)
    is_first[1:] = standing[1:] != standing[:-1]
    firsts = np.flatnonzero(is_first)
    standing, often = standing[firsts], np.diff(firsts, append=len(standing)).astype(np.float32)
    return (standing >> np.uint64(32)).astype(np.uint32), standing.astype(np.uint32), often


def _first(scores: Floats, count: int) -> npt.NDArray[np.intp]:
    """Return where the highest scores stand, of equals those that stand first."""
    found = highest(scores, count)
    if len(found) <= count:
        return found
    least = scores[found].min()
    above, equal = found[scores[found] > least], found[scores[found] == least]
    return np.concatenate([above, equal[: count - len(above)]])
