"""Steps of a snapshot: a Lance tag and a checked copy of the ledger under one name."""

from __future__ import annotations

import shutil
from collections.abc import Set
from importlib.metadata import version as installed_version
from pathlib import Path

from sunrise.adapters.sqlite_copies import RECORD, count_rows, digest_of, is_same, schema_version
from sunrise.adapters.sqlite_ledger import LEDGER_FILE
from sunrise.bootstrap import Home
from sunrise.domain.snapshots import (
    OWN_PREFIX,
    SnapshotFault,
    SnapshotReason,
    SnapshotRetention,
    checked_name,
    expired,
    name_at,
    new_name,
    note_of,
    refused,
)
from sunrise.errors import StoreError
from sunrise.ports import MemoryTable
from sunrise.ports.snapshots import TableContent
from tasks.receipt_files import write_whole
from tasks.snapshot_manifest import (
    LEDGER_COPY,
    MANIFEST,
    Snapshot,
    manifest_text,
    read_snapshot,
    read_snapshots,
    sealed,
)

__all__ = [
    "LEDGER_COPY",
    "MANIFEST",
    "Snapshot",
    "check_free",
    "create",
    "expire",
    "find",
    "find_to_remove",
    "is_current",
    "is_unchanged",
    "read_snapshots",
    "remove",
    "snapshots",
    "take",
    "write_manifest",
]


def take(home: Home, table: MemoryTable | None, *, reason: str) -> str:
    """
    Take a snapshot and return its name; where nothing changed since the newest one, return that one's.

    Raises:
        StoreError: The copy could not be made or does not open, or the table could not be tagged.
        ValueError: The reason is no :class:`sunrise.domain.snapshots.SnapshotReason`.
    """
    code = SnapshotReason(reason)
    if is_unchanged(home, table):
        return snapshots(home)[0].tag
    return _make(home, table, name=_free_name(home, code), reason=code)


def create(home: Home, table: MemoryTable | None, *, name: str | None = None, note: str = "") -> str:
    """
    Take a snapshot by hand, whether or not anything changed, and return its name.

    Raises:
        DataError: The name cannot be one, or is taken; reasons ``bad_snapshot_name``, ``snapshot_exists`` and
            ``snapshot_name_taken``.
        StoreError: The copy could not be made or does not open, or the table could not be tagged.
    """
    name = check_free(home, table, name)
    return _make(home, table, name=name, reason=SnapshotReason.MANUAL, note=note)


def check_free(home: Home, table: MemoryTable | None, name: str | None) -> str:
    """
    Return the name that a snapshot taken by hand gets: the given one, or one by the time.

    Raises:
        DataError: The name cannot be one, or is taken.
    """
    chosen = _free_name(home, SnapshotReason.MANUAL) if name is None else new_name(name)
    folder = home.backups / chosen
    if (folder / MANIFEST).exists():
        raise refused(SnapshotFault.EXISTS, f"there is a snapshot {chosen!r} already: choose another name")
    # A folder without a manifest is what a killed run left: it is made anew, and its tag moved.
    if not folder.is_dir() and table is not None and chosen in table.state().tags:
        msg = f"the memories table has a tag {chosen!r} that is no snapshot's: choose another name"
        raise refused(SnapshotFault.NAME_TAKEN, msg)
    return chosen


def is_unchanged(home: Home, table: MemoryTable | None) -> bool:
    """Return whether nothing changed since the newest snapshot."""
    newest = next(iter(snapshots(home)), None)
    return newest is not None and is_current(newest, home, table)


def is_current(snapshot: Snapshot, home: Home, table: MemoryTable | None) -> bool:
    """
    Return whether neither store changed since a snapshot, and its copy and tag are still there.

    The record in the ledger is compared with the copy value by value; the first difference ends it.
    """
    copy = home.backups / snapshot.tag / LEDGER_COPY
    if not copy.is_file() or not snapshot.is_sealed:
        return False
    if table is None:
        return snapshot.version is None and _is_same_record(home, copy)
    state = table.state()
    if state.version != snapshot.version or state.tags.get(snapshot.tag) != snapshot.version:
        return False
    return _is_same_record(home, copy)


def snapshots(home: Home) -> list[Snapshot]:
    """Return the finished snapshots, newest first."""
    return read_snapshots(home.backups)


