"""What a search for texts looks at: each file of a home once, wherever the memories table lies."""

from __future__ import annotations

from pathlib import Path

from sunrise.bootstrap import Home
from tasks.sweep_search import files_of


def test_each_file_is_looked_at_once_though_the_table_lies_in_the_home(home: Home) -> None:
    found = list(files_of(home))
    assert len(found) == len(set(found))
    assert home.path / "spool" / "agent.jsonl" in found
    assert any((home.path / "lance") in path.parents for path in found)


def test_a_table_behind_a_link_is_looked_at_too(home: Home, tmp_path: Path) -> None:
    (home.path / "lance").rename(tmp_path / "elsewhere")
    (home.path / "lance").symlink_to(tmp_path / "elsewhere")
    assert any((home.path / "lance") in path.parents for path in files_of(home))
