"""The analysed terms of rows in memory, scored by BM25 as the full-text index of lancedb scores them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sunrise.adapters.held_vectors import Floats, Places, highest

_K1: Final = 1.2
_B: Final = 0.75
_KNOWN_CODES: Final = 16_384


class HeldTerms:
    """For each term the places of the rows that it stands in, and what it counts there."""

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
        lengths = np.bincount(rows, minlength=len(terms))
        of_term, self._places, often = _counted(codes, rows)
        self._begins = np.searchsorted(of_term, np.arange(len(self._vocabulary) + 1, dtype=np.uint32))
        self._counts = self._bm25(of_term, often, lengths)

    @property
    def is_telling(self) -> bool:
        """Whether there is any term at all."""
        return len(self._places) > 0

    @property
    def nbytes(self) -> int:
        """What is taken by all of it, as nearly as can be told."""
        return int(self._vocabulary.nbytes) + self._begins.nbytes + 2 * self._places.nbytes

    def best(self, terms: Sequence[str], places: Places, limit: int) -> tuple[Places, Floats]:
        """Return the best rows for some terms of those at some ascending places, and their scores."""
        if not len(places):
            return places, np.zeros(0, np.float32)
        first, end = int(places[0]), int(places[-1]) + 1
        scores = np.zeros(end - first, np.float32)
        for code in (code for code in map(self._code, terms) if code is not None):
            part = slice(self._begins[code], self._begins[code + 1])
            at = self._places[part]
            inside = slice(*np.searchsorted(at, (first, end)))
            scores[at[inside] - first] += self._counts[part][inside]
        if end - first > len(places):
            scores = scores[places - first]
        hit = np.flatnonzero(scores)
        best = hit[_first(scores[hit], min(limit, len(hit)))]
        best = best[np.argsort(-scores[best], kind="stable")]
        return places[best], scores[best]

    def _looked_up(self, term: str) -> int | None:
        vocabulary = self._vocabulary
        at = bisect_left(range(len(vocabulary)), term, key=lambda code: vocabulary[code].as_py())
        return at if at < len(vocabulary) and vocabulary[at].as_py() == term else None

    def _bm25(self, of_term: Places, often: Floats, lengths: npt.NDArray[np.intp]) -> Floats:
        documents, frequencies = np.count_nonzero(lengths), np.diff(self._begins)
        telling = np.log1p((documents - frequencies + 0.5) / (frequencies + 0.5)).astype(np.float32)
        relative = (lengths * (documents / max(1, lengths.sum()))).astype(np.float32)[self._places]
        counts: Floats = telling[of_term] * often * np.float32(_K1 + 1)
        counts /= often + _K1 * (1 - _B + _B * relative)
        return counts


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
