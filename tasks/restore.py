"""Steps of a restore: both stores go back to one snapshot, or neither does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from reports.sections import Section
from sunrise.adapters import sqlite_copies
from sunrise.adapters.sqlite_ledger import LEDGER_FILE
from sunrise.bootstrap import Home, existing_memories
from sunrise.domain.receipts import RunStatus
from sunrise.domain.schedule import RECORDED_FLOWS
from sunrise.domain.snapshots import SnapshotFault, SnapshotReason, refused
from sunrise.domain.sought_texts import sought_texts
from sunrise.errors import BusyError, SunriseError
from sunrise.online.burial import bury_all_returned
from sunrise.ports import MemoryTable
from tasks.lease_keeper import LeaseKeeper
from tasks.restore_intent import Intent, intent_of, remove_intent, write_intent
from tasks.run_frame import Run, SkipRun
from tasks.snapshot import find, take
from tasks.snapshot_check import check_rows, check_snapshot
from tasks.snapshot_diff import StoreDiff, diff
from tasks.snapshot_manifest import LEDGER_COPY, Snapshot

RESTART = "restart the gateway: it may hold an older version of the memories table"
STAGED = "restore.sqlite"


def restore_stores(run: Run, name: str) -> None:
    """
    Restore ledger and memories after everything about the snapshot was checked; a dry run only looks.

    Raises:
        SkipRun: Another flow is at work; the run ends as busy.
        DataError: The snapshot is not whole, or another restore was not finished; nothing was touched.
        StoreError: A store failed. Where it had been touched, the same restore finishes it.
    """
    run.balance("stores", "restored", "kept")
    intent = run.step(intent_of, run.home.path, name, run_id=run.run_id)
    snapshot = run.step(find, run.home, name)
    run.facts["snapshot"] = snapshot.tag
    table = run.step(open_existing, run.home)
    run.step(check_snapshot, run.home, table, snapshot)
    stores = 1 if snapshot.version is None else 2
    run.count(stores=stores, kept=stores if run.dry_run else 0)
    run.count(memories=snapshot.rows if snapshot.version is not None else 0)
    run.count(observations=(snapshot.ledger_rows or {}).get("observations", 0))
    if run.dry_run:
        _tell_differences(run, table, snapshot)
        return
    with all_leases(run):
        if intent.before is None:
            _tell_differences(run, table, snapshot)
        _restore(run, table, snapshot, intent)


def open_existing(home: Home) -> MemoryTable | None:
    """Open the memories table if it is there; a restore makes none."""
    return existing_memories(home.settings)


@contextmanager
def all_leases(run: Run) -> Iterator[None]:
    """
    Hold the lease of every other flow.

    Raises:
        SkipRun: One of them is at work; the run ends as busy.
    """
    with ExitStack() as held:
        for flow in RECORDED_FLOWS:
            if flow != run.flow:
                keeper = LeaseKeeper(run.home.ledger, flow, run_id=run.run_id)
                try:
                    held.enter_context(keeper)
                except BusyError as error:
                    run.facts["held_by"] = error.holder
                    raise SkipRun("lease_taken", status=RunStatus.BUSY) from error
        yield


def snapshot_before(home: Home, table: MemoryTable | None) -> str:
    """Take the snapshot that leads back."""
    return take(home, table, reason=SnapshotReason.BEFORE_RESTORE)


def stage_ledger(home: Home, snapshot: Snapshot, *, run_id: str) -> Path:
    """Lay the ledger of the snapshot beside the live one, ready to take its place."""
    staged = home.path / STAGED
    copy = home.backups / snapshot.tag / LEDGER_COPY
    sqlite_copies.stage(copy, live=home.path / LEDGER_FILE, staged=staged, run_id=run_id)
    return staged


def restore_memories(table: MemoryTable, snapshot: Snapshot) -> int:
    """Make the newest version hold what the tag names, check it cell by cell, and return its number."""
    version = table.newest_version()
    if version != snapshot.version:
        version = table.restore(snapshot.tag)
    check_rows(table, snapshot, at=version)
    return version


def forget_again(home: Home, table: MemoryTable) -> list[str]:
    """Delete what came back with the memories and was forgotten since; return the ids."""
    return bury_all_returned(memories=table, ledger=home.ledger)


def erase_again(home: Home, table: MemoryTable | None, *, run_id: str) -> int:
    """Empty what the ledger's copy brings back of memories that were erased since; return how many rows."""
    names = home.ledger.erased()
    if not names:
        return 0
    texts = home.ledger.texts_known_of(names) | (table.texts_of(names) if table is not None else frozenset())
    scrubber = sought_texts(texts)
    rows = home.ledger.rows_speaking_of(names)
    said = [one for one in home.ledger.find_secrets(scrubber).records if one not in rows]
    changed = home.ledger.erase_records(rows, said, scrubber=scrubber, run_id=run_id)
    if changed:
        home.ledger.finish_redaction()
    return changed


