"""Files that appear whole, and paths that lead out of a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from sunrise.adapters.whole_files import inside, written_whole
from sunrise.errors import ConfigurationError, StoreError


def names(folder: Path) -> list[str]:
    return [one.name for one in folder.iterdir()]


def test_a_file_takes_its_name_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with written_whole(path) as file:
        file.write(b"half")
        assert not path.exists()
    assert path.read_bytes() == b"half"
    assert path.stat().st_mode & 0o777 == 0o600
    assert names(tmp_path) == ["out.jsonl"]


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old")

    def fail() -> None:
        with written_whole(path) as file:
            file.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["out.jsonl"]


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("kept")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with written_whole(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "real").read_text() == "kept"
    assert (tmp_path / "link").read_text() == "new"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none" / "out"):
        with pytest.raises(ConfigurationError), written_whole(path):
            pass


def test_a_disk_that_is_full_fails_as_a_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no space"), written_whole(tmp_path / "out"):
        raise OSError("no space")
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "path",
    ["..", ".", "", "/etc/passwd", "../x", "a/../../x", "out/../..", "link/x", "a\0b", "~/x/../../../.."],
)
def test_a_path_that_leads_out_is_refused(tmp_path: Path, path: str) -> None:
    folder = tmp_path / "allowed"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    with pytest.raises(ConfigurationError):
        inside(path, folder)


def test_a_path_inside_is_taken(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    assert inside("sub/../a.jsonl", tmp_path) == tmp_path.resolve() / "a.jsonl"
    assert inside(str(tmp_path / "sub" / "a"), tmp_path) == tmp_path.resolve() / "sub" / "a"
