"""The vector of a query: asked of a model in bounded time, and remembered for a while."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future, wait
from threading import Lock, Thread
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from sunrise.ports import Embedder

_KEPT: Final = 256

Floats = npt.NDArray[np.float32]


class SlowEmbedderError(Exception):
    """An embedder did not answer in time."""


_lock = Lock()
_vectors: WeakKeyDictionary[Embedder, OrderedDict[str, Floats]] = WeakKeyDictionary()


def query_vector(embedder: Embedder, query: str, *, timeout_s: float) -> Floats:
    """
    Return the vector of a query; the last few hundred of each embedder are remembered.

    A model that is asked for longer than *timeout_s* goes on by itself, and nobody waits for it.

    Raises:
        SlowEmbedderError: The embedder did not answer in time.
        Exception: Whatever the embedder raised.
    """
    with _lock:
        known = _vectors.setdefault(embedder, OrderedDict())
        if query in known:
            known.move_to_end(query)
            return known[query]
    vector = _asked(embedder, query, timeout_s)
    with _lock:
        known[query] = vector
        while len(known) > _KEPT:
            known.popitem(last=False)
    return vector


def _asked(embedder: Embedder, query: str, timeout_s: float) -> Floats:
    answer: Future[Floats] = Future()

    def ask() -> None:
        try:
            answer.set_result(np.asarray(embedder.embed_query([query])[0], dtype=np.float32))
        except BaseException as error:  # Raised where the result is asked for.
            answer.set_exception(error)

    Thread(target=ask, name="sunrise-embed", daemon=True).start()
    if not wait([answer], timeout_s).done:
        raise SlowEmbedderError
    return answer.result()