def restore_ledger(home: Home, staged: Path) -> None:
    """
    Put the staged ledger into the live file in one transaction, and compare the two value by value.

    Raises:
        DataError: The live ledger holds something else afterwards; reason ``not_restored``.
    """
    live = home.path / LEDGER_FILE
    sqlite_copies.bring_back(staged, live=live)
    if not sqlite_copies.is_same(live, staged):
        raise refused(
            SnapshotFault.NOT_RESTORED, "the ledger was written while it was restored: run it again"
        )


def _restore(run: Run, table: MemoryTable | None, snapshot: Snapshot, intent: Intent) -> None:
    home = run.home
    write_intent(home.path, intent)
    try:
        if intent.before is None:
            before = run.step(snapshot_before, home, table)
            staged = run.step(stage_ledger, home, snapshot, run_id=run.run_id)
            intent = replace(intent, before=before)
            write_intent(home.path, intent)
        else:
            staged = run.step(stage_ledger, home, snapshot, run_id=run.run_id)
    except SunriseError:
        # No store was touched: with a mark that stays, no flow would run.
        if intent.before is None:
            remove_intent(home.path)
            sqlite_copies.discard(home.path / STAGED)
        raise
    run.facts["before"] = intent.before or ""
    if table is not None and snapshot.version is not None:
        run.facts["version"] = str(run.step(restore_memories, table, snapshot))
        run.count(restored=1)
    run.step(restore_ledger, home, staged)
    run.count(restored=1)
    if table is not None:
        run.count(forgotten_again=len(run.step(forget_again, home, table)))
    if erased := run.step(erase_again, home, table, run_id=run.run_id):
        run.count(erased_again=erased)
    sqlite_copies.discard(staged)
    remove_intent(home.path)
    run.facts["notice"] = RESTART
    run.sections.append(_way_back(intent, snapshot))


def _tell_differences(run: Run, table: MemoryTable | None, snapshot: Snapshot) -> None:
    try:
        ledger, memories = run.step(diff, run.home, table, snapshot, None)
    except SunriseError as error:
        # A store that cannot be read is a reason to restore it.
        run.facts["differences"] = f"unknown: {error}"
        return
    _tell(run, "ledger", ledger)
    if memories is not None:
        _tell(run, "memories", memories)


def _tell(run: Run, store: str, found: StoreDiff) -> None:
    # The difference is of now from the snapshot: what was added since goes.
    for word, rows in (("comes_back", found.removed), ("goes", found.added), ("changes_back", found.changed)):
        run.tally(store, word, rows)
    for name, rows in found.fields.items():
        run.tally(f"{store}_fields", name, rows)
    run.name(f"{store}_goes", found.refs.get("added", ()))
    run.name(f"{store}_comes_back", found.refs.get("removed", ()))


def _way_back(intent: Intent, snapshot: Snapshot) -> Section:
    return Section(
        title="How to go back",
        note=f"The stores hold {snapshot.tag}. To have them as they were before this run: restore that. "
        f"{RESTART[0].upper()}{RESTART[1:]}.",
        columns=("snapshot", "command"),
        rows=((intent.before or "", f"sunrise snapshot restore {intent.before} --yes"),),
    )
