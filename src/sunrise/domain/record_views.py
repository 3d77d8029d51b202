"""Records as an operator looks at them: a memory, an observation, what was changed, how it was used."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryView:
    """
    One memory with its governance fields; secrets are redacted.

    ``text`` is None where it was withheld: that of a quarantined memory is shown only when asked for.
    ``date`` is the time of the memory as people are shown it.
    """

    ref: str
    text: str | None
    scope: str | None = None
    category: str | None = None
    importance: float | None = None
    importance_label: str | None = None
    trust_tier: str | None = None
    state: str | None = None
    source_kind: str | None = None
    source_ref: str | None = None
    lang: str | None = None
    agent_id: str | None = None
    embedding_model: str | None = None
    created_at_ms: int | None = None
    date: str = ""
    archived_at_ms: int | None = None
    updated_at_ms: int | None = None
    expires_at_ms: int | None = None
    review_at_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationView:
    """
    One row of the ledger with its governance fields. ``text`` is None where it was withheld. ``date`` is its
    time as people are shown it.

    Of a forgotten memory the row is there, hidden, until it is erased; its text is shown to nobody.
    """

    ref: str
    text: str | None
    at_ms: int
    kind: str
    date: str = ""
    tool_name: str | None = None
    scope: str | None = None
    session_key: str | None = None
    agent_id: str | None = None
    importance: float | None = None
    importance_label: str | None = None
    trust_tier: str | None = None
    trust_reason: str | None = None
    state: str | None = None
    source_kind: str | None = None
    source_ref: str | None = None
    lang: str | None = None
    memory_ref: str | None = None
    archived_at_ms: int | None = None
    is_forgotten: bool = False


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """
    One change of one record: what was changed, when, by which run of which flow, and why.

    ``before`` and ``after`` are JSON texts. ``flow`` is None where the run left no receipt.
    """

    at_ms: int
    run_id: str
    flow: str | None
    field: str
    before: str
    after: str
    reason: str


@dataclass(frozen=True, slots=True)
class Usage:
    """When a record was last of use, and how often it was put before the agent."""

    last_retrieved_ms: int | None = None
    last_included_ms: int | None = None
    last_used_ms: int | None = None
    included_count: int = 0


@dataclass(frozen=True, slots=True)
class RecordLink:
    """A record that belongs to another one, and where that is said: ``tool_result``, ``store``, ..."""

    ref: str
    origin: str
