"""A home with a snapshot, changed since, and hashes of all that its two stores hold."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from flows.restore import restore
from flows.snapshot import create_one
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.sqlite_ledger import LEDGER_FILE
from sunrise.bootstrap import Home, open_home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.settings import load_settings
from tasks.memories import change
from tasks.snapshot import find, write_manifest
from tasks.snapshot_manifest import LEDGER_COPY
from tests.fakes import FrozenClock
from tests.homes import NOW, observation, observations, run_body
from tests.ledgers import grades

Everything = tuple[dict[str, list[str]], list[str]]
"""A hash of each row of each table of the ledger, and of each memory."""


@contextmanager
def opened(path: Path, *, later: int = 0) -> Iterator[Home]:
    with open_home(load_settings(path), clock=FrozenClock(NOW + later)) as home:
        yield home


def take_first(path: Path) -> Path:
    """Give a home three rows in the ledger, and a snapshot named ``first``."""
    with opened(path) as home:
        rows = observations(*(observation(key) for key in ("a", "b", "c\0d")))
        home.ledger.commit_harvest(rows, rejected=(), position=None)
        home.ledger.put_note("baseline", "ninety")
    assert go(path, partial(create_one, name="first"), flow="snapshot", later=0).status is RunStatus.OK
    return path


def go(
    path: Path, body: Any, *, flow: str = "restore", dry_run: bool = False, later: int = 5000
) -> RunReceipt:
    return run_body(path, body, flow=flow, dry_run=dry_run, clock=FrozenClock(NOW + later))


def go_back(path: Path, name: str = "first", *, dry_run: bool = False) -> RunReceipt:
    return go(path, partial(restore, name=name), dry_run=dry_run)


def change_both(path: Path) -> None:
    """Add, change and remove rows in both stores."""
    with opened(path, later=1000) as home:
        home.ledger.commit_harvest(observations(observation("late")), rejected=(), position=None)
        home.ledger.save_grades(grades((1, 0.9, "must_remember")), run_id="r", seen_up_to=3)
        home.ledger.record_changes(
            [change("mem:m-tea", "scope", before=None, after="x", reason="r")], run_id="r"
        )
        home.ledger.put_note("baseline", "a hundred")
    table = LanceMemories.open(path / "lance")
    table.merge(pa.table({"id": ["m-tea", "m-zh"], "scope": ["x", "y"]}))
    table.add(pa.table({"id": ["new"], "text": ["Stored later"], "createdAt": [NOW]}))
    table._table.delete("id = 'm-plain'")


def rows_of_ledger(file: Path) -> dict[str, list[str]]:
    """Return a hash of every row of every table, runs and leases left out."""
    with closing(sqlite3.connect(file)) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {
            name: sorted(
                hashlib.sha256(repr(row).encode()).hexdigest() for row in db.execute(f"SELECT * FROM {name}")
            )
            for name in names
            if name not in {"runs", "leases"}
        }


def rows_of_memories(folder: Path, at: str | None = None) -> list[str]:
    """Return a hash of every column of every memory, by way of Python's own values."""
    table = LanceMemories.open(folder)._table
    if at:
        table.checkout(at)
    found = table.to_arrow()
    return sorted(hashlib.sha256(repr(sorted(row.items())).encode()).hexdigest() for row in found.to_pylist())


def everything(path: Path) -> Everything:
    """Return the hashes of both stores of a home."""
    return rows_of_ledger(path / LEDGER_FILE), rows_of_memories(path / "lance")


def copy_of(path: Path) -> Path:
    return path / "backups" / "first" / LEDGER_COPY


def reseal(path: Path, **values: Any) -> None:
    """Write another manifest the way sunrise would, so that only what it says is wrong."""
    with opened(path) as home:
        write_manifest(home, replace(find(home, "first"), **values))
