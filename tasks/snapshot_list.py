"""The list of snapshots, as a page and a terminal show it."""

from __future__ import annotations

from pathlib import Path

from reports.formats import stamp
from reports.sections import Cell, Section
from sunrise.bootstrap import Home
from tasks.snapshot_manifest import LEDGER_COPY, Snapshot, read_snapshots

COLUMNS = ("snapshot", "reason", "taken", "observations", "memories", "MiB of the copy", "to go back")


def snapshot_section(home: Home) -> Section:
    """Return the snapshots of a home as a part of a page, newest first."""
    rows = tuple(_row(home, one) for one in read_snapshots(home.backups))
    note = "What a restore replaces is kept as a snapshot too. --dry-run in place of --yes only looks."
    return Section(title="Snapshots", note=note, columns=COLUMNS, rows=rows)


def copy_bytes(backups: Path, name: str) -> int:
    """Return the size of a copied ledger; 0 where it is gone."""
    try:
        return (backups / name / LEDGER_COPY).stat().st_size
    except OSError:
        return 0


def _row(home: Home, one: Snapshot) -> tuple[Cell, ...]:
    return (
        one.tag,
        f"{one.reason}: {one.note}" if one.note else one.reason,
        stamp(one.created_ms, zone=home.settings.timezone).text,
        (one.ledger_rows or {}).get("observations", "–"),
        one.rows if one.version is not None else "–",
        round(copy_bytes(home.backups, one.tag) / 2**20, 2),
        f"sunrise snapshot restore {one.tag} --yes",
    )
