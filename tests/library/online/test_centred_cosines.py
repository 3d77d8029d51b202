"""Whole matrices are centred as single vectors are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sunrise.domain.calibration import Calibration, LanguageMeans, TermFrequencies
from sunrise.domain.elsewhere import Elsewhere
from sunrise.online.centred_cosines import CentredCosines

KNOWN = Calibration(
    model_id="fake/1",
    column="vector",
    created_ms=0,
    rows=9,
    sampled=9,
    documents=LanguageMeans((0.5, 0.0, 0.25), (0.0, 0.25, -0.5)),
    questions=LanguageMeans((0.0, 0.125, 0.0), (0.125, 0.0, 0.0)),
    cosine_mean=0.0,
    cosine_deviation=0.1,
    terms=TermFrequencies(0, 0.0, (), ()),
)


@pytest.mark.parametrize("calibration", [KNOWN, replace(KNOWN, questions=None)])
def test_each_cosine_is_that_of_the_vectors_one_by_one(calibration: Calibration) -> None:
    random = np.random.default_rng(3)
    # Numbers that two bytes hold as they are.
    vectors = (random.integers(-9, 9, (20, 3)) / 8).astype(np.float32)
    shares = random.random(20, dtype=np.float32)
    asked = random.standard_normal(3, dtype=np.float32)
    centring = CentredCosines(calibration)
    query = centring.query(asked, 0.25)
    assert query == pytest.approx(calibration.centre_query(asked.tolist(), 0.25), abs=1e-6)
    expected = [
        sum(a * b for a, b in zip(query.tolist(), calibration.centre(one, share), strict=True))
        for one, share in zip(vectors.tolist(), shares.tolist(), strict=True)
    ]
    assert centring.of(query, vectors, shares) == pytest.approx(expected, abs=1e-5)


def test_a_vector_that_is_the_mean_is_near_to_nothing() -> None:
    centring = CentredCosines(KNOWN)
    query = centring.query(np.array([1, 1, 1], np.float32), 0.0)
    mean = np.array([KNOWN.documents.cjk], np.float32)
    assert centring.of(query, mean, np.ones(1, np.float32)).tolist() == [0.0]


def test_no_candidates_have_no_cosines() -> None:
    centring = CentredCosines(KNOWN)
    query = centring.query(np.array([1, 0, 0], np.float32), 0.0)
    assert centring.of(query, np.zeros((0, 3), np.float32), np.zeros(0, np.float32)).tolist() == []


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_two_bytes_of_a_number_are_enough(size: float) -> None:
    random = np.random.default_rng(4)
    vectors = (random.standard_normal((20, 3)) * size).astype(np.float32)
    centring = CentredCosines(replace(KNOWN, documents=LanguageMeans((0.0,) * 3, (0.0,) * 3), questions=None))
    query = centring.query(np.array([1, 2, 3], np.float32), 0.0)
    exact = vectors @ query / np.linalg.norm(vectors, axis=1)
    assert centring.of(query, vectors, np.zeros(20, np.float32)) == pytest.approx(exact, abs=2e-4)


def test_a_cosine_is_the_same_whatever_stands_beside_it() -> None:
    random = np.random.default_rng(5)
    vectors, shares = random.standard_normal((40, 3), dtype=np.float32), random.random(40, dtype=np.float32)
    centring = CentredCosines(KNOWN)
    query = centring.query(np.array([1, 2, 3], np.float32), 0.5)
    together = centring.of(query, vectors, shares)
    alone = [float(centring.of(query, vectors[[at]], shares[[at]])[0]) for at in range(40)]
    assert together.tolist() == alone


def test_what_lies_elsewhere_is_told_by_the_nearest() -> None:
    # Without means a cosine is that of the bytes: 0.6, 0, -1 and 0.8 along the first axis.
    nothing = LanguageMeans((0.0, 0.0), (0.0, 0.0))
    rows = np.array([[60, 80], [0, 100], [-100, 0], [80, -60]], np.int8)
    known = replace(
        KNOWN, documents=nothing, questions=None, elsewhere=Elsewhere("1", (0.0,) * 4, 0.01, rows.tobytes())
    )
    asked = np.array([2.0, 0.0], np.float32)
    centring = CentredCosines(known)
    assert centring.elsewhere(centring.query(asked, 0.0)) == pytest.approx(0.8)


def test_other_matters_are_centred_by_their_language() -> None:
    for row, share in (([0, 0, 0], 1.0), ([3, 0, 0], 0.0)):
        told = np.array([row], np.int8).tobytes()
        centring = CentredCosines(replace(KNOWN, elsewhere=Elsewhere("1", (share,), 1.0, told)))
        query = centring.query(np.array([1, 0, 0], np.float32), 0.0)
        away = KNOWN.centre((float(row[0]), 0.0, 0.0), share)
        expected = sum(a * b for a, b in zip(query.tolist(), away, strict=True))
        assert centring.elsewhere(query) == pytest.approx(expected, abs=1e-6)


def test_a_question_elsewhere_is_centred_as_a_question() -> None:
    # The very question that is asked: nothing can be nearer, whatever stands before it.
    rows = np.array([[9, 9, 9], [1, 2, 3]], np.int8)
    known = replace(KNOWN, elsewhere=Elsewhere("1", (1.0, 0.5), 1.0, rows.tobytes(), asked=1))
    centring = CentredCosines(known)
    query = centring.query(np.array([1, 2, 3], np.float32), 0.5)
    assert centring.elsewhere(query) == pytest.approx(1.0, abs=1e-6)


def test_without_them_or_with_those_of_another_length_nothing_is_told() -> None:
    query = np.array([1, 0, 0], np.float32)
    assert CentredCosines(KNOWN).elsewhere(query) is None
    shorter = replace(KNOWN, elsewhere=Elsewhere("1", (0.0,), 1.0, bytes(2)))
    assert CentredCosines(shorter).elsewhere(query) is None
