from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from operator import length_hint
from pathlib import Path

import pytest

from sunrise.adapters import capture_jsonl, capture_process, reading_process
from sunrise.adapters.capture_jsonl import CaptureBatch, CaptureFile, capture_batches
from sunrise.adapters.entry_screen import screened
from sunrise.errors import StoreError

NOW = 1_790_000_000_000
LINE = '{{"ts":"2026-06-12T00:00:00Z","summary":"row {0} of the capture, password=hunter2{0}"}}\n'


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(capture_jsonl, "MUCH_BYTES", 1)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    path = tmp_path / "capture.jsonl"
    path.write_text("".join(LINE.format(number) for number in range(300)) + "{broken\n", encoding="utf-8")
    return path


def elsewhere(path: Path) -> Iterator[CaptureBatch]:
    return CaptureFile(path).batches(None, now_ms=NOW, batch_lines=100)


def workers() -> set[int]:
    found = subprocess.run(
        ["ps", "--ppid", str(os.getpid()), "-o", "pid=,args="], capture_output=True, text=True, check=False
    )
    return {int(line.split()[0]) for line in found.stdout.splitlines() if "capture_worker" in line}


def test_another_process_reads_the_same(path: Path) -> None:
    batches = elsewhere(path)
    assert length_hint(batches) == 1
    here = capture_batches(path, source=str(path), position=None, now_ms=NOW, batch_lines=100)
    there = list(batches)
    # What is more to be done with a row, the other process has done.
    assert there == [replace(one, rows=screened(one.rows, "summary", "summary_en")) for one in here]
    assert [batch.rows.num_rows for batch in there] == [100, 100, 100, 0]
    assert workers() == set()
    # What was read is not read again.
    assert list(CaptureFile(path).batches(there[-1].position, now_ms=NOW, batch_lines=100)) == []


def test_a_file_that_is_not_there_yields_nothing(path: Path) -> None:
    batches = capture_process.batches_from_process(
        path.with_name("gone"), source="s", position=None, now_ms=NOW, batch_lines=100
    )
    assert list(batches) == []


def test_what_cannot_be_read_is_told_of_as_here(path: Path, tmp_path: Path) -> None:
    batches = capture_process.batches_from_process(
        tmp_path, source="s", position=None, now_ms=NOW, batch_lines=100
    )
    with pytest.raises(StoreError, match="cannot read the capture"):
        next(batches)


def test_a_reader_that_is_killed_is_told_of(path: Path) -> None:
    path.write_text("".join(LINE.format(number) for number in range(20_000)), encoding="utf-8")
    batches = elsewhere(path)
    first = next(batches)
    assert first.rows.num_rows == 100
    for pid in workers():
        os.kill(pid, signal.SIGKILL)
    with pytest.raises(StoreError, match="died"):
        list(batches)


def test_the_reader_ends_when_nobody_wants_its_batches(path: Path) -> None:
    path.write_text("".join(LINE.format(number) for number in range(20_000)), encoding="utf-8")
    batches = elsewhere(path)
    assert len(workers()) == 1
    next(batches)
    del batches
    assert workers() == set()
    unread = elsewhere(path)
    del unread
    assert workers() == set()


def test_the_reader_ends_with_a_parent_that_is_killed(path: Path) -> None:
    path.write_text("".join(LINE.format(number) for number in range(50_000)), encoding="utf-8")
    code = (
        "import sys; from pathlib import Path; from sunrise.adapters import capture_process as p\n"
        "worker = []; start = p.start\n"
        "p.start = lambda: worker.append(start()) or worker[0]\n"
        f"path = Path({str(path)!r})\n"
        "b = p.batches_from_process(path, source='s', position=None, now_ms=1, batch_lines=50)\n"
        "next(b); print(worker[0].pid, flush=True); sys.stdin.read()"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    reader = int(parent.stdout.readline())
    assert Path(f"/proc/{reader}").exists()
    parent.kill()
    parent.communicate()
    deadline = time.monotonic() + 20
    while _runs(reader) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _runs(reader)


def test_without_a_second_process_the_file_is_read_here(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(reading_process, "_start", refuse)
    assert sum(batch.rows.num_rows for batch in elsewhere(path)) == 300


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
