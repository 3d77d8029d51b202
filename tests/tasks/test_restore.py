"""A restore gives back every cell of both stores, or refuses and touches nothing."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from flows.snapshot import snapshot
from sunrise.adapters import sqlite_connection
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.migrations import MIGRATIONS
from sunrise.adapters.sqlite_copies import digest_of
from sunrise.adapters.sqlite_ledger import LEDGER_FILE, SqliteLedger
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.schedule import RECORDED_FLOWS
from sunrise.errors import StoreError
from tasks import restore as restore_steps
from tasks.restore_intent import INTENT, Intent, read_intent, write_intent
from tasks.snapshot import find, read_snapshots
from tasks.snapshot_manifest import LEDGER_COPY, MANIFEST, manifest_text
from tests.fakes import FrozenClock
from tests.homes import NOW, observation, observations
from tests.restoring import (
    change_both,
    copy_of,
    everything,
    go,
    go_back,
    opened,
    reseal,
    rows_of_ledger,
    rows_of_memories,
    take_first,
)


@pytest.fixture
def path(home_path: Path) -> Path:
    """A home with a snapshot named ``first``."""
    return take_first(home_path)


def test_a_restore_gives_back_every_cell_of_both_stores(path: Path) -> None:
    before = everything(path)
    change_both(path)
    changed = everything(path)
    assert changed[0]["observations"] != before[0]["observations"]
    assert changed[1] != before[1]
    receipt = go_back(path)
    assert (receipt.status, receipt.counts["stores"], receipt.counts["restored"]) == (RunStatus.OK, 2, 2)
    assert everything(path) == before
    assert before[0] == rows_of_ledger(path / "backups" / "first" / LEDGER_COPY)
    assert not (path / INTENT).exists()
    assert not list(path.glob("restore.sqlite*"))
    indices = LanceMemories.open(path / "lance").state().indices
    assert [one.unindexed_rows for one in indices] == [0] * len(indices)


def test_the_way_back_gives_back_what_was_replaced(path: Path) -> None:
    change_both(path)
    changed = everything(path)
    way_back = go_back(path).facts["before"]
    with opened(path) as home:
        assert find(home, way_back).reason == "before-restore"
    assert everything(path) != changed
    assert go_back(path, way_back).status is RunStatus.OK
    assert everything(path) == changed


def test_the_run_of_the_restore_is_on_record_and_no_run_is_left_as_running(path: Path) -> None:
    change_both(path)
    receipt = go_back(path)
    with opened(path) as home:
        assert [(one.flow, one.status) for one in home.ledger.runs()] == [
            ("restore", RunStatus.OK),
            ("snapshot", RunStatus.OK),
        ]
        home.ledger.acquire_lease("harvest", run_id="next")
    assert list((path / "receipts").rglob(f"{receipt.run_id}.json"))


def test_the_receipt_says_what_came_and_went(path: Path) -> None:
    change_both(path)
    dry = go_back(path, dry_run=True)
    assert dry.groups["ledger"] == {"comes_back": 0, "goes": 1, "changes_back": 1}
    assert dry.groups["ledger_fields"]["importance_label"] == 1
    assert dry.groups["memories"] == {"comes_back": 1, "goes": 1, "changes_back": 2}
    assert dry.groups["memories_fields"] == {"scope": 2}
    assert dry.refs["memories_goes"] == ("mem:new",)
    assert dry.refs["memories_comes_back"] == ("mem:m-plain",)
    assert go_back(path).groups == dry.groups


def test_a_dry_run_touches_nothing(path: Path) -> None:
    change_both(path)
    before = everything(path), LanceMemories.open(path / "lance").state().tags
    receipt = go_back(path, dry_run=True)
    assert (receipt.status, receipt.counts["kept"], receipt.counts["restored"]) == (RunStatus.OK, 2, 0)
    assert (everything(path), LanceMemories.open(path / "lance").state().tags) == before
    assert [one.tag for one in read_snapshots(path / "backups")] == ["first"]


def test_restoring_what_is_there_already_makes_no_version(path: Path) -> None:
    version = LanceMemories.open(path / "lance").newest_version()
    assert go_back(path).status is RunStatus.OK
    assert LanceMemories.open(path / "lance").newest_version() == version


def test_open_connections_see_the_restored_ledger(path: Path) -> None:
    with opened(path) as home:
        change_both(path)
        assert home.ledger.count("observations") == 4
        assert go_back(path).status is RunStatus.OK
        assert home.ledger.count("observations") == 3
        home.ledger.commit_harvest(observations(observation("after")), rejected=(), position=None)
        assert dict(home.ledger.check()) == {"integrity": "ok", "foreign_keys": "ok", "full_text": "ok"}


@pytest.mark.parametrize("flow", sorted(set(RECORDED_FLOWS) - {"restore"}))
def test_while_a_flow_runs_a_restore_is_busy_and_touches_nothing(flow: str, path: Path) -> None:
    change_both(path)
    before = everything(path)
    with opened(path, later=5000) as home:
        home.ledger.acquire_lease(flow, run_id="at-work")
        receipt = go_back(path)
    assert (receipt.status, receipt.reason) == (RunStatus.BUSY, "lease_taken")
    assert receipt.facts["held_by"] == "at-work"
    assert everything(path) == before
    assert not (path / INTENT).exists()
    with opened(path, later=5000) as home:
        for other in set(RECORDED_FLOWS) - {flow}:
            home.ledger.acquire_lease(other, run_id="next")


def test_of_two_restores_at_once_one_is_busy(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change_both(path)
    inner: list[RunReceipt] = []
    real = restore_steps.restore_memories

    def meanwhile(*given: Any) -> int:
        # In a thread of their own, so that they are no children of the run that waits for them.
        with ThreadPoolExecutor(1) as other:
            inner.append(other.submit(go_back, path).result())
            inner.append(other.submit(go, path, snapshot, flow="snapshot").result())
        return real(*given)

    meanwhile.__name__ = "restore_memories"
    monkeypatch.setattr(restore_steps, "restore_memories", meanwhile)
    assert go_back(path).status is RunStatus.OK
    assert [(one.status, one.reason) for one in inner] == [(RunStatus.BUSY, "lease_taken")] * 2


def test_while_a_restore_is_unfinished_no_other_flow_runs(path: Path) -> None:
    write_intent(path, Intent("first", "sunrise-x", "killed"))
    receipt = go(path, lambda run: run.count(seen=1), flow="grade")
    assert (receipt.status, receipt.reason) == (RunStatus.FAILED, "restore_unfinished")
    assert "sunrise snapshot restore first --yes" in receipt.anomalies[0].message
    assert receipt.counts == {}
    other = go_back(path, "other")
    assert (other.status, other.reason) == (RunStatus.FAILED, "restore_unfinished")


def test_a_mark_that_cannot_be_read_lets_any_restore_finish(path: Path) -> None:
    (path / INTENT).write_text("{")
    assert go(path, lambda _run: None, flow="grade").reason == "restore_unfinished"
    change_both(path)
    assert go_back(path).status is RunStatus.OK
    assert go(path, lambda _run: None, flow="grade").status is RunStatus.OK


@pytest.mark.parametrize("step", ["snapshot_before", "stage_ledger"])
def test_what_fails_before_a_store_is_touched_leaves_no_mark(
    step: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_both(path)
    before = everything(path)
    monkeypatch.setattr(restore_steps, step, failing(step))
    assert (go_back(path).status, read_intent(path)) == (RunStatus.FAILED, None)
    assert everything(path) == before


@pytest.mark.parametrize("step", ["restore_memories", "restore_ledger"])
def test_what_fails_between_the_stores_is_finished_by_the_same_restore(
    step: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = everything(path)
    change_both(path)
    changed = everything(path)
    with monkeypatch.context() as patch:
        patch.setattr(restore_steps, step, failing(step))
        broken = go_back(path)
    assert (broken.status, broken.reason) == (RunStatus.FAILED, "store")
    intent = read_intent(path)
    assert intent is not None
    assert intent.name == "first"
    done = go_back(path)
    assert (done.status, done.facts["before"]) == (RunStatus.OK, intent.before)
    assert everything(path) == before
    assert go_back(path, done.facts["before"]).status is RunStatus.OK
    assert everything(path) == changed


def test_from_a_half_done_restore_one_can_go_back_instead(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_both(path)
    changed = everything(path)
    with monkeypatch.context() as patch:
        patch.setattr(restore_steps, "restore_ledger", failing("restore_ledger"))
        assert go_back(path).status is RunStatus.FAILED
    intent = read_intent(path)
    assert intent is not None
    assert intent.before is not None
    back = go_back(path, intent.before)
    assert (back.status, back.facts["before"]) == (RunStatus.OK, "first")
    assert everything(path) == changed
    assert read_intent(path) is None


def failing(step: str) -> Callable[..., Any]:
    def fail(*_given: Any, **_named: Any) -> Any:
        raise StoreError("no space left on device")

    fail.__name__ = step
    return fail


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
import lancedb
from tests.restoring import go_back
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
receipt = go_back(Path(sys.argv[1]))
print(receipt.status, receipt.reason)
"""


