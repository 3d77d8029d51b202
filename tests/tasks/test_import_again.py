"""Refused lines of an import are taken once they are mended, and only then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sunrise
from sunrise.cli.app import app
from sunrise.domain.records import QuarantineState
from tasks.import_again import retry_imports
from tests.serving import make_home

GOOD = '{"id": "i-1", "text": "Coffee at nine"}'
LATER = '{"id": "i-3", "text": "The garden needs water", "scope": "ops"}'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return make_home(tmp_path / "home")


@pytest.fixture
def given(home: Path, tmp_path: Path) -> Path:
    path = tmp_path / "given.jsonl"
    path.write_text(f'{GOOD}\n{{"id": "i-2", "text"\n{{"id": "i-9"}}\n{LATER}\n', encoding="utf-8")
    with sunrise.open(home) as memories:
        counts = memories.import_(path).counts
    assert (counts["imported"], counts["refused"]) == (2, 2)
    return path


def mend(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[1] = '{"id": "i-2", "text": "The lantern stands by the door, and is longer than the line was"}'
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_a_mended_line_is_imported_and_its_row_closed(home: Path, given: Path) -> None:
    with sunrise.open(home) as memories:
        assert retry_imports(memories.home).resolved == 0
        mend(given)
        done = retry_imports(memories.home)
        assert (done.resolved, done.counts["imported"], done.counts["seen"]) == (1, 1, 1)
        found = memories.recall("lantern door").items
        assert [(one.ref, one.trust_tier) for one in found] == [("mem:i-2", None)]
        states = [(one.line, one.state) for one in memories.home.ledger.quarantined()]
        assert states == [(2, QuarantineState.RESOLVED), (3, QuarantineState.WAITING)]
        # And once only.
        assert retry_imports(memories.home).resolved == 0
        assert memories.list().total == 5 + 3
        (run, *_) = memories.home.ledger.runs(flow="import", limit=5)
        assert run.counts["imported"] == 1


def test_only_the_named_rows_are_tried(home: Path, given: Path) -> None:
    mend(given)
    with sunrise.open(home) as memories:
        second, third = (one.id for one in memories.home.ledger.quarantined())
        assert retry_imports(memories.home, [third]).resolved == 0
        assert retry_imports(memories.home, [second]).resolved == 1


def test_what_was_forgotten_since_is_closed_and_does_not_come_back(home: Path, given: Path) -> None:
    with sunrise.open(home) as memories:
        memories.store("The lantern stands by the door, and is longer than the line was")
        memories.forget(query="The lantern stands by the door, and is longer than the line was")
        mend(given)
        done = retry_imports(memories.home)
        assert (done.resolved, done.counts["forgotten"], done.counts["imported"]) == (1, 1, 0)
        assert memories.recall("lantern door").items == ()


def test_a_file_that_is_gone_leaves_its_lines_waiting(home: Path, given: Path) -> None:
    given.unlink()
    with sunrise.open(home) as memories:
        memories.import_(b"{torn", name="lines")
        assert retry_imports(memories.home).resolved == 0
        waiting = memories.home.ledger.quarantined(state=QuarantineState.WAITING)
        assert [one.source for one in waiting] == [f"import:{given}"] * 2 + ["import:lines"]


def test_an_item_of_an_array_is_found_by_its_place(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "given.json"
    path.write_text(f"[{GOOD}, 7, {LATER}]", encoding="utf-8")
    with sunrise.open(home) as memories:
        assert memories.import_(path).counts["refused"] == 1
        path.write_text(f'[{GOOD}, {{"id": "i-2", "text": "A lantern"}}, {LATER}]', encoding="utf-8")
        assert retry_imports(memories.home).counts["imported"] == 1


def test_the_command_takes_them(home: Path, given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mend(given)
    with pytest.raises(SystemExit) as left:
        app(["quarantine", "retry", "--home", str(home), "--json"])
    assert left.value.code == 0
    assert json.loads(capsys.readouterr().out) == {
        "resolved": 1, "inserted": 0, "imported": 1, "duplicate": 0, "waiting": 1,
    }  # fmt: skip
