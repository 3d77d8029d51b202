from __future__ import annotations

from pathlib import Path

import pytest

from sunrise.bootstrap import open_home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.records import EntryCount
from sunrise.errors import StoreError
from sunrise.settings import load_settings
from tasks.receipt_files import (
    page_path,
    read_receipts,
    write_entries_page,
    write_receipt,
    write_run_page,
    write_whole,
)
from tasks.run_frame import refresh_index
from tests.fakes import FrozenClock
from tests.homes import CONFIG, NOW, observations


def receipt(run_id: str, *, at: int = NOW) -> RunReceipt:
    return RunReceipt(run_id=run_id, flow="grade", status=RunStatus.OK, started_ms=at, finished_ms=at + 5)


def test_receipts_lie_by_year_and_month_utc_and_come_back_oldest_first(tmp_path: Path) -> None:
    # One second before the new year in UTC; in Taipei it has begun.
    old, new = receipt("z", at=1_798_761_599_000), receipt("a", at=1_798_761_600_000)
    assert write_receipt(tmp_path, new) == tmp_path / "2027" / "01" / "a.json"
    assert write_receipt(tmp_path, old) == tmp_path / "2026" / "12" / "z.json"
    assert read_receipts(tmp_path) == ((old, new), ())


def test_what_is_no_receipt_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    good = receipt("good")
    folder = write_receipt(tmp_path, good).parent
    bad = {
        "b1.json": b"{",
        "b2.json": b"[]",
        "b3.json": b'{"run_id": "x"}',
        "b4.json": b"\xff",
        "b5.json": b'{"run_id": "x", "flow": "f", "status": "splendid", "started_ms": 1}',
        "b6.json": b'{"run_id": "x", "flow": "f", "status": "ok", "started_ms": 1, "steps": [{"n": 1}]}',
        "b7.json": b'{"run_id": "x", "flow": "f", "status": "ok", "started_ms": 1, "refs": 7}',
        "b8.json": b"null",
    }
    for name, content in bad.items():
        (folder / name).write_bytes(content)
    receipts, unreadable = read_receipts(tmp_path)
    assert receipts == (good,)
    assert [path.name for path in unreadable] == list(bad)
    assert read_receipts(tmp_path / "nowhere") == ((), ())


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file.txt"
    write_whole(path, "one")
    write_whole(path, "二 \ud800")
    assert path.read_text("utf-8") == "二 ?"
    assert path.stat().st_mode & 0o777 == 0o644
    assert [one.name for one in path.parent.iterdir()] == ["file.txt"]


def test_a_write_that_fails_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.mkdir()
    (path / "inside").write_text("old")
    with pytest.raises(StoreError, match="cannot be written"):
        write_whole(path, "new")
    assert [one.name for one in tmp_path.iterdir()] == ["file.txt"]
    with pytest.raises(StoreError, match="cannot be written"):
        write_whole(path / "inside" / "x", "new")


def test_the_page_of_a_run_lies_under_its_id(tmp_path: Path) -> None:
    path = write_run_page(tmp_path, receipt("r1"), history=[], zone="UTC")
    assert path == page_path(tmp_path, "r1") == tmp_path / "runs" / "r1.html"
    assert "r1" in path.read_text("utf-8")


def test_the_page_of_what_entered_lies_beside_the_first_page(tmp_path: Path) -> None:
    entries = [EntryCount("2026-11-18", "collapsed", "heartbeat", "agent", 7)]
    path = write_entries_page(tmp_path, entries, today="2026-11-18", generated_ms=NOW, zone="UTC")
    assert path == tmp_path / "entries.html"
    assert "On 18 Nov 7 rows came: 7 collapsed." in path.read_text("utf-8")


def test_the_pages_of_a_home_count_the_day_of_its_own_zone(tmp_path: Path) -> None:
    (tmp_path / "sunrise.toml").write_text(CONFIG)
    # Half past midnight of the 19th in Taipei; in UTC it is still the 18th.
    after_midnight = NOW + 19_400_000
    with open_home(load_settings(tmp_path), clock=FrozenClock(after_midnight)) as home:
        counted = [
            EntryCount("2026-10-20", "collapsed", "heartbeat", "agent", 9),
            EntryCount("2026-10-21", "collapsed", "heartbeat", "agent", 4),
            EntryCount("2026-11-18", "collapsed", "heartbeat", "agent", 2),
            EntryCount("2026-11-19", "quarantined", "hidden_text", "web", 3),
        ]
        home.ledger.commit_harvest(
            observations(), rejected=(), position=None, entries=counted, day="2026-11-19"
        )
        refresh_index(home)
        pages = {path.name: path.read_text("utf-8") for path in home.reports.glob("*.html")}
    assert set(pages) == {"index.html", "entries.html", "quarantine.html"}
    assert "On 19 Nov 3 rows came: 3 entered hidden." in pages["entries.html"]
    assert "From 21 Oct to 19 Nov 9 rows came: 6 collapsed, 3 entered hidden." in pages["entries.html"]
    assert "3 rows were collapsed or hidden on 19 Nov" in pages["index.html"]
    assert 'href="entries.html"' in pages["quarantine.html"]
