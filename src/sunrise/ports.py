"""What the rules of sunrise need from the world: clocks, stores and embedders as protocols."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import pyarrow as pa

from sunrise.domain.receipts import RunReceipt
from sunrise.domain.records import (
    Change,
    Inserted,
    Quarantined,
    QuarantineState,
    Rejected,
    SourcePosition,
)


class Clock(Protocol):
    """Where the time comes from."""

    def now_ms(self) -> int:
        """Return the time as epoch milliseconds, UTC."""
        ...


class Embedder(Protocol):
    """Turns text into unit vectors. ``model_id`` stands beside every vector that it made."""

    @property
    def model_id(self) -> str:
        """A stable id that names model and version; ``none`` for the lexical-only embedder."""
        ...

    @property
    def dimension(self) -> int:
        """The length of a vector; 0 for the lexical-only embedder."""
        ...

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """
        Return float32 unit vectors, shape ``(len(texts), dimension)``.

        Any text is taken: empty, NUL, lone surrogates, megabytes (the tail beyond a cap is dropped).
        """
        ...


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


class MemoryTable(MemoryReader, MemoryWriter, MemoryKeeper, Protocol):
    """The LanceDB table ``memories``, whole."""


class CapturedBatch(Protocol):
    """One stretch of a source: ``seen == rows.num_rows + len(rejected)``."""

    @property
    def rows(self) -> pa.Table:
        """Observations in the ledger's columns; a key may stand there twice, the first counts."""
        ...

    @property
    def rejected(self) -> tuple[Rejected, ...]:
        """What could not be read, redacted."""
        ...

    @property
    def position(self) -> SourcePosition:
        """Where to go on; to be stored in the same transaction as the rows."""
        ...

    @property
    def seen(self) -> int:
        """Lines that were taken from the source."""
        ...

    @property
    def redacted(self) -> int:
        """Rows in which a secret was replaced."""
        ...

    @property
    def bytes(self) -> int:
        """Bytes that were taken from the source."""
        ...

    @property
    def episodes(self) -> pa.Table | None:
        """What was said and done, word for word, where the source tells it."""
        ...


class ObservationSource(Protocol):
    """Something that an agent writes and harvest reads, from where it stopped."""

    @property
    def name(self) -> str:
        """What positions and quarantine rows call it."""
        ...

    def batches(
        self, position: SourcePosition | None, *, now_ms: int, batch_lines: int
    ) -> Iterator[CapturedBatch]:
        """
        Yield what came since ``position``; nothing when nothing came.

        Raises:
            StoreError: The source cannot be read.
        """
        ...


@runtime_checkable
class RetryableSource(Protocol):
    """A source whose refused rows can be read again one by one, by their position."""

    def retry(self, position: str, *, now_ms: int) -> CapturedBatch | None:
        """Return the row as it reads now, taken or refused again; None when it is gone."""
        ...


class ObservationLedger(Protocol):
    """The observations of the ledger, in batches."""

    def commit_harvest(
        self,
        rows: pa.Table,
        *,
        rejected: Sequence[Rejected],
        position: SourcePosition | None,
        episodes: pa.Table | None = None,
    ) -> Inserted:
        """Insert the rows whose key is new, the refused ones and the position, if any, in one transaction."""
        ...

    def source_position(self, source: str) -> SourcePosition | None:
        """Return how far a source was read, or None for a new one."""
        ...

    def ungraded(self, *, after_id: int, limit: int) -> pa.Table:
        """Return rows past ``after_id`` that no grading run saw yet, or that have no grade; oldest first."""
        ...

    def save_grades(self, grades: pa.Table, *, run_id: str, seen_up_to: int) -> int:
        """Fill empty grades, note each as a change and move the watermark in one transaction."""
        ...

    def quarantine(self, rejected: Sequence[Rejected]) -> int:
        """Keep refused rows; return how many were not there yet."""
        ...

    def quarantined(
        self, *, state: QuarantineState | None = None, limit: int = 1000
    ) -> tuple[Quarantined, ...]:
        """Return refused rows, oldest first; those of one state if it is named."""
        ...

    def quarantined_row(self, row_id: int) -> Quarantined | None:
        """Return one refused row."""
        ...

    def close_quarantined(self, row_ids: Iterable[int], *, state: QuarantineState) -> int:
        """Close waiting rows as resolved or dropped; they stay to be read. Return how many were waiting."""
        ...

    def new_keys(self, keys: Sequence[str]) -> int:
        """Return how many different keys of these no observation has yet."""
        ...


