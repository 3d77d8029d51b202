"""The ledger where it stands what was forgotten, so that it does not come back by any door."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from sunrise.domain.forget import Forgotten, Tombstone


class TombstoneLedger(Protocol):
    """What was forgotten: ids, and hashes of texts that can be compared and not read."""

    def bury(self, tombstones: Sequence[Tombstone], *, run_id: str) -> int:
        """
        Note what is forgotten before the table lets go of it; return how many observations were hidden.

        In one transaction links and waiting changes of the memories go, and their observations are archived.
        """
        ...

    def finish_burial(self, memory_ids: Sequence[str]) -> None:
        """Note that the table no longer holds these memories."""
        ...

    def unfinished_burials(self) -> tuple[str, ...]:
        """Return the memories that are forgotten, and that the table may still hold."""
        ...

    def buried(self, memory_ids: Iterable[str] | None = None) -> frozenset[str]:
        """Return the ids of forgotten memories, of these or of all."""
        ...

    def newest_forgotten(self, *, limit: int) -> tuple[Forgotten, ...]:
        """Return what was forgotten last and not let in again, newest first, whoever asked for it."""
        ...

    def buried_named(
        self, name: str, *, scopes: Collection[str] | None, with_unscoped: bool = False
    ) -> tuple[str, ...]:
        """
        Return the forgotten memory that had a name as its id, else those whose ids begin so, at most two.

        None are all scopes. What is kept out of all scopes tells of no scope, and is left out where some
        are named, but *with_unscoped*.
        """
        ...

    def may_be_forgotten(self, terms: Sequence[str]) -> list[bool]:
        """
        Return of each analysed text whether it may be a forgotten one: of most it surely is not.

        The terms are those with accents as written.
        """
        ...

    def forgotten_texts(self, texts: Sequence[tuple[str, str | None]]) -> list[bool]:
        """Return of each text and scope whether it is forgotten there; without a scope, whether anywhere."""
        ...

    def lift_tombstones(self, text: str, *, scope: str, memory_id: str | None = None) -> int:
        """Let a text, and a memory, come in again; return how many tombstones were lifted."""
        ...

    def made_of(self, refs: Sequence[str]) -> tuple[tuple[str, str | None], ...]:
        """Return the observations that name one of these records as a parent, with the memory of each."""
        ...

    def linked_observations(self, memory_id: str) -> tuple[str, ...]:
        """Return the refs of the observations that speak of a memory."""
        ...
