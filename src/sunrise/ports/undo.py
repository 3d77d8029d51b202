"""The ledger where grades are given anew and runs are taken back."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

import pyarrow as pa

from sunrise.domain.receipts import RunReceipt
from sunrise.domain.undo import UndoneBatch, UndoPlan


class UndoLedger(Protocol):
    """The ledger where grades are given anew and runs are taken back."""

    def regradable(
        self, *, after_id: int, limit: int, since_ms: int | None = None, scope: str | None = None
    ) -> pa.Table:
        """Return observations past an id with the grades they hold, oldest first."""
        ...

    def save_regrades(
        self, grades: pa.Table, *, own: Collection[str], run_id: str, force: Collection[str] = ()
    ) -> int:
        """Replace grades that a method of ours gave, note each as a change; return how many rows changed."""
        ...

    def recorded_run(self, run_id: str) -> RunReceipt | None:
        """Return the receipt of one run, or None."""
        ...

    def plan_undo(self, run_id: str) -> UndoPlan:
        """Look at what a run changed, and at who changed it since."""
        ...

    def undo_observations(
        self, plan: UndoPlan, *, run_id: str, below: int | None, limit: int, dry_run: bool = False
    ) -> UndoneBatch:
        """Restore fields of observations, newest change first, and note each; in one transaction."""
        ...

    def memories_to_undo(self, plan: UndoPlan) -> pa.Table:
        """
        Return the fields of memories that a run changed, newest change first; nothing is written.

        The columns are record_ref, field, expected, target (JSON texts) and over_later; ``expected`` is what
        the field must hold now, null where somebody changed it since the plan was made.
        """
        ...
