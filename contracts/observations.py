"""Observations as a reader hands them to the ledger."""

from __future__ import annotations

import pandera.polars as pa

MIN_MS, MAX_MS = 0, 4_102_444_800_000
"""Times between 1970 and 2100: anything else is a unit mistaken for another."""

TRUST_TIERS = ["trusted", "untrusted", "quarantined"]
ORIGINS = ["operator", "agent", "tool", "web", "import", "system"]
LABELS = ["must_remember", "nice_to_have", "ignore"]


class CapturedFrame(pa.DataFrameModel):
    """What harvest writes: identity, text and provenance are there; governance may still be empty."""

    key: str = pa.Field(str_length={"min_value": 1, "max_value": 256})
    ts_ms: int = pa.Field(ge=MIN_MS, le=MAX_MS)
    ts_flag: str = pa.Field(isin=["missing", "invalid"], nullable=True)
    kind: str = pa.Field(str_length={"min_value": 1, "max_value": 64})
    tool_name: str = pa.Field(nullable=True)
    summary: str = pa.Field(str_length={"min_value": 1})
    summary_en: str = pa.Field(nullable=True)
    lang: str = pa.Field(str_length={"min_value": 2, "max_value": 35})
    scope: str = pa.Field(nullable=True, str_length={"max_value": 256})
    session_key: str = pa.Field(nullable=True)
    agent_id: str = pa.Field(nullable=True)
    trust_tier: str = pa.Field(isin=TRUST_TIERS, nullable=True)
    source_kind: str = pa.Field(isin=ORIGINS)
    source_ref: str = pa.Field(nullable=True)
    importance_score: float = pa.Field(ge=0, le=1, nullable=True)
    importance_label: str = pa.Field(isin=LABELS, nullable=True)
    memory_id: str = pa.Field(nullable=True, str_length={"max_value": 128})
    detail_json: str = pa.Field(str_length={"min_value": 2})
    terms: str
    created_at_ms: int = pa.Field(ge=MIN_MS, le=MAX_MS)
    episode_key: str = pa.Field(nullable=True)
    trust_reason: str = pa.Field(nullable=True)
    entry_rule: str = pa.Field(nullable=True)
    archived_at_ms: int = pa.Field(ge=MIN_MS, le=MAX_MS, nullable=True)
    state: str = pa.Field(isin=["captured", "active", "stale", "archived"], nullable=True)

    class Config:
        """Every column and no other."""

        strict = True


class EpisodeFrame(pa.DataFrameModel):
    """What was said and done, word for word: who said it, in which session, and whether it can be trusted."""

    key: str = pa.Field(str_length={"min_value": 1, "max_value": 256})
    ts_ms: int = pa.Field(ge=MIN_MS, le=MAX_MS)
    ts_flag: str = pa.Field(isin=["missing", "invalid"], nullable=True)
    type: str = pa.Field(str_length={"min_value": 1, "max_value": 64})
    session_id: str = pa.Field(nullable=True)
    session_key: str = pa.Field(nullable=True)
    agent_id: str = pa.Field(nullable=True)
    scope: str = pa.Field(nullable=True, str_length={"max_value": 256})
    trust_tier: str = pa.Field(isin=TRUST_TIERS, nullable=True)
    source_kind: str = pa.Field(isin=ORIGINS)
    source_ref: str = pa.Field(nullable=True)
    tool_name: str = pa.Field(nullable=True)
    tool_call_id: str = pa.Field(nullable=True)
    text: str
    detail_json: str = pa.Field(str_length={"min_value": 2})

    class Config:
        """Every column and no other."""

        strict = True


class UngradedFrame(pa.DataFrameModel):
    """What grading reads."""

    id: int = pa.Field(gt=0, unique=True)
    kind: str
    tool_name: str = pa.Field(nullable=True)
    summary: str
    importance_label: str = pa.Field(isin=LABELS, nullable=True)

    class Config:
        """Every column and no other."""

        strict = True


class GradeFrame(pa.DataFrameModel):
    """What grading writes."""

    id: int = pa.Field(gt=0, unique=True)
    score: float = pa.Field(ge=0, le=1)
    label: str = pa.Field(isin=LABELS)
    method: str = pa.Field(str_length={"min_value": 1})
    version: int = pa.Field(ge=1)
    rationale: str

    class Config:
        """Every column and no other."""

        strict = True