def find(home: Home, name: str) -> Snapshot:
    """
    Return the snapshot of a name.

    Raises:
        DataError: There is none, or its manifest cannot be read or was edited; reasons ``bad_snapshot_name``,
            ``no_such_snapshot`` and ``manifest_altered``.
    """
    snapshot = read_snapshot(home.backups, checked_name(name))
    if snapshot is None and (home.backups / name / MANIFEST).exists():
        raise refused(SnapshotFault.MANIFEST_ALTERED, f"the manifest of {name!r} cannot be read")
    if snapshot is None:
        raise refused(SnapshotFault.UNKNOWN, f"there is no finished snapshot {name!r}; see the list")
    if not snapshot.is_sealed:
        msg = f"the manifest of {name!r} is not as it was written"
        raise refused(SnapshotFault.MANIFEST_ALTERED, msg)
    return snapshot


def find_to_remove(home: Home, table: MemoryTable | None, name: str) -> None:
    """
    Look that there is something of a name to remove: a snapshot, however broken, or what a killed run left.

    Raises:
        DataError: There is nothing, or the name cannot be one.
    """
    tags = table.state().tags if table is not None else {}
    is_ours = (home.backups / checked_name(name)).is_dir() or (name in tags and name.startswith(OWN_PREFIX))
    if not is_ours:
        raise refused(SnapshotFault.UNKNOWN, f"there is no snapshot {name!r}; see the list")


def write_manifest(home: Home, snapshot: Snapshot) -> None:
    """Write a manifest with its seal; this finishes a snapshot, or puts another in its place."""
    write_whole(home.backups / snapshot.tag / MANIFEST, manifest_text(sealed(snapshot)))


def remove(home: Home, table: MemoryTable | None, name: str) -> None:
    """Remove a snapshot whole: the tag first, so that none outlives its copy; the manifest next."""
    if table is not None:
        table.untag(name)
    (home.backups / name / MANIFEST).unlink(missing_ok=True)
    shutil.rmtree(home.backups / name, ignore_errors=True)


def expire(home: Home, table: MemoryTable | None) -> list[str]:
    """
    Remove snapshots that are old and beyond the number kept, and those never finished; return their names.

    The tag goes first: a tag older than the clean-up window would keep every later optimize from indexing.
    """
    settings = home.settings.snapshot
    retention = SnapshotRetention(settings.keep, settings.keep_days, settings.keep_manual_days)
    finished = snapshots(home)
    old = {one.tag for one in expired(finished, retention, now_ms=home.clock.now_ms())}
    kept = {one.tag for one in finished} - old
    gone = sorted(old | (_own_names(home, table) - kept))
    for name in gone:
        remove(home, table, name)
    return gone


def _make(home: Home, table: MemoryTable | None, *, name: str, reason: SnapshotReason, note: str = "") -> str:
    # The manifest is written last: a snapshot without one was not finished, and does not count.
    now, copy = home.clock.now_ms(), home.backups / name / LEDGER_COPY
    sha256 = home.ledger.backup(copy)
    version = table.tag(name) if table else None
    content = _content(table, name, reason) if table else None
    snapshot = Snapshot(
        tag=name,
        reason=reason.value,
        created_ms=now,
        version=version,
        rows=content.rows if content else table.state().rows if table else 0,
        digest=digest_of(copy),
        ledger_sha256=sha256,
        note=note_of(note),
        schema_hash=content.schema_hash if content else None,
        content_hash=content.content_hash if content else None,
        ledger_rows=count_rows(copy),
        ledger_schema=schema_version(copy),
        made_by=installed_version("sunrise-memory"),
    )
    write_manifest(home, snapshot)
    return name


def _free_name(home: Home, reason: SnapshotReason) -> str:
    now = home.clock.now_ms()
    while (home.backups / (name := name_at(now, reason)) / MANIFEST).exists():
        now += 1
    return name


def _content(table: MemoryTable, name: str, reason: SnapshotReason) -> TableContent | None:
    try:
        return table.content(name)
    except StoreError:
        # Who restores may do so because the newest version cannot be read whole. That must not be in the way.
        if reason is not SnapshotReason.BEFORE_RESTORE:
            raise
        return None


def _is_same_record(home: Home, copy: Path) -> bool:
    return is_same(home.path / LEDGER_FILE, copy, tables=RECORD)


def _own_names(home: Home, table: MemoryTable | None) -> Set[str]:
    tags = table.state().tags if table is not None else {}
    names = {path.name for path in home.backups.glob(f"{OWN_PREFIX}*") if path.is_dir()}
    return names | {tag for tag in tags if tag.startswith(OWN_PREFIX)}
