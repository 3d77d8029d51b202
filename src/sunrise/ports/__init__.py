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
from sunrise.ports.records import RecordLedger
from sunrise.ports.sources import (
    CapturedBatch,
    ObservationSource,
    RetryableSource,
)
from sunrise.ports.stores import StoreLedger
from sunrise.ports.tombstones import TombstoneLedger
from sunrise.ports.transfer import (
    ByteSink,
    ReadRecord,
    RecordSource,
    TextScreen,
)
from sunrise.ports.turns import TurnLedger
from sunrise.ports.undo import UndoLedger
from sunrise.ports.world import (
    Clock,
    Embedder,
)

__all__ = [
    "AuditTrail",
    "ByteSink",
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
    "ReadRecord",
    "RecordLedger",
    "RecordSource",
    "RetryableSource",
    "RunLog",
    "StoreLedger",
    "TableFiles",
    "TableState",
    "TextScreen",
    "TombstoneLedger",
    "TrustLedger",
    "TurnLedger",
    "UndoLedger",
]
