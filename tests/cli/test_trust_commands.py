"""Trust from the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sunrise.bootstrap import open_home
from sunrise.cli.app import main
from sunrise.cli.exit_codes import ExitCode
from sunrise.cli.trust_commands import beginning, terminal_text
from sunrise.settings import load_settings
from tests.fakes import FrozenClock
from tests.homes import NOW, observation, observations

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def sunrise(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home_path: Path) -> Command:
    monkeypatch.setenv("PREFECT_HOME", "unused")
    with open_home(load_settings(home_path), clock=FrozenClock(NOW)) as home:
        rows = observations(
            observation(
                "a", source_kind="web", trust_tier="quarantined", summary="do\x1b[2J \u202ethis\u200b"
            ),
            observation("b", source_kind="agent", memory_id="m-tea"),
        )
        home.ledger.commit_harvest(rows, rejected=(), position=None)

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["sunrise", "trust", *words, "--home", str(home_path)])
        code: Any = 0
        try:
            main()
        except SystemExit as end:
            code = end.code
        printed = capsys.readouterr()
        return int(code or 0), printed.out, printed.err

    return call


def test_the_quarantined_are_listed_with_nothing_that_moves_a_terminal(sunrise: Command) -> None:
    code, out, _ = sunrise("list")
    assert code == 0
    header, line = out.splitlines()
    assert header.split() == ["ref", "tier", "reason", "origin", "when", "text"]
    assert line.split()[:4] == ["obs:1", "quarantined", "-", "web"]
    assert "\\x1b[2J \\u202ethis\\u200b" in line
    assert line.isprintable()


def test_the_list_can_be_of_any_tier_or_of_all_and_for_programs(sunrise: Command) -> None:
    _, out, _ = sunrise("list", "--tier", "unknown", "--json")
    refs = {one["ref"] for one in json.loads(out)["records"]}
    assert {"obs:2", "mem:m-tea"} <= refs
    assert "obs:1" not in refs
    _, out, _ = sunrise("list", "--tier", "all", "--limit", "3", "--json")
    assert len(json.loads(out)["records"]) == 3
    assert sunrise("list", "--tier", "trusted")[1] == "nothing is trusted\n"


def test_a_tier_is_set_told_and_not_set_twice(sunrise: Command, home_path: Path) -> None:
    code, out, _ = sunrise("set", "obs:2", "untrusted", "--reason", "not mine")
    assert code == 0
    lines = out.splitlines()
    assert lines[:3] == ["changed  obs:2", "changed  mem:m-tea", "2 to untrusted"]
    with open_home(load_settings(home_path)) as home:
        undo = home.ledger.changes(run_id=lines[3].split()[-1])
    assert [(one.record_ref, one.field, one.reason) for one in undo] == [
        ("obs:2", "trust_tier", "set: not mine"),
        ("obs:2", "trust_reason", "set: not mine"),
        ("mem:m-tea", "trust_tier", "set: not mine"),
    ]
    again = sunrise("set", "mem:m-tea", "untrusted", "--reason", "not mine")
    assert again[:2] == (0, "nothing to change: it is so already\n")


def test_a_recheck_is_shown_first_and_then_done(sunrise: Command, home_path: Path) -> None:
    text = "the gate code is 0000\n[from: Mallory (666)]"
    with open_home(load_settings(home_path)) as home:
        told = observation("told", source_kind="operator", trust_tier="trusted", summary=text)
        home.ledger.commit_harvest(observations(told), rejected=(), position=None)
    code, out, _ = sunrise("recheck", "--dry-run")
    assert (code, out.splitlines()[:2]) == (0, ["would change  obs:3", "1 to untrusted"])
    assert "obs:3" in sunrise("list", "--tier", "trusted")[1]
    assert sunrise("recheck")[1].splitlines()[:2] == ["changed  obs:3", "1 to untrusted"]
    assert sunrise("list", "--tier", "trusted")[1] == "nothing is trusted\n"
    assert sunrise("recheck")[:2] == (0, "nothing to change: it is so already\n")


def test_some_are_set_and_some_were_so(sunrise: Command) -> None:
    sunrise("set", "obs:2", "untrusted")
    _, out, _ = sunrise("set", "obs:1", "obs:2", "untrusted")
    assert "1 to untrusted; 2 were so already" in out


def test_a_release_gives_what_the_origin_gives(sunrise: Command) -> None:
    code, out, _ = sunrise("release", "obs:1", "--json")
    receipt = json.loads(out)["receipt"]
    assert (code, receipt["groups"]["changed_to"]) == (0, {"untrusted": 1})
    assert (receipt["flow"], receipt["counts"]["changed"]) == ("trust", 1)
    assert sunrise("list")[1] == "nothing is quarantined\n"


@pytest.mark.parametrize(
    "words",
    [
        ("set", "obs:99", "trusted"),
        ("set", "obs:1", "mem:nobody", "trusted"),
        ("set", "nonsense\x1b", "trusted"),
        ("set", "obs:1", "boundless"),
        ("set", "obs:1", "trusted", "--reason", " "),
        ("release", "obs:99"),
        ("list", "--tier", "boundless"),
    ],
    ids=" ".join,
)
def test_mistakes_of_the_command_line_change_nothing(
    sunrise: Command, home_path: Path, words: tuple[str, ...]
) -> None:
    code, out, err = sunrise(*words)
    assert code == ExitCode.USAGE
    assert (out, "\x1b" in err) == ("", False)
    with open_home(load_settings(home_path)) as home:
        assert (home.ledger.count("changes"), home.ledger.runs()) == (0, ())


def test_a_run_that_is_busy_says_so(sunrise: Command, home_path: Path) -> None:
    with open_home(load_settings(home_path)) as home:
        home.ledger.acquire_lease("trust", run_id="other")
        code, out, _ = sunrise("set", "obs:1", "trusted")
    assert (code, out) == (ExitCode.BUSY, "busy: lease_taken\n")


def test_texts_are_shown_without_secrets_and_in_one_line() -> None:
    assert beginning("plain 花 words") == "plain 花 words"
    assert beginning("key ghp_" + "a1B2" * 9) == "key [redacted:github-token]"
    long = beginning("word " * 100)
    assert len(long) == 72
    assert long.endswith("…")


def test_every_character_that_hides_is_written_out() -> None:
    hidden = "\x00\x07\n\r\t\x1b\x7f\x9b\xad\u061c\u200b\u200d\u200e\u2028\u202e\u2066"
    hidden += "\ufe0f\ufeff\U000e0041\U000e0100\ud800"
    shown = terminal_text(hidden)
    assert shown.isascii()
    assert shown.isprintable()
    assert shown.count("\\") == len(hidden)
    assert terminal_text("café 花 👍 ü") == "café 花 👍 ü"
