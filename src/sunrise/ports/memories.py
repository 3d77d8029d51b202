"""The memories table: read, written, kept in shape and swept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

import numpy as np
import pyarrow as pa

from sunrise.domain.secret_spans import MemorySecrets
from sunrise.ports.world import Embedder


@dataclass(frozen=True, slots=True)
class IndexState:
    """One index of the memories table: its kind and how many rows it does not cover yet."""

    name: str
    column: str
    kind: str
    unindexed_rows: int


@dataclass(frozen=True, slots=True)
class TableState:
    """The memories table by its figures: what the index flow shows before and after."""

    version: int
    rows: int
    bytes: int
    fragments: int
    versions: int
    tags: Mapping[str, int]
    indices: tuple[IndexState, ...]


class MemoryReader(Protocol):
    """Reads of the memories table. Each call sees the newest version, whoever wrote it."""

    def schema(self) -> pa.Schema:
        """Return the table's Arrow schema as it is now."""
        ...

    def scan(self, columns: Sequence[str], *, where: str | None = None) -> pa.Table:
        """Return the named columns that exist, of all rows that ``where`` (a SQL filter) lets through."""
        ...

    def by_ids(self, ids: Sequence[str], columns: Sequence[str]) -> pa.Table:
        """Return the rows with these ids, in no order; unknown ids are left out."""
        ...

    def search_terms(self, terms: str, *, columns: Sequence[str], where: str | None, limit: int) -> pa.Table:
        """Return the best rows for analysed terms by BM25, best first, with ``_score``."""
        ...

    def search_vector(
        self, vector: np.ndarray, *, columns: Sequence[str], where: str | None, limit: int
    ) -> pa.Table:
        """
        Return the nearest rows by cosine distance, nearest first, with ``_distance``.

        Raises:
            DataError: The vector is zero, not finite, or of another dimension than the column.
        """
        ...


class MemoryWriter(Protocol):
    """Writes of the memories table: rows are merged by id in one batch, never one by one."""

    def adopt(self) -> tuple[str, ...]:
        """Add the governance columns that are missing, nullable; return their names."""
        ...

    def merge(self, rows: pa.Table) -> int:
        """Overwrite the given columns of the rows with these ids; return how many rows were met."""
        ...

    def add(self, rows: pa.Table) -> None:
        """Append new memories; columns that are missing become null."""
        ...


class MemoryKeeper(Protocol):
    """Upkeep of the memories table: indices, compaction, versions."""

    def state(self) -> TableState:
        """Return the table's figures."""
        ...

    def build_missing_indices(self) -> tuple[str, ...]:
        """Build each index that the layout wants and the table lacks; return the columns."""
        ...

    def optimize(self, *, keep: timedelta) -> None:
        """Compact, index new rows, and drop versions older than ``keep`` that no tag holds."""
        ...

    def tag(self, name: str) -> int:
        """Tag the newest version and return it. A name that exists is moved."""
        ...

    def untag(self, name: str) -> None:
        """Remove a tag; removing one that is not there is no error."""
        ...


class MemorySweeper(Protocol):
    """Secrets that older rules let into the memories table."""

    def find_secrets(self) -> MemorySecrets:
        """Look at every text of every version, and return what holds a secret; nothing is written."""
        ...

    def redact_rows(self, found: MemorySecrets, *, embedder: Embedder, now_ms: int) -> int:
        """Put texts without their secrets into the newest version; return how many rows were met."""
        ...

    def forget_secrets(self, found: MemorySecrets) -> int:
        """Leave no file that holds what was found; return how many versions were deleted."""
        ...


class MemoryTable(MemoryReader, MemoryWriter, MemoryKeeper, MemorySweeper, Protocol):
    """The LanceDB table ``memories``, whole."""
