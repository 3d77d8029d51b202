from __future__ import annotations

import os
from collections.abc import Callable
from threading import Event, Thread

import numpy as np
import pytest

from sunrise.adapters.loaded_model import LoadedModel

ONE = np.ones(1)


class Loads:
    """Makes a model, and counts."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> str:
        self.count += 1
        return "model"


def test_a_model_is_loaded_once_and_late() -> None:
    loads = Loads()
    model = LoadedModel(loads)
    before = model.is_loaded
    assert (model.ask(lambda one: np.array([one]))[0], model.ask(lambda _: ONE)) == ("model", ONE)
    assert (before, model.is_loaded, loads.count) == (False, True, 1)


def test_a_model_is_idle_once_it_is_loaded_and_while_nobody_asks() -> None:
    model = LoadedModel(Loads())
    before, during = model.is_idle, list[bool]()

    def answer(_: str) -> np.ndarray:
        during.append(model.is_idle)
        return ONE

    model.ask(answer)
    assert (before, during, model.is_idle) == (False, [False], True)


def test_a_model_that_cannot_be_loaded_is_tried_again() -> None:
    tried: list[int] = []

    def load() -> str:
        tried.append(1)
        if len(tried) == 1:
            raise MemoryError
        return "model"

    model = LoadedModel(load)
    with pytest.raises(MemoryError):
        model.ask(lambda _: ONE)
    assert model.ask(lambda _: ONE) is ONE


def test_a_child_forked_while_another_thread_asks_has_a_model_of_its_own() -> None:
    asked, answer = Event(), Event()
    loads = Loads()
    model = LoadedModel(loads)

    def ask() -> np.ndarray:
        asked.set()
        answer.wait(30)
        return ONE

    thread = Thread(target=model.ask, args=(lambda _: ask(),))
    thread.start()
    asked.wait(30)
    status = in_child(lambda: model.ask(lambda _: ONE) is ONE and loads.count == 2)
    answer.set()
    thread.join()
    assert status == 0
    assert loads.count == 1


def test_a_child_forked_in_a_quiet_moment_keeps_the_model() -> None:
    loads = Loads()
    model = LoadedModel(loads)
    model.ask(lambda _: ONE)
    assert in_child(lambda: model.ask(lambda _: ONE) is ONE and loads.count == 1) == 0


def in_child(do: Callable[[], bool]) -> int:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if do() else 2
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
