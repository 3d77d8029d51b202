"""The memories table as a snapshot sees it: what a tagged version holds, and the way back to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa


@dataclass(frozen=True, slots=True)
class TableContent:
    """What one version of the table holds: all cells of all rows as a hash that knows no order of rows."""

    version: int
    rows: int
    schema_hash: str
    content_hash: str


class MemorySnapshots(Protocol):
    """Versions of the memories table that a tag or a number names."""

    def content(self, at: str | int | None = None) -> TableContent:
        """Return what a version holds, the newest if none is named; reads every cell."""
        ...

    def cell_hashes(self, at: str | int | None = None) -> Iterable[pa.RecordBatch]:
        """Yield ``id`` and a hash of each other cell (as uint64) of all rows of a version, in batches."""
        ...

    def restore(self, tag: str) -> int:
        """Make a new version that holds what a tag names, and return its number."""
        ...

    def copy_to(self, folder: Path, *, tag: str) -> int:
        """Write what a tag names as a table of the same name in another folder; return its rows."""
        ...
