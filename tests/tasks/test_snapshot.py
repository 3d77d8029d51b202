from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from flows.snapshot import snapshot
from sunrise.adapters.sqlite_upkeep import verify_backup
from sunrise.bootstrap import Home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.retention import DAY_MS
from tasks.memories import change
from tasks.snapshot import LEDGER_COPY, MANIFEST, expire, is_current, snapshots, take
from tests.fakes import FakeMemoryTable, FrozenClock
from tests.homes import NOW, run_body


@pytest.fixture
def table() -> FakeMemoryTable:
    made = FakeMemoryTable()
    made.add(pa.table({"id": ["a", "b"]}))
    return made


def test_a_snapshot_holds_both_stores_under_one_name(home: Home, table: FakeMemoryTable) -> None:
    tag = take(home, table, reason="test")
    assert tag == "sunrise-20261118T110640-000"
    (one,) = snapshots(home)
    assert (one.tag, one.reason, one.created_ms, one.rows) == (tag, "test", NOW, 2)
    assert table.tags == {tag: one.version}
    verify_backup(home.backups / tag / LEDGER_COPY)
    assert is_current(one, home, table)


def test_while_nothing_changes_the_snapshot_is_the_same(
    home: Home, table: FakeMemoryTable, clock: FrozenClock
) -> None:
    tag = take(home, table, reason="test")
    clock.ms += DAY_MS
    assert take(home, table, reason="test") == tag
    home.ledger.put_note("a run's own", "is no change")
    assert take(home, table, reason="test") == tag
    table.add(pa.table({"id": ["c"]}))
    second = take(home, table, reason="test")
    assert second == "sunrise-20261119T110640-000"
    assert [one.tag for one in snapshots(home)] == [second, tag]


def test_a_changed_ledger_a_lost_copy_or_a_moved_tag_makes_a_new_one(
    home: Home, table: FakeMemoryTable, clock: FrozenClock
) -> None:
    tags = [take(home, table, reason="test")]
    for break_it in (
        lambda: home.ledger.record_changes(
            [change("a", "scope", before=None, after="x", reason="r")], run_id="r"
        ),
        lambda: (home.backups / tags[-1] / LEDGER_COPY).unlink(),  # noqa: PLW0108  tags grows meanwhile
        lambda: table.tags.pop(tags[-1]),
        lambda: table.tags.update({tags[-1]: 0}),
    ):
        break_it()
        clock.ms += 1000
        tags.append(take(home, table, reason="test"))
    assert len(set(tags)) == 5


def test_the_ledger_alone_can_be_kept(home: Home, table: FakeMemoryTable, clock: FrozenClock) -> None:
    tag = take(home, None, reason="test")
    (one,) = snapshots(home)
    assert (one.version, one.rows) == (None, 0)
    assert take(home, None, reason="test") == tag
    clock.ms += 1
    assert take(home, table, reason="test") != tag


def fill(home: Home, table: FakeMemoryTable, clock: FrozenClock, *, days: int) -> list[str]:
    tags = []
    for day in range(days):
        clock.ms = NOW + day * DAY_MS
        table.add(pa.table({"id": [f"n{day}"]}))
        tags.append(take(home, table, reason="test"))
    return tags


def test_old_ones_beyond_the_number_kept_are_removed(
    home: Home, table: FakeMemoryTable, clock: FrozenClock
) -> None:
    tags = fill(home, table, clock, days=16)
    # The newest is of day 15. Seven are kept anyway, and those of the last 14 days: days 1 to 15.
    assert expire(home, table) == tags[:1]
    assert set(table.tags) == set(tags[1:])
    assert not (home.backups / tags[0]).exists()
    clock.ms += 100 * DAY_MS
    # However old: the seven newest stay.
    assert expire(home, table) == tags[1:9]
    assert [one.tag for one in snapshots(home)] == tags[:8:-1]
    assert expire(home, table) == []


def test_half_made_ones_and_lone_tags_are_cleared_and_foreign_ones_left(
    home: Home, table: FakeMemoryTable
) -> None:
    tag = take(home, table, reason="test")
    half = home.backups / "sunrise-20200101T000000-000"
    half.mkdir()
    (half / f"{LEDGER_COPY}.partial").write_text("half")
    broken = home.backups / "sunrise-20200102T000000-000"
    broken.mkdir()
    (broken / MANIFEST).write_text(json.dumps({"tag": "x"}))
    (home.backups / "mine").mkdir()
    table.tag("sunrise-lone")
    table.tag("mine")
    assert [one.tag for one in snapshots(home)] == [tag]
    assert expire(home, table) == [half.name, broken.name, "sunrise-lone"]
    assert set(table.tags) == {tag, "mine"}
    assert sorted(path.name for path in home.backups.iterdir()) == ["mine", tag]


def test_without_a_table_folders_expire_too(home: Home, clock: FrozenClock) -> None:
    half = home.backups / "sunrise-20200101T000000-000"
    half.mkdir(parents=True)
    assert expire(home, None) == [half.name]
    assert not half.exists()


def go(path: Path, *, dry_run: bool = False) -> RunReceipt:
    return run_body(path, snapshot, flow="snapshot", dry_run=dry_run)


def test_the_flow_copies_once_and_then_has_nothing_to_copy(home_path: Path) -> None:
    dry = go(home_path, dry_run=True)
    assert (dry.counts["copied"], dry.counts["unchanged"]) == (2, 0)
    assert not (home_path / "backups").exists()
    first = go(home_path)
    assert (first.status, first.counts["copied"], first.counts["kept"]) == (RunStatus.OK, 2, 1)
    again = go(home_path)
    assert (again.counts["copied"], again.counts["unchanged"]) == (0, 2)
    assert again.facts["tag"] == first.facts["tag"]


def test_the_flow_keeps_the_ledger_where_there_is_no_table(home_path: Path, tmp_path: Path) -> None:
    with (home_path / "sunrise.toml").open("a") as file:
        file.write(f'[memories]\nuri = "{tmp_path / "nowhere"}"\n')
    receipt = go(home_path)
    assert (receipt.counts["stores"], receipt.counts["copied"]) == (1, 1)
