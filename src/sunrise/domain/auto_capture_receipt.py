"""How a turn's capture went: counts by reason and keys, never a word of what was said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sunrise.domain.auto_capture import Extraction
from sunrise.domain.capture_selection import Settlement
from sunrise.domain.scope_policy import ScopeWarning

AUTO_CAPTURE_SCHEMA: Final = "sunrise.auto_capture.v1"
MAX_KEYS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoCaptureReceipt:
    """
    What was read, left and stored after one turn.

    It adds up: ``statements`` are ``extracted`` and what was filtered before; ``extracted`` are ``selected``
    and what was filtered after. ``by_sign`` counts what spoke for statements that show no phrase. The caller
    fills ``stored``, ``replaced``, ``failed`` and, where nothing was read at all, ``reason``.
    """

    at_ms: int
    messages: int = 0
    skipped_messages: Mapping[str, int] = field(default_factory=dict)
    statements: int = 0
    extracted: int = 0
    selected: int = 0
    filtered: Mapping[str, int] = field(default_factory=dict)
    by_category: Mapping[str, int] = field(default_factory=dict)
    by_lang: Mapping[str, int] = field(default_factory=dict)
    by_sign: Mapping[str, int] = field(default_factory=dict)
    invalid_scopes: int = 0
    keys: tuple[str, ...] = ()
    stored: int = 0
    replaced: int = 0
    failed: int = 0
    reason: str | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What an operator should see: a scope that was refused, or memories that were not stored."""
        told = ((ScopeWarning.INVALID, self.invalid_scopes), ("store_failed", self.failed))
        return tuple(f"{code}:{count}" for code, count in told if count)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values under the names that agents read."""
        return {
            "schema": AUTO_CAPTURE_SCHEMA,
            "atMs": self.at_ms,
            "messages": self.messages,
            "skippedMessages": dict(self.skipped_messages),
            "statements": self.statements,
            "extractedCount": self.extracted,
            "filteredOut": dict(self.filtered),
            "selectedCount": self.selected,
            "byCategory": dict(self.by_category),
            "byLang": dict(self.by_lang),
            "bySign": dict(self.by_sign),
            "invalidScopes": self.invalid_scopes,
            "keys": list(self.keys),
            "storedCount": self.stored,
            "replacedCount": self.replaced,
            "failedCount": self.failed,
            "warnings": list(self.warnings),
            "reason": self.reason,
        }


def capture_receipt(extraction: Extraction, settlement: Settlement, *, at_ms: int) -> AutoCaptureReceipt:
    """
    Return the receipt of a turn before anything of it is stored.

    >>> receipt = capture_receipt(Extraction(statements=1, filtered={"question": 1}), Settlement(), at_ms=0)
    >>> receipt.to_dict()["filteredOut"], receipt.to_dict()["storedCount"]
    ({'question': 1}, 0)
    """
    chosen = settlement.candidates
    return AutoCaptureReceipt(
        at_ms=at_ms,
        messages=extraction.messages,
        skipped_messages=extraction.skipped_messages,
        statements=extraction.statements,
        extracted=len(extraction.candidates),
        selected=len(chosen),
        filtered=_counts((*_spread(extraction.filtered), *_spread(settlement.filtered))),
        by_category=_counts(str(one.category) for one in chosen),
        by_lang=_counts(one.lang for one in chosen),
        by_sign=_counts(sign for one in chosen for sign in one.reasons),
        invalid_scopes=sum(not one.scope.is_valid for one in extraction.candidates),
        keys=tuple(one.key for one in chosen[:MAX_KEYS]),
    )


def _spread(counts: Mapping[str, int]) -> list[str]:
    return list(Counter(counts).elements())


def _counts(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(map(str, names)).items()))
