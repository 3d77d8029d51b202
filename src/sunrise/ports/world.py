"""What the rules need from the world around them: the time, and vectors for texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np


class Clock(Protocol):
    """Where the time comes from."""

    def now_ms(self) -> int:
        """Return the time as epoch milliseconds, UTC."""
        ...


class Embedder(Protocol):
    """Turns text into unit vectors. ``model_id`` stands beside every vector that it made."""

    @property
    def model_id(self) -> str:
        """A stable id that names model and version; ``none`` for the lexical-only embedder."""
        ...

    @property
    def dimension(self) -> int:
        """The length of a vector; 0 for the lexical-only embedder."""
        ...

    @property
    def is_at_hand(self) -> bool:
        """Whether a question is answered by this process here and now, with nothing to wait for."""
        ...

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """
        Return float32 unit vectors, shape ``(len(texts), dimension)``.

        Any text is taken: empty, NUL, lone surrogates, megabytes (the tail beyond a cap is dropped).
        """
        ...

    def embed_query(self, texts: Sequence[str]) -> np.ndarray:
        """
        Return unit vectors of what is asked, to be compared with those of :meth:`embed`.

        A model that was taught to tell questions from texts needs to be told which is which.
        """
        ...
