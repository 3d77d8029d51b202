from __future__ import annotations

import numpy as np
import pytest

from sunrise.adapters.builtin_calibration import MODELS, builtin_calibration
from sunrise.adapters.embedders import UseEmbedder
from sunrise.domain.calibration import Calibration
from sunrise.domain.elsewhere import OTHER_MATTERS, OTHER_QUESTIONS


def known(model_id: str) -> Calibration:
    found = builtin_calibration(model_id, "vector_x")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("model_id", "numbers"), [("use-multilingual-v3/1", 512), ("multilingual-e5-small/1", 384)]
)
def test_each_model_of_the_package_has_figures_of_the_texts_as_they_are_now(
    model_id: str, numbers: int
) -> None:
    found = known(model_id)
    assert (found.model_id, found.column, found.sampled) == (model_id, "vector_x", len(OTHER_MATTERS))
    assert found.elsewhere is not None
    assert found.elsewhere.is_of_today, "run `python -m training.calibration` after a change of the texts"
    assert found.questions is not None
    assert len(found.documents.cjk) == len(found.questions.other) == numbers
    assert len(found.elsewhere.numbers) == numbers * (len(OTHER_MATTERS) + len(OTHER_QUESTIONS))
    assert known(model_id) is found


def test_the_vectors_of_the_package_are_those_of_the_model() -> None:
    embedder = UseEmbedder()
    elsewhere = known(embedder.model_id).elsewhere
    assert elsewhere is not None
    vectors = np.frombuffer(elsewhere.numbers, np.int8).reshape(len(elsewhere.shares), -1) * elsewhere.scale
    made = embedder.embed(OTHER_MATTERS[:8])
    # A byte a number: half a step is the error of each.
    assert np.abs(vectors[:8] - made).max() <= elsewhere.scale


def test_another_model_has_none() -> None:
    assert builtin_calibration("text-embedding-3-small", "vector") is None
    assert set(MODELS.values()) == {"use", "e5"}
