"""Bringing back from the command line what was held back at entry."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from flows.harvest import harvest
from sunrise.cli.exit_codes import ExitCode
from tests.commands import typed
from tests.homes import CONFIG, run_body, write_captures

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home that put two rows of an agent and one of a tool into the archive."""
    (tmp_path / "sunrise.toml").write_text(CONFIG)
    beat = {"kind": "note", "source_kind": "agent", "summary": "HEARTBEAT_OK"}
    tool = {"kind": "tool", "tool_name": "exec", "summary": "Relevant memories:\n1. [fact] tea at four"}
    write_captures(
        tmp_path / "spool" / "a.jsonl", [{**beat, "id": "x"}, {**beat, "id": "y", "scope": "work"}]
    )
    write_captures(tmp_path / "spool" / "b.jsonl", [tool])
    assert run_body(tmp_path, harvest, flow="harvest").counts["inserted"] == 3
    return tmp_path


@pytest.fixture
def held(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.setenv("SUNRISE_HOME", str(home))
    return partial(typed, monkeypatch, capsys)


def test_rows_of_a_source_are_shown_brought_back_and_taken_back(held: Command, home: Path) -> None:
    code, out, _ = held("revive", "--source", "a.jsonl", "--dry-run")
    assert (code, out.splitlines()[-1]) == (0, "2 rows would be brought back")
    assert str(home / "spool" / "a.jsonl") in out
    assert held("get", "obs:1", "--json")[1].count('"state": "archived"') == 1

    code, out, _ = held("memory", "revive", "--source", "a.jsonl")
    assert (code, out.splitlines()[-2]) == (0, "2 rows are in use again")
    assert held("get", "obs:1", "--json")[1].count('"state": "active"') == 1
    assert held("get", "obs:3", "--json")[1].count('"state": "archived"') == 1

    undo = out.splitlines()[-1].removeprefix("to take it back: sunrise ").split()
    assert held(*undo)[0] == 0
    assert held("get", "obs:1", "--json")[1].count('"state": "archived"') == 1


def test_rows_of_a_run_and_of_a_tier_are_brought_back(held: Command) -> None:
    runs = json.loads(held("receipts", "--json")[1])["receipts"]
    run_id = next(run["run_id"] for run in runs if run["flow"] == "harvest")
    code, out, _ = held("revive", "--run", run_id, "--trust", "untrusted", "--json")
    assert code == 0
    assert json.loads(out)["receipt"]["refs"] == {"revived": ["obs:3"]}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name one REF, or --source NAME, or --run RUN"),
        (["obs:1", "--source", "a.jsonl"], "name one REF"),
        (["--trust", "trusted"], "name one REF"),
        (["--source", "a.jsonl", "--trust", "maybe"], "there are trusted"),
        (["--source", "c.jsonl"], "a.jsonl (2), "),
        (["--run", "nobody"], "see `sunrise receipts`"),
    ],
)
def test_what_is_asked_wrongly_is_said(held: Command, words: list[str], said: str) -> None:
    code, _, err = held("revive", *words)
    assert code == ExitCode.USAGE
    assert said in " ".join(err.split())
