"""The commands of admission, as a person and as a program see them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sunrise.cli import app
from sunrise.domain.admission.rules import RuleName
from tests.homes import CONFIG, NOW, OWNERS_SPOOL, write_captures


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SUNRISE_HOME", str(tmp_path))
    (tmp_path / "spool").mkdir()
    (tmp_path / "sunrise.toml").write_text(
        CONFIG + OWNERS_SPOOL + '[admission]\noff = ["heartbeat", "acknowledgement"]\n'
    )
    return tmp_path


def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["sunrise", *words])
    code = 0
    try:
        app.main()
    except SystemExit as left:
        code = int(left.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def test_every_rule_is_listed_with_its_state(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(monkeypatch, capsys, "admission", "rules", "--json")
    states = {one["rule"]: one["state"] for one in json.loads(out)["rules"]}
    assert code == 0
    assert set(states) == set(RuleName)
    assert {rule for rule, state in states.items() if state == "off"} == {"heartbeat", "acknowledgement"}
    lines = run(monkeypatch, capsys, "admission", "rules")[1].splitlines()
    assert lines[0].split()[:3] == ["rule", "state", "a"]
    assert len(lines) == len(RuleName) + 1


def test_the_report_counts_by_rule_and_names_rows(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    beats = [
        {"ts": NOW + n, "kind": "note", "summary": "HEARTBEAT_OK", "source_kind": "agent", "id": f"b{n}"}
        for n in range(1)
    ]
    beats += [
        {"ts": NOW, "kind": "note", "summary": "I moved to Brno", "source_kind": "operator"},
        {"ts": NOW + 20 * 86_400_000, "kind": "note", "summary": "HEARTBEAT_OK", "source_kind": "agent"},
    ]
    write_captures(home / "spool" / "a.jsonl", beats)
    run(monkeypatch, capsys, "run", "harvest")
    (home / "sunrise.toml").write_text(CONFIG + OWNERS_SPOOL)

    code, out, _ = run(monkeypatch, capsys, "admission", "report", "--json")

    assert code == 0
    assert json.loads(out) == {
        "rows": 3,
        "admitted": 1,
        "rules": [
            {
                "rule": "heartbeat",
                "collapsed": 1,
                "archived": 1,
                "by_origin": {"agent": 2},
                "refs": ["obs:1", "obs:3"],
            }
        ],
    }
    text = run(monkeypatch, capsys, "admission", "report")[1]
    assert text.splitlines()[-1] == "3 rows: 1 would be admitted; nothing was changed"


def test_an_empty_ledger_has_nothing_to_report(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run(monkeypatch, capsys, "admission", "report")
    assert out == "0 rows: 0 would be admitted; nothing was changed\n"


def test_a_rule_that_does_not_exist_is_a_mistake_of_the_setup(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "sunrise.toml").write_text(CONFIG + OWNERS_SPOOL + '[admission]\noff = ["heart"]\n')
    code, _, err = run(monkeypatch, capsys, "admission", "report")
    assert (code, err) == (78, "sunrise: [admission] off: no such rule: heart\n")
