"""The calibration of a model over reference texts: what a home ranks by until it has texts of its own."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

import pyarrow as pa

from sunrise.adapters.calibration_figures import TermCounts, measure_vectors, other_matters, question_means
from sunrise.domain.calibration import Calibration
from sunrise.domain.elsewhere import OTHER_MATTERS, OTHER_QUESTIONS
from sunrise.domain.text.analysis import analyze
from sunrise.domain.text.dated_terms import MADE_AS
from sunrise.ports import Embedder

MODELS: Final = {"use-multilingual-v3": "use", "multilingual-e5-small": "e5"}
"""The beginning of the id of each model whose figures come with the package, and the name of their file."""


def builtin_calibration(model_id: str, column: str) -> Calibration | None:
    """Return the calibration that comes with the package for a model and a column; None for another model."""
    name = next((name for beginning, name in MODELS.items() if model_id.startswith(beginning)), None)
    return None if name is None else _of_column(name, model_id, column)


def reference_calibration(embedder: Embedder, *, column: str, now_ms: int = 0) -> Calibration:
    """
    Measure the reference texts with a model. ``rows`` is 0: no memory was read.

    Raises:
        Exception: Whatever the embedder raises.
    """
    # By hash: texts of one subject stand together in the list, and pairs of neighbours are to be random ones.
    texts = sorted(OTHER_MATTERS, key=lambda text: sha256(text.encode()).digest())
    vectors = embedder.embed(texts)
    rows = pa.table(
        {
            "id": texts,
            "text": texts,
            column: pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1]),
        }
    )
    figures = measure_vectors(rows, column, order=texts)
    if figures is None:
        raise ValueError("the model gave no usable vectors of the reference texts")
    counts = TermCounts()
    counts.add(pa.array([" ".join(analyze(text)) for text in (*texts, *OTHER_QUESTIONS)]))
    return Calibration(
        model_id=embedder.model_id,
        column=column,
        created_ms=now_ms,
        rows=0,
        sampled=figures.texts,
        documents=figures.means,
        questions=question_means(embedder),
        cosine_mean=figures.cosine_mean,
        cosine_deviation=figures.cosine_deviation,
        terms=counts.frequencies(),
        elsewhere=other_matters(embedder),
        analysed_as=MADE_AS,
    )


def packed(calibration: Calibration) -> bytes:
    """Return a calibration as the file that the package carries; the same bytes for the same figures."""
    return gzip.compress(json.dumps(calibration.to_dict()).encode(), mtime=0)


def file_of(name: str) -> str:
    """Return the name of the file with the figures of a model."""
    return f"calibration_{name}.json.gz"


@lru_cache(maxsize=4)
def _of_column(name: str, model_id: str, column: str) -> Calibration:
    # The same object each time: what recall derives from a calibration is kept by its identity.
    packed_figures = (files("sunrise.adapters") / file_of(name)).read_bytes()
    found = Calibration.from_dict(json.loads(gzip.decompress(packed_figures)))
    return replace(found, model_id=model_id, column=column)
