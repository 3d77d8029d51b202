"""Vectors held in memory: their nearest are those of a scan."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.adapters.held_vectors import HeldVectors, highest
from sunrise.online.centred_cosines import _rounded

ROWS, DIMENSION = 3000, 96


def held(vectors: np.ndarray) -> HeldVectors:
    made = HeldVectors(*vectors.shape)
    made.put(np.arange(len(vectors), dtype=np.uint32), vectors.astype(np.float32))
    made.count(len(vectors))
    made.sketch()
    return made


def clustered(seed: int) -> np.ndarray:
    """Points about fifty centres, of different lengths, as vectors of texts lie."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((50, DIMENSION))
    points = centres[random.integers(0, 50, ROWS)] + random.standard_normal((ROWS, DIMENSION)) / 2
    return (points * random.uniform(0.5, 2, (ROWS, 1))).astype(np.float32)


@given(
    st.lists(st.floats(-1, 1, width=16) | st.sampled_from([0.0, 0.5]), min_size=1, max_size=2000),
    st.integers(1, 300),
    st.booleans(),
)
def test_the_highest_are_those_that_a_sort_puts_last(values: list[float], count: int, in_order: bool) -> None:
    told = np.array(sorted(values) if in_order else values, np.float32)
    least = np.sort(told)[max(0, len(told) - count)]
    assert highest(told, count).tolist() == [at for at, one in enumerate(told) if one >= least]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("count", [1, 40, 240, 6000])
def test_the_highest_of_many_are_found_however_they_lie(count: int, order: int) -> None:
    told = np.sort(np.random.default_rng(count).standard_normal(20_000).astype(np.float32))
    places = np.arange(20_000)[-count:] if order == 1 else np.arange(count)
    assert highest(told[::order].copy(), count).tolist() == places.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_the_nearest_are_those_of_a_scan(seed: int) -> None:
    vectors = clustered(seed)
    mine, random = held(vectors), np.random.default_rng(seed + 100)
    for _ in range(20):
        places = np.sort(random.choice(ROWS, 900, replace=False)).astype(np.uint32)
        query = vectors[random.integers(ROWS)] + random.standard_normal(DIMENSION).astype(np.float32) / 4
        lengths = np.linalg.norm(vectors[places], axis=1) * np.linalg.norm(query)
        distances = 1 - vectors[places] @ query / lengths
        found, told = mine.nearest(query, places, 50)
        assert set(found.tolist()) <= set(places.tolist())
        assert np.all(np.diff(told) >= 0)
        assert told == pytest.approx(np.sort(distances)[:50], abs=1e-4)


def test_of_equals_the_first_places_are_taken() -> None:
    mine = held(np.ones((20, 4)))
    places = np.array([3, 7, 8, 15], np.uint32)
    assert mine.nearest(np.ones(4, np.float32), places, 2)[0].tolist() == [3, 7]


def test_what_is_no_vector_is_never_near() -> None:
    vectors = np.array([[1, 0], [0, 0], [np.nan, 1], [0, 1]], np.float32)
    mine = HeldVectors(5, 2)
    # The fifth row has none at all.
    mine.put(np.arange(4, dtype=np.uint32), vectors)
    mine.sketch()
    everywhere = np.arange(5, dtype=np.uint32)
    assert mine.nearest(np.array([1, 0], np.float32), everywhere, 9)[0].tolist() == [0, 3]
    assert mine.at(everywhere).to_pylist() == [[1, 0], None, None, [0, 1], None]
    nowhere = np.zeros(0, np.uint32)
    assert mine.nearest(np.array([1, 0], np.float32), nowhere, 9)[0].tolist() == []


@pytest.mark.parametrize("size", [1e-3, 1.0, 4.0, 1e3])
def test_a_vector_is_held_to_four_digits_and_rounded_once(size: float) -> None:
    vectors = (clustered(7)[:50] * size).astype(np.float32)
    once = np.array(held(vectors).at(np.arange(50, dtype=np.uint32)).to_pylist(), np.float32)
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    assert (np.abs(once - vectors) <= 2.0**-14 * largest).all()
    again = np.array(held(once).at(np.arange(50, dtype=np.uint32)).to_pylist(), np.float32)
    assert again.tolist() == once.tolist()
    # As recall rounds what it reads elsewhere.
    assert _rounded(vectors).tolist() == once.tolist()


def test_what_is_held_is_what_was_said() -> None:
    assert HeldVectors.bytes_of(100_000, 512) / 2**20 < 130
