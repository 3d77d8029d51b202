"""The ledger: what the flows read of it, its audit trail, its runs and its upkeep."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from sunrise.domain.links import LinkedUpTo
from sunrise.domain.receipts import RunReceipt
from sunrise.domain.records import Change
from sunrise.domain.scrubber import SECRETS, Scrubber
from sunrise.domain.secret_spans import RedactedField, SecretRecord, SecretsFound
from sunrise.ports.entry import EntryLedger, ObservationLedger, TrustLedger
from sunrise.ports.erasure import ErasureLedger
from sunrise.ports.records import RecordLedger
from sunrise.ports.stores import StoreLedger
from sunrise.ports.tombstones import TombstoneLedger
from sunrise.ports.turns import TurnLedger
from sunrise.ports.undo import UndoLedger


class GovernanceReader(Protocol):
    """What the flows read of the ledger, as whole frames."""

    def lifecycle_rows(self) -> pa.Table:
        """Return what retention needs of each observation: kind, label, trust, state, times of use."""
        ...

    def observation_texts(self, row_ids: Collection[int]) -> Mapping[int, str]:
        """Return the texts of these observations, by id."""
        ...

    def memory_usage(self) -> pa.Table:
        """Return when each memory was last used."""
        ...

    def served_since(self) -> int | None:
        """Return when this home first served a recall, None where it never did."""
        ...

    def distribution(self) -> pa.Table:
        """Return how many observations have each label and scope."""
        ...


class LinkLedger(Protocol):
    """Which observation speaks of which memory, and how far the memories were told."""

    def linked_up_to(self) -> LinkedUpTo:
        """Return how far the ledger is filled at this moment."""
        ...

    def linked_governance(self, *, up_to: LinkedUpTo, everything: bool = False) -> pa.Table:
        """Return what the ledger knows of linked memories: of those that need a look, or of all."""
        ...

    def links_since_writeback(self, *, up_to: LinkedUpTo) -> int:
        """Return how many links are new since the last writeback, at most."""
        ...

    def unlinked_observations(self, *, up_to: LinkedUpTo, limit: int) -> tuple[int, Sequence[int]]:
        """Return how many new observations stored a memory and name none, and the ids of some."""
        ...

    def unresolved_memories(self) -> Mapping[str, str]:
        """Return the memories that the last writeback could not resolve, with the reason."""
        ...

    def finish_writeback(self, *, up_to: LinkedUpTo, unresolved: Mapping[str, str]) -> None:
        """Move the watermarks, and keep what could not be resolved, in one transaction."""
        ...


class AuditTrail(Protocol):
    """Append-only changes, and the outbox of those that the memories table has yet to take."""

    def record_changes(self, changes: Sequence[Change], *, run_id: str) -> None:
        """Append changes of memories and put them in the outbox, in one transaction."""
        ...

    def record_change_frame(self, changes: pa.Table, *, run_id: str) -> range:
        """Do what :meth:`record_changes` does for many, and return the ids of the changes."""
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


class LedgerSweeper(Protocol):
    """Secrets that older rules let into the ledger."""

    def find_secrets(self, scrubber: Scrubber = SECRETS) -> SecretsFound:
        """Look at every text of every table, in batches, and return the records that hold a secret."""
        ...

    def redact_records(
        self, records: Sequence[SecretRecord], *, run_id: str, scrubber: Scrubber = SECRETS
    ) -> int:
        """Take the secrets out of these records, in one transaction; return how many changed."""
        ...

    def note_redactions(self, fields: Sequence[RedactedField], *, run_id: str) -> None:
        """Note what is taken out of another store."""
        ...

    def finish_redaction(self, *, patience_s: float = 20.0) -> bool:
        """Leave no page of the file that holds what was redacted; False where a reader was in the way."""
        ...

    def needs_finishing(self) -> bool:
        """Return whether something was redacted, and pages of the file may hold it still."""
        ...


class LedgerKeeper(Protocol):
    """Upkeep of the ledger: integrity, backup, small named values, use that waits to be written."""

    def write_use(self) -> bool:
        """Write the use that waits in memory; False where the ledger could not be written."""
        ...

    def check(self) -> Mapping[str, str]:
        """Return a verdict (``ok`` or what is wrong) for integrity, foreign keys and full-text index."""
        ...

    def backup(self, target: Path) -> str:
        """Copy the ledger to a file, check the copy by opening it, and return its sha256."""
        ...

    def write_log_back(self) -> None:
        """Bring what is committed from the log into the file, as far as no reader needs the log."""
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

    def note_names(self, prefix: str) -> tuple[str, ...]:
        """Return the names of the small named texts that begin so, in order."""
        ...

    def drop_note(self, name: str) -> None:
        """Forget a small named text."""
        ...

    def count(self, table: str) -> int:
        """Return the number of rows of observations, changes, quarantine or outbox."""
        ...

    def quarantined_by_reason(self) -> Mapping[str, int]:
        """Return how many rows wait in quarantine for each reason, by reason."""
        ...


class Ledger(
    ObservationLedger,
    EntryLedger,
    TrustLedger,
    GovernanceReader,
    LinkLedger,
    StoreLedger,
    TombstoneLedger,
    AuditTrail,
    RunLog,
    LedgerSweeper,
    ErasureLedger,
    UndoLedger,
    TurnLedger,
    RecordLedger,
    LedgerKeeper,
    Protocol,
):
    """The SQLite ledger, whole."""

    def transaction(self) -> AbstractContextManager[None]:
        """Hold one write transaction; commits on leaving, rolls back on an error."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...
