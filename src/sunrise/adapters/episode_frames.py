"""Gathers what events of a transcript give into Arrow tables, batch by batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Any

import pyarrow as pa

from sunrise.adapters.arrow_rows import table_of
from sunrise.adapters.capture_jsonl import CAPTURE_SCHEMA
from sunrise.adapters.jsonl_lines import dump_json
from sunrise.domain.episodes import EpisodeRow, event_rows
from sunrise.domain.records import Rejected, SourcePosition
from sunrise.domain.sessions import Session

EPISODE_SCHEMA = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("ts_ms", pa.int64(), nullable=False),
        pa.field("ts_flag", pa.string()),
        pa.field("type", pa.string(), nullable=False),
        pa.field("session_id", pa.string(), nullable=False),
        pa.field("session_key", pa.string()),
        pa.field("agent_id", pa.string()),
        pa.field("scope", pa.string()),
        pa.field("trust_tier", pa.string()),
        pa.field("source_kind", pa.string(), nullable=False),
        pa.field("source_ref", pa.string(), nullable=False),
        pa.field("tool_name", pa.string()),
        pa.field("tool_call_id", pa.string()),
        pa.field("text", pa.string(), nullable=False),
        pa.field("detail_json", pa.string(), nullable=False),
    ]
)
"""The columns of episodes, in the order of :class:`sunrise.domain.episodes.EpisodeRow`."""

OBSERVATION_SCHEMA = CAPTURE_SCHEMA.append(pa.field("episode_key", pa.string(), nullable=False))
"""The columns of observations that come from transcripts."""


@dataclass(frozen=True, slots=True)
class TranscriptBatch:
    """
    What one stretch of a transcript gives: ``seen == rows.num_rows + len(rejected)``.

    Most events give episodes only, or nothing; ``events`` counts them all. Rows with the same key are left
    in; the first one is the one to keep. ``position`` is to be stored in the same transaction as the rows.
    """

    rows: pa.Table
    episodes: pa.Table
    rejected: tuple[Rejected, ...]
    position: SourcePosition
    events: int
    seen: int
    redacted: int
    bytes: int
    origin_not_believed: int = 0


@dataclass(slots=True)
class EventGathering:
    """The rows of the events since the last batch, and the time of the last event that had a good one."""

    now_ms: int
    fallback_ms: int
    zone: tzinfo = UTC
    _observations: list[tuple[Any, ...]] = field(default_factory=list)
    _episodes: list[EpisodeRow] = field(default_factory=list)
    _redacted: int = 0
    _events: int = 0
    _stored_texts: dict[str, str] = field(default_factory=dict)

    def take(self, event: Mapping[str, Any], session: Session) -> None:
        """
        Add what an event gives.

        Raises:
            DataError: The event is not shaped as it should be, or its time is none; nothing of it was added.
        """
        rows = event_rows(
            event,
            session=session,
            dumps=dump_json,
            fallback_ms=self.fallback_ms,
            now_ms=self.now_ms,
            zone=self.zone,
            stored_texts=self._stored_texts,
        )
        self._events += 1
        self._redacted += rows.redacted
        self._episodes.extend(rows.episodes)
        self._observations.extend((*row, episode_key) for row, episode_key in rows.observations)
        if rows.episodes and rows.episodes[0].ts_flag is None:
            self.fallback_ms = rows.episodes[0].ts_ms

    def close_batch(
        self, *, rejected: tuple[Rejected, ...], position: SourcePosition, taken_bytes: int
    ) -> TranscriptBatch:
        """Return what was gathered, and begin anew."""
        batch = TranscriptBatch(
            rows=table_of(self._observations, OBSERVATION_SCHEMA),
            episodes=table_of(self._episodes, EPISODE_SCHEMA),
            rejected=rejected,
            position=position,
            events=self._events + len(rejected),
            seen=len(self._observations) + len(rejected),
            redacted=self._redacted,
            bytes=taken_bytes,
        )
        self._observations, self._episodes, self._redacted, self._events = [], [], 0, 0
        return batch
