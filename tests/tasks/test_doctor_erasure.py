"""The doctor names an erasure that did not end, and what it says to type ends it."""

from __future__ import annotations

from pathlib import Path

import pytest

import sunrise
from sunrise.cli.app import app
from tasks.erasure_intent import INTENT, ErasureIntent, read_erasure, write_erasure
from tests.patients import command_of, look_at
from tests.serving import make_home

TEXT = "The user likes green tea"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = make_home(tmp_path / "a home")
    with sunrise.open(made) as memories:
        memories.forget("m-tea")
    return made


def test_nothing_is_said_where_nothing_was_to_be_erased(home: Path) -> None:
    assert not {"erasure", "erased"} & set(look_at(home))


def test_an_erasure_that_was_killed_is_ended_by_the_cure(home: Path) -> None:
    write_erasure(home, ErasureIntent(("m-tea",), (), (TEXT,)))
    found = look_at(home)["erasure"]
    assert found.verdict == "ill"
    assert str(home / INTENT) in found.message
    assert TEXT not in found.message
    words = command_of(found)
    assert words == ["sunrise", "forget", "mem:m-tea", "--erase", "--home", str(home)]
    with pytest.raises(SystemExit) as left:
        app(words[1:])
    assert left.value.code == 0
    assert not (home / INTENT).exists()
    assert not {"erasure", "erased"} & set(look_at(home))


def test_what_a_snapshot_still_holds_is_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from flows.snapshot import take_snapshot

    with sunrise.open(home) as memories:
        memories.store(TEXT, scope="ops")
    take_snapshot.fn(home=str(home))
    with sunrise.open(home) as memories:
        done = memories.erase("m-tea")
        assert done.erasure is not None
        assert not done.erasure.complete
    found = look_at(home)["erased"]
    assert found.verdict == "look"
    assert command_of(found)[:4] == ["sunrise", "forget", "mem:m-tea", "--erase"]


@pytest.mark.parametrize(
    ("name", "content", "verdict", "word"),
    [
        (INTENT, "{", "ill", "shred"),
        (INTENT, "   ", "look", "rm"),
        (f".{INTENT}", f'{{"texts": ["{TEXT}"', "ill", "shred"),
    ],
)
def test_what_else_a_kill_may_leave_is_named(
    home: Path, name: str, content: str, verdict: str, word: str
) -> None:
    (home / name).write_text(content, encoding="utf-8")
    found = look_at(home)["erasure"]
    assert (found.verdict, command_of(found)[0]) == (verdict, word)
    assert TEXT not in found.message


def test_the_partial_file_of_a_killed_one_does_not_hinder_the_next(home: Path) -> None:
    (home / f".{INTENT}").write_text("half", encoding="utf-8")
    write_erasure(home, ErasureIntent(("m-tea",), (), (TEXT,)))
    assert read_erasure(home).texts == (TEXT,)
