"""The library's door: its examples run, it looks without a trace, and what it wrote can be taken back."""

from __future__ import annotations

import doctest
import io
import json
import os
from importlib import import_module
from pathlib import Path

import pytest

import sunrise
from sunrise.adapters.sqlite_ledger import LEDGER_FILE
from sunrise.errors import ConfigurationError, DataError
from tests.homes import CONFIG

DEMO = (
    {
        "id": "nas-backup",
        "text": "The backups go to the NAS every night",
        "scope": "ops",
        "createdAt": 1_752_000_003_000,
    },
    {"id": "green-tea", "text": "I like green tea", "createdAt": 1_752_000_002_000},
    {
        "id": "old-tape",
        "text": "Backups went to tape",
        "scope": "ops",
        "createdAt": 1_752_000_001_000,
        "state": "archived",
    },
)


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    (home / "sunrise.toml").write_text(CONFIG, encoding="utf-8")
    with sunrise.open(home) as memories:
        memories.import_("\n".join(map(json.dumps, DEMO)).encode())
    return home


def everything(folder: Path) -> dict[str, tuple[int, int]]:
    files = [Path(place, name) for place, _, names in os.walk(folder) for name in names]
    return {str(one): (one.stat().st_size, one.stat().st_mtime_ns) for one in files}


@pytest.mark.parametrize("module", ["sunrise.client", "sunrise.client.looking", "sunrise.client.writing"])
def test_the_examples_of_the_door_run(module: str, demo: Path) -> None:
    found = import_module(module)
    names = {**vars(found), "demo": demo}
    # The name that the module has for what opens homes hides the builtin of doctest's own reader from nobody.
    tried, failed = 0, 0
    for test in doctest.DocTestFinder().find(found, globs=names):
        result = doctest.DocTestRunner().run(test)
        tried, failed = tried + result.attempted, failed + result.failed
    assert tried
    assert failed == 0


def test_looking_leaves_no_trace(demo: Path) -> None:
    before = everything(demo)
    with sunrise.open(demo, read_only=True) as memories:
        assert memories.list().total == 3
        assert memories.stats().stats.rows == 3
        assert memories.get("nas-backup").memory is not None
        assert memories.timeline("nas-backup").receipt.reason is None
        assert memories.export(io.BytesIO()).exported == 3
        assert [item.ref for item in memories.recall("backups", scope="ops").items] == ["mem:nas-backup"]
        assert memories.import_(b'{"text": "x"}', dry_run=True).counts["imported"] == 1
        assert memories.revive("old-tape", dry_run=True).status == "revived"
    assert everything(demo) == before


def test_what_would_write_is_refused(demo: Path) -> None:
    before = everything(demo)
    with sunrise.open(demo, read_only=True) as memories:
        with pytest.raises(ConfigurationError, match="read only"):
            memories.import_(b'{"text": "x"}')
        for write in (memories.revive, memories.forget, memories.store):
            with pytest.raises(ConfigurationError, match="read only"):
                write("old-tape")
    assert everything(demo) == before


def test_a_home_that_is_not_there_is_looked_at_and_not_made(tmp_path: Path) -> None:
    with sunrise.open(tmp_path / "none", read_only=True) as memories:
        assert memories.list().receipt.reason == "no_memories_table"
        assert memories.stats().receipt.reason == "no_memories_table"
        assert memories.get("somebody").receipt.reason == "no_memories_table"
        assert memories.timeline(at_ms=5).items == ()
        assert memories.recall("tea").receipt.reason == "no_memories_table"
        assert memories.export(io.BytesIO()).receipt.reason == "no_memories_table"
        assert memories.import_(b'{"text": "x"}', dry_run=True).counts["imported"] == 1
    assert list(tmp_path.iterdir()) == []


def test_an_open_ledger_is_read_beside_its_writer(demo: Path) -> None:
    with sunrise.open(demo) as writer, sunrise.open(demo, read_only=True) as reader:
        writer.revive("old-tape")
        assert [one.reason for one in reader.get("old-tape").changes] == ["revived_by_hand"]


def test_a_run_of_the_door_leaves_its_receipt_as_a_file_too(demo: Path) -> None:
    with sunrise.open(demo) as memories:
        done = memories.revive("old-tape")
    (path,) = (demo / "receipts").glob("*/*/*-revive-*.json")
    assert done.run is not None
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(json.dumps(done.run.to_dict()))


def test_an_export_to_a_path_appears_whole(demo: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with sunrise.open(demo) as memories:
        memories.export(path, scope="ops")
        with pytest.raises(DataError):
            memories.export(path, trust="nonsense")
        with pytest.raises(ConfigurationError):
            memories.export(tmp_path)
        with pytest.raises(ConfigurationError):
            memories.import_(tmp_path / "none.jsonl")
        assert memories.import_(path, dedupe="id").counts["duplicate"] == 2
    assert len(path.read_bytes().splitlines()) == 2


def test_a_ledger_of_a_later_version_costs_the_history_alone(demo: Path) -> None:
    import sqlite3

    with sqlite3.connect(demo / LEDGER_FILE) as db:
        db.execute("PRAGMA user_version = 999")
    db.close()
    with sunrise.open(demo, read_only=True) as memories:
        found = memories.get("nas-backup")
        assert found.memory is not None
        assert found.receipt.warnings == ("history_skipped:store_failed",)
        assert memories.recall("backups", scope="ops").items
