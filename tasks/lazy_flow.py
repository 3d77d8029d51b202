"""Flows that cost nothing until Prefect wants them: loading Prefect takes longer than most runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property
from typing import Any


def flow(*, name: str) -> Callable[[Callable[..., Any]], Any]:
    """
    Declare a flow.

    Where Prefect is loaded already (its engine, its runner, its server) the function becomes one of its
    flows at once. Elsewhere it becomes a :class:`LazyFlow`, whose ``fn`` runs without Prefect.
    """

    def declare(function: Callable[..., Any]) -> Any:
        lazy = LazyFlow(function, name=name)
        return lazy.real if "prefect" in sys.modules else lazy

    return declare


class LazyFlow:
    """
    A stand-in for a flow that loads Prefect when it is called, or asked for anything but its function.

    Once Prefect is there it passes for the flow itself, ``isinstance`` included: a module may have been
    imported before whoever looks for a flow in it.
    """

    def __init__(self, function: Callable[..., Any], *, name: str) -> None:
        self.fn = function
        self.name = name
        self.__doc__ = function.__doc__

    @property  # type: ignore[misc]  # what isinstance() asks for after type()
    def __class__(self) -> type:
        return type(self.real) if "prefect" in sys.modules else LazyFlow

    @cached_property
    def real(self) -> Any:
        """Prefect's own flow."""
        from prefect import flow as prefect_flow

        return prefect_flow(name=self.name)(self.fn)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run as Prefect's flow."""
        return self.real(*args, **kwargs)

    def __getattr__(self, attribute: str) -> Any:
        return getattr(self.real, attribute)
