"""What an admin operation leaves for its receipt: counts, times, and what was missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from sunrise.domain.admin import AdminReceipt, Backend
from sunrise.errors import SunriseError
from sunrise.online.stages import timed
from sunrise.ports import MemoryReader

NO_TABLE = "no_memories_table"
FAILED = "store_failed"


@dataclass(slots=True)
class AdminTrail:
    """One operation on its way. Reads fail open: what a store refuses becomes the reason of the receipt."""

    op: str
    at_ms: int
    backend: Backend
    filters: Mapping[str, Any] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    latency_ms: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    reason: str | None = None

    def stage(self, name: str) -> AbstractContextManager[None]:
        """Time a stage; of one that runs twice, both together."""
        return timed(self.latency_ms, name)

    @contextmanager
    def open_to_failure(self, missing: str | None = None) -> Iterator[None]:
        """
        Do what may fail; an error becomes the reason, or a warning where ``missing`` names what is left out.

        What was asked wrongly is raised all the same.
        """
        try:
            yield
        except SunriseError as error:
            if _is_asked_wrongly(error):
                raise
            if missing is None:
                self.reason = FAILED
            else:
                self.warnings.append(f"{missing}_skipped:{FAILED}")

    def seen(self, memories: MemoryReader | None) -> MemoryReader | None:
        """Return the table that was asked for, and note its version, or that there is none."""
        if memories is None:
            self.reason = NO_TABLE
            return None
        with self.open_to_failure():
            self.backend = replace(self.backend, version=memories.newest_version())
        return memories if self.reason is None else None

    def receipt(self) -> AdminReceipt:
        """Return the receipt as it stands."""
        return AdminReceipt(
            op=self.op,
            at_ms=self.at_ms,
            backend=self.backend,
            filters=dict(self.filters),
            counts=dict(self.counts),
            latency_ms={name: round(taken, 3) for name, taken in self.latency_ms.items()},
            warnings=tuple(self.warnings),
            reason=self.reason,
        )


def _is_asked_wrongly(error: SunriseError) -> bool:
    return getattr(error, "reason", None) in ("bad_text", "bad_filter", "bad_cursor", "bad_ref")
