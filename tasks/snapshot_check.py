"""Whether a snapshot is whole: its copy, its tag, and every cell that the tag names."""

from __future__ import annotations

from sunrise.adapters.sqlite_copies import digest_of
from sunrise.adapters.sqlite_upkeep import migrations_behind, sha256_of, verify_backup
from sunrise.bootstrap import Home
from sunrise.domain.snapshots import SnapshotFault, refused
from sunrise.errors import DataError, StoreError
from sunrise.ports import MemoryTable
from tasks.snapshot_manifest import LEDGER_COPY, Snapshot


def check_snapshot(home: Home, table: MemoryTable | None, snapshot: Snapshot) -> None:
    """
    Check every part of a snapshot by the hashes of its manifest; nothing is written.

    Raises:
        DataError: A part is missing or is not what the manifest says; a :class:`SnapshotFault` as reason.
    """
    check_copy(home, snapshot)
    if snapshot.version is not None:
        check_tag(table, snapshot)
        check_rows(table, snapshot)


def missing_part(home: Home, table: MemoryTable | None, snapshot: Snapshot) -> DataError | None:
    """Return what is seen at a glance to be missing or moved, or None; no hash is made."""
    if not (home.backups / snapshot.tag / LEDGER_COPY).is_file():
        return refused(SnapshotFault.LEDGER_MISSING, f"{snapshot.tag!r} has no copy of the ledger")
    try:
        if snapshot.version is not None:
            check_tag(table, snapshot)
    except DataError as error:
        return error
    return None


def check_copy(home: Home, snapshot: Snapshot) -> None:
    """
    Check the copy of the ledger.

    Raises:
        DataError: It is missing, altered, damaged, or of a later version of sunrise.
    """
    path = home.backups / snapshot.tag / LEDGER_COPY
    if not path.is_file():
        raise refused(SnapshotFault.LEDGER_MISSING, f"{snapshot.tag!r} has no copy of the ledger")
    if sha256_of(path) != snapshot.ledger_sha256:
        msg = f"the copy of the ledger in {snapshot.tag!r} is not what was written"
        raise refused(SnapshotFault.LEDGER_ALTERED, msg)
    try:
        verify_backup(path)
        behind = migrations_behind(path)
        # Manifests of older versions have another digest, of less.
        is_as_digested = snapshot.made_by is None or digest_of(path) == snapshot.digest
    except StoreError as error:
        raise refused(SnapshotFault.LEDGER_DAMAGED, str(error)) from error
    if behind < 0:
        msg = f"the ledger in {snapshot.tag!r} is of a later version of sunrise"
        raise refused(SnapshotFault.LEDGER_TOO_NEW, msg)
    if not is_as_digested:
        msg = f"the rows of the ledger in {snapshot.tag!r} are not what the manifest says"
        raise refused(SnapshotFault.LEDGER_ALTERED, msg)


def check_tag(table: MemoryTable | None, snapshot: Snapshot) -> None:
    """
    Check that the tag is there and names the version of the manifest.

    Raises:
        DataError: There is no table, no tag, or the tag names another version.
    """
    if table is None:
        msg = f"{snapshot.tag!r} holds memories, and there is no memories table"
        raise refused(SnapshotFault.TABLE_MISSING, msg)
    version = table.state().tags.get(snapshot.tag)
    if version is None:
        raise refused(SnapshotFault.TAG_MISSING, f"the memories table has no tag {snapshot.tag!r}")
    if version != snapshot.version:
        msg = f"the tag {snapshot.tag!r} names version {version}, not {snapshot.version}"
        raise refused(SnapshotFault.TAG_MOVED, msg)


def check_rows(table: MemoryTable | None, snapshot: Snapshot, *, at: int | None = None) -> None:
    """
    Check that a version of the table, that of the tag if none is named, holds what the manifest says.

    Raises:
        DataError: It cannot be read whole, or its columns or rows are others.
        StoreError: There is no table.
    """
    if table is None:
        raise StoreError("there is no memories table")
    try:
        content = table.content(snapshot.tag if at is None else at)
    except (StoreError, DataError) as error:
        msg = f"what the tag {snapshot.tag!r} names cannot be read whole: {error}"
        raise refused(SnapshotFault.ROWS_DIFFER, msg) from error
    if snapshot.schema_hash not in (None, content.schema_hash):
        msg = f"the columns under {snapshot.tag!r} are not those of the manifest"
        raise refused(SnapshotFault.SCHEMA_DIFFERS, msg)
    if content.rows != snapshot.rows or snapshot.content_hash not in (None, content.content_hash):
        msg = f"the memories under {snapshot.tag!r} are not those of the manifest"
        raise refused(SnapshotFault.ROWS_DIFFER, msg)
