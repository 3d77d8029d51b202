"""Steps of the harvest: read what sources wrote since last time, refuse what is broken, keep the rest."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from operator import length_hint

from reports.sections import Section
from sunrise.bootstrap import Home
from sunrise.domain.records import Quarantined, QuarantineState
from sunrise.domain.trust import TRUSTED
from sunrise.errors import StoreError
from sunrise.ports import CapturedBatch, ObservationSource, RetryableSource
from tasks.keeping import Harvested, Keeper, make_ready
from tasks.progress import Progress
from tasks.run_frame import Run

_RETRIES = 200
"""Refused lines that one run looks at again: a broken file must not stall a run."""

_SHOWN = 50
"""Refused lines that a page lists."""

MAX_HELD_SHARE = 0.1
"""More of a source's trusted rows than this held back at entry: the owner must hear of it."""

FEWEST_HELD = 3
"""Fewer rows held back are no sign of a mistake: of three things that the owner says one may be idle."""

_FUNNEL = ("seen", "inserted", "duplicate", "collapsed", "quarantined")


def read_sources(home: Home, *, dry_run: bool) -> Harvested:
    """
    Read every source of the home; one that cannot be read is named and keeps no other from being read.

    Raises:
        StoreError: The ledger cannot be written. What was committed before stays.
    """
    total, keeper = Harvested(), Keeper(home, dry_run=dry_run)
    with Progress("harvest", unit="rows") as progress:
        for source in home.sources():
            total.sources += 1
            for batch in _batches(source, home, total.unreadable):
                part = keeper.keep(batch, source.name, position=batch.position)
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
    keeper = Keeper(home)
    for row in waiting:
        batch = _read_again(sources.get(row.source), row, home)
        if batch is None or batch.rejected:
            continue
        total.add(keeper.keep(batch, row.source, position=None))
        total.resolved += home.ledger.close_quarantined([row.id], state=QuarantineState.RESOLVED)
    return total


def count_harvested(run: Run, found: Harvested) -> None:
    """Put what was found into the receipt."""
    run.count(
        sources=found.sources,
        seen=found.seen,
        inserted=found.inserted,
        duplicate=found.duplicate,
        collapsed=found.collapsed.total(),
        quarantined=found.quarantined.total(),
        episodes_seen=found.episodes_seen,
        episodes_inserted=found.episodes_inserted,
        episodes_duplicate=found.episodes_duplicate,
        redacted=found.redacted,
        origin_not_believed=found.origin_not_believed,
        links_refused=found.links_refused,
        bytes=found.bytes,
        resolved=found.resolved,
    )
    for group, counted in found.groups().items():
        for name, rows in sorted(counted.items()):
            run.tally(group, name, rows)
    if found.seen:
        run.groups["funnel"] = {name: run.counts[name] for name in _FUNNEL}


def complaints_of_held_back(found: Harvested) -> Iterator[tuple[str, int]]:
    """Yield, of each source of which too many trusted rows were held back, what to say and how many it is."""
    for source, held in sorted(found.held_back_by_source.items()):
        trusted = found.trusted_by_source[source]
        if held >= FEWEST_HELD and held > MAX_HELD_SHARE * trusted:
            command = f"sunrise revive --source {shlex.quote(source)} --trust {TRUSTED}"
            said = f"{source}: {held} of {trusted} trusted rows were held back at entry"
            yield f"{said}; bring them back with `{command}`", held


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
            make_ready()
        yield from batches
    except StoreError as error:
        unreadable.append(f"{source.name}: {error}")
