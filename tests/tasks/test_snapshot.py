from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest

from flows.snapshot import create_one, delete_one, snapshot
from sunrise.adapters.sqlite_upkeep import verify_backup
from sunrise.bootstrap import Home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.retention import DAY_MS
from sunrise.errors import DataError
from tasks.memories import change
from tasks.snapshot import (
    LEDGER_COPY,
    MANIFEST,
    create,
    expire,
    find,
    find_to_remove,
    is_current,
    remove,
    snapshots,
    take,
)
from tests.fakes import FakeMemoryTable, FrozenClock
from tests.homes import NOW, observation, observations, run_body


@pytest.fixture
def table() -> FakeMemoryTable:
    made = FakeMemoryTable()
    made.add(pa.table({"id": ["a", "b"]}))
    return made


def test_a_snapshot_holds_both_stores_under_one_name(home: Home, table: FakeMemoryTable) -> None:
    tag = take(home, table, reason="daily")
    assert tag == "sunrise-20261118T110640-000"
    (one,) = snapshots(home)
    assert (one.tag, one.reason, one.created_ms, one.rows) == (tag, "daily", NOW, 2)
    assert table.tags == {tag: one.version}
    verify_backup(home.backups / tag / LEDGER_COPY)
    assert is_current(one, home, table)


def test_while_nothing_changes_the_snapshot_is_the_same(
    home: Home, table: FakeMemoryTable, clock: FrozenClock
) -> None:
    tag = take(home, table, reason="daily")
    clock.ms += DAY_MS
    assert take(home, table, reason="daily") == tag
    home.ledger.put_note("a run's own", "is no change")
    assert take(home, table, reason="daily") == tag
    table.add(pa.table({"id": ["c"]}))
    second = take(home, table, reason="daily")
    assert second == "sunrise-20261119T110640-000"
    assert [one.tag for one in snapshots(home)] == [second, tag]


def test_a_changed_ledger_a_lost_copy_or_a_moved_tag_makes_a_new_one(
    home: Home, table: FakeMemoryTable, clock: FrozenClock
) -> None:
    tags = [take(home, table, reason="daily")]
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
        tags.append(take(home, table, reason="daily"))
    assert len(set(tags)) == 5


def test_the_ledger_alone_can_be_kept(home: Home, table: FakeMemoryTable, clock: FrozenClock) -> None:
    tag = take(home, None, reason="daily")
    (one,) = snapshots(home)
    assert (one.version, one.rows) == (None, 0)
    assert take(home, None, reason="daily") == tag
    clock.ms += 1
    assert take(home, table, reason="daily") != tag


def fill(home: Home, table: FakeMemoryTable, clock: FrozenClock, *, days: int) -> list[str]:
    tags = []
    for day in range(days):
        clock.ms = NOW + day * DAY_MS
        table.add(pa.table({"id": [f"n{day}"]}))
        tags.append(take(home, table, reason="daily"))
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
    tag = take(home, table, reason="daily")
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


def test_one_taken_by_hand_is_made_though_nothing_changed(home: Home, table: FakeMemoryTable) -> None:
    tag = take(home, table, reason="daily")
    assert (
        create(home, table, name="before-the-move", note="password: hunter2\nand more") == "before-the-move"
    )
    mine = find(home, "before-the-move")
    assert (mine.reason, mine.note) == ("manual", "password: [redacted:password] and more")
    assert set(table.tags) == {tag, "before-the-move"}
    assert create(home, table) == "manual-20261118T110640-000"
    assert create(home, table) == "manual-20261118T110640-001"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("mine", "snapshot_exists"),
        ("theirs", "snapshot_name_taken"),
        ("備份", "bad_snapshot_name"),
        ("sunrise-x", "bad_snapshot_name"),
    ],
)
def test_a_name_that_is_taken_or_none_is_refused(
    name: str, reason: str, home: Home, table: FakeMemoryTable
) -> None:
    create(home, table, name="mine")
    table.tag("theirs")
    tags = dict(table.tags)
    with pytest.raises(DataError) as error:
        create(home, table, name=name)
    assert error.value.reason == reason
    assert table.tags == tags


def test_what_a_kill_left_of_one_is_made_anew(home: Home, table: FakeMemoryTable) -> None:
    create(home, table, name="mine")
    (home.backups / "mine" / MANIFEST).unlink()
    table.add(pa.table({"id": ["c"]}))
    assert create(home, table, name="mine") == "mine"
    assert find(home, "mine").rows == 3


def test_a_snapshot_says_what_both_stores_hold(home: Home, table: FakeMemoryTable) -> None:
    home.ledger.commit_harvest(observations(observation("a")), rejected=(), position=None)
    one = find(home, take(home, table, reason="before-rollout"))
    content = table.content(one.tag)
    assert (one.schema_hash, one.content_hash) == (content.schema_hash, content.content_hash)
    assert one.ledger_rows is not None
    assert one.ledger_rows["observations"] == 1
    assert one.is_sealed
    with pytest.raises(ValueError, match="no-such-reason"):
        take(home, table, reason="no-such-reason")


def test_one_taken_by_hand_outlives_the_others_and_then_goes(
    home: Home, table: FakeMemoryTable, clock: FrozenClock
) -> None:
    create(home, table, name="mine")
    tags = fill(home, table, clock, days=16)
    assert expire(home, table) == tags[:1]
    clock.ms = NOW + 365 * DAY_MS
    assert "mine" not in expire(home, table)
    clock.ms += 1
    assert expire(home, table) == ["mine"]
    assert "mine" not in table.tags
    assert not (home.backups / "mine").exists()


def test_an_edited_manifest_is_no_current_snapshot(home: Home, table: FakeMemoryTable) -> None:
    tag = take(home, table, reason="daily")
    file = home.backups / tag / MANIFEST
    file.write_text(file.read_text().replace('"daily"', '"manual"'))
    assert not is_current(snapshots(home)[0], home, table)


def test_what_is_removed_leaves_neither_tag_nor_folder(home: Home, table: FakeMemoryTable) -> None:
    create(home, table, name="mine")
    table.tag("theirs")
    find_to_remove(home, table, "mine")
    remove(home, table, "mine")
    assert (dict(table.tags), (home.backups / "mine").exists()) == ({"theirs": 1 + 1}, False)
    for name in ("mine", "theirs"):
        with pytest.raises(DataError, match="there is no snapshot"):
            find_to_remove(home, table, name)


def test_by_hand_the_flow_leaves_receipts_of_what_it_makes_and_removes(home_path: Path) -> None:
    made = run_body(home_path, partial(create_one, name="mine"), flow="snapshot")
    assert (made.status, made.counts["copied"], made.facts["tag"]) == (RunStatus.OK, 2, "mine")
    page = (home_path / "reports" / "runs" / f"{made.run_id}.html").read_text()
    assert "sunrise snapshot restore mine --yes" in page
    again = run_body(home_path, partial(create_one, name="mine"), flow="snapshot")
    assert (again.status, again.reason) == (RunStatus.FAILED, "snapshot_exists")
    body = partial(delete_one, name="mine")
    assert run_body(home_path, body, flow="snapshot", dry_run=True).counts["deleted"] == 1
    assert (home_path / "backups" / "mine").exists()
    gone = run_body(home_path, body, flow="snapshot")
    assert (gone.status, gone.counts["kept"], gone.refs["deleted"]) == (RunStatus.OK, 0, ("mine",))
    assert run_body(home_path, body, flow="snapshot").reason == "no_such_snapshot"
