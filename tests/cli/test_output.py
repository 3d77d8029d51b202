"""What a command prints, for people and for programs."""

from __future__ import annotations

import json

import pytest

from sunrise.cli.output import say

TOKEN = "ghp_" + "a1B2" * 9


def test_a_person_is_shown_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    say({}, f"the token {TOKEN} was found", as_json=False)
    assert capsys.readouterr().out == "the token [redacted:github-token] was found\n"


def test_a_program_is_given_no_secret_and_its_numbers_stay(capsys: pytest.CaptureFixture[str]) -> None:
    say({"rows": [{"text": TOKEN, "n": 3}], "refs": ("obs:1",), "password": "swordfish"}, "", as_json=True)
    assert json.loads(capsys.readouterr().out) == {
        "rows": [{"text": "[redacted:github-token]", "n": 3}],
        "refs": ["obs:1"],
        "password": "[redacted:field]",
    }
