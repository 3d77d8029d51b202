"""The memories table: read, written, kept in shape and swept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

import numpy as np
import pyarrow as pa

from sunrise.domain.secret_spans import MemorySecrets
from sunrise.domain.vector_space import VectorSpace
from sunrise.ports.erasure import MemoryEraser
from sunrise.ports.snapshots import MemorySnapshots
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


@dataclass(frozen=True, slots=True)
class TableFiles:
    """The files of a local table that its newest version does not need."""

    dead_bytes: int
    orphans: int
    orphan_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexProbe:
    """Whether an index found what is known to be there, and how much of the true neighbours of a vector."""

    name: str
    column: str
    kind: str
    ok: bool
    detail: str = ""
    milliseconds: float = 0.0
    neighbours: int = 0
    neighbours_found: int = 0


class MemoryReader(Protocol):
    """Reads of the memories table. Each call sees the newest version, whoever wrote it."""

    def newest_version(self) -> int:
        """Return the number of the newest version."""
        ...

    def is_in_memory(self) -> bool:
        """Return whether rows are held in memory, where a search is short and all of it Python's."""
        ...

    def schema(self) -> pa.Schema:
        """Return the table's Arrow schema as it is now."""
        ...

    def scan(self, columns: Sequence[str], *, where: str | None = None) -> pa.Table:
        """Return the named columns that exist, of all rows that ``where`` (a SQL filter) lets through."""
        ...

    def batches(self, columns: Sequence[str], *, where: str | None = None) -> Iterator[pa.RecordBatch]:
        """Yield what :meth:`scan` returns, some thousand rows at a time."""
        ...

    def by_ids(self, ids: Sequence[str], columns: Sequence[str]) -> pa.Table:
        """Return the rows with these ids, in no order; unknown ids are left out."""
        ...

    def placed(self, columns: Sequence[str], *, where: str) -> pa.Table:
        """
        Return what :meth:`scan` does, with the place of each row as ``_rowid``.

        A place is good for a write that follows at once: a row that is moved gets another, and none is given
        to two rows.
        """
        ...

    def search_terms(self, terms: str, *, columns: Sequence[str], where: str | None, limit: int) -> pa.Table:
        """Return the best rows for analysed terms by BM25, best first, with ``_score``."""
        ...

    def spaces(self) -> tuple[VectorSpace, ...]:
        """Return the columns of vectors and what each is, as of the newest version."""
        ...

    def search_vector(
        self,
        vector: np.ndarray,
        *,
        column: str = "vector",
        columns: Sequence[str],
        where: str | None,
        limit: int,
        is_exact: bool = True,
    ) -> pa.Table:
        """
        Return the nearest rows by the vectors of one column, nearest first, with cosine ``_distance``.

        With ``is_exact`` unset an index may tell the order and the distances, a little coarser and sooner.

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

    def overwrite(self, rows: pa.Table, *, read: pa.Table, version: int) -> int:
        """
        Merge rows in place of those that were *read* at a version; return how many were written.

        Both have the same columns, ``id`` among them. A field that another writer changed since the reading
        keeps what that writer put there.
        """
        ...

    def add(self, rows: pa.Table) -> None:
        """Append new memories; columns that are missing become null."""
        ...

    def delete(self, ids: Sequence[str]) -> int:
        """Delete the rows with these ids from the newest version; return how many there were."""
        ...

    def write_placed(self, rows: pa.Table, column: str, values: Sequence[str | None]) -> int:
        """
        Set a text of rows that were read with ``text`` and their places; return how many were met.

        For rows that no id tells apart. A row that left its place, or has another text now, is left alone.
        """
        ...

    def delete_placed(self, rows: pa.Table) -> int:
        """Delete rows that were read with their places; return how many were met."""
        ...


class VectorWriter(Protocol):
    """Vectors that we make: a column for each model, and the switch from one to the next."""

    def vector_faults(self, column: str) -> pa.Table:
        """Return ``id`` and ``fault`` of the rows whose vector is there and of no use; reads the column."""
        ...

    def count_vectors(self, column: str) -> int:
        """Return how many rows have a vector in a column, whatever is in it; reads the column."""
        ...

    def prepare_space(self, model_id: str, dimension: int) -> str:
        """Return the column of a model, made if it is missing, that vectors can be put into."""
        ...

    def write_vectors(self, column: str, ids: Sequence[str], vectors: np.ndarray) -> int:
        """Put vectors into a column of ours; return how many rows were met. An id may be gone."""
        ...

    def activate(self, column: str) -> None:
        """Let a column answer, and none beside it: no reader ever sees two, or none."""
        ...

    def drop_space(self, column: str) -> None:
        """Drop a column of ours that does not answer; older versions hold it on."""
        ...


class MemoryKeeper(Protocol):
    """Upkeep of the memories table: indices, compaction, versions."""

    def state(self) -> TableState:
        """Return the table's figures."""
        ...

    def build_missing_indices(self) -> tuple[str, ...]:
        """Build each index that the layout wants and the table lacks; return the columns."""
        ...

    def rebuild_indices(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Build the indices of these columns anew, whatever is there; return the columns."""
        ...

    def drop_needless_indices(self) -> tuple[str, ...]:
        """Drop each index that no longer pays or whose column is gone; return the names."""
        ...

    def probe_indices(self, *, seed: int) -> tuple[IndexProbe, ...]:
        """Ask each index for rows that are known to be there: a broken one reports nothing by itself."""
        ...

    def count_padded(self, column: str) -> int:
        """Return how many vectors end in zeros, as shorter ones do that were filled up; reads the column."""
        ...

    def files(self) -> TableFiles | None:
        """Return the figures of the table's files; None in object storage, or with too many versions."""
        ...

    def optimize(self, *, keep: timedelta) -> None:
        """Compact, index new rows, and drop versions older than ``keep`` that no tag holds."""
        ...

    def note_terms(self, made_as: str) -> None:
        """Note on their column how the terms of all rows were made."""
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


class MemoryTable(
    MemoryReader,
    MemoryWriter,
    VectorWriter,
    MemoryKeeper,
    MemorySweeper,
    MemoryEraser,
    MemorySnapshots,
    Protocol,
):
    """The LanceDB table ``memories``, whole."""
