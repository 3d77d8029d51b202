from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sunrise.adapters import spool_writer
from sunrise.adapters.capture_jsonl import CaptureFile
from sunrise.adapters.spool_writer import SpoolWriter
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.errors import DataError, StoreError
from tests.fakes import FrozenClock

WRITER = """
import sys
from pathlib import Path
from sunrise.adapters.spool_writer import SpoolWriter
writer = SpoolWriter(Path(sys.argv[1]), max_bytes=int(sys.argv[3]))
print("ready", flush=True)
for number in range(int(sys.argv[4])):
    events = [{"summary": f"{sys.argv[2]} {number} {part} " + "x" * 3000} for part in range(3)]
    writer.append(events)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "spool"


def start(folder: Path, name: str, *, max_bytes: int = 10**9, times: int = 60) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(folder), name, str(max_bytes), str(times)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def events(folder: Path) -> list[dict[str, Any]]:
    """Every line of every file, each of which must be whole."""
    lines: list[bytes] = []
    for path in sorted(folder.glob("*.jsonl")):
        raw = path.read_bytes()
        assert raw.endswith(b"\n") or not raw
        lines += raw.splitlines()
    return [json.loads(line) for line in lines]


def harvest(ledger: SqliteLedger, folder: Path) -> int:
    added = 0
    for path in sorted(folder.glob("*.jsonl")):
        source = CaptureFile(path)
        for batch in source.batches(ledger.source_position(source.name), now_ms=1, batch_lines=1000):
            added += ledger.commit_harvest(
                batch.rows, rejected=batch.rejected, position=batch.position
            ).observations
    return added


def test_events_become_lines_with_an_id_and_a_time(folder: Path, clock: FrozenClock) -> None:
    writer = SpoolWriter(folder, clock=clock)
    ids = writer.append([{"summary": "one\nline"}, {"summary": "b", "event_id": "mine", "ts": 5}])
    first, second = events(folder)
    assert writer.path == folder / "events.jsonl"
    assert ids == (first["event_id"], "mine")
    assert len(first["event_id"]) == 36
    assert first == {"event_id": ids[0], "summary": "one\nline", "ts": first["ts"]}
    assert first["ts"].endswith("Z")
    assert second == {"event_id": "mine", "summary": "b", "ts": 5}
    assert writer.path.stat().st_mode & 0o077 == 0


def test_a_secret_is_not_written(folder: Path, clock: FrozenClock) -> None:
    token = "ghp_" + "a1B2" * 9
    SpoolWriter(folder, clock=clock).append(
        [{"summary": f"use {token}", "detail": {"password": "swordfish"}}]
    )
    (line,) = [json.loads(text) for path in folder.glob("*.jsonl") for text in path.read_text().splitlines()]
    assert line["summary"] == "use [redacted:github-token]"
    assert line["detail"] == {"password": "[redacted:field]"}


def test_nothing_to_write_makes_nothing(folder: Path) -> None:
    assert SpoolWriter(folder).append([]) == ()
    assert not folder.exists()


@pytest.mark.parametrize("text", ["half \ud83d", "nul \x00", "記憶\u2028", "😀", 'quo"te\\'])
def test_any_text_is_written_and_read_again(folder: Path, text: str) -> None:
    writer = SpoolWriter(folder)
    writer.append([{"summary": text, "detail": {text: [text]}}])
    (batch,) = CaptureFile(writer.path).batches(None, now_ms=1, batch_lines=10)
    assert (batch.rows.num_rows, batch.rejected) == (1, ())


@pytest.mark.parametrize(
    "event", [{"x": object()}, {"x": b"bytes"}, {"x": {1: "a", "b": 2}, "y": object()}, {"x": {1, 2}}]
)
def test_what_is_no_json_is_refused_before_anything_is_written(
    folder: Path, event: Mapping[str, Any]
) -> None:
    with pytest.raises(DataError):
        SpoolWriter(folder).append([{"summary": "good"}, event])
    assert not folder.exists()


def test_an_event_in_itself_is_refused(folder: Path) -> None:
    event: dict[str, Any] = {"summary": "a"}
    event["self"] = event
    with pytest.raises(DataError, match="deep"):
        SpoolWriter(folder).append([event])


def test_a_full_file_is_put_aside_under_a_name_of_its_own(folder: Path, clock: FrozenClock) -> None:
    writer = SpoolWriter(folder, stem="agent", max_bytes=200, clock=clock)
    for number in range(4):
        writer.append([{"event_id": str(number), "summary": "x" * 100}])
    writer.append([{"event_id": "large", "summary": "x" * 1000}])
    names = sorted(path.name for path in folder.glob("*.jsonl"))
    stamps = {name.split(".")[1].split("-")[0] for name in names if name.count(".") == 2}
    assert len(stamps) == 1
    stamp = stamps.pop()
    assert names == [f"agent.{stamp}-{number}.jsonl" for number in (1, 2, 3, 4)] + ["agent.jsonl"]
    assert [event["event_id"] for event in events(folder)] == ["0", "1", "2", "3", "large"]


def test_a_harvest_takes_every_event_once_whatever_is_renamed(folder: Path, ledger: SqliteLedger) -> None:
    writer = SpoolWriter(folder, max_bytes=600)
    for number in range(6):
        inode = writer.path.stat().st_ino if writer.path.exists() else None
        writer.append([{"summary": f"event {number} {part} " + "x" * 60} for part in range(2)])
        assert harvest(ledger, folder) == 2
        assert inode is None or inode in {path.stat().st_ino for path in folder.glob("*.jsonl")}
    assert len(list(folder.glob("*.jsonl"))) > 2
    assert ledger.count("quarantine") == 0


@pytest.mark.parametrize(
    ("before", "kept"),
    [
        (b'{"a":1}\n{"b":', b'{"a":1}\n'),
        (b'{"torn":"' + b"x" * 200_000, b""),
        (b'{"a":1}\n{"torn":"' + b"x" * 200_000, b'{"a":1}\n'),
        (b'{"a":1}\n', b'{"a":1}\n'),
    ],
)
def test_a_torn_last_line_is_cut_off(folder: Path, before: bytes, kept: bytes) -> None:
    folder.mkdir()
    writer = SpoolWriter(folder)
    writer.path.write_bytes(before)
    writer.append([{"event_id": "e", "ts": 1}])
    assert writer.path.read_bytes() == kept + b'{"event_id":"e","ts":1}\n'


def test_a_full_disk_leaves_no_torn_line(folder: Path) -> None:
    writer = SpoolWriter(folder)
    writer.append([{"event_id": "first"}])
    whole = writer.path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 50, hard))
    try:
        with pytest.raises(StoreError, match="cannot write"):
            writer.append([{"event_id": "second", "summary": "x" * 1000}])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert writer.path.read_bytes() == whole
    writer.append([{"event_id": "third"}])
    assert [event["event_id"] for event in events(folder)] == ["first", "third"]


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "spool").write_text("a file", encoding="utf-8")
    with pytest.raises(StoreError):
        SpoolWriter(tmp_path / "spool").append([{"summary": "a"}])


def test_two_processes_never_mix_their_lines(folder: Path) -> None:
    writers = [start(folder, name, max_bytes=300_000) for name in ("ada", "bob")]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
    said = [event["summary"].rstrip("x") for event in events(folder)]
    assert len(said) == 2 * 60 * 3
    assert len(set(said)) == len(said)
    assert len(list(folder.glob("*.jsonl"))) > 2


def test_a_killed_writer_leaves_whole_lines_or_a_tail_that_is_healed(folder: Path) -> None:
    for turn in range(4):
        victim = start(folder, f"victim {turn}", times=100_000)
        time.sleep(0.05 + 0.017 * turn)
        os.kill(victim.pid, signal.SIGKILL)
        victim.wait(timeout=60)
        whole = (folder / "events.jsonl").read_bytes().rpartition(b"\n")[0].splitlines()
        assert all(json.loads(line) for line in whole)
        SpoolWriter(folder).append([{"event_id": f"after {turn}", "summary": "healed"}])
        assert events(folder)[-1]["event_id"] == f"after {turn}"


@pytest.mark.parametrize("has_flock", [True, False])
def test_threads_take_turns_whatever_the_lock(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, has_flock: bool
) -> None:
    monkeypatch.setattr(spool_writer, "_HAS_FLOCK", has_flock)
    writer = SpoolWriter(folder, max_bytes=5000)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: writer.append([{"summary": f"{number} " + "x" * 500}]), range(40)))
    assert len({event["summary"] for event in events(folder)}) == 40
    assert not list(folder.glob(".*.held"))


def test_a_lock_that_is_never_given_back_is_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool_writer, "LOCK_TIMEOUT_S", 0.05)
    folder.mkdir()
    with spool_writer._locked(folder / ".events.lock"), pytest.raises(StoreError, match="another writer"):
        SpoolWriter(folder).append([{"summary": "a"}])


def test_the_lock_file_of_a_dead_writer_is_taken_away(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool_writer, "_HAS_FLOCK", False)
    folder.mkdir()
    held = folder / ".events.held"
    held.touch()
    os.utime(held, (1, 1))
    SpoolWriter(folder).append([{"summary": "a"}])
    assert len(events(folder)) == 1
