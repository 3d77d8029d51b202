"""A snapshot laid out as a home of its own, to be looked at; the live home is only read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from sunrise.adapters.sqlite_ledger import LEDGER_FILE
from sunrise.bootstrap import Home
from sunrise.errors import ConfigurationError
from sunrise.ports import MemoryTable
from sunrise.settings import CONFIG_FILE, Settings
from tasks.receipt_files import write_whole
from tasks.snapshot_check import check_snapshot
from tasks.snapshot_manifest import LEDGER_COPY, Snapshot


def check_out(home: Home, table: MemoryTable | None, snapshot: Snapshot, *, to: Path) -> int:
    """
    Write ledger, memories and settings of a snapshot into an empty or new folder; return the memories.

    The settings are written last: a folder without them was not finished.

    Raises:
        ConfigurationError: The folder holds something, or cannot be made.
        DataError: The snapshot is not whole; a snapshot's fault as reason.
        StoreError: The copy could not be written.
    """
    _check_empty(to)
    check_snapshot(home, table, snapshot)
    try:
        to.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(home.backups / snapshot.tag / LEDGER_COPY, to / LEDGER_FILE)
    except OSError as error:
        msg = f"{to} cannot be written: {error}"
        raise ConfigurationError(msg) from error
    rows = 0
    if table is not None and snapshot.version is not None:
        rows = table.copy_to(to / "lance", tag=snapshot.tag)
    write_whole(to / CONFIG_FILE, _config(home.settings, snapshot))
    return rows


def _check_empty(folder: Path) -> None:
    try:
        holds = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    except OSError as error:
        msg = f"{folder} cannot be looked at: {error}"
        raise ConfigurationError(msg) from error
    if holds:
        msg = f"{folder} is not empty: name a new folder"
        raise ConfigurationError(msg)


def _config(settings: Settings, snapshot: Snapshot) -> str:
    # A JSON text is a TOML text too.
    table, scope = json.dumps(settings.memories.table), json.dumps(settings.memories.default_scope)
    return (
        f"# The snapshot {snapshot.tag}, to be looked at. Nothing done here reaches the home it is of.\n"
        f"timezone = {json.dumps(settings.timezone)}\n\n"
        f'[memories]\nuri = "lance"\ntable = {table}\ndefault_scope = {scope}\n\n'
        f'[embedder]\nname = "{settings.embedder.name}"\n'
    )
