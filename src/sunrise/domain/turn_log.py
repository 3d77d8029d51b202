"""What was put before the agent at one turn, as it is kept for the next ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sunrise.domain.use import Served

MAX_TURNS_A_SESSION: Final = 50
MAX_TURNS: Final = 5_000
"""Of all sessions together: what is older than the newest of these is forgotten."""


class Lane(StrEnum):
    """Where an item stood: pinned with the working set, or chosen for the turn."""

    BACKBONE = "backbone"
    HOT = "hot"


@dataclass(frozen=True, slots=True)
class Injected:
    """One memory that was put before the agent, how many turns ago: 1 is the turn before this one."""

    ref: str
    turns_ago: int
    lane: Lane


@dataclass(frozen=True, slots=True)
class LoggedTurn:
    """
    One turn of a session: what was put before the agent, in order, and the receipt.

    ``turn_key`` is the name that the gateway gives it, if any: a turn that is asked for again under the same
    key takes the place of the first. A turn that was ``skipped``, because nothing was to be looked up, does
    not count among those of which :class:`Injected` says how long they are past. ``working_set`` is that of
    the scope as JSON, where it has changed. ``number`` is what the ledger gave it, counted in the session.
    ``retrieved`` are candidates that were not put before the agent; they are counted and not kept.
    """

    session_key: str
    scope: str
    at_ms: int
    items: tuple[tuple[str, Lane], ...]
    receipt: Mapping[str, Any]
    turn_key: str | None = None
    skipped: bool = False
    working_set: str | None = None
    number: int = 0
    retrieved: tuple[str, ...] = ()

    @property
    def served(self) -> Served:
        """What the turn counts as use."""
        return Served(self.at_ms, tuple(ref for ref, _ in self.items), self.retrieved)
