"""What a run did, as counts: the one value that the ledger, the page, the message and the CLI all show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Self

RECEIPT_SCHEMA = "sunrise.receipt.v1"
MAX_REFS = 50
"""A receipt lists at most this many refs of one kind; the count beside it is always whole."""


class RunStatus(StrEnum):
    """How a run ended. Only OK and SKIPPED are silent."""

    RUNNING = "running"
    OK = "ok"
    ANOMALY = "anomaly"
    FAILED = "failed"
    BUSY = "busy"
    SKIPPED = "skipped"
    CRASHED = "crashed"


@dataclass(frozen=True, slots=True)
class StepTiming:
    """One step of a run and its wall time in milliseconds."""

    name: str
    ms: float


@dataclass(frozen=True, slots=True)
class Balance:
    """A sum that must hold between counts: ``counts[whole] == sum(counts[part] for part in parts)``."""

    whole: str
    parts: tuple[str, ...]

    def gap(self, counts: Mapping[str, int]) -> int:
        """
        Return the whole minus its parts; 0 when the receipt adds up.

        >>> Balance("seen", ("inserted", "duplicate")).gap({"seen": 3, "inserted": 1, "duplicate": 1})
        1
        """
        return counts.get(self.whole, 0) - sum(counts.get(part, 0) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Anomaly:
    """Something an operator must hear of: a stable code, and a message for people without memory text."""

    code: str
    message: str
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReceipt:
    """
    The receipt of one run of one flow. It carries counts and refs, never the text of a memory.

    Times are epoch milliseconds, UTC. ``groups`` hold counts by a key (label, reason, tier), ``figures``
    measured numbers (rates, shares, milliseconds), ``facts`` short strings (a tag, a model id), ``refs``
    record refs, at most :data:`MAX_REFS` of a kind. ``reason`` is a code when the run was skipped, busy or
    failed.
    """

    run_id: str
    flow: str
    status: RunStatus
    started_ms: int
    finished_ms: int | None = None
    dry_run: bool = False
    parent_run_id: str | None = None
    reason: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    figures: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    refs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    steps: tuple[StepTiming, ...] = ()
    balances: tuple[Balance, ...] = ()
    anomalies: tuple[Anomaly, ...] = ()
    schema: str = RECEIPT_SCHEMA

    @property
    def duration_ms(self) -> int | None:
        """Wall time in milliseconds, or None while the run goes on."""
        return None if self.finished_ms is None else self.finished_ms - self.started_ms

    @property
    def adds_up(self) -> bool:
        """Whether every balance holds."""
        return not any(balance.gap(self.counts) for balance in self.balances)

    def closed(self, *, status: RunStatus, finished_ms: int, reason: str | None = None) -> Self:
        """Return this receipt as it ended."""
        return replace(self, status=status, finished_ms=finished_ms, reason=reason or self.reason)

    def to_dict(self) -> dict[str, Any]:
        """Return plain dicts, lists, strings and numbers, ready for any JSON writer."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """
        Read what :meth:`to_dict` wrote; keys of later versions are passed over.

        Raises:
            KeyError: A field without a default is missing.
            ValueError: The status is not one of :class:`RunStatus`.
        """
        known = {name: data[name] for name in cls.__dataclass_fields__ if name in data}
        for required in ("run_id", "flow", "status", "started_ms"):
            _ = known[required]
        known["status"] = RunStatus(known["status"])
        known["refs"] = {kind: tuple(refs) for kind, refs in known.get("refs", {}).items()}
        known["steps"] = tuple(StepTiming(**step) for step in known.get("steps", ()))
        known["balances"] = tuple(
            Balance(balance["whole"], tuple(balance["parts"])) for balance in known.get("balances", ())
        )
        known["anomalies"] = tuple(Anomaly(**anomaly) for anomaly in known.get("anomalies", ()))
        return cls(**known)


def receipt_file(receipt: RunReceipt) -> str:
    """
    Return where the file of a receipt lies among all of them: by year and month of its start, UTC.

    >>> receipt_file(RunReceipt(run_id="r", flow="import", status=RunStatus.OK, started_ms=0))
    '1970/01/r.json'
    """
    start = datetime.fromtimestamp(receipt.started_ms / 1000, tz=UTC)
    return f"{start:%Y}/{start:%m}/{receipt.run_id}.json"
