"""Steps of the harvest: read what sources wrote since last time, refuse what is broken, keep the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from operator import length_hint
from typing import TYPE_CHECKING

from reports.sections import Section
from sunrise.bootstrap import Home
from sunrise.domain.records import Quarantined, QuarantineState, Rejected, SourcePosition
from sunrise.errors import StoreError
from sunrise.ports import CapturedBatch, ObservationSource, RetryableSource
from tasks.progress import Progress
from tasks.run_frame import Run

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

# Polars and the contracts are loaded for the first batch: a run that finds nothing new needs neither.

_RETRIES = 200
"""Refused lines that one run looks at again: a broken file must not stall a run."""

_SHOWN = 50
"""Refused lines that a page lists."""


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
    bytes: int = 0
    resolved: int = 0
    quarantined: Counter[str] = field(default_factory=Counter)
    unreadable: list[str] = field(default_factory=list)

    def add(self, other: Harvested) -> None:
        """Add what another batch or source gave."""
        for name, value in vars(other).items():
            # Numbers, counters and lists all know what `+` means.
            setattr(self, name, getattr(self, name) + value)


def read_sources(home: Home, *, dry_run: bool) -> Harvested:
    """
    Read every source of the home; one that cannot be read is named and keeps no other from being read.

    Raises:
        StoreError: The ledger cannot be written. What was committed before stays.
    """
    total = Harvested()
    with Progress("harvest", unit="rows") as progress:
        for source in home.sources():
            total.sources += 1
            for batch in _batches(source, home, total.unreadable):
                part = keep(batch, source.name, home, position=batch.position, dry_run=dry_run)
                total.add(part)
                progress.advance(part.seen)
    return total


def retry_quarantined(home: Home, row_ids: list[int] | None = None) -> Harvested:
    """
    Read refused lines again: those named, else the oldest that wait, and close those that now read well.

    A line that is refused again stays as it is; one that is gone from its source waits on, for a person.
    """
    total = Harvested()
    waiting = home.ledger.quarantined(state=QuarantineState.WAITING, limit=_RETRIES)
    if row_ids is not None:
        named = (home.ledger.quarantined_row(row_id) for row_id in row_ids)
        waiting = tuple(row for row in named if row is not None and row.state is QuarantineState.WAITING)
    sources = {source.name: source for source in home.sources()} if waiting else {}
    for row in waiting:
        batch = _read_again(sources.get(row.source), row, home)
        if batch is None or batch.rejected:
            continue
        total.add(keep(batch, row.source, home, position=None))
        total.resolved += home.ledger.close_quarantined([row.id], state=QuarantineState.RESOLVED)
    return total


def count_harvested(run: Run, found: Harvested) -> None:
    """Put what was found into the receipt."""
    run.count(
        sources=found.sources,
        seen=found.seen,
        inserted=found.inserted,
        duplicate=found.duplicate,
        quarantined=found.quarantined.total(),
        episodes_seen=found.episodes_seen,
        episodes_inserted=found.episodes_inserted,
        episodes_duplicate=found.episodes_duplicate,
        redacted=found.redacted,
        bytes=found.bytes,
        resolved=found.resolved,
    )
    for reason, rows in sorted(found.quarantined.items()):
        run.tally("quarantined_by_reason", reason, rows)
    if found.seen:
        run.groups["funnel"] = {
            name: run.counts[name] for name in ("seen", "inserted", "duplicate", "quarantined")
        }


def quarantine_section(home: Home) -> list[Section]:
    """Return the table of lines that wait in quarantine, with why each was refused; none when none wait."""
    waiting = home.ledger.quarantined(state=QuarantineState.WAITING, limit=_SHOWN)
    if not waiting:
        return []
    rows = tuple((row.id, row.reason, row.source, row.line or "-", row.position) for row in waiting)
    return [
        Section(
            title="In quarantine",
            note="The page of the quarantine says more; sunrise quarantine retry or drop closes a row.",
            columns=("id", "reason", "source", "line", "position"),
            rows=rows,
        )
    ]


def keep(
    batch: CapturedBatch,
    source: str,
    home: Home,
    *,
    position: SourcePosition | None,
    dry_run: bool = False,
) -> Harvested:
    """Check one batch against its contracts and write what is new of it, in one transaction."""
    from contracts.admission import admit
    from contracts.observations import CapturedFrame

    rows, refused = admit(
        CapturedFrame, _observations(batch.rows), source=source, key="key", sample="summary"
    )
    wanted = batch.episodes if home.settings.harvest.episodes else None
    told, refused_told = _episodes(wanted, source)
    rejected: tuple[Rejected, ...] = (*batch.rejected, *refused)
    if dry_run:
        inserted, told_new = home.ledger.new_keys(rows["key"].to_list()), told.height
    else:
        counted = home.ledger.commit_harvest(
            rows.to_arrow(),
            rejected=(*rejected, *refused_told),
            position=position,
            episodes=told.to_arrow(),
        )
        inserted, told_new = counted.observations, counted.episodes
    return Harvested(
        seen=batch.seen,
        inserted=inserted,
        duplicate=rows.height - inserted,
        episodes_seen=told.height,
        episodes_inserted=told_new,
        episodes_duplicate=told.height - told_new,
        redacted=batch.redacted,
        bytes=batch.bytes,
        quarantined=Counter(row.reason for row in rejected),
    )


def _read_again(source: object, row: Quarantined, home: Home) -> CapturedBatch | None:
    if not isinstance(source, RetryableSource):
        return None
    try:
        return source.retry(row.position, now_ms=home.clock.now_ms())
    except StoreError:
        # That it cannot be read was said when it was harvested.
        return None


def _batches(source: ObservationSource, home: Home, unreadable: list[str]) -> Iterator[CapturedBatch]:
    """Yield what came since the last harvest. Only a failure of the source is its own, one to keep is not."""
    position = home.ledger.source_position(source.name)
    lines = home.settings.harvest.batch_lines
    try:
        batches = source.batches(position, now_ms=home.clock.now_ms(), batch_lines=lines)
        if length_hint(batches):
            # Read in another process, the first batch takes as long as it takes to load the contracts.
            _no_episodes()
        yield from batches
    except StoreError as error:
        unreadable.append(f"{source.name}: {error}")


def _observations(rows: pa.Table) -> pl.DataFrame:
    import polars as pl

    frame = pl.DataFrame(rows)
    # Only transcripts have episodes, and only an old ledger knows of states.
    absent = [name for name in ("episode_key", "state") if name not in frame.columns]
    return frame.with_columns(pl.lit(None, dtype=pl.String).alias(name) for name in absent)


def _episodes(episodes: pa.Table | None, source: str) -> tuple[pl.DataFrame, tuple[Rejected, ...]]:
    import polars as pl

    from contracts.admission import admit
    from contracts.observations import EpisodeFrame

    if episodes is None:
        return _no_episodes(), ()
    return admit(EpisodeFrame, pl.DataFrame(episodes), source=source, key="key")


@cache
def _no_episodes() -> pl.DataFrame:
    from contracts.observations import EpisodeFrame

    # To make one and to find it sound takes longer than all else that a small batch needs.
    return EpisodeFrame.empty()
