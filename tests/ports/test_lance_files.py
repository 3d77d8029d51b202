"""The files of a table on disk: what is needed, missing and left over; and a disk that is full."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pytest

from sunrise.adapters import lance_files
from sunrise.adapters.lance_border import connect
from sunrise.adapters.lance_files import manifests, missing_files, orphan_files, thin_versions
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.ports import TableFiles

HOUR = 3600
FULL_DISK = """
import resource, signal, sys
from datetime import timedelta
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.errors import StoreError

table = LanceMemories.open(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    table.optimize(keep=timedelta(days=7))
except StoreError as error:
    print(error)
else:
    raise SystemExit("it was optimized after all")
"""


def table_in(path: Path, *adds: int) -> LanceMemories:
    table = LanceMemories.create(path, dimension=0)
    for turn, count in enumerate(adds):
        ids = [f"{turn}-{number}" for number in range(count)]
        table.add(pa.table({"id": ids, "text": [f"text of {one}" for one in ids], "terms": ids}))
    return table


def aged(path: Path) -> Path:
    for one in [path, *path.rglob("*")]:
        os.utime(one, (time.time() - 2 * HOUR,) * 2)
    return path


def test_versions_are_listed_newest_first(tmp_path: Path) -> None:
    table = table_in(tmp_path, 1, 1, 1)
    found = manifests(tmp_path / "memories.lance")
    assert [one.version for one in found] == list(range(table.state().version, 0, -1))
    assert all(one.is_whole for one in found)
    assert table.state().versions == len(found)


def test_a_manifest_that_was_cut_is_not_whole(tmp_path: Path) -> None:
    table_in(tmp_path, 1)
    newest = manifests(tmp_path / "memories.lance")[0]
    content = newest.path.read_bytes()
    for end in (0, 2, len(content) - 1):
        newest.path.write_bytes(content[:end])
        assert not newest.is_whole


def test_what_only_old_versions_need_is_dead(tmp_path: Path) -> None:
    table = table_in(tmp_path, 5, 5)
    assert table.files() == TableFiles(dead_bytes=0, orphans=0, orphan_bytes=0)
    data = tmp_path / "memories.lance" / "data"
    old = sum(path.stat().st_size for path in data.iterdir())
    table.optimize(keep=timedelta(days=7))
    assert table.files() == TableFiles(dead_bytes=old, orphans=0, orphan_bytes=0)


def test_old_files_that_no_version_names_are_orphans(tmp_path: Path) -> None:
    table = table_in(tmp_path, 5)
    table.build_missing_indices()
    folder = tmp_path / "memories.lance"
    aged(folder)
    assert orphan_files(folder) == []
    data = folder / "data" / f"{'01' * 12}{'9e' * 13}.lance"
    data.write_bytes(b"x" * 7)
    index = folder / "_indices" / str(uuid4()) / "page.lance"
    index.parent.mkdir()
    index.write_bytes(b"x" * 5)
    assert orphan_files(folder) == []
    aged(folder)
    assert orphan_files(folder) == sorted([index, data])
    assert table.files() == TableFiles(dead_bytes=0, orphans=2, orphan_bytes=12)


def test_a_data_file_that_is_gone_is_missing_only_while_it_is_needed(tmp_path: Path) -> None:
    table = table_in(tmp_path, 5, 5)
    folder = tmp_path / "memories.lance"
    assert missing_files(folder) == []
    olds = list((folder / "data").iterdir())
    table.optimize(keep=timedelta(days=7))
    for path in olds:
        path.unlink()
    assert missing_files(folder) == []
    (left,) = (folder / "data").iterdir()
    left.unlink()
    assert missing_files(folder) == [left]


def test_too_many_manifests_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_in(tmp_path, 1)
    monkeypatch.setattr(lance_files, "MOST_MANIFEST_BYTES", 100)
    assert (table.files(), orphan_files(tmp_path / "memories.lance")) == (None, None)


def test_a_disk_that_is_full_leaves_the_table_whole(tmp_path: Path) -> None:
    table = table_in(tmp_path, *[400] * 8)
    table.build_missing_indices()
    table_in(tmp_path, 300)
    before = table.scan(["id", "text", "terms"]).sort_by("id")
    ended = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout[:37]) == (0, "cannot optimize the memories table: l"), ended.stderr
    assert table.scan(["id", "text", "terms"]).sort_by("id") == before
    table.optimize(keep=timedelta(days=7))
    assert not any(index.unindexed_rows for index in table.state().indices)
    assert table.scan(["id", "text", "terms"]).sort_by("id") == before
    assert all(one.ok for one in table.probe_indices(seed=1))


def test_old_versions_go_where_their_manifests_cannot_all_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = table_in(tmp_path, *[3] * 12)
    folder = tmp_path / "memories.lance"
    reader = LanceMemories.open(tmp_path)
    found = manifests(folder)
    connect(tmp_path).open_table("memories").tags.create("kept", 4)
    sizes = {one.version: one.path.stat().st_size for one in found}
    monkeypatch.setattr(lance_files, "MOST_MANIFEST_BYTES", sum(sizes.values()))
    assert thin_versions(folder, {4}, older_than=timedelta(0)) == 0
    monkeypatch.setattr(lance_files, "MOST_MANIFEST_BYTES", sum(sizes.values()) - 1)
    assert thin_versions(folder, {4}, older_than=timedelta(hours=1)) == 0
    removed = thin_versions(folder, {4}, older_than=timedelta(0))
    left = [one.version for one in manifests(folder)]
    assert 0 < removed == len(found) - len(left)
    assert (left[0], left[-1]) == (found[0].version, 4)
    assert sum(sizes[version] for version in left) <= sum(sizes.values()) // 2
    assert left[:-1] == list(range(left[0], left[-2] - 1, -1))
    assert reader.scan(["id"]).num_rows == 36
    table.optimize(keep=timedelta(days=7))
    assert (table.scan(["id"]).num_rows, table.state().fragments) == (36, 1)
