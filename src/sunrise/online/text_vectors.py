"""The vector of a text that is stored, asked of a model in bounded time."""

from __future__ import annotations

from concurrent.futures import Future, wait
from threading import Thread

import numpy as np
import numpy.typing as npt

from sunrise.ports import Embedder

Floats = npt.NDArray[np.float32]


class SlowEmbedderError(Exception):
    """An embedder did not answer in time."""


def text_vector(embedder: Embedder, text: str, *, timeout_s: float) -> Floats:
    """
    Return the vector of a text.

    A model that is asked for longer than *timeout_s* goes on by itself, and nobody waits for it.

    Raises:
        SlowEmbedderError: The embedder did not answer in time.
        Exception: Whatever the embedder raised.
    """
    answer: Future[Floats] = Future()

    def ask() -> None:
        try:
            answer.set_result(np.asarray(embedder.embed([text])[0], dtype=np.float32))
        except BaseException as error:  # Raised where the result is asked for.
            answer.set_exception(error)

    Thread(target=ask, name="sunrise-embed", daemon=True).start()
    if not wait([answer], timeout_s).done:
        raise SlowEmbedderError
    return answer.result()
