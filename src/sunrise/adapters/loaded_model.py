"""A model that a process loads once, whatever its threads and its forks."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock
from typing import Any
from weakref import WeakSet

import numpy as np


class LoadedModel:
    """
    Loads a model at its first text, and lets one caller at a time ask it.

    A child that is forked while another thread asks would wait for ever: nobody there lets go of the lock.
    It gets a new lock, and loads the model anew if that was in the middle of something.
    """

    def __init__(self, load: Callable[[], Any]) -> None:
        self._load = load
        self._model: Any = None
        self._lock = Lock()
        _EVERY.add(self)

    @property
    def is_loaded(self) -> bool:
        """Whether this process has the model in memory."""
        return self._model is not None

    @property
    def is_idle(self) -> bool:
        """Whether it is in memory and nobody asks it: the next question is answered at once."""
        return self._model is not None and not self._lock.locked()

    def ask(self, question: Callable[[Any], np.ndarray]) -> np.ndarray:
        """Return what the model answers; it is loaded if need be."""
        with self._lock:
            if self._model is None:
                self._model = self._load()
            return question(self._model)

    def begin_in_child(self) -> None:
        """Make the model fit for a process that has only the thread that forked it."""
        if self._lock.locked():
            self._model = None
        self._lock = Lock()


_EVERY: WeakSet[LoadedModel] = WeakSet()


def _begin_in_child() -> None:
    for model in _EVERY:
        model.begin_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)
