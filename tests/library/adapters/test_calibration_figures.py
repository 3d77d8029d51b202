"""The figures of a calibration against counts by hand and against plain Python."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from statistics import fmean, pstdev

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.adapters import calibration_figures
from sunrise.adapters.calibration_figures import (
    IdSample,
    TermCounts,
    VectorFigures,
    id_hashes,
    is_within,
    measure_vectors,
    other_matters,
    question_means,
)
from sunrise.domain.calibration import TermFrequencies, idf
from sunrise.domain.elsewhere import OTHER_MATTERS, OTHER_QUESTIONS
from sunrise.domain.text.script import cjk_share
from tests.fakes import FakeEmbedder

WORDS = st.sampled_from(["tea", "backup", "备份", "a", "4242"])
ROWS = st.lists(st.none() | st.lists(WORDS, max_size=6).map(" ".join), max_size=30)


def counted(rows: Sequence[str | None], *, at_once: int = 4) -> TermFrequencies:
    counts = TermCounts()
    for start in range(0, len(rows), at_once):
        counts.add(pa.array(rows[start : start + at_once], pa.string()))
    return counts.frequencies()


def sample(ids: Sequence[str | None], *, size: int, at_once: int = 7) -> list[str]:
    taken = IdSample(size)
    for start in range(0, len(ids), at_once):
        batch = pa.array(ids[start : start + at_once], pa.string())
        taken.add(batch, id_hashes(batch))
    return taken.ids()


def measured(texts: Sequence[str], vectors: np.ndarray) -> VectorFigures | None:
    names = [f"{number:03}" for number in range(len(texts))]
    listed = pa.FixedSizeListArray.from_arrays(pa.array(vectors.astype(np.float32).ravel()), vectors.shape[1])
    rows = pa.table({"id": names, "text": list(texts), "v": listed})
    # A table hands out its rows in no order.
    shuffled = rows.take(pa.array(np.random.default_rng(1).permutation(len(names))))
    return measure_vectors(shuffled, "v", order=names)


def some_vectors(count: int, *, dimension: int = 6) -> np.ndarray:
    vectors = np.random.default_rng(5).standard_normal((count, dimension)) + 0.5
    unit: np.ndarray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def test_a_term_counts_once_a_row_and_what_stands_once_is_the_rest() -> None:
    found = counted(["tea tea milk", "tea", None, "", "milk sugar", "salt"], at_once=2)
    # Without a term a row is no document, for Lance neither.
    assert found.documents == 4
    assert [found.of(term) for term in ("tea", "milk")] == [2, 2]
    assert (len(found.keys), found.rest) == (2, 1.0)


@given(rows=ROWS)
def test_counts_are_those_of_a_counter_whatever_the_batches(rows: list[str | None]) -> None:
    expected = Counter(term for row in rows for term in set((row or "").split()))
    found = counted(rows)
    assert found.documents == sum(bool((row or "").split()) for row in rows)
    assert found.rest == float(1 in expected.values())
    assert len(found.keys) == sum(count > 1 for count in expected.values())
    assert list(found.keys) == sorted(found.keys)
    for term, count in expected.items():
        assert found.of(term) == count
    assert counted(rows, at_once=99) == found


def test_only_the_most_frequent_terms_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration_figures, "KEPT_TERMS", 2)
    found = counted(["a b c d", "a b c", "a b", "a"])
    assert [found.of(term) for term in "ab"] == [4, 3]
    # c stands in two rows and d in one.
    assert found.rest == 1.5


def test_where_the_terms_are_too_many_those_seen_once_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration_figures, "_COUNTED_TERMS", 3)
    monkeypatch.setattr(calibration_figures, "_MERGED_AT", 3)
    found = counted(["a b w", "a b x", "a b y", "a b z"], at_once=1)
    assert [found.of(term) for term in "ab"] == [4, 4]
    assert (len(found.keys), found.rest) == (2, 1.0)


def test_nothing_counted_is_a_table_without_terms() -> None:
    assert counted([]) == TermFrequencies(0, 0.0, (), ())


@given(ids=st.lists(st.none() | st.uuids().map(str), unique=True, max_size=40), data=st.data())
def test_the_same_ids_are_sampled_in_whatever_order_they_come(
    ids: list[str | None], data: st.DataObject
) -> None:
    named = [one for one in ids if one]
    found = sample(ids, size=10)
    assert sorted(set(found)) == sorted(found)
    assert set(found) <= set(named)
    assert len(found) == min(10, len(named))
    assert sample(data.draw(st.permutations(ids)), size=10, at_once=3) == found


def test_a_sample_is_like_the_whole() -> None:
    found = sample([f"memory-{number}" for number in range(3000)], size=300, at_once=500)
    share = fmean(int(one.removeprefix("memory-")) < 1000 for one in found)
    assert share == pytest.approx(1 / 3, abs=0.1)


def test_a_mean_is_shrunk_by_how_few_texts_of_its_language_there_are() -> None:
    texts = [f"note {number}" for number in range(30)] + [f"筆記 {number}" for number in range(10)]
    vectors = some_vectors(40)
    found = measured(texts, vectors)
    assert found is not None
    assert found.texts == 40
    assert found.means.other == pytest.approx(vectors[:30].sum(axis=0) / (30 + 10), abs=1e-6)
    assert found.means.cjk == pytest.approx(vectors[30:].sum(axis=0) / (10 + 10), abs=1e-6)


def test_chance_is_what_two_memories_have_in_common() -> None:
    texts = [f"note {number} 筆" for number in range(33)]
    vectors = some_vectors(33)
    found = measured(texts, vectors)
    assert found is not None
    shares = [cjk_share(text) for text in texts]
    assert set(shares) == {0.2}
    # With 33 rows the 16 shifts meet every pair once.
    centred = [
        vector - 0.2 * np.array(found.means.cjk) - 0.8 * np.array(found.means.other) for vector in vectors
    ]
    cosines = [
        float(one @ two / np.linalg.norm(one) / np.linalg.norm(two)) for one, two in combinations(centred, 2)
    ]
    assert found.cosine_mean == pytest.approx(fmean(cosines), abs=1e-5)
    assert found.cosine_deviation == pytest.approx(pstdev(cosines), abs=1e-5)


def test_doubles_and_vectors_of_no_use_are_left_out() -> None:
    texts, vectors = [f"note {number}" for number in range(31)], some_vectors(31)
    clean = measured(texts, vectors)
    broken = np.vstack([vectors, vectors[:1], np.zeros((1, 6)), np.full((1, 6), np.nan), vectors[:1]])
    assert measured([*texts, texts[0], "zero", "nan", ""], broken) == clean
    assert clean is not None
    assert clean.texts == 31


def test_a_length_that_is_not_one_is_no_figure() -> None:
    texts, vectors = [f"note {number}" for number in range(31)], some_vectors(31)
    longer, plain = measured(texts, vectors * 7), measured(texts, vectors)
    assert longer is not None
    assert plain is not None
    assert longer.means.other == pytest.approx(plain.means.other, abs=1e-6)
    assert longer.cosine_deviation == pytest.approx(plain.cosine_deviation, abs=1e-5)


def test_too_few_texts_tell_nothing() -> None:
    assert measured([f"note {number}" for number in range(29)], some_vectors(29)) is None
    assert measured(["the same"] * 40, some_vectors(40)) is None
    empty = pa.table(
        {"id": pa.array(["a"]), "text": pa.array(["b"]), "v": pa.nulls(1, pa.list_(pa.float32(), 4))}
    )
    assert measure_vectors(empty, "v", order=["a"]) is None


def test_questions_have_a_mean_for_each_language() -> None:
    found = question_means(FakeEmbedder(4))
    lengths = [math.hypot(*mean) for mean in (found.cjk, found.other)]
    assert all(0.0 < length < 1.0 for length in lengths)
    assert found.cjk != found.other
    assert all(cjk_share(text) > 0.9 for text in calibration_figures.QUESTIONS_CJK)
    assert not any(cjk_share(text) for text in calibration_figures.QUESTIONS_OTHER)


def test_other_matters_are_kept_in_bytes_that_point_where_the_vectors_do() -> None:
    model = FakeEmbedder(16)
    found = other_matters(model)
    texts = [*OTHER_MATTERS, *OTHER_QUESTIONS]
    assert (found.is_of_today, len(found.shares)) == (True, len(texts))
    assert found.asked == len(OTHER_QUESTIONS)
    kept = np.frombuffer(found.numbers, np.int8).reshape(len(texts), 16) * found.scale
    whole = model.embed(texts)
    cosines = (kept * whole).sum(axis=1) / np.linalg.norm(kept, axis=1) / np.linalg.norm(whole, axis=1)
    assert cosines.min() > 0.999
    assert other_matters(model) == found


@given(rows=ROWS)
def test_every_known_term_tells_something(rows: list[str | None]) -> None:
    found = counted(rows)
    assert all(idf(found.of(term), found.documents) > 0 for row in rows for term in (row or "").split())


def test_of_a_share_of_the_rows_the_counts_of_all_are_told() -> None:
    counts = TermCounts(0.25)
    counts.add(pa.array(["tea milk", "tea", "tea sugar", None]))
    found = counts.frequencies()
    assert (found.documents, found.of("tea"), found.rest) == (12, 12, 4.0)


def test_a_share_of_the_rows_is_about_that_share_and_each_is_within_the_next() -> None:
    hashes = id_hashes(pa.array([f"memory-{number}" for number in range(4000)]))
    quarter, half, whole = (is_within(hashes, share).to_pylist() for share in (0.25, 0.5, 1.0))
    assert fmean(quarter) == pytest.approx(0.25, abs=0.05)
    assert fmean(half) == pytest.approx(0.5, abs=0.05)
    assert all(whole)
    assert all(one <= two for one, two in zip(quarter, half, strict=True))
