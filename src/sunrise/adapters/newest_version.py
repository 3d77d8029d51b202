"""The number of a table's newest version, asked of lancedb only where the table's folder does not tell it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sunrise.adapters import lance_queries
from sunrise.adapters.file_times import Mark, mark_of
from sunrise.adapters.lance_files import local_folder
from sunrise.adapters.lance_manifest import manifest_names


class NewestVersion:
    """
    Tells the newest version of one handle's table. Safe for threads.

    Every commit and every cleanup puts or removes a file in the folder of versions, so as long as its time
    stands, so does the number. Where the time is too young to be sure, the files tell: each version has one,
    and the version after the newest has none. To ask lancedb takes half a millisecond, eight times a recall.
    """

    def __init__(self, table: Any) -> None:
        folder = local_folder(table)
        self._table, self._versions = table, None if folder is None else folder / "_versions"
        self._known: tuple[Mark | None, int] | None = None

    def number(self) -> int:
        """Return the number of the newest version, whoever wrote it."""
        mark, known = self._mark(), self._known
        if known is not None and mark is not None and known[0] == mark:
            return known[1]
        number = None if known is None or self._versions is None else _newest_since(self._versions, known[1])
        if number is None:
            number = lance_queries.version(self._table)
        # The mark was looked at first: a commit in between has changed the time since.
        self._known = (mark, number)
        return number

    def _mark(self) -> Mark | None:
        try:
            return None if self._versions is None else mark_of(self._versions)
        except OSError:
            return None


def _newest_since(versions: Path, number: int) -> int | None:
    """Return the newest version by the files of those after a known one; None where that one is gone."""
    for is_old_name in (False, True):
        found = number - 1
        while os.path.exists(versions / manifest_names(found + 1)[is_old_name]):  # noqa: PTH110 (a third of the time)
            found += 1
        if found >= number:
            return found
    return None
