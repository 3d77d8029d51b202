"""Steps of the harvest: read what a source wrote since last time, refuse what is broken, keep the rest."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import polars as pl

from contracts.admission import admit
from contracts.observations import CapturedFrame
from sunrise.bootstrap import Home
from sunrise.domain.records import Rejected
from sunrise.errors import StoreError
from sunrise.ports import CapturedBatch, ObservationSource


@dataclass
class Harvested:
    """What one source, or all of them, gave."""

    seen: int = 0
    inserted: int = 0
    duplicate: int = 0
    redacted: int = 0
    bytes: int = 0
    quarantined: Counter[str] = field(default_factory=Counter)
    unreadable: list[str] = field(default_factory=list)

    def add(self, other: Harvested) -> None:
        """Add what another source gave."""
        self.seen += other.seen
        self.inserted += other.inserted
        self.duplicate += other.duplicate
        self.redacted += other.redacted
        self.bytes += other.bytes
        self.quarantined.update(other.quarantined)
        self.unreadable.extend(other.unreadable)


def read_sources(home: Home, *, dry_run: bool) -> Harvested:
    """Read every source of the home; one that cannot be read is named and keeps no other from being read."""
    total = Harvested()
    for source in home.sources():
        try:
            total.add(_read(source, home, dry_run=dry_run))
        except StoreError as error:
            total.unreadable.append(f"{source.name}: {error}")
    return total


def _read(source: ObservationSource, home: Home, *, dry_run: bool) -> Harvested:
    harvested = Harvested()
    position = home.ledger.source_position(source.name)
    lines = home.settings.harvest.batch_lines
    for batch in source.batches(position, now_ms=home.clock.now_ms(), batch_lines=lines):
        harvested.add(_keep(batch, source, home, dry_run=dry_run))
    return harvested


def _keep(batch: CapturedBatch, source: ObservationSource, home: Home, *, dry_run: bool) -> Harvested:
    frame = pl.DataFrame(batch.rows)
    good, refused = admit(CapturedFrame, frame, source=source.name, key="key", sample="summary")
    rejected: tuple[Rejected, ...] = (*batch.rejected, *refused)
    if dry_run:
        inserted = home.ledger.new_keys(good["key"].to_list())
    else:
        inserted = home.ledger.commit_harvest(good.to_arrow(), rejected=rejected, position=batch.position)
    return Harvested(
        seen=batch.seen,
        inserted=inserted,
        duplicate=good.height - inserted,
        redacted=batch.redacted,
        bytes=batch.bytes,
        quarantined=Counter(row.reason for row in rejected),
    )
