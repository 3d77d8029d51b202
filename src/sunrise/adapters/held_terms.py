"""The analysed terms of rows in memory, scored by BM25 as the full-text index of lancedb scores them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sunrise.adapters.held_vectors import Floats, Places

_K1: Final = 1.2
_B: Final = 0.75

_BYTES_A_TERM: Final = 160
_BYTES_A_POSTING: Final = 8


class HeldTerms:
    """For each term the places of the rows that it stands in, and what it counts there."""

    def __init__(self, terms: pa.ChunkedArray) -> None:
        words = pc.utf8_split_whitespace(terms.combine_chunks())
        flat = pc.list_flatten(words).dictionary_encode()
        rows = pc.list_parent_indices(words).to_numpy().astype(np.uint32)
        vocabulary = flat.dictionary.to_pylist()
        self._codes = {term: code for code, term in enumerate(vocabulary) if term}
        standing = flat.indices.to_numpy().astype(np.uint64) << np.uint64(32) | rows
        del words, flat
        # Of an empty text the split makes one empty word.
        is_word = standing >> np.uint64(32) != vocabulary.index("") if "" in vocabulary else slice(None)
        standing, lengths = standing[is_word], np.bincount(rows[is_word], minlength=len(terms))
        standing.sort()
        firsts = np.flatnonzero(np.concatenate([[True], standing[1:] != standing[:-1]])[: len(standing)])
        often = np.diff(firsts, append=len(standing)).astype(np.float32)
        standing = standing[firsts]
        self._places: Places = (standing & np.uint64(0xFFFFFFFF)).astype(np.uint32)
        of_term = (standing >> np.uint64(32)).astype(np.uint32)
        self._begins = np.searchsorted(of_term, np.arange(len(vocabulary) + 1, dtype=np.uint32))
        self._counts = self._bm25(of_term, often, lengths)

    @property
    def nbytes(self) -> int:
        """What is taken by all of it, as nearly as can be told."""
        return len(self._codes) * _BYTES_A_TERM + len(self._places) * _BYTES_A_POSTING

    def best(self, terms: Sequence[str], places: Places, limit: int) -> tuple[Places, Floats]:
        """Return the best rows for some terms of those at some ascending places, and their scores."""
        if not len(places):
            return places, np.zeros(0, np.float32)
        first, end = int(places[0]), int(places[-1]) + 1
        scores = np.zeros(end - first, np.float32)
        for code in (self._codes[term] for term in terms if term in self._codes):
            part = slice(self._begins[code], self._begins[code + 1])
            at = self._places[part]
            inside = slice(*np.searchsorted(at, (first, end)))
            scores[at[inside] - first] += self._counts[part][inside]
        scores = scores[places - first]
        best = _first(scores, min(limit, int(np.count_nonzero(scores))))
        return places[best], scores[best]

    def _bm25(self, of_term: Places, often: Floats, lengths: npt.NDArray[np.intp]) -> Floats:
        documents, frequencies = np.count_nonzero(lengths), np.diff(self._begins)
        telling = np.log1p((documents - frequencies + 0.5) / (frequencies + 0.5)).astype(np.float32)
        relative = (lengths * (documents / max(1, lengths.sum()))).astype(np.float32)[self._places]
        counts: Floats = telling[of_term] * often * np.float32(_K1 + 1)
        counts /= often + _K1 * (1 - _B + _B * relative)
        return counts


def _first(scores: Floats, count: int) -> npt.NDArray[np.intp]:
    """Return where the highest scores stand, of equals those that stand first."""
    if not count:
        return np.zeros(0, np.intp)
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    above, equal = np.flatnonzero(scores > least), np.flatnonzero(scores == least)
    return np.concatenate([above, equal[: count - len(above)]])
