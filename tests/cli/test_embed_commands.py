"""The command that embeds: what it prints, and the codes it leaves with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sunrise import bootstrap
from sunrise.adapters import embedders
from sunrise.cli.embed_commands import embed
from sunrise.cli.exit_codes import ExitCode
from tests.fakes import FakeEmbedder

Command = Callable[..., tuple[int, str]]


@pytest.fixture
def call(home_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command on a home whose settings name a small model."""
    monkeypatch.setenv("PREFECT_HOME", "unused")
    monkeypatch.setattr(
        embedders, "_BUILT_IN", {"use": lambda: FakeEmbedder(4), "none": embedders.NoEmbedder}
    )
    monkeypatch.setattr(bootstrap, "_embedder", embedders.build_embedder)
    (home_path / "sunrise.toml").write_text("", encoding="utf-8")

    def run(**options: Any) -> tuple[int, str]:
        given = {"dry_run": False, "drop_old": False, "as_json": False, **options}
        with pytest.raises(SystemExit) as end:
            embed(str(home_path), **given)
        return int(str(end.value.code or 0)), capsys.readouterr().out

    return run


def test_a_preview_tells_how_many_and_how_long(call: Command) -> None:
    code, out = call(dry_run=True)
    assert code == ExitCode.OK
    assert "model     fake/1\nbefore    none\nseen      6\nembedded  6\n" in out
    assert "would take about 0 s" in out


def test_the_run_prints_its_counts_and_nothing_of_time(call: Command) -> None:
    code, out = call()
    assert (code, "would take" in out) == (ExitCode.OK, False)
    assert "seen      6\nembedded  6\nkept      0\nempty     0\nfailed    0\ngone      0" in out
    assert "before    fake/1\nseen      6\nembedded  0\nkept      6\n" in call()[1]


def test_json_is_the_receipt(call: Command) -> None:
    code, out = call(as_json=True, drop_old=True)
    receipt = json.loads(out)["receipt"]
    assert (code, receipt["counts"]["embedded"], receipt["flow"]) == (ExitCode.OK, 6, "embed")


def test_without_an_embedder_it_says_where_to_name_one(call: Command, home_path: Path) -> None:
    (home_path / "sunrise.toml").write_text('[embedder]\nname = "none"\n', encoding="utf-8")
    assert "the settings name no embedder: see `embedder.name`" in call()[1]


def test_without_a_table_it_only_says_that_it_was_skipped(call: Command, home_path: Path) -> None:
    (home_path / "sunrise.toml").write_text('[memories]\nuri = "elsewhere"\n', encoding="utf-8")
    out = call()[1]
    assert ("no_memories_table" in out, "model " in out) == (True, False)