def test_on_a_full_disk_nothing_is_half_restored(path: Path) -> None:
    before = everything(path)
    change_both(path)
    with opened(path) as home:
        home.ledger.put_note("large", "x" * 3_000_000)
    changed = everything(path)
    # No file may grow to this: large enough for what every run writes, too small for a copy of the ledger.
    limit = str((path / LEDGER_FILE).stat().st_size - 1)
    command = [sys.executable, "-c", FULL_DISK, str(path), limit]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["failed", "store"], done.stderr
    assert everything(path) == changed
    assert read_intent(path) is None
    assert go_back(path).status is RunStatus.OK
    assert everything(path) == before


def test_a_newest_version_that_cannot_be_read_is_no_hindrance(path: Path) -> None:
    before = rows_of_memories(path / "lance")
    data = path / "lance" / "memories.lance" / "data"
    known = set(data.iterdir())
    change_both(path)
    for file in set(data.iterdir()) - known:
        file.unlink()
    with pytest.raises(RuntimeError):
        rows_of_memories(path / "lance")
    receipt = go_back(path)
    assert receipt.status is RunStatus.OK
    assert receipt.facts["differences"].startswith("unknown: ")
    assert rows_of_memories(path / "lance") == before


def test_the_ledger_alone_goes_back_where_a_snapshot_holds_no_memories(path: Path) -> None:
    reseal(path, version=None)
    before = everything(path)
    change_both(path)
    memories = rows_of_memories(path / "lance")
    receipt = go_back(path)
    assert (receipt.status, receipt.counts["stores"], receipt.counts["restored"]) == (RunStatus.OK, 1, 1)
    assert everything(path) == (before[0], memories)


