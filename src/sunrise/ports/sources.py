"""What an agent writes and harvest reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

import pyarrow as pa

from sunrise.domain.records import Rejected, SourcePosition


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
    def origin_not_believed(self) -> int:
        """Rows that claim an origin which their interface does not allow."""
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
