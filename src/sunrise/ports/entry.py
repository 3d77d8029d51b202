"""The ledger's door: what is asked before a row is kept, and how rows are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import pyarrow as pa

from sunrise.domain.lineage import Derived, RowsRead
from sunrise.domain.records import (
    EntryCount,
    HeldBack,
    Inserted,
    Quarantined,
    QuarantineState,
    Rejected,
    RowTerms,
    SourcePosition,
)
from sunrise.domain.trust import TrustStanding


class ObservationLedger(Protocol):
    """The observations of the ledger, in batches."""

    def commit_harvest(
        self,
        rows: pa.Table,
        *,
        rejected: Sequence[Rejected],
        position: SourcePosition | None,
        episodes: pa.Table | None = None,
        sightings: pa.Table | None = None,
        entries: Sequence[EntryCount] = (),
        day: str | None = None,
        source: str | None = None,
    ) -> Inserted:
        """
        Insert rows whose key is new, sightings, refused rows and the position, if any, in one transaction.

        Where a ``day`` is named, ``entries`` and what else came of the rows are added to its counts. Where a
        ``source`` is named, :meth:`EntryLedger.held_back` knows which rows of it were held back.
        """
        ...

    def source_position(self, source: str) -> SourcePosition | None:
        """Return how far a source was read, or None for a new one."""
        ...

    def renew_position(self, position: SourcePosition, *, was: SourcePosition) -> bool:
        """Put a new fingerprint to a position that nobody moved meanwhile; say whether that was so."""
        ...

    def stored_on_purpose(self, *, after_id: int, up_to: int) -> Sequence[int]:
        """Return the observations past an id, up to another, that somebody stored on purpose."""
        ...

    def observation_terms(self, *, after_id: int, limit: int) -> tuple[RowTerms, ...]:
        """Return rows past ``after_id`` in the order of their ids, as far as their terms are concerned."""
        ...

    def put_observation_terms(self, made: Mapping[int, str]) -> int:
        """Give rows, by id, other analysed terms; return how many had others before."""
        ...

    def ungraded(self, *, after_id: int, limit: int) -> pa.Table:
        """Return rows past ``after_id`` that no grading run saw yet, or that have no grade; oldest first."""
        ...

    def save_grades(self, grades: pa.Table, *, run_id: str, seen_up_to: int) -> int:
        """Fill empty grades, note each as a change and move the watermark in one transaction."""
        ...

    def quarantine(self, rejected: Sequence[Rejected]) -> int:
        """Keep refused rows; return how many were not there yet."""
        ...

    def quarantined(
        self, *, state: QuarantineState | None = None, limit: int = 1000
    ) -> tuple[Quarantined, ...]:
        """Return refused rows, oldest first; those of one state if it is named."""
        ...

    def quarantined_row(self, row_id: int) -> Quarantined | None:
        """Return one refused row."""
        ...

    def close_quarantined(self, row_ids: Iterable[int], *, state: QuarantineState) -> int:
        """Close waiting rows as resolved or dropped; they stay to be read. Return how many were waiting."""
        ...

    def new_keys(self, keys: Sequence[str]) -> int:
        """Return how many different keys of these no observation has yet."""
        ...


class EntryLedger(Protocol):
    """What the ledger is asked before a row is kept."""

    def known_keys(self, keys: Sequence[str]) -> frozenset[str]:
        """Return which of these keys were taken already, as a row of their own or as a sighting."""
        ...

    def fingerprints(self, *, since_ms: int, until_ms: int) -> frozenset[int]:
        """Return the fingerprints of rows that were said, or seen again, in a stretch of time."""
        ...

    def kept_with_fingerprints(self, numbers: Sequence[int], *, since_ms: int, until_ms: int) -> pa.Table:
        """Return the rows with one of these fingerprints, said or seen again in a time, oldest first."""
        ...

    def kept_by_others(self, *, since_ms: int, until_ms: int, limit: int) -> pa.Table:
        """Return the newest rows of a time that are neither the owner's nor a tool's, oldest first."""
        ...

    def told_lately(self, *, since_ms: int, until_ms: int, limit: int) -> pa.Table:
        """Return the newest rows of a time, hidden ones too, oldest first."""
        ...

    def rows_to_judge(self, *, after_id: int, since_ms: int, limit: int) -> pa.Table:
        """Return rows past an id that are not older than a moment, as they entered, oldest entry first."""
        ...

    def kept_for_rule(self, rule: str, *, agent_id: str | None, scope: str | None) -> str | None:
        """Return the key of the row onto which an agent's rows of one rule and scope are collapsed."""
        ...

    def held_back(self, *, since_ms: int, until_ms: int) -> tuple[HeldBack, ...]:
        """Return the rows that were held back as they entered in a time, and still are, by id."""
        ...

    def owner_said(self, terms: Sequence[str]) -> bool:
        """Return whether one row of the owner holds all these analysed terms."""
        ...

    def was_recalled(self, key: str) -> bool:
        """Return whether a row was given back to the agent: by itself, or as the memory that it names."""
        ...

    def sightings(self, *, observation_id: int) -> tuple[Mapping[str, object], ...]:
        """Return what was collapsed onto one row, oldest first, field by field."""
        ...

    def entries(self, *, since: str) -> tuple[EntryCount, ...]:
        """Return how many rows entered or did not, since a day (``2026-11-28``), oldest day first."""
        ...


