"""What the rules of sunrise need from the world: clocks, stores and embedders as protocols."""

from __future__ import annotations

from sunrise.ports.entry import (
    EntryLedger,
    ObservationLedger,
    TrustLedger,
)
from sunrise.ports.ledger import (
    AuditTrail,
    GovernanceReader,
    Ledger,
    LedgerKeeper,
    LedgerSweeper,
    RunLog,
)
from sunrise.ports.memories import (
    IndexProbe,
    IndexState,
    MemoryKeeper,
    MemoryReader,
    MemorySweeper,
    MemoryTable,
    MemoryWriter,
    TableFiles,
    TableState,
)
from sunrise.ports.sources import (
    CapturedBatch,
    ObservationSource,
    RetryableSource,
)
from sunrise.ports.stores import StoreLedger
from sunrise.ports.tombstones import TombstoneLedger
from sunrise.ports.turns import TurnLedger
from sunrise.ports.undo import UndoLedger
from sunrise.ports.world import (
    Clock,
    Embedder,
)

__all__ = [
    "AuditTrail",
    "CapturedBatch",
    "Clock",
    "Embedder",
    "EntryLedger",
    "GovernanceReader",
    "IndexProbe",
    "IndexState",
    "Ledger",
    "LedgerKeeper",
    "LedgerSweeper",
    "MemoryKeeper",
    "MemoryReader",
    "MemorySweeper",
    "MemoryTable",
    "MemoryWriter",
    "ObservationLedger",
    "ObservationSource",
    "RetryableSource",
    "RunLog",
    "StoreLedger",
    "TableFiles",
    "TableState",
    "TombstoneLedger",
    "TrustLedger",
    "TurnLedger",
    "UndoLedger",
]
