"""What is asked of recall and what it answers: the request, the items, and a receipt without any text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sunrise.domain.filters import DEFAULT_SCOPE
from sunrise.errors import DataError

RECALL_SCHEMA: Final = "sunrise.recall.v1"
MAX_QUERY_CHARS: Final = 6000
"""A prompt pasted whole is cut here: the rest would cost time and blur what is asked."""
MAX_LIMIT: Final = 100


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """
    One question to the memory.

    Raises:
        DataError: The limit is not between 1 and :data:`MAX_LIMIT`; reason ``bad_limit``.
    """

    query: str
    scope: str = DEFAULT_SCOPE
    limit: int = 5
    include_archived: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MAX_LIMIT:
            msg = f"limit must be between 1 and {MAX_LIMIT}, not {self.limit}"
            raise DataError(msg, reason="bad_limit")


@dataclass(frozen=True, slots=True)
class RecallItem:
    """One memory that answers, with what a reader needs to weigh it. ``ref`` is ``mem:<id>``."""

    ref: str
    text: str
    scope: str
    importance_label: str | None
    trust_tier: str | None
    category: str | None
    created_at_ms: int | None
    score: float


@dataclass(frozen=True, slots=True)
class RecallReject:
    """One memory that was found and not returned. ``reason`` is a stable code."""

    ref: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallReceipt:
    """
    How an answer came about, in refs, counts and codes; never the text of a memory or of the query.

    ``reason`` says why nothing came back, ``lexical_skipped`` and ``dense_skipped`` why a leg did not run.
    The tops hold the first refs of each leg and of their fusion.
    """

    at_ms: int
    scope: str
    limit: int
    query_chars: int
    query_terms: int
    model_id: str
    fts_top: tuple[str, ...] = ()
    vec_top: tuple[str, ...] = ()
    fused_top: tuple[str, ...] = ()
    rejects: tuple[RecallReject, ...] = ()
    lexical_skipped: str | None = None
    dense_skipped: str | None = None
    reason: str | None = None
    latency_ms: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values under the names that agents read: ``ftsTop``, ``vecTop``, ``fusedTop``."""
        return {
            "schema": RECALL_SCHEMA,
            "atMs": self.at_ms,
            "scope": self.scope,
            "limit": self.limit,
            "queryChars": self.query_chars,
            "queryTerms": self.query_terms,
            "modelId": self.model_id,
            "ftsTop": list(self.fts_top),
            "vecTop": list(self.vec_top),
            "fusedTop": list(self.fused_top),
            "rejects": [{"ref": reject.ref, "reason": reject.reason} for reject in self.rejects],
            "lexicalSkipped": self.lexical_skipped,
            "denseSkipped": self.dense_skipped,
            "reason": self.reason,
            "latencyMs": dict(self.latency_ms),
        }


@dataclass(frozen=True, slots=True)
class RecallResult:
    """The memories most useful for a query, best first, and the receipt."""

    items: tuple[RecallItem, ...]
    receipt: RecallReceipt