class TrustLedger(Protocol):
    """What the ledger knows of trust: how far each record is trusted, and what it may come from."""

    def newest_observation(self) -> int:
        """Return the id of the newest observation, 0 where there is none."""
        ...

    def derived_rows(self, *, after_id: int, limit: int) -> tuple[Derived, ...]:
        """Return rows past an id that may owe their words to others and can still be trusted less."""
        ...

    def derived_row(self, row_id: int) -> Derived | None:
        """Return one row as :meth:`derived_rows` does, whatever its tier; None for one that owes nobody."""
        ...

    def stored_text(self, episode_id: int) -> str | None:
        """Return the whole text with which a memory was stored, which its result only begins to repeat."""
        ...

    def session_sources(self, row: Derived) -> tuple[list[int], list[int]]:
        """Return the episodes before a row in its session: the owner's turns, and what is untrusted."""
        ...

    def episode_text(self, episode_id: int) -> str:
        """Return what was said or answered, empty for an episode that is not there."""
        ...

    def has_untrusted(self, *, since_ms: int) -> bool:
        """Return whether any observation that is not older can leave another less trust."""
        ...

    def rows_like(
        self, row: Derived, words: Sequence[str], *, since_ms: int, read: RowsRead | None = None
    ) -> tuple[list[str], list[tuple[str, int | None]]]:
        """Return the terms of rows like one, said before it: the owner's; untrusted ones with episodes."""
        ...

    def tiers_of(self, refs: Iterable[str]) -> Mapping[str, str | None]:
        """Return the tiers of records by their refs; what the ledger lacks is left out."""
        ...

    def inherited_up_to(self) -> int:
        """Return up to which observation trust was inherited."""
        ...

    def set_inherited_up_to(self, row_id: int) -> None:
        """Note up to which observation trust was inherited; it never goes back."""
        ...

    def trust_standings(self, *, tier: str | None, limit: int) -> tuple[TrustStanding, ...]:
        """Return the observations of one tier, newest first; None is unknown."""
        ...

    def observation_standings(self, row_ids: Iterable[int]) -> tuple[TrustStanding, ...]:
        """Return how far these observations are trusted, by id; those that are not there are left out."""
        ...

    def standings_of_memories(self, memory_ids: Iterable[str]) -> tuple[TrustStanding, ...]:
        """Return how far the observations that name these memories are trusted, by id."""
        ...

    def owners_with_marks(
        self, marks: Sequence[str], *, after_id: int, limit: int
    ) -> tuple[TrustStanding, ...]:
        """Return trusted observations of the owner past an id whose text holds one of some marks, by id."""
        ...

    def trust_history(self, refs: Iterable[str]) -> Mapping[str, tuple[tuple[str | None, str], ...]]:
        """Return of each record the tier before each change, with the reason of the change, in order."""
        ...

    def decided_by_operator(self, refs: Iterable[str]) -> frozenset[str]:
        """Return the records of these whose trust an operator set or released."""
        ...
