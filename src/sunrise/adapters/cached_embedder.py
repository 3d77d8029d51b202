"""An embedder that remembers what was asked last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Final

import numpy as np

from sunrise.ports import Embedder

MOST_QUERIES: Final = 256
"""Vectors of questions that are kept: half a megabyte at 512 numbers each."""

_LONGEST_KEY: Final = 10_000


class CachedEmbedder:
    """
    Asks another embedder, and keeps the vectors of the last questions.

    An agent asks the same again and again, and a hook asks what recall asked a moment before. Texts are not
    kept: they are embedded once. Safe for threads; two that ask the same at once may both be answered anew.
    """

    def __init__(self, inner: Embedder, *, most: int = MOST_QUERIES) -> None:
        self._inner = inner
        self._most = most
        self._kept: OrderedDict[str, np.ndarray] = OrderedDict()
        self._lock = Lock()

    @property
    def model_id(self) -> str:
        """The id of the other's model."""
        return self._inner.model_id

    @property
    def dimension(self) -> int:
        """The length of the other's vectors."""
        return self._inner.dimension

    @property
    def is_at_hand(self) -> bool:
        """Whether the other is."""
        return self._inner.is_at_hand

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return what the other makes of texts."""
        return self._inner.embed(texts)

    def embed_query(self, texts: Sequence[str]) -> np.ndarray:
        """Return vectors of questions; the other is asked for those that are not at hand."""
        with self._lock:
            found = {text: self._kept[text] for text in texts if text in self._kept}
        new = [text for text in dict.fromkeys(texts) if text not in found]
        if new:
            found.update(zip(new, self._inner.embed_query(new), strict=True))
        self._keep(texts, found)
        rows = [found[text] for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.dimension), dtype=np.float32)

    def _keep(self, texts: Sequence[str], found: dict[str, np.ndarray]) -> None:
        with self._lock:
            for text in texts:
                if len(text) <= _LONGEST_KEY:
                    # A row would hold the whole array that it is a part of.
                    self._kept[text] = found[text] if text in self._kept else found[text].copy()
                    self._kept.move_to_end(text)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
