"""How snapshots differ, and one laid out as a home of its own."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest

from flows.index import index
from flows.snapshot import create_one
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.sqlite_ledger import LEDGER_FILE
from sunrise.bootstrap import existing_memories
from sunrise.domain.receipts import RunStatus
from sunrise.errors import ConfigurationError, DataError
from sunrise.settings import load_settings
from tasks.checkout import check_out
from tasks.snapshot import create, find
from tasks.snapshot_diff import MAX_SHOWN, diff
from tests.homes import MEMORIES
from tests.restoring import (
    change_both,
    copy_of,
    everything,
    go,
    opened,
    reseal,
    rows_of_ledger,
    rows_of_memories,
    take_first,
)


@pytest.fixture
def path(home_path: Path) -> Path:
    """A home that was changed since its snapshot ``first``."""
    take_first(home_path)
    change_both(home_path)
    return home_path


def test_what_was_added_removed_and_changed_is_counted_and_named(path: Path) -> None:
    with opened(path) as home:
        ledger, memories = diff(home, existing_memories(home.settings), find(home, "first"), None)
    assert (ledger.added, ledger.removed, ledger.changed) == (1, 0, 1)
    assert ledger.refs == {"added": ("obs:4",), "removed": (), "changed": ("obs:1",)}
    assert ledger.fields["importance_label"] == 1
    assert memories is not None
    assert (memories.added, memories.removed, memories.changed) == (1, 1, 2)
    assert memories.refs == {
        "added": ("mem:new",),
        "removed": ("mem:m-plain",),
        "changed": ("mem:m-tea", "mem:m-zh"),
    }
    assert memories.fields == {"scope": 2}


def test_between_two_snapshots_it_goes_both_ways(path: Path) -> None:
    assert go(path, partial(create_one, name="second"), flow="snapshot").status is RunStatus.OK
    with opened(path) as home:
        table = existing_memories(home.settings)
        first, second = find(home, "first"), find(home, "second")
        there, back = diff(home, table, first, second), diff(home, table, second, first)
        same = diff(home, table, second, None)
    for one, other in zip(there, back, strict=True):
        assert one is not None
        assert other is not None
        assert (one.added, one.removed, one.changed) == (other.removed, other.added, other.changed)
        assert one.refs["added"] == other.refs["removed"]
    assert [one.is_empty for one in same if one] == [True, True]


def test_a_column_that_came_later_changes_only_the_rows_that_hold_something(path: Path) -> None:
    table = LanceMemories.open(path / "lance")
    table._table.add_columns([pa.field("mood", pa.string())])
    table.merge(pa.table({"id": ["m-noise"], "mood": ["calm"]}))
    with opened(path) as home:
        _, found = diff(home, existing_memories(home.settings), find(home, "first"), None)
    assert found is not None
    assert found.fields == {"scope": 2, "mood": 1}


def test_refs_are_named_up_to_a_number_and_counted_beyond(path: Path) -> None:
    ids = [f"more-{number:03d}" for number in range(MAX_SHOWN + 5)]
    LanceMemories.open(path / "lance").add(pa.table({"id": ids, "text": ["x"] * len(ids)}))
    with opened(path) as home:
        _, found = diff(home, existing_memories(home.settings), find(home, "first"), None)
    assert found is not None
    assert (found.added, len(found.refs["added"])) == (1 + len(ids), MAX_SHOWN)


def test_without_memories_on_one_side_the_ledger_alone_is_compared(path: Path) -> None:
    reseal(path, version=None)
    with opened(path) as home:
        ledger, memories = diff(home, existing_memories(home.settings), find(home, "first"), None)
    assert (ledger.added, memories) == (1, None)


def test_a_part_that_is_missing_is_told(path: Path) -> None:
    LanceMemories.open(path / "lance").untag("first")
    with opened(path) as home:
        with pytest.raises(DataError, match="has no tag 'first'"):
            diff(home, existing_memories(home.settings), find(home, "first"), None)
        copy_of(path).unlink()
        with pytest.raises(DataError, match="no copy of the ledger"):
            diff(home, existing_memories(home.settings), find(home, "first"), None)


def test_a_snapshot_laid_out_is_a_home_that_flows_can_work_on(path: Path, tmp_path: Path) -> None:
    live = everything(path)
    memories = rows_of_memories(path / "lance", "first")
    ledger = rows_of_ledger(copy_of(path))
    folder = tmp_path / "備份 home"
    with opened(path) as home:
        assert check_out(home, existing_memories(home.settings), find(home, "first"), to=folder) == len(
            MEMORIES
        )
    assert (rows_of_ledger(folder / LEDGER_FILE), rows_of_memories(folder / "lance")) == (ledger, memories)
    assert load_settings(folder).memories_uri == str(folder / "lance")
    assert go(folder, index, flow="index").status is RunStatus.OK
    assert everything(path) == live
    found = LanceMemories.open(folder / "lance").search_terms("tea", columns=["id"], where=None, limit=5)
    assert found.column("id").to_pylist() == ["m-tea"]


def test_a_folder_that_holds_something_is_refused(path: Path, tmp_path: Path) -> None:
    folder, file = tmp_path / "mine", tmp_path / "file"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    file.write_text("mine")
    with opened(path) as home:
        for place in (folder, file, path):
            with pytest.raises(ConfigurationError, match="is not empty"):
                check_out(home, existing_memories(home.settings), find(home, "first"), to=place)
    assert [one.name for one in folder.iterdir()] == ["notes.txt"]


def test_what_is_not_whole_is_not_laid_out(path: Path, tmp_path: Path) -> None:
    copy_of(path).write_bytes(b"x" + copy_of(path).read_bytes()[1:])
    with opened(path) as home, pytest.raises(DataError) as error:
        check_out(home, existing_memories(home.settings), find(home, "first"), to=tmp_path / "new")
    assert error.value.reason == "ledger_copy_altered"
    assert not (tmp_path / "new").exists()


def test_a_ledger_alone_is_laid_out_too(path: Path, tmp_path: Path) -> None:
    with opened(path) as home:
        create(home, None, name="ledger-alone")
        assert check_out(home, None, find(home, "ledger-alone"), to=tmp_path / "new") == 0
    assert not (tmp_path / "new" / "lance").exists()
