"""The newest version is told from the folder's time, and never an old one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pytest

from sunrise.adapters import lance_queries
from sunrise.adapters.lance_border import connect
from sunrise.adapters.lance_files import manifests
from sunrise.adapters.newest_version import NewestVersion

LONG_AGO_NS = 1_700_000_000 * 1_000_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lancedb.connect(tmp_path).create_table("memories", pa.table({"id": ["a"]}))
    return tmp_path / "memories.lance"


def opened(folder: Path) -> Any:
    return connect(folder.parent).open_table("memories")


def settle(folder: Path) -> None:
    """Make the folder of versions look as if nobody had written for long."""
    os.utime(folder / "_versions", ns=(LONG_AGO_NS, LONG_AGO_NS))


class Asked:
    """How often lancedb itself was asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        ask = lance_queries.version

        def counted(table: object) -> int:
            self.times += 1
            return ask(table)

        monkeypatch.setattr(lance_queries, "version", counted)


def test_a_folder_that_stands_is_asked_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, newest = Asked(monkeypatch), NewestVersion(opened(folder))
    settle(folder)
    assert [newest.number() for _ in range(5)] == [1] * 5
    assert asked.times == 1


@pytest.mark.parametrize("old_names", [False, True])
def test_in_a_folder_of_just_now_the_files_tell(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, old_names: bool
) -> None:
    asked, newest, writer = Asked(monkeypatch), NewestVersion(opened(folder)), opened(folder)
    assert newest.number() == 1
    for version in (2, 3, 5):
        for _ in range(version - int(writer.version)):
            writer.add([{"id": "b"}])
        if old_names:
            for one in manifests(folder):
                one.path.rename(one.path.with_name(f"{one.version}.manifest"))
        assert [newest.number(), newest.number()] == [version, version]
        if old_names:
            break
    assert asked.times == 1


def test_versions_that_are_gone_are_told_by_lancedb(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, newest = Asked(monkeypatch), NewestVersion(opened(folder))
    for _ in range(3):
        opened(folder).add([{"id": "b"}])
    assert newest.number() == 4
    shutil.rmtree(folder)
    lancedb.connect(folder.parent).create_table("memories", pa.table({"id": ["a"]}))
    newest = NewestVersion(opened(folder))
    assert newest.number() == 1
    assert asked.times == 2


def test_a_time_in_the_future_is_trusted_as_another_clock_tells_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, newest = Asked(monkeypatch), NewestVersion(opened(folder))
    ahead = time.time_ns() + 3600 * 1_000_000_000
    os.utime(folder / "_versions", ns=(ahead, ahead))
    assert [newest.number(), newest.number()] == [1, 1]
    assert asked.times == 1


def test_each_commit_of_another_process_is_seen_at_once(folder: Path) -> None:
    newest = NewestVersion(opened(folder))
    settle(folder)
    assert newest.number() == 1
    script = "import lancedb, sys; lancedb.connect(sys.argv[1]).open_table('memories').add([{'id': 'b'}])"
    for version in (2, 3):
        subprocess.run([sys.executable, "-c", script, str(folder.parent)], check=True)
        assert newest.number() == version
        settle(folder)
        assert newest.number() == version


def test_every_commit_of_a_busy_writer_is_seen(folder: Path) -> None:
    newest, writer = NewestVersion(opened(folder)), opened(folder)
    for version in range(2, 40):
        writer.add([{"id": str(version)}])
        assert newest.number() == version


def test_a_clean_up_changes_no_number(folder: Path) -> None:
    newest, writer = NewestVersion(opened(folder)), opened(folder)
    writer.add([{"id": "b"}])
    settle(folder)
    assert newest.number() == 2
    max((folder / "_versions").glob("*.manifest")).unlink()
    assert newest.number() == 2


def test_a_folder_that_is_gone_is_told_by_lancedb(folder: Path) -> None:
    newest = NewestVersion(opened(folder))
    settle(folder)
    assert newest.number() == 1
    shutil.rmtree(folder)
    with pytest.raises(Exception, match=r"(?i)not found|no such"):
        newest.number()
