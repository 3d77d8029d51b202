"""The ledger where turns and the use of memories are remembered."""

from __future__ import annotations

from typing import Protocol

from sunrise.domain.turn_log import Injected, LoggedTurn
from sunrise.domain.use import Served


class TurnLedger(Protocol):
    """What the online module leaves behind; each write waits for a moment only, then raises StoreError."""

    def log_turn(self, turn: LoggedTurn) -> int:
        """Keep a turn and count its memories as used; return its number within the session."""
        ...

    def injected(self, session_key: str, *, turns: int, but: str | None = None) -> tuple[Injected, ...]:
        """Return what the last turns of a session put before the agent, newest first, one key left out."""
        ...

    def last_turn(self, session_key: str | None = None) -> LoggedTurn | None:
        """Return the newest turn, of one session or of all, or None."""
        ...

    def get_note(self, name: str) -> str | None:
        """Return a small named text, such as the working set that is kept, or None."""
        ...

    def note_served(self, served: Served) -> bool:
        """
        Count what a recall handed out as used, without waiting and without failing.

        Returns False where the ledger was held for so long that the use of older recalls is given up.
        """
        ...
