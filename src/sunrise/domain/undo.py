"""What is known of a run that is to be taken back, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

UNDO = "undo:"
"""How the reason begins of a change that restores what a run changed; the id of that run follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoPlan:
    """
    A run that is to be taken back, and who was the last since to change the same fields of its records.

    ``later_runs`` holds how many records each changed, newest first. Undos of this run, undos of those, and
    runs that were undone are none. ``checked_up_to`` is the newest change that was looked at;
    ``observations`` and ``memories`` say how many changes the run made.
    """

    undone: str
    checked_up_to: int
    later_runs: Mapping[str, int]
    observations: int
    memories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoneBatch:
    """
    What came of one stretch of a run's changes: fields counted by their name and verdict.

    A verdict is ``restored``, ``already_so`` or ``skipped``. ``over_later`` counts what was restored over a
    later run, ``skipped`` names the records that were left alone. The next batch begins ``below``; None ends.
    """

    counts: Mapping[tuple[str, str], int]
    over_later: int
    skipped: tuple[str, ...]
    below: int | None
