"""The commands of the service and of recall, as a person and as a program see them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sunrise.cli import app, start
from sunrise.cli.exit_codes import ExitCode
from sunrise.serve.tokens import Caller, Right, load_tokens
from tests.commands import typed
from tests.serving import make_home, served


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = make_home(tmp_path / "home")
    monkeypatch.setenv("SUNRISE_HOME", str(made))
    return made


def test_recall_answers_without_a_service(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = typed(monkeypatch, capsys, "recall", "green tea", "-v")
    assert (code, err) == (0, "sunrise: answered by this process\n")
    ref, text = out.splitlines()
    assert ref.startswith("mem:m-tea  ")
    assert text == "  The user likes green tea"
    code, out, _ = typed(monkeypatch, capsys, "recall", "green plan", "--scope", "agent:1", "--json")
    assert [item["ref"] for item in json.loads(out)["items"]] == ["mem:m-secret-plan"]


def test_recall_of_nothing_says_why(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed(monkeypatch, capsys, "recall", "zebra")[:2] == (
        0,
        "nothing fits in scope global; 2 scopes hold memories, try --scope agent:1\n",
    )
    assert typed(monkeypatch, capsys, "recall", "...")[:2] == (
        0,
        "the question has no words to look for: say what you want to know\n",
    )
    assert typed(monkeypatch, capsys, "recall", "a", "--limit", "0")[0] == ExitCode.USAGE


def test_a_token_is_made_once_and_not_shown(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = typed(monkeypatch, capsys, "serve", "--init-token", "--json")
    token = (home / "serve.token").read_text().strip()
    assert (code, json.loads(out)) == (0, {"file": str(home / "serve.token"), "made": True})
    _, out, _ = typed(monkeypatch, capsys, "serve", "--init-token")
    assert "(kept)" in out
    assert token not in out


def test_a_bound_token_is_shown_once(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("token", "gateway", "--scope", "agent:1", "--right", "read", "--right", "write")
    code, out, _ = typed(monkeypatch, capsys, *words)
    expected = Caller("gateway", frozenset({Right.READ, Right.WRITE}), ("agent:1",))
    assert code == 0
    assert load_tokens(home).bearer(out.strip()) == expected
    code, _, err = typed(monkeypatch, capsys, *words)
    assert (code, err) == (ExitCode.CONFIGURATION, "sunrise: the name 'gateway' is taken\n")
    code, _, err = typed(monkeypatch, capsys, "token", "other", "--right", "root")
    assert code == ExitCode.USAGE
    assert "read, write, admin" in err


def test_a_token_is_given_a_right(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = typed(monkeypatch, capsys, "token", "gateway", "--scope", "agent:1", "--right", "write")
    code, told, _ = typed(monkeypatch, capsys, "token", "gateway", "--grant", "owner", "--json")
    assert (code, json.loads(told)) == (0, {"name": "gateway", "rights": ["write", "owner"]})
    expected = Caller("gateway", frozenset({Right.WRITE, Right.OWNER}), ("agent:1",))
    assert load_tokens(home).bearer(out.strip()) == expected
    code, _, err = typed(monkeypatch, capsys, "token", "nobody", "--grant", "owner")
    assert (code, err) == (
        ExitCode.CONFIGURATION,
        "sunrise: there is no token 'nobody'; there are: gateway\n",
    )
    for words in (("--grant", "root"), ("--grant", "owner", "--scope", "a")):
        assert typed(monkeypatch, capsys, "token", "gateway", *words)[0] == ExitCode.USAGE


def test_the_service_is_not_started_in_a_home_that_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = typed(monkeypatch, capsys, "serve", "--home", str(tmp_path / "none"))
    assert code == ExitCode.CONFIGURATION
    assert err.endswith("make it with `sunrise init`\n")


def test_a_port_that_is_taken_is_named(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(home) as running:
        code, _, err = typed(monkeypatch, capsys, "serve", "--port", str(running.port))
    assert code == ExitCode.CONFIGURATION
    assert f"cannot listen on 127.0.0.1:{running.port}" in err


def test_the_whole_command_line_answers_alike(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    quick = typed(monkeypatch, capsys, "recall", "green tea")
    monkeypatch.setattr(start, "main", app.main)
    assert typed(monkeypatch, capsys, "recall", "green tea") == quick
