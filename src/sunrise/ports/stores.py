"""The ledger where memories come in by the door of store."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from sunrise.domain.stored import NewStore, PendingStore, Stored


class StoreLedger(Protocol):
    """What was stored: noted before the memories table takes it, so that a killed store can be finished."""

    def stored_under(self, key: str, *, request: str) -> Stored | None:
        """Return the store with an idempotency key, and whether it asked for the same."""
        ...

    def stored_alike(self, text: str, *, scope: str) -> tuple[str, ...]:
        """Return the memories of a scope that were stored with a text that says the same."""
        ...

    def is_ignored_by_hand(self, memory_id: str) -> bool:
        """Return whether somebody stored this memory with the label `ignore`, which no store lifts."""
        ...

    def begin_store(self, new: NewStore, *, gone: Collection[str] = ()) -> Stored:
        """
        Note a store in one transaction, or return the one that stands in its way.

        That is one with the same key, or one of the same text in the same scope whose memory is not among
        those that are ``gone``.
        """
        ...

    def finish_stores(self, memory_ids: Sequence[str]) -> None:
        """Note that the table has these memories."""
        ...

    def leave_store(self, memory_id: str) -> None:
        """Leave a store that failed to whoever comes next."""
        ...

    def pending_stores(self) -> int:
        """Return how many memories the table has yet to take, as far as the ledger knows."""
        ...

    def take_pending_stores(self) -> tuple[PendingStore, ...]:
        """Return stores that nobody is at any more, to be finished by the caller alone."""
        ...