class GovernanceReader(Protocol):
    """What the flows read of the ledger, as whole frames."""

    def linked_governance(self) -> pa.Table:
        """Return the governance values of observations that name a memory, oldest first."""
        ...

    def lifecycle_rows(self) -> pa.Table:
        """Return what retention needs of each observation: kind, label, trust, state, times of use."""
        ...

    def memory_usage(self) -> pa.Table:
        """Return when each memory was last used."""
        ...

    def distribution(self) -> pa.Table:
        """Return how many observations have each label and scope."""
        ...


class AuditTrail(Protocol):
    """Append-only changes, and the outbox of those that the memories table has yet to take."""

    def record_changes(self, changes: Sequence[Change], *, run_id: str) -> None:
        """Append changes of memories and put them in the outbox, in one transaction."""
        ...

    def apply_to_observations(self, changes: Sequence[Change], *, run_id: str) -> int:
        """Apply changes to observations and append them, in one transaction; return the rows changed."""
        ...

    def outbox(self) -> tuple[tuple[int, Change], ...]:
        """Return the pending changes of memories with their ids, oldest first."""
        ...

    def clear_outbox(self, change_ids: Sequence[int]) -> None:
        """Forget pending changes that the memories table now holds."""
        ...

    def changes(self, *, run_id: str) -> tuple[Change, ...]:
        """Return what a run changed, in order."""
        ...


class RunLog(Protocol):
    """Runs, their leases and what a run found: the operator's memory of the machine."""

    def acquire_lease(self, name: str, *, run_id: str) -> None:
        """
        Take the lease of a flow, over a dead or expired holder if need be.

        Raises:
            BusyError: A live run holds it.
        """
        ...

    def renew_lease(self, name: str, *, run_id: str) -> bool:
        """Push the expiry on; False when another run has taken the lease."""
        ...

    def release_lease(self, name: str, *, run_id: str) -> None:
        """Give the lease back; giving back one that is not held is no error."""
        ...

    def save_run(self, receipt: RunReceipt) -> None:
        """Write or replace the row of a run."""
        ...

    def runs(self, *, flow: str | None = None, limit: int = 50) -> tuple[RunReceipt, ...]:
        """Return receipts, newest first."""
        ...

    def reap(self) -> tuple[str, ...]:
        """Close runs left Running by processes that are gone; return their ids."""
        ...


class LedgerKeeper(Protocol):
    """Upkeep of the ledger: integrity, backup, small named values."""

    def check(self) -> Mapping[str, str]:
        """Return a verdict (``ok`` or what is wrong) for integrity, foreign keys and full-text index."""
        ...

    def backup(self, target: Path) -> str:
        """Copy the ledger to a file, check the copy by opening it, and return its sha256."""
        ...

    def content_digest(self) -> str:
        """Return a digest of what governance holds (observations, usage, changes), runs left out."""
        ...

    def get_note(self, name: str) -> str | None:
        """Return a small named text (a baseline, an evaluation), or None."""
        ...

    def put_note(self, name: str, text: str) -> None:
        """Write a small named text."""
        ...

    def count(self, table: str) -> int:
        """Return the number of rows of observations, changes, quarantine or outbox."""
        ...

    def quarantined_by_reason(self) -> Mapping[str, int]:
        """Return how many rows wait in quarantine for each reason, by reason."""
        ...


class Ledger(ObservationLedger, GovernanceReader, AuditTrail, RunLog, LedgerKeeper, Protocol):
    """The SQLite ledger, whole."""

    def transaction(self) -> AbstractContextManager[None]:
        """Hold one write transaction; commits on leaving, rolls back on an error."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...