def test_a_manifest_of_an_older_version_is_checked_by_what_it_has(path: Path) -> None:
    before = everything(path)
    old = {"tag", "reason", "created_ms", "version", "rows", "digest", "ledger_sha256"}
    file = path / "backups" / "first" / MANIFEST
    file.write_text(json.dumps({name: v for name, v in json.loads(file.read_text()).items() if name in old}))
    change_both(path)
    assert go_back(path).status is RunStatus.OK
    assert everything(path) == before
    file.write_text(json.dumps({**json.loads(file.read_text()), "rows": 7}))
    assert go_back(path).reason == "tagged_rows_differ"


def test_an_older_ledger_is_migrated_on_its_way_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy_of(path).unlink()
    with monkeypatch.context() as patch:
        patch.setattr(sqlite_connection, "MIGRATIONS", MIGRATIONS[:5])
        older = SqliteLedger(copy_of(path), clock=FrozenClock(NOW))
        older.put_note("of", "long ago")
        older.close()
    sha256 = hashlib.sha256(copy_of(path).read_bytes()).hexdigest()
    reseal(path, ledger_sha256=sha256, digest=digest_of(copy_of(path)), ledger_schema=5)
    change_both(path)
    assert go_back(path).status is RunStatus.OK
    with opened(path) as home:
        assert home.ledger.get_note("of") == "long ago"
        assert home.ledger.count("observations") == 0
        home.ledger.commit_harvest(observations(observation("after")), rejected=(), position=None)


def test_the_page_shows_the_way_back(path: Path) -> None:
    change_both(path)
    receipt = go_back(path)
    page = (path / "reports" / "runs" / f"{receipt.run_id}.html").read_text()
    assert f"sunrise snapshot restore {receipt.facts['before']} --yes" in page
    assert manifest_text(read_snapshots(path / "backups")[-1]) == (
        path / "backups" / "first" / MANIFEST
    ).read_text(encoding="utf-8")
