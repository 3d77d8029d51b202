"""What operators ask of the memories and what they are answered: pages, figures, and a receipt of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from sunrise.domain.memory_filter import MemoryFilter
from sunrise.domain.record_views import MemoryView
from sunrise.errors import DataError

ADMIN_SCHEMA: Final = "sunrise.admin.v1"
MAX_PAGE: Final = 1000
AGES: Final = ("day", "week", "month", "quarter", "year")
"""The buckets of ages, each up to so long ago; ``older`` and ``unknown`` come after them."""


@dataclass(frozen=True, slots=True)
class Backend:
    """Where the answer came from: the table, and its newest version when it was asked."""

    uri: str
    table: str
    version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminReceipt:
    """
    How an answer came about, in filters, counts and codes; never a text of a memory.

    ``reason`` says why nothing came back, ``warnings`` what may be missing.
    """

    op: str
    at_ms: int
    backend: Backend
    filters: Mapping[str, Any] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    latency_ms: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values under the names that agents read: ``dbPath``, ``tableName``, ``latencyMs``."""
        where = {"dbPath": self.backend.uri, "tableName": self.backend.table, "version": self.backend.version}
        return {
            "schema": ADMIN_SCHEMA,
            "op": self.op,
            "atMs": self.at_ms,
            "filters": dict(self.filters),
            "counts": dict(self.counts),
            "backend": where,
            "latencyMs": dict(self.latency_ms),
            "warnings": list(self.warnings),
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """
    One page of memories, newest first. ``cursor`` is where the page before it ended.

    Raises:
        DataError: The limit is not between 1 and :data:`MAX_PAGE`; reason ``bad_limit``.
    """

    filter: MemoryFilter = field(default_factory=MemoryFilter)
    limit: int = 50
    cursor: str | None = None
    with_quarantined_texts: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MAX_PAGE:
            msg = f"limit must be between 1 and {MAX_PAGE}, not {self.limit}"
            raise DataError(msg, reason="bad_limit")


@dataclass(frozen=True, slots=True)
class ListResult:
    """One page, the cursor of the next (None after the last), and how many memories there are on all."""

    items: tuple[MemoryView, ...]
    next_cursor: str | None
    total: int
    receipt: AdminReceipt

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "items": [asdict(item) for item in self.items],
            "nextCursor": self.next_cursor,
            "total": self.total,
            "receipt": self.receipt.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStats:
    """
    The memories by their figures. ``by`` holds counts by scope, category, label, trust, state, origin, lang.

    ``without_vector`` is None where no model of vectors answers, or nobody asked.
    """

    rows: int = 0
    by: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    ages: Mapping[str, int] = field(default_factory=dict)
    oldest_ms: int | None = None
    newest_ms: int | None = None
    without_id: int = 0
    without_terms: int = 0
    without_vector: int | None = None
    table_rows: int = 0
    table_bytes: int = 0
    table_versions: int = 0


@dataclass(frozen=True, slots=True)
class StatsResult:
    """Figures, and how they were got."""

    stats: MemoryStats
    receipt: AdminReceipt

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {"stats": asdict(self.stats), "receipt": self.receipt.to_dict()}
