"""Steps of a snapshot: a Lance tag and a checked copy of the ledger under one name."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from sunrise.bootstrap import Home
from sunrise.domain.retention import DAY_MS
from sunrise.ports import MemoryTable
from tasks.receipt_files import write_whole

MANIFEST = "manifest.json"
LEDGER_COPY = "ledger.sqlite"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """
    What one snapshot holds.

    ``version`` is the tagged version of the memories table, None where there was no table. ``digest`` is of
    what the ledger governs, ``ledger_sha256`` of the copied file.
    """

    tag: str
    reason: str
    created_ms: int
    version: int | None
    rows: int
    digest: str
    ledger_sha256: str


def take(home: Home, table: MemoryTable | None, *, reason: str) -> str:
    """
    Take a snapshot and return its tag; where nothing changed since the newest one, return that one's.

    The manifest is written last: a snapshot without one was not finished, and the next expiry clears it.

    Raises:
        StoreError: The copy could not be made or does not open, or the table could not be tagged.
    """
    if is_unchanged(home, table):
        return snapshots(home)[0].tag
    now = home.clock.now_ms()
    tag = f"sunrise-{datetime.fromtimestamp(now / 1000, tz=UTC):%Y%m%dT%H%M%S}-{now % 1000:03d}"
    digest = home.ledger.content_digest()
    sha256 = home.ledger.backup(home.backups / tag / LEDGER_COPY)
    version = table.tag(tag) if table else None
    snapshot = Snapshot(
        tag=tag,
        reason=reason,
        created_ms=now,
        version=version,
        rows=table.state().rows if table else 0,
        digest=digest,
        ledger_sha256=sha256,
    )
    write_whole(home.backups / tag / MANIFEST, json.dumps(asdict(snapshot), indent=2) + "\n")
    return tag


def is_unchanged(home: Home, table: MemoryTable | None) -> bool:
    """Return whether nothing changed since the newest snapshot."""
    newest = next(iter(snapshots(home)), None)
    return newest is not None and is_current(newest, home, table)


def is_current(snapshot: Snapshot, home: Home, table: MemoryTable | None) -> bool:
    """Return whether neither store changed since a snapshot, and its copy and tag are still there."""
    if not (home.backups / snapshot.tag / LEDGER_COPY).is_file():
        return False
    if snapshot.digest != home.ledger.content_digest():
        return False
    if table is None:
        return snapshot.version is None
    state = table.state()
    return state.version == snapshot.version == state.tags.get(snapshot.tag)


def snapshots(home: Home) -> list[Snapshot]:
    """Return the finished snapshots, newest first."""
    return read_snapshots(home.backups)


def read_snapshots(backups: Path) -> list[Snapshot]:
    """Return the finished snapshots of a folder, newest first."""
    found = [_read(path) for path in backups.glob(f"*/{MANIFEST}")]
    return sorted((one for one in found if one), key=lambda one: (one.created_ms, one.tag), reverse=True)


def expire(home: Home, table: MemoryTable | None) -> list[str]:
    """
    Remove snapshots that are old and beyond the number kept, and those never finished; return their names.

    The tag goes first: a tag older than the clean-up window would keep every later optimize from indexing.
    """
    keep, oldest = (
        home.settings.snapshot.keep,
        home.clock.now_ms() - home.settings.snapshot.keep_days * DAY_MS,
    )
    finished = snapshots(home)
    kept = {one.tag for place, one in enumerate(finished) if place < keep or one.created_ms >= oldest}
    folders = {path.name for path in home.backups.glob("sunrise-*") if path.is_dir()}
    tags = set(table.state().tags) if table else set()
    gone = sorted((folders | {tag for tag in tags if tag.startswith("sunrise-")}) - kept)
    for tag in gone:
        if table is not None:
            table.untag(tag)
        shutil.rmtree(home.backups / tag, ignore_errors=True)
    return gone


def _read(path: Path) -> Snapshot | None:
    try:
        return Snapshot(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
