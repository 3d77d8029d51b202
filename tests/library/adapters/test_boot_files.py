"""Which files are read to know what an agent reads at each start."""

from __future__ import annotations

from pathlib import Path

import pytest

from sunrise.adapters.boot_files import MAX_BYTES, boot_texts
from sunrise.settings import Settings, SourceSettings, load_settings


def settings(home: Path, **source: str) -> Settings:
    loaded = load_settings(home)
    return loaded.replaced(sources=(SourceSettings(**source),)) if source else loaded  # type: ignore[arg-type]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    place = tmp_path / "openclaw" / "workspace"
    (place / "memory").mkdir(parents=True)
    (place / "SOUL.md").write_text("Be brief.")
    (place / "MEMORY.md").write_text("- likes tea")
    (place / "NOTES.md").write_text("no boot file")
    (place / "TOOLS.md").write_text("  \n")
    return place


def test_the_boot_files_of_a_workspace_are_read(tmp_path: Path, workspace: Path) -> None:
    gateway = settings(tmp_path, kind="openclaw", path=str(workspace.parent))
    own = settings(tmp_path, kind="markdown", path=str(workspace))
    assert boot_texts(gateway, named=[]) == boot_texts(own, named=[]) == ("- likes tea", "Be brief.")


def test_files_from_which_notes_are_harvested_can_be_left_out(tmp_path: Path, workspace: Path) -> None:
    day = workspace / "memory" / "2026-11-17.md"
    day.write_text("- the saw hangs on the wall")
    named = [day, tmp_path / "openclaw" / "." / "workspace" / "SOUL.md", workspace / "NOTES.md"]
    for kind, path in (("openclaw", workspace.parent), ("markdown", workspace)):
        found = boot_texts(settings(tmp_path, kind=kind, path=str(path)), named=named, with_memories=False)
        assert found == ("no boot file", "Be brief.")


def test_a_memory_file_alone_is_no_workspace(tmp_path: Path, workspace: Path) -> None:
    one = settings(tmp_path, kind="markdown", path=str(workspace / "MEMORY.md"))
    assert boot_texts(one, named=[]) == ()
    assert boot_texts(settings(tmp_path, kind="transcripts", path=str(workspace)), named=[]) == ()


def test_named_files_are_read_once_as_text_and_not_beyond_a_bound(tmp_path: Path) -> None:
    long, broken = tmp_path / "a.md", tmp_path / "b.md"
    long.write_text("x" * (MAX_BYTES + 5))
    broken.write_bytes(b"caf\xe9")
    named = [broken, long, long, tmp_path / "gone.md", tmp_path]
    assert boot_texts(settings(tmp_path), named=named) == ("x" * MAX_BYTES, "caf\ufffd")
