"""Governance values on their way from the ledger to the memories, and what the memories hold now."""

from __future__ import annotations

import pandera.polars as pa

from contracts.observations import LABELS, TRUST_TIERS


class GovernanceFrame(pa.DataFrameModel):
    """What the ledger knows of the memories that its observations name; one row an observation."""

    memory_id: str = pa.Field(str_length={"min_value": 1, "max_value": 128})
    observation_id: int = pa.Field(gt=0, unique=True)
    importance: float = pa.Field(ge=0, le=1, nullable=True)
    importance_label: str = pa.Field(isin=LABELS, nullable=True)
    importance_from: str = pa.Field(isin=["stated", "on_purpose"], nullable=True)
    scope: str = pa.Field(nullable=True, str_length={"max_value": 256})
    category: str = pa.Field(nullable=True, str_length={"max_value": 64})
    trust_tier: str = pa.Field(isin=TRUST_TIERS, nullable=True)
    source_kind: str = pa.Field(str_length={"min_value": 1, "max_value": 64})
    source_ref: str = pa.Field(nullable=True)
    lang: str = pa.Field()
    state: str = pa.Field(nullable=True)

    class Config:
        """Every column and no other."""

        strict = True


class MemoryGovernanceFrame(pa.DataFrameModel):
    """The same fields as the memories table holds them: an agent wrote it, so any label may stand there."""

    id: str = pa.Field(str_length={"min_value": 1}, unique=True)
    importance: float = pa.Field(nullable=True)
    importance_label: str = pa.Field(nullable=True)
    scope: str = pa.Field(nullable=True)
    category: str = pa.Field(nullable=True)
    trust_tier: str = pa.Field(nullable=True)
    source_kind: str = pa.Field(nullable=True)
    source_ref: str = pa.Field(nullable=True)
    lang: str = pa.Field(nullable=True)
    state: str = pa.Field(nullable=True)

    class Config:
        """Every column and no other."""

        strict = True
