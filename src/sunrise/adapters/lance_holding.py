"""When the rows of a memories table are read into memory, and how long they are held there."""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from threading import Lock, Thread
from typing import Any, Final
from weakref import WeakSet

from sunrise.adapters.held_rows import LEAST_ROWS, HeldRows, OutdatedError, give_back, read_rows

_REST: Final = 10
"""So many times as long as a reading took nothing is read again: at most a tenth of a core goes to it."""


class LanceHolding:
    """
    Holds the rows of the newest version, for as long as it is the newest.

    They are read beside the answers and never waited for: what is asked meanwhile, the table answers by
    itself. A process that asks once reads nothing.
    """

    def __init__(self, table: Any) -> None:
        self._table = table
        self._held: HeldRows | None = None
        self._small: HeldRows | None = None
        self._is_known = False
        self._pays_not_at: int | None = None
        self._rest_until = 0.0
        self._reading = Lock()
        _EVERY.add(self)

    @property
    def is_held(self) -> bool:
        """Whether rows of some version are held."""
        return self._held is not None

    def at(self, version: int, columns: Collection[str]) -> HeldRows | None:
        """Return the rows of a version, if they are held with these columns."""
        held = self._held
        if self._small is not None and self._small.version < version:
            self._small = None
        if held is None:
            return None
        if held.version < version:
            # What is forgotten in the table is forgotten here.
            self._held = None
        return held if held.version == version and held.names.issuperset(columns) else None

    def small(self, version: int, columns: Collection[str]) -> HeldRows | None:
        """Return the rows of a table that is small and has analysed terms, read here and now; else None."""
        small = self._small
        if small is not None and small.version == version and small.names.issuperset(columns):
            return small
        try:
            found = read_rows(self._table, tuple(columns), least=1, most_rows=LEAST_ROWS)
        except OutdatedError:
            # Another writer is at work; the next question finds what it wrote.
            found = None
        self._small = found if found is not None and found.has_terms else None
        return self._small

    def want(self, version: int, columns: Collection[str]) -> None:
        """Say that rows with these columns would have been of use; from the second time on they are read."""
        if not self._is_known:
            self._is_known = True
            return
        is_pointless = version == self._pays_not_at or time.monotonic() < self._rest_until
        if is_pointless or not self._reading.acquire(blocking=False):
            return
        Thread(target=self._read, args=(version, tuple(columns)), name="sunrise-rows", daemon=True).start()

    def begin_in_child(self) -> None:
        """Make the holding fit for a process that has only the thread that forked it."""
        self._reading = Lock()

    def _read(self, version: int, columns: tuple[str, ...]) -> None:
        begin = time.monotonic()
        try:
            held = read_rows(self._table, columns)
            self._held = held
            self._pays_not_at = version if held is None else None
        except OutdatedError:
            pass
        except Exception:  # Whatever fails here fails in a search too, and there it is told.
            self._pays_not_at = version
        finally:
            give_back()
            ended = time.monotonic()
            self._rest_until = ended + _REST * (ended - begin)
            self._reading.release()


_EVERY: WeakSet[LanceHolding] = WeakSet()


def _begin_in_child() -> None:
    for holding in _EVERY:
        holding.begin_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)
