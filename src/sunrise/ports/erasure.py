"""The stores where what was forgotten is taken out of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from pathlib import Path
from typing import Protocol

from sunrise.domain.erasure import MemoriesHolding
from sunrise.domain.scrubber import Scrubber
from sunrise.domain.secret_spans import SecretRecord


class ErasureLedger(Protocol):
    """The ledger where it gives up what forgotten memories said."""

    def begin_erasure(self, memory_ids: Collection[str]) -> None:
        """Note that these memories are to be erased: an undo shows none of their records again."""
        ...

    def finish_erasure(self, memory_ids: Collection[str]) -> None:
        """Note that these memories are erased."""
        ...

    def erased(self, *, run_id: str | None = None, done: bool = False) -> frozenset[str]:
        """Return the memories that are erased, or were to be; of those that one run forgot, or of all."""
        ...

    def buried_with(self, memory_ids: Collection[str]) -> tuple[str, ...]:
        """Return the memories that were forgotten together with these, and these as far as they were."""
        ...

    def buried_saying(self, text: str, *, scope: str) -> tuple[str, ...]:
        """Return the forgotten memories of a scope that said what a text says."""
        ...

    def texts_known_of(self, memory_ids: Collection[str]) -> frozenset[str]:
        """Return what forgotten memories said, as far as the ledger still tells it and can be sure of it."""
        ...

    def rows_speaking_of(
        self, memory_ids: Collection[str], *, refs: Collection[str] = ()
    ) -> tuple[SecretRecord, ...]:
        """Return the rows that speak of memories or say just what they said, and of named observations."""
        ...

    def texts_in_copy(self, copy: Path, memory_ids: Collection[str]) -> frozenset[str]:
        """Return what forgotten memories said, as far as a copy of the ledger tells it."""
        ...

    def rows_in_copy(self, copy: Path, memory_ids: Collection[str]) -> int:
        """Return how many rows of a copy speak of forgotten memories, or say what they said."""
        ...

    def erase_records(
        self,
        rows: Sequence[SecretRecord],
        texts: Sequence[SecretRecord],
        *,
        scrubber: Scrubber,
        run_id: str,
    ) -> int:
        """Empty the rows, take the texts out of the other records; return how many changed."""
        ...


class MemoryEraser(Protocol):
    """The memories table where it gives up what forgotten memories said, in all its versions."""

    def texts_of(self, ids: Set[str]) -> frozenset[str]:
        """Return what memories say in the newest version, and said in any that is left."""
        ...

    def find_erased(self, ids: Set[str], scrubber: Scrubber) -> MemoriesHolding:
        """Look through every version for these memories, and for what they said; nothing is written."""
        ...

    def erase(self, found: MemoriesHolding, *, tags: bool) -> int:
        """Leave no version that holds what was found, tagged ones only if *tags*; return how many went."""
        ...
