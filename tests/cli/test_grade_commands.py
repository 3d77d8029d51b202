"""Explaining a grade and measuring a scorer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer

from sunrise.bootstrap import open_home
from sunrise.cli.grade_commands import bench, explain
from sunrise.settings import load_settings
from tests.fakes import FrozenClock
from tests.homes import NOW, observation, observations

Output = pytest.CaptureFixture[str]


@pytest.fixture
def home(home_path: Path) -> str:
    with open_home(load_settings(home_path), clock=FrozenClock(NOW)) as place:
        rows = observations(
            observation("a", kind="task", tool_name="cron", summary="rotate the key"),
            observation("b", kind="note", summary="token ghp_ and \u202eerror"),
        )
        place.ledger.commit_harvest(rows, rejected=(), position=None)
    return str(home_path)


def as_json(capsys: Output) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_text_is_explained_signal_by_signal(home: str, capsys: Output) -> None:
    explain(home, "we must run cron, ok", scorer=None, as_json=False)
    first, blank, *lines = capsys.readouterr().out.splitlines()
    assert (first, blank) == ("0.65  nice_to_have  (heuristic-v1 1)", "")
    assert [line.split()[:3] for line in lines] == [
        ["signal", "weight", "words"],
        ["base", "+0.30"],
        ["policy", "+0.40", "must"],
        ["runbook", "+0.20", "cron"],
        ["chatter", "-0.25", "ok"],
    ]


def test_a_scorer_is_named_or_that_of_the_settings(home: str, capsys: Output) -> None:
    explain(home, "ran without errors", scorer="heuristic-v2", as_json=True)
    assert as_json(capsys)["fired"] == []
    with (Path(home) / "sunrise.toml").open("a") as file:
        file.write('[grade]\nscorer = "heuristic-v2"\n')
    explain(home, "ran without errors", scorer=None, as_json=True)
    assert as_json(capsys)["scorer"] == "heuristic-v2"
    explain(home, "ran without errors", scorer="heuristic-v1", as_json=True)
    assert [one["name"] for one in as_json(capsys)["fired"]] == ["incident"]


def test_with_scoring_off_the_default_is_explained(home: str, capsys: Output) -> None:
    with (Path(home) / "sunrise.toml").open("a") as file:
        file.write('[grade]\nscorer = "off"\n')
    explain(home, "ok", scorer=None, as_json=True)
    assert as_json(capsys)["scorer"] == "heuristic-v1"


def test_an_observation_is_explained_by_its_kind_tool_and_summary(home: str, capsys: Output) -> None:
    explain(home, "obs:1", scorer=None, as_json=True)
    told = as_json(capsys)
    assert [(one["name"], one["words"]) for one in told["fired"]] == [
        ("runbook", ["cron"]),
        ("action", ["kind task"]),
    ]
    assert told["grade"]["score"] == pytest.approx(0.7)
    assert (told["base"], told["grade"]["label"]) == (0.3, "nice_to_have")


def test_a_memory_is_explained_by_its_text(home: str, capsys: Output) -> None:
    explain(home, "mem:m-backup", scorer=None, as_json=True)
    # "Backup the database before every deploy": before is a deadline for tasks only.
    assert [one["name"] for one in as_json(capsys)["fired"]] == ["runbook"]


@pytest.mark.parametrize("ref", ["obs:0", "obs:99", "obs:99999999999999999999999", "mem:nobody", "mem:\x1b"])
def test_a_ref_that_names_nothing_is_a_mistake_of_the_command_line(home: str, ref: str) -> None:
    with pytest.raises(typer.BadParameter, match="no record has this ref") as error:
        explain(home, ref, scorer=None, as_json=False)
    assert "\x1b" not in str(error.value)


def test_nothing_that_moves_a_terminal_and_no_secret_is_shown(home: str, capsys: Output) -> None:
    explain(home, "see https://a.io/\u202e?key=ghp_" + "a1B2" * 9, scorer=None, as_json=False)
    out = capsys.readouterr().out
    assert "\u202e" not in out
    assert "a1B2" not in out
    explain(home, "half \ud83d an error", scorer=None, as_json=True)
    assert as_json(capsys)["fired"][0]["name"] == "incident"


def test_an_unknown_scorer_is_a_mistake_of_the_command_line(home: str, tmp_path: Path) -> None:
    with pytest.raises(typer.BadParameter, match="there are heuristic-v1, heuristic-v2"):
        explain(home, "x", scorer="oracle", as_json=False)
    with pytest.raises(typer.BadParameter, match="no such scorer"):
        bench(str(tmp_path / "none"), scorer="off", as_json=False)


def case(number: int, summary: str, label: str, **window: float) -> dict[str, Any]:
    return {
        "id": f"c{number}",
        "obs": {"kind": "note", "tool_name": None, "summary": summary},
        "expect": {"label": label, **window},
    }


@pytest.fixture
def labelled(tmp_path: Path) -> str:
    cases = [
        case(1, "we must decide: cron every day", "must_remember", score_min=0.8, score_max=1.0),
        case(2, "prefer tabs\u2028and spaces", "Nice To Have"),
        case(3, "ran without errors, mustard", "ignore", score_max=0.4),
        case(4, "blue sky", "ignore", score_min=0.5),
    ]
    path = tmp_path / "labelled.jsonl"
    lines = [json.dumps(one, ensure_ascii=False) for one in cases]
    path.write_text("\n".join([*lines, "", ""]), encoding="utf-8")
    return str(path)


def test_a_scorer_is_measured_on_a_labelled_set(labelled: str, capsys: Output) -> None:
    bench(labelled, scorer=None, as_json=True)
    found = as_json(capsys)
    assert (found["scorer"], found["cases"], found["agreement"]) == ("heuristic-v1", 4, 0.75)
    assert found["confusion"]["ignore"] == {"must_remember": 0, "nice_to_have": 0, "ignore": 1} | {
        "must_remember": 1
    }
    assert found["within_window"] == 0.5
    # 2/3 for must, 1 for nice, 2/3 for ignore.
    assert found["macro_f1"] == pytest.approx((2 / 3 + 1 + 2 / 3) / 3)
    assert [one["case_id"] for one in found["disagreed"]] == ["c3", "c4"]
    bench(labelled, scorer="heuristic-v2", as_json=True)
    assert as_json(capsys)["agreement"] == 1.0


def test_the_measure_is_told_in_words_and_a_table(labelled: str, capsys: Output) -> None:
    bench(labelled, scorer=None, as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("heuristic-v1 1: 3 of 4 labels agree (75.0%), 2 scores are within")
    assert lines[2].split() == ["wanted", "must_remember", "nice_to_have", "ignore"]
    assert lines[5].split() == ["ignore", "1", "0", "1"]
    assert [line.split()[0] for line in lines[7:]] == ["c3", "c4"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"{",
        b"[]",
        b"3",
        b"{}",
        b'{"obs": {}, "expect": {"label": "ignore"}}',
        b'{"obs": {"summary": "x"}, "expect": {"label": "vital"}}',
        b'{"obs": {"summary": "x"}, "expect": {"label": "unknown"}}',
        b'{"obs": {"summary": 3}, "expect": {"label": "ignore"}}',
        b'{"obs": {"summary": "x"}, "expect": {"label": "ignore", "score_min": "?"}}',
        b"\xff",
    ],
)
def test_a_file_that_is_no_labelled_set_is_a_mistake_of_the_command_line(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "set.jsonl"
    path.write_bytes(content)
    with pytest.raises(typer.BadParameter):
        bench(str(path), scorer=None, as_json=False)


def test_a_file_that_is_not_there_is_a_mistake_of_the_command_line(tmp_path: Path) -> None:
    with pytest.raises(typer.BadParameter, match="cannot be read"):
        bench(str(tmp_path / "none.jsonl"), scorer=None, as_json=False)
