from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sunrise.adapters.cached_embedder import MOST_QUERIES, CachedEmbedder
from tests.fakes import FakeEmbedder


class Counting(FakeEmbedder):
    """Knows what it was asked, and tells questions from texts."""

    def __init__(self) -> None:
        super().__init__(8)
        self.asked: list[str] = []
        self.is_down = False

    def embed_query(self, texts: Sequence[str]) -> np.ndarray:
        if self.is_down:
            raise RuntimeError("no")
        self.asked += texts
        return super().embed([f"query {text}" for text in texts])


def test_a_question_is_embedded_once_and_a_text_each_time() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner)
    first = cached.embed_query(["tea", "coffee", "tea"])
    assert first == pytest.approx(Counting().embed_query(["tea", "coffee", "tea"]))
    assert cached.embed_query(["coffee"]) == pytest.approx(first[1:2])
    assert inner.asked == ["tea", "coffee"]
    assert cached.embed(["tea"]) == pytest.approx(FakeEmbedder(8).embed(["tea"]))
    assert (cached.model_id, cached.dimension) == (inner.model_id, inner.dimension)


def test_the_question_that_was_asked_longest_ago_is_forgotten_first() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, most=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        cached.embed_query([text])
    assert inner.asked == ["a", "b", "c", "b"]


def test_no_more_is_kept_than_is_said() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner)
    asked = [str(number) for number in range(MOST_QUERIES + 1)]
    assert cached.embed_query(asked).shape == (len(asked), 8)
    cached.embed_query(asked[1:])
    assert len(inner.asked) == len(asked)
    cached.embed_query(asked[:1])
    assert len(inner.asked) == len(asked) + 1


def test_a_question_of_megabytes_is_not_kept() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner)
    long = "tea " * 10_000
    cached.embed_query([long])
    cached.embed_query([long])
    assert inner.asked == [long, long]


def test_what_was_given_can_be_changed_without_harm() -> None:
    cached = CachedEmbedder(Counting())
    cached.embed_query(["tea"])[0] = 0
    assert np.linalg.norm(cached.embed_query(["tea"])) == pytest.approx(1)


def test_a_failure_is_not_kept() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner)
    inner.is_down = True
    with pytest.raises(RuntimeError):
        cached.embed_query(["tea"])
    inner.is_down = False
    assert cached.embed_query(["tea"]).shape == (1, 8)
    inner.is_down = True
    assert cached.embed_query(["tea"]).shape == (1, 8)


def test_threads_get_their_own_vectors() -> None:
    cached = CachedEmbedder(Counting(), most=3)
    texts = [str(number % 7) for number in range(400)]
    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(lambda text: cached.embed_query([text])[0], texts))
    assert np.stack(given) == pytest.approx(Counting().embed_query(texts))
