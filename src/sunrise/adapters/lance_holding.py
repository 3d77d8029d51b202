"""When the rows of a memories table are read into memory, and how they follow the table's versions."""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from threading import Lock, Thread
from typing import Any, Final
from weakref import WeakSet

from sunrise.adapters import lance_queries
from sunrise.adapters.held_columns import OutdatedError
from sunrise.adapters.held_rows import HeldRows, give_back, read_rows
from sunrise.adapters.lance_files import local_folder
from sunrise.adapters.lance_manifest import TableVersion, read_version
from sunrise.adapters.newest_version import NewestVersion
from sunrise.adapters.row_changes import read_changes

_REST: Final = 10
"""So many times as long as a reading took nothing is read again: at most a tenth of a core goes to it."""

_READ_AT_ONCE: Final = 1024
"""So many rows are read while the caller waits: that takes no longer than two searches."""


class LanceHolding:
    """
    Holds the rows of the newest version, and brings them up to date with what each commit changed.

    All rows are read beside the answers and never waited for, unless they are few: what is asked meanwhile,
    the table answers by itself. A process that asks once reads nothing. Object storage tells nothing of a
    table's fragments; there all rows are read again after a commit.
    """

    def __init__(self, table: Any, newest: NewestVersion) -> None:
        self._table, self._folder, self._newest = table, local_folder(table), newest
        self._held: HeldRows | None = None
        self._contents: TableVersion | None = None
        self._is_known = False
        self._pays_not_at: int | None = None
        self._rest_until = 0.0
        self._begin()
        _EVERY.add(self)

    @property
    def is_held(self) -> bool:
        """Whether rows of some version are held."""
        return self._held is not None

    @property
    def reads_at_once(self) -> int:
        """How many rows are read while a caller waits: none where each commit has all of them read again."""
        return 0 if self._folder is None else _READ_AT_ONCE

    def at(self, version: int, columns: Collection[str] = ()) -> HeldRows | None:
        """Return the rows of a version or of a later one, if they are held with these columns."""
        held = self._held
        if held is not None and held.version < version:
            held = self._followed(version)
        return held if held is not None and held.names.issuperset(columns) else None

    def few(self, version: int, columns: Collection[str], *, most_rows: int) -> HeldRows | None:
        """
        Return the rows of a table of at most so many, read here and now if they are not held; else None.

        So a small table answers from memory from the first question on, and all processes alike.
        """
        held = self.at(version, columns)
        if held is None and most_rows and self._table.count_rows() <= most_rows:
            with self._reading:
                # Another caller may have read them meanwhile.
                held = self.at(version, columns) or self._read(tuple(columns), most_rows=most_rows)
        return held

    def want(self, version: int, columns: Collection[str]) -> None:
        """Say that rows with these columns would have been of use; from the second time on they are read."""
        if not self._is_known:
            self._is_known = True
            return
        if version != self._pays_not_at and time.monotonic() >= self._rest_until:
            self._start(tuple(columns))

    def begin_in_child(self) -> None:
        """Make the holding fit for a process that has only the thread that forked it."""
        self._begin()

    def _begin(self) -> None:
        self._reading, self._following = Lock(), Lock()

    def _followed(self, version: int) -> HeldRows | None:
        with self._following:
            held, before = self._held, self._contents
            if held is None or held.version >= version:
                return held
            try:
                now = None if self._folder is None else read_version(self._folder, version)
                changes = before and now and read_changes(held, self._table, before, now)
                if self._newest.number() != version:
                    # What was read may be of a later version; the next question finds what was written.
                    return None
                made = held.followed(version, changes) if changes else None
            except Exception:  # Whatever fails here fails in a search too, and there it is told.
                made = now = None
            self._held, self._contents = made, now
        if made is not None and made.is_crowded:
            self._start(tuple(made.names))
        return made

    def _start(self, columns: tuple[str, ...]) -> None:
        if self._reading.acquire(blocking=False):
            Thread(target=self._read_beside, args=(columns,), name="sunrise-rows", daemon=True).start()

    def _read_beside(self, columns: tuple[str, ...]) -> None:
        try:
            self._read(columns)
        finally:
            self._reading.release()

    def _read(self, columns: tuple[str, ...], *, most_rows: int | None = None) -> HeldRows | None:
        """Read all rows and hold them; whoever calls has the lock of reading."""
        begin = time.monotonic()
        version, held = None, None
        try:
            version = lance_queries.version(self._table)
            known = self._held
            held = read_rows(
                self._table, columns, most_rows=most_rows, like=None if known is None else known.vectors
            )
            self._pays_not_at = version if held is None else None
            if held is not None:
                self._hold(held)
        except OutdatedError:
            pass
        except Exception:  # Whatever fails here fails in a search too, and there it is told.
            self._pays_not_at = version
        finally:
            ended = time.monotonic()
            if held is None or len(held) > _READ_AT_ONCE:
                give_back()
                self._rest_until = ended + _REST * (ended - begin)
        return held

    def _hold(self, held: HeldRows) -> None:
        contents = None if self._folder is None else read_version(self._folder, held.version)
        with self._following:
            self._held, self._contents = held, contents


_EVERY: WeakSet[LanceHolding] = WeakSet()


def _begin_in_child() -> None:
    for holding in _EVERY:
        holding.begin_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)
