"""Memories into a file and out of one: what is asked, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from sunrise.domain.admin import AdminReceipt
from sunrise.domain.filters import check_scope
from sunrise.domain.memory_filter import MemoryFilter
from sunrise.domain.receipts import RunReceipt
from sunrise.errors import DataError

MAX_BATCH: Final = 100_000
MAX_SOURCE_NAME: Final = 500
"""Characters of the name under which the lines of a file are kept in quarantine."""


class ExportFormat(StrEnum):
    """How an export is written. Only JSON, in lines or whole, is read again."""

    JSONL = "jsonl"
    JSON = "json"
    MARKDOWN = "markdown"
    PARQUET = "parquet"


class Dedupe(StrEnum):
    """What makes a row of a file one that is there already: nothing, its id, its text in its scope too."""

    NONE = "none"
    ID = "id"
    ID_TEXT = "id_text"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequest:
    """
    Which memories to write, and how. Secrets are redacted unless ``redact`` is unset.

    Quarantined memories are left out unless asked for. Vectors are those of the model that answers.
    """

    filter: MemoryFilter = field(default_factory=MemoryFilter)
    format: ExportFormat = ExportFormat.JSONL
    redact: bool = True
    with_vectors: bool = False
    with_quarantined: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return what is asked for, by name."""
        return {
            **self.filter.to_dict(),
            "format": str(self.format),
            "redact": self.redact,
            "withVectors": self.with_vectors,
            "withQuarantined": self.with_quarantined,
        }


@dataclass(frozen=True, slots=True)
class ExportResult:
    """
    How many memories were written, and which were left out and why.

    What this module cannot read again is left out: a row without an id or a text, or with more than fits.
    """

    exported: int
    left_out: Mapping[str, int]
    receipt: AdminReceipt

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "exported": self.exported,
            "leftOut": dict(self.left_out),
            "receipt": self.receipt.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """
    How the rows of a file are taken in. With ``trust`` the operator vouches for the tiers and origins in it.

    ``scope`` puts every row into one scope. ``batch`` rows are written at once.

    Raises:
        DataError: The batch is not between 1 and :data:`MAX_BATCH`, reason ``bad_batch``, or the scope is
            empty or no name, reason ``bad_scope``.
    """

    dedupe: Dedupe = Dedupe.ID_TEXT
    trust: bool = False
    scope: str | None = None
    dry_run: bool = False
    batch: int = 10_000

    def __post_init__(self) -> None:
        if not 1 <= self.batch <= MAX_BATCH:
            msg = f"a batch has 1 to {MAX_BATCH} rows, not {self.batch}"
            raise DataError(msg, reason="bad_batch")
        if self.scope is not None:
            check_scope(self.scope)
            if not self.scope.strip():
                raise DataError("the name of a scope is not empty", reason="bad_scope")

    def to_dict(self) -> dict[str, Any]:
        """Return what is asked for, by name."""
        asked = {"dedupe": str(self.dedupe), "trust": self.trust, "dryRun": self.dry_run}
        return asked if self.scope is None else {**asked, "scope": self.scope}


@dataclass(frozen=True, slots=True)
class ImportResult:
    """
    What became of the rows of a file: ``seen`` = imported + duplicate + forgotten + refused.

    ``groups`` tell the reasons: of refusals, of duplicates, of vectors that were left behind. ``run`` is the
    run in the ledger, None after a dry run.
    """

    counts: Mapping[str, int]
    groups: Mapping[str, Mapping[str, int]]
    receipt: AdminReceipt
    run: RunReceipt | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "counts": dict(self.counts),
            "groups": {name: dict(counts) for name, counts in self.groups.items()},
            "runId": None if self.run is None else self.run.run_id,
            "receipt": self.receipt.to_dict(),
        }
