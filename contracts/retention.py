"""What retention reads of every record."""

from __future__ import annotations

import pandera.polars as pa

from contracts.observations import MAX_MS, MIN_MS


class StandingFrame(pa.DataFrameModel):
    """Kind, label, trust, state and times of use of one record, of the ledger or of the memories."""

    record_ref: str = pa.Field(str_matches=r"^(obs|mem):\S+$", unique=True)
    kind: str
    importance_label: str = pa.Field(nullable=True)
    importance_score: float = pa.Field(nullable=True)
    trust_tier: str = pa.Field(nullable=True)
    priority: str = pa.Field(nullable=True)
    state: str = pa.Field(nullable=True)
    created_ms: int = pa.Field(ge=MIN_MS, le=MAX_MS)
    archived_at_ms: int = pa.Field(ge=MIN_MS, nullable=True)
    last_used_ms: int = pa.Field(ge=MIN_MS, nullable=True)
    entered_ms: int = pa.Field(nullable=True)
    is_recallable: bool

    class Config:
        """Every column and no other."""

        strict = True
