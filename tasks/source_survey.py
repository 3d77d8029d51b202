"""What the sources of a home stand for, and what reading them would give."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sunrise.adapters.sources import readers_of
from sunrise.bootstrap import Home
from sunrise.errors import StoreError
from sunrise.ports import ObservationSource
from tasks.keeping import Harvested, Keeper

_SPOOL = "spool"


@dataclass(frozen=True, slots=True)
class SourceStanding:
    """One file of a source: how many bytes, rows or pages of it were read, and of how many bytes."""

    source: str
    file: str
    bytes_read: int
    read_up_to: str


@dataclass(frozen=True, slots=True)
class SourceTrial:
    """What the next lines of one file would give."""

    file: str
    seen: int
    new: int
    episodes: int
    refused: int
    problem: str


def standings(home: Home) -> list[SourceStanding]:
    """Return how far each file was read, by source."""
    found = []
    for kind, reader in _readers(home):
        position = home.ledger.source_position(reader.name)
        path = Path(reader.name)
        size = f"{path.stat().st_size} bytes" if path.is_file() else "-"
        found.append(SourceStanding(kind, reader.name, position.offset if position else 0, size))
    return found


def trials(home: Home, *, lines: int) -> list[SourceTrial]:
    """Read the first new lines of each file and keep nothing."""
    return [_trial(reader, home, lines=lines) for _, reader in _readers(home)]


def files_of_kind(home: Home, kind: str) -> list[str]:
    """Return the files that the sources of one kind stand for: ``markdown`` for one, or ``spool``."""
    return [reader.name for known, reader in _readers(home) if known == kind]


def _trial(reader: ObservationSource, home: Home, *, lines: int) -> SourceTrial:
    read, problem = Harvested(), ""
    try:
        position = home.ledger.source_position(reader.name)
        batches = reader.batches(position, now_ms=home.clock.now_ms(), batch_lines=lines)
        first = next(iter(batches), None)
        if first is not None:
            read = Keeper(home, dry_run=True).keep(first, reader.name, position=None)
    except StoreError as error:
        problem = str(error)
    refused = read.quarantined.total()
    return SourceTrial(reader.name, read.seen, read.inserted, read.episodes_seen, refused, problem)


def _readers(home: Home) -> list[tuple[str, ObservationSource]]:
    kinds: dict[str, str] = {}
    for source in home.settings.sources:
        for reader in readers_of(source, home.settings):
            kinds.setdefault(reader.name, source.kind)
    return [(kinds.get(reader.name, _SPOOL), reader) for reader in home.sources()]
