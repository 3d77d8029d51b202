"""Terms held in memory are scored by BM25; the values are worked out anew here, a row at a time."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.adapters.held_terms import HeldTerms

rows = st.lists(st.none() | st.text("abc \t", max_size=12), min_size=1, max_size=12)


def everywhere(count: int) -> np.ndarray:
    return np.arange(count, dtype=np.uint32)


def scored(texts: list[str | None], terms: list[str]) -> dict[int, float]:
    words = [(text or "").split() for text in texts]
    lengths = [len(one) for one in words if one]
    scores: dict[int, float] = {}
    for place, one in enumerate(words):
        for term in terms:
            often, df = Counter(one)[term], sum(term in other for other in words)
            if often:
                idf = math.log(1 + (len(lengths) - df + 0.5) / (df + 0.5))
                length = 0.25 + 0.75 * len(one) * len(lengths) / sum(lengths)
                scores[place] = scores.get(place, 0.0) + idf * often * 2.2 / (often + 1.2 * length)
    return scores


@given(rows, st.lists(st.text("abcd", min_size=1, max_size=2), max_size=4, unique=True))
def test_a_score_is_that_of_bm25(texts: list[str | None], terms: list[str]) -> None:
    places, scores = HeldTerms(pa.chunked_array([pa.array(texts, pa.string())])).best(
        terms, everywhere(len(texts)), 99
    )
    assert dict(zip(places.tolist(), scores.tolist(), strict=True)) == pytest.approx(
        scored(texts, terms), rel=1e-5
    )


@given(rows, st.integers(1, 5), st.sets(st.integers(0, 11)))
def test_the_best_of_some_places_are_the_best_of_all_that_are_there(
    texts: list[str | None], limit: int, seen: set[int]
) -> None:
    mine = HeldTerms(pa.chunked_array([pa.array(texts, pa.string())]))
    some = np.array(sorted(place for place in seen if place < len(texts)), np.uint32)
    places, scores = mine.best(["a", "b", "ab"], everywhere(len(texts)), 99)
    all_of_them = dict(zip(places.tolist(), scores.tolist(), strict=True))
    # Of equals the first are taken.
    order = sorted((place for place in all_of_them if place in some), key=lambda at: (-all_of_them[at], at))
    assert set(mine.best(["a", "b", "ab"], some, limit)[0].tolist()) == set(order[:limit])


def test_no_words_and_no_rows_find_nothing() -> None:
    mine = HeldTerms(pa.chunked_array([pa.array(["green tea", None], pa.string())]))
    assert mine.best([], everywhere(2), 5)[0].tolist() == []
    assert mine.best(["coffee"], everywhere(2), 5)[0].tolist() == []
    empty = HeldTerms(pa.chunked_array([pa.array([], pa.string())]))
    assert empty.best(["tea"], everywhere(0), 5)[0].tolist() == []


def test_a_text_of_spaces_holds_no_word() -> None:
    mine = HeldTerms(pa.chunked_array([pa.array([" ", "", " tea "], pa.string())]))
    places, scores = mine.best(["tea", ""], everywhere(3), 5)
    assert places.tolist() == [2]
    assert scores.tolist() == pytest.approx([math.log(1 + 0.5 / 1.5)])
