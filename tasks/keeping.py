"""Keeps what sources give: each batch is checked, judged at the door and written in one transaction."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sunrise.adapters.spool_files import came_by_http, is_spooled
from sunrise.adapters.sqlite_connection import LONGEST_PAUSE_S
from sunrise.bootstrap import Home, existing_memories
from sunrise.domain.memory_tools import is_answer_of_memory, memory_operation
from sunrise.domain.records import EntryCount, Inserted, Rejected, SourcePosition
from sunrise.domain.trust import UNTRUSTED
from sunrise.ports import CapturedBatch, MemoryTable
from tasks.spool import remember_to_scrub

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from tasks.admission import Door, Judged
    from tasks.entry_counts import CountedRows

# Polars, the contracts and the rules are loaded for the first batch: a run that finds nothing new needs none.

_JUDGED_AT_ONCE = 500
"""Rows that are judged one by one while the ledger is held: a third of a second on one core."""

_ABSENT = ("episode_key", "state", "trust_reason", "entry_rule")


@dataclass
class Harvested:
    """What one batch, one source, or all of them gave."""

    sources: int = 0
    seen: int = 0
    inserted: int = 0
    duplicate: int = 0
    episodes_seen: int = 0
    episodes_inserted: int = 0
    episodes_duplicate: int = 0
    redacted: int = 0
    origin_not_believed: int = 0
    links_refused: int = 0
    bytes: int = 0
    resolved: int = 0
    quarantined: Counter[str] = field(default_factory=Counter)
    collapsed: Counter[str] = field(default_factory=Counter)
    hidden: Counter[str] = field(default_factory=Counter)
    distrusted: Counter[str] = field(default_factory=Counter)
    trusted_by_source: Counter[str] = field(default_factory=Counter)
    held_back_by_source: Counter[str] = field(default_factory=Counter)
    kinds_redacted: Counter[str] = field(default_factory=Counter)
    bursts: Counter[str] = field(default_factory=Counter)
    unreadable: list[str] = field(default_factory=list)

    def add(self, other: Harvested) -> None:
        """Add what another batch or source gave."""
        for name, value in vars(other).items():
            # Numbers, counters and lists all know what `+` means.
            setattr(self, name, getattr(self, name) + value)

    def groups(self) -> dict[str, Counter[str]]:
        """Return what the receipt counts by a name."""
        return {
            "quarantined_by_reason": self.quarantined,
            "collapsed_by_rule": self.collapsed,
            "archived_at_entry_by_rule": self.hidden,
            "distrusted_by_reason": self.distrusted,
            "trusted_held_back_by_source": self.held_back_by_source,
            "redacted_by_kind": self.kinds_redacted,
            "bursts_by_origin": self.bursts,
        }


@dataclass(frozen=True, slots=True)
class _End:
    """What is written with the last rows of a batch: its refused lines, and up to where it was read."""

    rejected: tuple[Rejected, ...] = ()
    position: SourcePosition | None = None


class Keeper:
    """Keeps the batches of one run; a dry run says what would be kept and writes nothing."""

    def __init__(self, home: Home, *, dry_run: bool = False) -> None:
        self._home = home
        self._dry_run = dry_run

    def keep(self, batch: CapturedBatch, source: str, *, position: SourcePosition | None) -> Harvested:
        """
        Check one batch against its contracts, judge it, and write what is new of it.

        Rows that are judged one by one are written in parts, so that no other writer waits for long. The
        position moves with the last part: a run that was killed before it reads the batch again, and finds
        the rows that are there by their keys.
        """
        from contracts.admission import admit
        from contracts.observations import CapturedFrame
        from sunrise.adapters.entry_screen import screened
        from tasks.entry_counts import bursts
        from tasks.memory_links import without_links

        frame = _observations(screened(batch.rows, "summary", "summary_en"))
        rows, refused = admit(CapturedFrame, frame, source=source, key="key", sample="summary")
        rows, answers = _without_answers_of_memory(rows)
        told, refused_told = self._episodes(batch, source, answers)
        # Asked for before the ledger is held: the memories may be far away.
        unlinked = self._links_to_refuse(rows, source)
        rows = without_links(rows, unlinked)
        weighed = self._door.weigh(rows)
        found = Harvested(
            seen=batch.seen - answers.height,
            episodes_seen=told.height,
            redacted=batch.redacted,
            origin_not_believed=batch.origin_not_believed,
            links_refused=unlinked.height,
            bytes=batch.bytes,
            quarantined=Counter(row.reason for row in (*batch.rejected, *refused)),
            bursts=bursts(rows),
        )
        *parts, last = [rows] if self._dry_run else _parts(rows)
        for part in parts:
            found.add(self._keep_part(part, told, source, weighed=weighed, redacted=batch.redacted))
            told = told.clear()
            # A writer that waits looks twice within this time, and comes in before the next part.
            time.sleep(2 * LONGEST_PAUSE_S)
        end = _End((*batch.rejected, *refused, *refused_told), position)
        found.add(self._keep_part(last, told, source, weighed=weighed, redacted=batch.redacted, end=end))
        found.episodes_duplicate = found.episodes_seen - found.episodes_inserted
        return found

    def _keep_part(
        self,
        rows: pl.DataFrame,
        told: pl.DataFrame,
        source: str,
        *,
        weighed: bool,
        redacted: int,
        end: _End | None = None,
    ) -> Harvested:
        """Judge rows and write what is new of them in one transaction; the last part ends the batch."""
        from tasks.entry_counts import by_reason, trusted_and_held_back
        from tasks.forgotten_rows import without_forgotten

        ledger = self._home.ledger
        # Judged under the lock: what another process keeps meanwhile would be judged by nobody.
        with nullcontext() if self._dry_run else ledger.transaction():
            rows, forgotten = without_forgotten(ledger, rows)
            judged = self._door.judge(rows, weighed=weighed)
            without_secret, distrusts = self._news(rows, redacted=redacted)
            entries = self._entries(judged, forgotten, redacted=without_secret, distrusts=distrusts)
            inserted = self._write(judged, told, source, end or _End(), entries=entries)
            # What a line without a row holds, nobody has looked for.
            may_hold_secrets = end is not None and (redacted or end.rejected) and not self._dry_run
            if may_hold_secrets and is_spooled(self._home.path, Path(source)):
                remember_to_scrub(self._home, source)
        trusted, held_back = trusted_and_held_back(judged.rows)
        return Harvested(
            inserted=inserted.observations,
            duplicate=rows.height - inserted.observations - judged.sightings.num_rows,
            episodes_inserted=inserted.episodes,
            collapsed=by_reason(judged.collapsed + forgotten),
            hidden=by_reason(judged.hidden),
            distrusted=by_reason(distrusts),
            trusted_by_source=Counter({source: trusted}),
            held_back_by_source=Counter({source: held_back}) if held_back else Counter(),
            kinds_redacted=by_reason(without_secret),
        )

    def _write(
        self, judged: Judged, told: pl.DataFrame, source: str, end: _End, *, entries: list[EntryCount]
    ) -> Inserted:
        ledger = self._home.ledger
        if self._dry_run:
            return Inserted(observations=ledger.new_keys(judged.rows["key"].to_list()), episodes=told.height)
        return ledger.commit_harvest(
            judged.rows.to_arrow(),
            rejected=end.rejected,
            position=end.position,
            episodes=told.to_arrow(),
            sightings=judged.sightings,
            entries=entries,
            day=self._day,
            source=source,
        )

    def _links_to_refuse(self, rows: pl.DataFrame, source: str) -> pl.DataFrame:
        from tasks.memory_links import links_to_refuse

        by_token = came_by_http(self._home.path, Path(source))
        return links_to_refuse(rows, lambda: self._memories, by_token=by_token)

    @cached_property
    def _memories(self) -> MemoryTable | None:
        return existing_memories(self._home.settings)

    @cached_property
    def _door(self) -> Door:
        from tasks.admission import Door

        return Door(self._home, dry_run=self._dry_run)

    @cached_property
    def _day(self) -> str:
        now = datetime.fromtimestamp(self._home.clock.now_ms() / 1000, tz=self._home.settings.zone)
        return now.date().isoformat()

    def _news(self, rows: pl.DataFrame, *, redacted: int) -> tuple[CountedRows, CountedRows]:
        """Count, of the rows that are new, those without a secret that they had, and those not trusted."""
        if not redacted and rows["trust_reason"].null_count() == rows.height:
            return Counter(), Counter()
        from tasks.entry_counts import distrust_reasons, redacted_kinds, with_marks

        marked = with_marks(rows) if redacted else rows.clear()
        held = rows.filter(rows["trust_reason"].is_not_null())
        keys = [*marked["key"].to_list(), *held["key"].to_list()]
        known = sorted(self._home.ledger.known_keys(keys)) if keys else []
        marked, held = (part.filter(~part["key"].is_in(known)) for part in (marked, held))
        return redacted_kinds(marked), distrust_reasons(held)

    def _entries(
        self, judged: Judged, forgotten: CountedRows, *, redacted: CountedRows, distrusts: CountedRows
    ) -> list[EntryCount]:
        from tasks.entry_counts import entry_counts

        return [
            *entry_counts(self._day, "collapsed", judged.collapsed + judged.hidden + forgotten),
            *entry_counts(self._day, "redacted", redacted),
            *entry_counts(self._day, "quarantined", distrusts),
        ]

    def _episodes(
        self, batch: CapturedBatch, source: str, answers: pl.DataFrame
    ) -> tuple[pl.DataFrame, tuple[Rejected, ...]]:
        if not self._home.settings.harvest.episodes:
            return _no_episodes(), ()
        answered = _episodes_of(answers, source) if answers.height else _no_episodes()
        if batch.episodes is None:
            return answered, ()
        import polars as pl

        from contracts.admission import admit
        from contracts.observations import EpisodeFrame
        from sunrise.adapters.entry_screen import REASON, screened

        # Episodes have no column for the reason: the observations of them do.
        told = screened(batch.episodes, "text").drop_columns([REASON.name])
        rows, refused = admit(EpisodeFrame, pl.DataFrame(told), source=source, key="key")
        return pl.concat([rows, answered]), refused


def make_ready() -> None:
    """Load what the first batch needs, while another process reads it."""
    _no_episodes()


def _observations(rows: pa.Table) -> pl.DataFrame:
    import polars as pl

    frame = pl.DataFrame(rows)
    # Only transcripts have episodes, only an old ledger knows of states, and the door says the rest.
    absent = [pl.lit(None, dtype=pl.String).alias(name) for name in _ABSENT if name not in frame.columns]
    return frame.with_columns(*absent, pl.lit(None, dtype=pl.Int64).alias("archived_at_ms"))


def _parts(rows: pl.DataFrame) -> list[pl.DataFrame]:
    """Return rows in parts of which none holds many that are judged one by one, as those of no tool are."""
    judged = (rows["source_kind"] != "tool").cum_sum() // _JUDGED_AT_ONCE
    if judged.n_unique() <= 1:
        return [rows]
    return rows.with_columns(part=judged).partition_by("part", maintain_order=True, include_key=False)


def _without_answers_of_memory(rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows that are observations, and those in which a tool of the memory only answers."""
    import polars as pl

    if not any(map(memory_operation, rows["tool_name"].unique())):
        return rows, rows.clear()
    said = rows.select("tool_name", "summary").iter_rows()
    is_answer = pl.Series([is_answer_of_memory(tool, text) for tool, text in said])
    return rows.filter(~is_answer), rows.filter(is_answer)


def _episodes_of(answers: pl.DataFrame, source: str) -> pl.DataFrame:
    """Return answers of a memory's tools as what was answered: they repeat what is remembered."""
    import polars as pl

    from contracts.observations import EpisodeFrame

    told = answers.with_columns(
        type=pl.lit("tool.result"),
        session_id=pl.coalesce("session_key", pl.lit(source)),
        trust_tier=pl.lit(UNTRUSTED),
        source_ref=pl.coalesce("source_ref", pl.lit(f"file:{source}")),
        tool_call_id=pl.lit(None, dtype=pl.String),
        text=pl.col("summary"),
    )
    return told.select(list(EpisodeFrame.to_schema().columns))


@cache
def _no_episodes() -> pl.DataFrame:
    from contracts.observations import EpisodeFrame

    # To make one and to find it sound takes longer than all else that a small batch needs.
    return EpisodeFrame.empty()
