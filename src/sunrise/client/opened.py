"""What every part of the door stands on: the open home, and its table as it is at each call."""

from __future__ import annotations

from sunrise.bootstrap import Home, existing_memories
from sunrise.domain.calibration import Calibration
from sunrise.errors import ConfigurationError, StoreError
from sunrise.ports import Embedder, MemoryReader, MemoryTable


class Opened:
    """An open home."""

    def __init__(self, home: Home, memories: MemoryTable | None = None) -> None:
        self.home = home
        self._kept = memories

    def _to_look_at(self) -> MemoryTable | None:
        # What only looks makes no table, and answers without one. One that is there is kept open: recall
        # holds its rows in memory.
        if self._kept is None:
            self._kept = existing_memories(self.home.settings)
        return self._kept

    def _to_write_to(self) -> MemoryTable:
        self._check_writable()
        if self._kept is None:
            self._kept = self.home.memories()
        if self._kept is None:
            raise ConfigurationError(f"there are no memories in {self.home.settings.memories_uri} yet")
        return self._kept

    def _calibration(self, table: MemoryReader, embedder: Embedder) -> Calibration | None:
        try:
            return self.home.calibration(table, embedder)
        except StoreError:
            return None

    def _check_writable(self) -> None:
        if self.home.is_read_only:
            raise ConfigurationError("the home was opened to be read only")
