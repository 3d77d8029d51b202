"""The port Embedder: the built-in ones and the fake of the tests."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sunrise.adapters.embedders import NoEmbedder, UseEmbedder, build_embedder
from sunrise.errors import ConfigurationError
from sunrise.ports import Embedder
from tests.fakes import FakeEmbedder

TEXTS = [
    "the backup failed last night",
    "備份昨晚失敗了",
    "",
    "nul\0 and half \ud83d",
    "😀",
    "\ufdfa" * 50,
    " ",
]


@pytest.fixture(scope="module")
def use() -> UseEmbedder:
    return UseEmbedder()


@pytest.fixture(params=["none", "use", "fake"])
def embedder(request: pytest.FixtureRequest, use: UseEmbedder) -> Embedder:
    built: dict[str, Embedder] = {"none": NoEmbedder(), "use": use, "fake": FakeEmbedder(16)}
    return built[request.param]


def test_any_text_becomes_a_float32_unit_vector(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimension)
    assert vectors.dtype == np.float32
    if embedder.dimension:
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-6)


def test_no_texts_make_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimension)


def test_a_vector_depends_on_its_text_alone(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)
    alone = np.concatenate([embedder.embed([text]) for text in reversed(TEXTS)])[::-1]
    assert together == pytest.approx(alone, abs=1e-6)


def test_names_and_dimensions_are_told_without_loading_a_model() -> None:
    built = build_embedder("use")
    assert built.model_id.startswith("use-multilingual-v3/")
    assert built.dimension == 512
    assert (build_embedder("none").model_id, build_embedder("none").dimension) == ("none", 0)
    assert isinstance(built, UseEmbedder)
    assert built._model is None


def test_an_unknown_name_says_which_there_are() -> None:
    with pytest.raises(ConfigurationError, match=r"'e9'.*none, use"):
        build_embedder("e9")


def test_both_chinese_scripts_give_one_vector(use: UseEmbedder) -> None:
    traditional, simplified, wide = use.embed(["備份資料庫 ABC", "备份资料库 ABC", "備份資料庫 ＡＢＣ"])
    assert traditional == pytest.approx(simplified, abs=1e-6)
    assert traditional == pytest.approx(wide, abs=1e-6)


def test_what_means_the_same_is_nearer_than_what_does_not(use: UseEmbedder) -> None:
    query, same, other = use.embed(["備份昨晚失敗了", "the backup failed last night", "I like green tea"])
    assert query @ same > query @ other + 0.2


def test_megabytes_cost_no_more_than_the_cap(use: UseEmbedder) -> None:
    start = "The deployment needs a backup. " * 200
    long, longer = use.embed([start, start + "tea " * 500_000])
    assert long == pytest.approx(longer, abs=1e-6)


def test_threads_get_their_own_vectors(use: UseEmbedder) -> None:
    expected = use.embed(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        for index, vector in enumerate(pool.map(lambda text: use.embed([text])[0], TEXTS)):
            assert vector == pytest.approx(expected[index], abs=1e-6)
