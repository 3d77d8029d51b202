"""The ledger where single records are looked at: their changes, their use, and what stands around them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol

from sunrise.domain.record_views import ObservationView, RecordedChange, RecordLink, Usage


class RecordLedger(Protocol):
    """What the ledger knows of single records. Texts are whole, secrets and all: who shows them redacts."""

    def observations_by_ids(self, row_ids: Iterable[int]) -> tuple[ObservationView, ...]:
        """Return these observations, by id; those that are not there are left out."""
        ...

    def observations_near(
        self,
        at_ms: int,
        *,
        row_id: int,
        window_ms: int,
        before: int,
        after: int,
        session_key: str | None = None,
        scope: str | None = None,
        within: Collection[str] | None = None,
    ) -> tuple[ObservationView, ...]:
        """
        Return what was captured before and after a moment, oldest first, of one session or one scope.

        Of the same millisecond the rows up to ``row_id`` come before, the others after it. Of scopes that
        ``within`` does not name, where it names any, nothing is read.
        """
        ...

    def history_of(self, ref: str, *, limit: int) -> tuple[RecordedChange, ...]:
        """Return what was changed of a record, newest first."""
        ...

    def usage_of(self, ref: str) -> Usage:
        """Return how a record was used; one that never was has an empty use."""
        ...

    def links_of_memory(self, memory_id: str, *, limit: int) -> tuple[RecordLink, ...]:
        """Return the observations that name a memory, newest first."""
        ...

    def note_used(self, ref: str, *, at_ms: int) -> None:
        """Note that a record was of use, whatever is kept of it."""
        ...
