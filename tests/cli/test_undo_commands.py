"""Undo and regrade from the command line: what they print, and the codes they leave with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from sunrise.bootstrap import open_home
from sunrise.cli.exit_codes import ExitCode
from sunrise.cli.undo_commands import regrade, undo_run
from sunrise.domain.records import Change
from sunrise.settings import load_settings
from tests.fakes import FrozenClock
from tests.homes import NOW, observation, observations
from tests.ledgers import grades

Command = Callable[..., tuple[int, str]]


@pytest.fixture
def home_dir(monkeypatch: pytest.MonkeyPatch, home_path: Path) -> Path:
    """A home with one graded row, a manual one and one without a grade."""
    monkeypatch.setenv("PREFECT_HOME", "unused")
    with open_home(load_settings(home_path), clock=FrozenClock(NOW)) as home:
        rows = observations(
            observation("a", summary="Rule: always back up before a deploy"),
            observation("b", importance_label="ignore", importance_score=0.1),
            observation("c", ts_ms=NOW - 90_000_000),
        )
        home.ledger.commit_harvest(rows, rejected=(), position=None)
        held = grades((1, 0.1, "ignore")).set_column(3, "method", [["heuristic-v1"]])
        home.ledger.save_grades(held, run_id="before", seen_up_to=3)
    return home_path


@pytest.fixture
def undo(home_dir: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    def call(run_id: str, **options: Any) -> tuple[int, str]:
        given = {"over_later": False, "dry_run": False, "as_json": False, **options}
        with pytest.raises(SystemExit) as end:
            undo_run(str(home_dir), run_id, **given)
        return int(str(end.value.code or 0)), capsys.readouterr().out

    return call


@pytest.fixture
def grade_anew(home_dir: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    def call(**options: Any) -> tuple[int, str]:
        given: dict[str, Any] = {
            "scorer": None,
            "since": None,
            "scope": None,
            "force": [],
            "preview": False,
            "as_json": False,
        }
        with pytest.raises(SystemExit) as end:
            regrade(str(home_dir), **{**given, **options})
        return int(str(end.value.code or 0)), capsys.readouterr().out

    return call


def run_of(out: str) -> str:
    (line,) = [line for line in out.splitlines() if line.startswith("run ")]
    return line.split()[1]


def test_a_preview_then_a_regrade_then_its_undo_and_the_redo(grade_anew: Command, undo: Command) -> None:
    code, out = grade_anew(preview=True)
    assert (code, "run " in out.replace("(dry run)", "")) == (0, False)
    assert "ignore->nice_to_have" in out
    assert "such as  obs:1" in out
    code, out = grade_anew()
    first = run_of(out)
    assert (code, "regraded 2 + protected 1" in out) == (0, True)
    code, out = undo(first, dry_run=True)
    assert (code, "run " in out.replace("(dry run)", "")) == (0, False)
    code, out = undo(first)
    assert (code, "restored     importance         2" in out) == (0, True)
    assert undo(run_of(out))[0] == 0
    code, out = undo(first, as_json=True)
    assert json.loads(out)["receipt"]["counts"]["restored"] == 2
    assert "already_so   importance         2" in undo(first)[1]


def test_a_later_run_stands_in_the_way_with_words(undo: Command, home_dir: Path) -> None:
    with open_home(load_settings(home_dir), clock=FrozenClock(NOW)) as home:
        for run_id, before, after in (("first", "null", '"x"'), ("second", '"x"', '"y"')):
            made = [Change("obs:1", "scope", before, after, "r")]
            home.ledger.apply_to_observations(made, run_id=run_id)
    code, out = undo("first")
    assert code == ExitCode.FAILED
    assert "failed (changed_by_a_later_run)" in out
    assert "later runs changed the same fields: second (1 records); undo those first" in out
    code, out = undo("first", over_later=True)
    assert (code, "1 of these over a later run" in out) == (0, True)


def test_a_record_that_was_edited_by_hand_is_named(undo: Command, home_dir: Path) -> None:
    from sunrise.adapters.sqlite_ledger import LEDGER_FILE, SqliteLedger

    ledger = SqliteLedger(home_dir / LEDGER_FILE, clock=FrozenClock(NOW))
    ledger.apply_to_observations([Change("obs:1", "scope", "null", '"x"', "r")], run_id="first")
    with ledger.writing() as db:
        db.execute("UPDATE observations SET scope = 'mine'")
    ledger.close()
    code, out = undo("first")
    assert (code, "left alone   obs:1" in out) == (0, True)


def test_an_unknown_run_is_a_mistake_of_the_command_line(home_dir: Path) -> None:
    with pytest.raises(typer.BadParameter, match=r"no run has this id: no\\x1bbody") as error:
        undo_run(str(home_dir), "no\x1bbody", over_later=False, dry_run=False, as_json=False)
    assert error.value.exit_code == ExitCode.USAGE
    with open_home(load_settings(home_dir)) as home:
        assert home.ledger.runs() == ()


def test_a_run_that_changed_nothing_is_told_so(grade_anew: Command, undo: Command, home_dir: Path) -> None:
    grade_anew(preview=True)
    with open_home(load_settings(home_dir)) as home:
        (preview,) = home.ledger.runs()
    code, out = undo(preview.run_id)
    assert (code, "the run changed nothing: there is nothing to undo" in out) == (0, True)


def test_a_stretch_begins_at_a_day_of_the_home_or_at_a_time(grade_anew: Command) -> None:
    # In Taipei row c is of the 17th, the others of the 18th.
    seen = [
        json.loads(grade_anew(since=since, preview=True, as_json=True)[1])["receipt"]["counts"]["seen"]
        for since in ("2026-11-17", "2026-11-18", "2026-11-18T11:06:39+00:00", "2026-11-18T11:06:40Z")
    ]
    assert seen == [3, 2, 2, 0]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"scorer": "oracle"}, "no such scorer: 'oracle'; there are heuristic-v1"),
        ({"scorer": "off"}, "no such scorer: 'off'"),
        ({"force": ["summary"]}, "no such field: summary; there are score, label"),
        ({"since": "yesterday"}, "--since takes a date"),
    ],
    ids=str,
)
def test_mistakes_of_the_command_line_run_nothing(home_dir: Path, options: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {
        "scorer": None,
        "since": None,
        "scope": None,
        "force": [],
        "preview": False,
        "as_json": False,
    }
    with pytest.raises(typer.BadParameter, match=said):
        regrade(str(home_dir), **{**given, **options})
    with open_home(load_settings(home_dir)) as home:
        assert home.ledger.runs() == ()


def test_a_forced_field_reaches_the_run(grade_anew: Command) -> None:
    _, out = grade_anew(force=["score"], as_json=True)
    receipt = json.loads(out)["receipt"]
    assert (receipt["facts"]["forced"], receipt["counts"]["regraded"]) == ("score", 3)
