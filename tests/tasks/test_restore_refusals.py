"""A snapshot that is not whole is refused, each for its reason, and nothing is touched."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.sqlite_ledger import LEDGER_FILE
from sunrise.domain.receipts import RunStatus
from tasks.restore_intent import INTENT
from tasks.snapshot_manifest import MANIFEST
from tests.restoring import (
    change_both,
    copy_of,
    go_back,
    reseal,
    rows_of_ledger,
    take_first,
)


@pytest.fixture
def path(home_path: Path) -> Path:
    """A home with a snapshot named ``first``."""
    return take_first(home_path)


def flip_a_byte(path: Path) -> None:
    data = bytearray(copy_of(path).read_bytes())
    data[-1000] ^= 1
    copy_of(path).write_bytes(data)


def edit_manifest(path: Path, **values: Any) -> None:
    file = path / "backups" / "first" / MANIFEST
    file.write_text(json.dumps({**json.loads(file.read_text()), **values}))


def move_tag(path: Path) -> None:
    change_both(path)
    LanceMemories.open(path / "lance").tag("first")


def truncate_copy(path: Path) -> None:
    data = copy_of(path).read_bytes()[:8192]
    copy_of(path).write_bytes(data)
    reseal(path, ledger_sha256=hashlib.sha256(data).hexdigest())


def add_a_row_to_the_copy(path: Path) -> None:
    with closing(sqlite3.connect(copy_of(path))) as db:
        db.execute("INSERT INTO notes VALUES ('forged', 'x', 1)")
        db.commit()
    reseal(path, ledger_sha256=hashlib.sha256(copy_of(path).read_bytes()).hexdigest())


def make_the_copy_newer(path: Path) -> None:
    with closing(sqlite3.connect(copy_of(path))) as db:
        db.execute("PRAGMA user_version = 9999")
    reseal(path, ledger_sha256=hashlib.sha256(copy_of(path).read_bytes()).hexdigest())


def truncate_a_data_file(path: Path) -> None:
    change_both(path)
    for file in (path / "lance" / "memories.lance" / "data").glob("*.lance"):
        file.write_bytes(file.read_bytes()[:50])


TAMPERINGS: list[tuple[Callable[[Path], object], str]] = [
    (flip_a_byte, "ledger_copy_altered"),
    (add_a_row_to_the_copy, "ledger_copy_altered"),
    (truncate_copy, "ledger_copy_damaged"),
    (make_the_copy_newer, "ledger_copy_of_later_version"),
    (lambda path: copy_of(path).unlink(), "ledger_copy_missing"),
    (partial(edit_manifest, rows=7), "manifest_altered"),
    (partial(edit_manifest, created_ms=1), "manifest_altered"),
    (partial(edit_manifest, rows="many"), "manifest_altered"),
    (partial(edit_manifest, tag="another"), "manifest_altered"),
    (lambda path: (path / "backups" / "first" / MANIFEST).unlink(), "no_such_snapshot"),
    (partial(reseal, rows=7), "tagged_rows_differ"),
    (partial(reseal, content_hash="0" * 64), "tagged_rows_differ"),
    (partial(reseal, schema_hash="0" * 64), "tagged_schema_differs"),
    (move_tag, "tag_moved"),
    (lambda path: LanceMemories.open(path / "lance").untag("first"), "tag_missing"),
    (lambda path: shutil.rmtree(path / "lance" / "memories.lance"), "no_memories_table"),
    (truncate_a_data_file, "tagged_rows_differ"),
]


@pytest.mark.parametrize(("tamper", "reason"), TAMPERINGS)
def test_what_is_not_whole_is_refused_and_nothing_is_touched(
    tamper: Callable[[Path], object], reason: str, path: Path
) -> None:
    tamper(path)
    ledger = rows_of_ledger(path / LEDGER_FILE)
    kept = sorted((one, one.read_bytes()) for one in (path / "backups").rglob("*") if one.is_file())
    files = sorted(str(one) for one in (path / "lance").rglob("*"))
    receipt = go_back(path)
    assert (receipt.status, receipt.reason) == (RunStatus.FAILED, reason)
    assert [one.code for one in receipt.anomalies] == [reason]
    assert rows_of_ledger(path / LEDGER_FILE) == ledger
    assert sorted((one, one.read_bytes()) for one in (path / "backups").rglob("*") if one.is_file()) == kept
    assert sorted(str(one) for one in (path / "lance").rglob("*")) == files
    assert not (path / INTENT).exists()


@pytest.mark.parametrize("name", ["備份", "..", "a/b", "", "x" * 65])
def test_a_name_that_can_be_none_is_refused(name: str, path: Path) -> None:
    receipt = go_back(path, name)
    assert (receipt.status, receipt.reason) == (RunStatus.FAILED, "bad_snapshot_name")
