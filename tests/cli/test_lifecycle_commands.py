"""`sunrise lifecycle approve`: what it prints, and the codes it leaves with."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from flows.lifecycle import lifecycle
from sunrise.bootstrap import open_home
from sunrise.cli.exit_codes import ExitCode
from sunrise.settings import load_settings
from tests.commands import typed
from tests.fakes import FrozenClock
from tests.homes import NOW, observation, observations, position, run_body

Typed = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(home_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    monkeypatch.setenv("SUNRISE_HOME", str(home_path))
    return partial(typed, monkeypatch, capsys)


@pytest.fixture
def held_back(home_path: Path) -> str:
    """The id of a run that archived nothing, because eight chats of ten rows would have gone."""
    judged = {"importance_label": "ignore", "importance_score": 0.05, "ts_ms": 1_700_000_000_000}
    rows = [observation(f"o{n}", **(judged if n < 8 else {})) for n in range(10)]
    with open_home(load_settings(home_path), clock=FrozenClock(NOW)) as home:
        home.ledger.commit_harvest(observations(*rows), rejected=(), position=position())
    receipt = run_body(home_path, lifecycle, flow="lifecycle", clock=FrozenClock(NOW))
    assert receipt.counts["withheld"] == 9
    return receipt.run_id


def test_an_approval_archives_what_was_held_back_and_names_its_run(run: Typed, held_back: str) -> None:
    code, said, _ = run("lifecycle", "approve", held_back, "--dry-run")
    assert code == ExitCode.OK
    assert "seen 9 = archived 9" in said
    assert "run      " not in said
    code, said, _ = run("lifecycle", "approve", held_back)
    lines = said.splitlines()
    assert code == ExitCode.OK
    assert "archived     ignored_P2         9" in lines
    assert lines[-1].startswith("run      ")
    _, said, _ = run("undo", lines[-1].split()[1], "--dry-run", "--json")
    assert json.loads(said)["receipt"]["counts"]["restored"] == 18
    code, said, _ = run("lifecycle", "approve", held_back)
    assert code == ExitCode.OK
    assert "left alone   9 were used, graded or archived since" in said


def test_a_run_of_which_nothing_waits_is_refused(run: Typed) -> None:
    _, before, _ = run("receipts", "--json")
    code, _, complaint = run("lifecycle", "approve", "20260101T000000-lifecycle-abcdef")
    assert code == ExitCode.USAGE
    assert "nothing of the run 20260101T000000-lifecycle-abcdef waits" in " ".join(complaint.split())
    # Nothing ran, so no failed run is left for doctor to name.
    assert run("receipts", "--json")[1] == before
