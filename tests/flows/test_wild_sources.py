"""What is no file, or finds no room, is told of plainly: nothing hangs and nothing is half-written."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.records import QuarantineState
from sunrise.errors import StoreError
from tasks.harvest import read_sources, retry_quarantined
from tests.flows.wild import NEIGHBOUR, adds_up, line, opened, rows_of, spooled
from tests.ledgers import WHOLE

KINDS = ["capture", "transcripts", "agent-database", "markdown", "legacy-ledger", "openclaw"]
MANY = 4000


def folder(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def loop(path: Path) -> None:
    path.symlink_to(path)


def pipe_by_link(path: Path) -> None:
    os.mkfifo(path.with_suffix(".pipe"))
    path.symlink_to(path.with_suffix(".pipe"))


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def unreadable(path: Path) -> None:
    path.write_bytes(NEIGHBOUR)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")


@pytest.mark.timeout(10)
@pytest.mark.parametrize("make", [folder, pipe, loop, pipe_by_link, device, unreadable])
def test_what_is_no_file_is_named_and_the_others_are_read(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    spooled(tmp_path, "b.jsonl", NEIGHBOUR)
    make(tmp_path / "spool" / "a.jsonl")
    with opened(tmp_path) as home:
        for inserted in (1, 0):
            found = read_sources(home, dry_run=False)
            assert (found.sources, found.inserted) == (2, inserted)
            assert [one.partition(":")[0] for one in found.unreadable] == [
                str(tmp_path / "spool" / "a.jsonl")
            ]


@pytest.mark.timeout(10)
@pytest.mark.parametrize("kind", KINDS)
def test_a_pipe_that_is_named_as_a_source_is_never_opened(kind: str, tmp_path: Path) -> None:
    pipe(tmp_path / "pipe")
    spooled(tmp_path, "b.jsonl", NEIGHBOUR)
    (tmp_path / "sunrise.toml").write_text(f'[[sources]]\nkind = "{kind}"\npath = "pipe"\n', encoding="utf-8")
    with opened(tmp_path) as home:
        found = read_sources(home, dry_run=False)
    assert (found.inserted, len(found.unreadable)) == (1, 1)


def test_a_name_that_is_no_text_is_said_in_one_that_is(tmp_path: Path) -> None:
    spooled(tmp_path, "b.jsonl", NEIGHBOUR)
    spooled(tmp_path, os.fsdecode(b"\xff.jsonl"), NEIGHBOUR)
    with opened(tmp_path) as home:
        found = read_sources(home, dry_run=False)
    assert found.inserted == 1
    assert "\\xff.jsonl: " in found.unreadable[0]


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b"  \n\n\r\n", b'{"summary": "torn'])
def test_a_file_without_a_whole_record_is_nothing_to_tell_of(data: bytes, tmp_path: Path) -> None:
    spooled(tmp_path, "a.jsonl", data)
    with opened(tmp_path) as home:
        assert adds_up(read_sources(home, dry_run=False)) == 0
        assert adds_up(read_sources(home, dry_run=False)) == 0


def test_a_refused_line_whose_file_became_a_folder_waits_on(tmp_path: Path) -> None:
    path = spooled(tmp_path, "a.jsonl", b"{\n")
    with opened(tmp_path) as home:
        read_sources(home, dry_run=False)
        path.unlink()
        path.mkdir()
        assert retry_quarantined(home).resolved == 0
        assert [one.state for one in home.ledger.quarantined()] == [QuarantineState.WAITING]


@contextmanager
def no_file_beyond(size: int, _home: Path) -> Iterator[None]:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@contextmanager
def disk_of(size: int, home: Path) -> Iterator[None]:
    """Put a disk of this size where the ledger is, and give it room afterwards."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(home)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("this user may not mount")
    try:
        yield
    finally:
        subprocess.run(["mount", "-o", "remount,size=64m", str(home)], check=True)


@pytest.mark.parametrize("limited", [no_file_beyond, disk_of])
def test_a_full_disk_ends_the_run_and_the_next_one_finishes_it(
    limited: Callable[[int, Path], AbstractContextManager[None]], tmp_path: Path
) -> None:
    root = tmp_path / "home"
    root.mkdir()
    lines = (line(id=f"w-{i}", summary=f"word {i} " * 50) for i in range(MANY))
    captures = spooled(tmp_path, "many.jsonl", b"\n".join(lines) + b"\n")
    try:
        with limited(1_500_000, root):
            (root / "sunrise.toml").write_text(
                f'[harvest]\nbatch_lines = 500\n[[sources]]\nkind = "capture"\npath = "{captures}"\n'
            )
            with opened(root) as home, pytest.raises(StoreError, match=r"ledger\.sqlite cannot be written"):
                read_sources(home, dry_run=False)
        with opened(root) as home:
            before = len(rows_of(home))
            position = home.ledger.source_position(str(captures))
            # Rows and position belong together: as many lines were passed as there are rows.
            assert before == (position.line if position else 0) < MANY
            assert before % 500 == 0
            found = read_sources(home, dry_run=False)
            assert adds_up(found) == found.inserted == MANY - before
            assert len(rows_of(home)) == MANY
            assert isinstance(home.ledger, SqliteLedger)
            assert home.ledger.check() == WHOLE
    finally:
        subprocess.run(["umount", str(root)], check=False, capture_output=True)
