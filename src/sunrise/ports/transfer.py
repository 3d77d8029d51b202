"""What an export and an import need beside the stores: bytes out, lines in, a look at the texts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class ByteSink(Protocol):
    """Where an export goes: a file that appears when it is whole, or a pipe."""

    def write(self, data: bytes, /) -> int:
        """Take some bytes."""
        ...


@dataclass(frozen=True, slots=True)
class ReadRecord:
    """
    One record of a file, or why there is none; ``position`` names it within the file.

    ``raw`` is what stands there, or its beginning.
    """

    position: str
    line: int
    raw: bytes
    record: Mapping[str, Any] | None = None
    reason: str | None = None


class RecordSource(Protocol):
    """A file of memories, read from its start, some records at a time."""

    @property
    def name(self) -> str:
        """What it is called in quarantine."""
        ...

    def batches(self, *, rows: int) -> Iterator[Sequence[ReadRecord]]:
        """
        Yield the records in batches of so many, or fewer where they are large.

        Raises:
            StoreError: The file cannot be read.
        """
        ...


class TextScreen(Protocol):
    """Looks through many texts at once."""

    def without_secrets(self, texts: Sequence[str]) -> tuple[Sequence[str], Collection[int]]:
        """Return the texts with every secret replaced, and the numbers of those that had one."""
        ...

    def orders(self, texts: Sequence[str], *, owners: Collection[int]) -> Mapping[int, Sequence[str]]:
        """Return why texts look like orders to the model, by number; ``owners`` are the owner's words."""
        ...
