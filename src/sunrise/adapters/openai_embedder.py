"""The embedder `openai`: any service with the embeddings address of OpenAI, such as Ollama or vLLM."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import orjson

from sunrise.adapters.json_service import JsonService, Patience
from sunrise.domain.secrets import redact
from sunrise.domain.text.model_input import clamped
from sunrise.errors import ConfigurationError, StoreError
from sunrise.settings import EmbedderSettings

TRIES: Final = 4
"""For a list. A single question is asked once: the words answer sooner than a service that is busy."""

_EMPTY: Final = "."
"""What stands for a text without a character: services refuse an empty one."""

_BYTES_A_NUMBER: Final = 32
_BYTES_BESIDE: Final = 100_000


class OpenAIEmbedder:
    """
    Asks a service for vectors.

    Texts leave the machine if the service is on another one: secrets are redacted first, and a long text is
    cut to its head and tail. The key comes from the environment and stands in no message.

    Raises:
        ConfigurationError: Address, model or dimension is not set, or the key is not in the environment.
    """

    is_at_hand: bool = False

    def __init__(
        self,
        settings: EmbedderSettings,
        *,
        environment: Mapping[str, str] = os.environ,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        if not (settings.base_url and settings.model and settings.dimension):
            msg = "the embedder 'openai' needs embedder.base_url, embedder.model and embedder.dimension"
            raise ConfigurationError(msg)
        self._settings = settings
        self.dimension: int = settings.dimension
        self.model_id: str = _model_id(settings)
        address = f"{settings.base_url.rstrip('/')}/embeddings"
        try:
            self._service = JsonService(address, headers=_headers(settings, environment), sleep=sleep)
        except ValueError as error:
            msg = "embedder.base_url has a port that is no number"
            raise ConfigurationError(msg) from error

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """
        Return float32 unit vectors, a request for each batch of texts.

        Raises:
            StoreError: The service is down or refuses, or what it gives are no vectors of this dimension.
        """
        return self._in_batches(texts, self._settings.text_prefix)

    def embed_query(self, texts: Sequence[str]) -> np.ndarray:
        """
        Return unit vectors of what is asked.

        For one question somebody waits: it is not asked again. A list of them is work that has time.

        Raises:
            StoreError: As for :meth:`embed`.
        """
        if len(texts) != 1:
            return self._in_batches(texts, self._settings.query_prefix)
        return self._asked(texts, self._settings.query_prefix, Patience(self._settings.query_timeout_s))

    def _in_batches(self, texts: Sequence[str], prefix: str) -> np.ndarray:
        size, patience = self._settings.batch_texts, Patience(self._settings.timeout_s, TRIES)
        nothing = np.zeros((0, self.dimension), dtype=np.float32)
        batches = (texts[start : start + size] for start in range(0, len(texts), size))
        return np.concatenate([nothing, *(self._asked(batch, prefix, patience) for batch in batches)])

    def _asked(self, texts: Sequence[str], prefix: str, patience: Patience) -> np.ndarray:
        body: dict[str, Any] = {
            "model": self._settings.model,
            "input": [prefix + self._sent(text) for text in texts],
        }
        if self._settings.send_dimension:
            body["dimensions"] = self.dimension
        most = _BYTES_BESIDE + len(texts) * (self.dimension + 1) * _BYTES_A_NUMBER
        answer = self._service.post(orjson.dumps(body), patience=patience, max_bytes=most)
        return _unit(_numbers(answer, len(texts), self.dimension))

    def _sent(self, text: str) -> str:
        limits = self._settings
        # A secret that is cut in two would no longer be known; the middle of megabytes is not sent anyway.
        shown = clamped(text, max_chars=2 * limits.max_chars, head_chars=limits.max_chars)
        kept = clamped(
            redact(shown).text,
            max_chars=limits.max_chars,
            head_chars=limits.head_chars,
            max_bytes=limits.max_bytes,
        )
        return kept if kept.strip() else _EMPTY


def _model_id(settings: EmbedderSettings) -> str:
    # What stands before every text changes every vector.
    digest = hashlib.sha256(settings.text_prefix.encode("utf-8", "replace")).hexdigest()[:6]
    suffix = f"/{digest}" if settings.text_prefix else ""
    return f"openai/{settings.model}/{settings.dimension}{suffix}"


def _headers(settings: EmbedderSettings, environment: Mapping[str, str]) -> dict[str, str]:
    name = settings.api_key_env
    if not name:
        return {}
    key = environment.get(name, "").strip()
    if not key:
        msg = f"the environment variable {name} holds no key: embedder.api_key_env names it"
        raise ConfigurationError(msg)
    if not (key.isascii() and key.isprintable()):
        # The HTTP library would say so too, and repeat the key.
        msg = f"the key in the environment variable {name} holds characters that a header cannot"
        raise ConfigurationError(msg)
    return {"Authorization": f"Bearer {key}"}


def _numbers(answer: Any, count: int, dimension: int) -> np.ndarray:
    """Return the vectors of an answer in the order of the texts."""
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or not all(isinstance(one, dict) for one in data):
        msg = "the embedding service gave an answer without vectors"
        raise StoreError(msg)
    if len(data) != count:
        msg = f"the embedding service gave {len(data)} vectors for {count} texts"
        raise StoreError(msg)
    placed = {one.get("index", place): one.get("embedding") for place, one in enumerate(data)}
    if placed.keys() != set(range(count)):
        msg = "the embedding service does not say which vector is of which text"
        raise StoreError(msg)
    vectors = [placed[place] for place in range(count)]
    lengths = {len(one) if isinstance(one, list) else 0 for one in vectors}
    if lengths != {dimension}:
        msg = (
            f"the embedding service gives vectors of {max(lengths - {dimension})} numbers,"
            f" and embedder.dimension is {dimension}"
        )
        raise StoreError(msg)
    try:
        return np.array(vectors, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = "the embedding service gives vectors that hold something else than numbers"
        raise StoreError(msg) from error


def _unit(vectors: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and lengths.all()):
        msg = "the embedding service gives vectors of zeros, or with numbers that are none"
        raise StoreError(msg)
    unit: np.ndarray = (vectors / lengths).astype(np.float32)
    return unit
