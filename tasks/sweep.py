"""Steps of the sweep: secrets that older rules let in are taken out of the ledger and the memories."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from reports.sections import Section
from sunrise.adapters.sqlite_sweep import find_secrets_in
from sunrise.bootstrap import Home, existing_memories
from sunrise.domain.secret_spans import MemorySecrets, RedactedField, SecretRecord, SecretsFound
from sunrise.domain.secrets import redact
from sunrise.errors import StoreError
from sunrise.ports import MemoryTable
from tasks.run_frame import Run
from tasks.snapshot import LEDGER_COPY, snapshots, write_manifest

UNDO = "refused: a redaction keeps no before-image"


def tell(run: Run, store: str, *, seen: int, redacted: int, fields: Sequence[RedactedField] = ()) -> None:
    """Put into the receipt what one store held: records seen, those with a secret, and the kinds of it."""
    run.count(seen=seen, redacted=redacted, clean=seen - redacted)
    run.tally("seen_by_store", store, seen)
    if redacted:
        run.tally("redacted_by_store", store, redacted)
    for one in fields:
        run.tally("redacted_by_kind", one.kind)


def sweep_ledger(run: Run) -> frozenset[str]:
    """Redact the ledger, and finish what a killed sweep left in its pages; return the secrets."""
    found = run.step(find_in_ledger, run.home)
    for table, seen in sorted(found.seen.items()):
        records = [record for record in found.records if record.table == table]
        fields = [one for record in records for one in record.fields]
        tell(run, table, seen=seen, redacted=len(records), fields=fields)
    run.name("records", [record.fields[0].record_ref for record in found.records])
    if found.records:
        run.write(redact_ledger, run.home, found.records, run_id=run.run_id)
    if run.home.ledger.needs_finishing() and run.write(finish_ledger, run.home) is False:
        run.anomaly(
            "ledger_is_being_read",
            "another program holds the ledger open: close it and sweep again, its old pages are still there",
        )
    return found.values


def find_in_ledger(home: Home) -> SecretsFound:
    """Return the records of the ledger that hold a secret."""
    return home.ledger.find_secrets()


def redact_ledger(home: Home, records: Sequence[SecretRecord], *, run_id: str) -> int:
    """Take the secrets out of records of the ledger, in one transaction."""
    return home.ledger.redact_records(records, run_id=run_id)


def finish_ledger(home: Home) -> bool:
    """Build the ledger's index and file anew, so that no page holds what was redacted."""
    return home.ledger.finish_redaction()


def sweep_memories(run: Run) -> frozenset[str]:
    """Redact the memories, their versions and their indices; return the secrets."""
    table = run.step(open_existing, run.home)
    if table is None:
        return frozenset()
    found = run.step(find_in_memories, table)
    fields = [one for row in found.rows for one in row.fields]
    tell(run, "memories", seen=found.seen, redacted=len(found.rows), fields=fields)
    run.count(stained_versions=len(found.stained_versions))
    if not found.is_clean:
        deleted = run.write(redact_memories, run.home, table, found, run_id=run.run_id)
        run.count(versions_deleted=deleted or 0)
    given_up = found.stained_tags if run.dry_run else run.step(give_up_snapshots, run.home, table)
    run.count(snapshots_given_up=len(given_up))
    run.name("snapshots_given_up", given_up)
    return found.values


def open_existing(home: Home) -> MemoryTable | None:
    """Open the memories table if it is there; a sweep makes none."""
    return existing_memories(home.settings)


def find_in_memories(table: MemoryTable) -> MemorySecrets:
    """Return the memories that hold a secret, in every version of the table."""
    return table.find_secrets()


def redact_memories(home: Home, table: MemoryTable, found: MemorySecrets, *, run_id: str) -> int:
    """Take the secrets out of the newest version and delete the older ones; return how many went."""
    if found.rows:
        fields = [one for row in found.rows for one in row.fields]
        home.ledger.note_redactions(fields, run_id=run_id)
        table.redact_rows(found, embedder=home.embedder(), now_ms=home.clock.now_ms())
        # What was just written made versions of its own, which must be looked at with the others.
        found = replace(table.find_secrets(), rows=found.rows)
    return table.forget_secrets(found)


def give_up_snapshots(home: Home, table: MemoryTable) -> tuple[str, ...]:
    """Let manifests promise no version of the memories whose tag is gone; return their tags."""
    tags = table.state().tags
    gone = [one for one in snapshots(home) if one.version is not None and one.tag not in tags]
    for one in gone:
        write_manifest(home, replace(one, version=None))
    return tuple(one.tag for one in gone)


def sweep_backups(run: Run, *, remove: bool) -> frozenset[str]:
    """Name the copies of the ledger that hold a secret, and remove them if that is wanted."""
    holding, unreadable, values = run.step(find_in_backups, run.home)
    run.count(backups_holding=len(holding))
    run.name("backups_holding", sorted(holding))
    if unreadable:
        run.anomaly("backup_unreadable", f"no ledger can be read in {', '.join(unreadable)}", len(unreadable))
    if holding:
        rows = tuple((tag, records) for tag, records in sorted(holding.items()))
        note = "A copy is never changed. With --backups it is removed, and the tag of its name with it."
        run.sections.append(
            Section(title="Backups that hold a secret", note=note, columns=("backup", "records"), rows=rows)
        )
    if holding and remove:
        run.count(backups_removed=len(run.write(remove_backups, run.home, sorted(holding)) or []))
    return values


def find_in_backups(home: Home) -> tuple[dict[str, int], list[str], frozenset[str]]:
    """Return how many records of which backup hold a secret, the backups no one can read, and the secrets."""
    holding: dict[str, int] = {}
    unreadable: list[str] = []
    values: frozenset[str] = frozenset()
    for path in sorted(home.backups.glob(f"*/{LEDGER_COPY}")):
        try:
            found = find_secrets_in(path)
        except StoreError:
            unreadable.append(path.parent.name)
            continue
        if found.records:
            holding[path.parent.name] = len(found.records)
            values |= found.values
    return holding, unreadable, values


def remove_backups(home: Home, tags: Sequence[str]) -> list[str]:
    """Remove snapshots whole: the tag first, as expiry does."""
    table = existing_memories(home.settings)
    for tag in tags:
        if table is not None and tag in table.state().tags:
            table.untag(tag)
        shutil.rmtree(home.backups / tag, ignore_errors=True)
    return list(tags)


def told(path: Path, home: Home) -> str:
    """Return how a receipt names a file: below the home if it is there, and without a secret."""
    name = path.relative_to(home.path) if path.is_relative_to(home.path) else path
    return redact(str(name)).text
