"""Three hundred secrets are captured; after the harvest no file of the home holds one of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest

from flows.harvest import harvest_captures
from flows.sweep import sweep_secrets
from sunrise.adapters.embedders import NoEmbedder
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.bootstrap import open_home
from sunrise.domain.recall import RecallRequest
from sunrise.domain.receipts import RunStatus
from sunrise.domain.text.analysis import terms
from sunrise.online.recall import recall
from sunrise.settings import load_settings
from tasks.harvest import read_sources
from tests.fakes import FrozenClock
from tests.homes import CONFIG, NOW, observation, observations
from tests.ledgers import WHOLE
from tests.library.domain.secret_formats import Case, secrets


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "spool").mkdir()
    (tmp_path / "sunrise.toml").write_text(CONFIG)
    return tmp_path


def spooled(home: Path, seed: int) -> list[bytes]:
    """Write a capture with a secret in each line, in the summary or in the detail; return the secrets."""
    planted = secrets(seed)
    with (home / "spool" / "agent.jsonl").open("w", encoding="utf-8") as file:
        for number, one in enumerate(planted):
            record = {
                "ts": NOW + number,
                "kind": "note",
                "observationId": f"o-{number}",
                "summary": "see detail",
            }
            if number % 3:
                record["summary"] = one.text
            else:
                record |= {"summary": f"note {number}", "detail": {"output": {"lines": [one.text]}}}
            file.write(json.dumps(record, ensure_ascii=number % 2 == 0) + "\n")
    return [telling(one) for one in planted]


def telling(planted: Case) -> bytes:
    """Return the secret, of one with several lines the longest: a file may end lines in its own way."""
    return max(re.split(r"\n|\\n", planted.secret), key=len).encode()


def holding(home: Path, needles: list[bytes]) -> dict[str, int]:
    """Search every byte of every file of the home."""
    found = {}
    for path in home.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            count = sum(needle in content for needle in needles)
            if count:
                found[str(path.relative_to(home))] = count
    return found


def test_after_a_harvest_no_file_of_the_home_holds_one_of_three_hundred_secrets(home: Path) -> None:
    needles = spooled(home, seed=5)
    assert holding(home, needles)["spool/agent.jsonl"] > 250

    receipt = harvest_captures.fn(home=str(home))

    assert receipt.status is RunStatus.OK
    assert holding(home, needles) == {}
    assert receipt.counts["seen"] == 300
    assert receipt.counts["scrubbed"] == 300
    with open_home(load_settings(home)) as opened:
        assert opened.ledger.check() == WHOLE
    # What was blanked is the same to the next harvest, from where it stopped and from the start.
    assert harvest_captures.fn(home=str(home)).counts["seen"] == 0
    (home / "spool" / "agent.jsonl").rename(home / "spool" / "agent.1.jsonl")
    again = harvest_captures.fn(home=str(home))
    assert (again.counts["seen"], again.counts["duplicate"]) == (300, 300)


def test_a_sweep_after_it_finds_nothing(home: Path) -> None:
    spooled(home, seed=6)
    harvest_captures.fn(home=str(home))
    receipt = sweep_secrets.fn(home=str(home))
    assert receipt.status is RunStatus.OK
    assert receipt.counts["redacted"] == 0


def test_lines_without_an_id_are_known_again_once_they_are_blanked(home: Path) -> None:
    planted = secrets(7, 60)
    lines = [
        json.dumps({"ts": NOW + number, "kind": "note", "summary": one.text}, ensure_ascii=False)
        for number, one in enumerate(planted)
    ]
    (home / "spool" / "agent.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    first = harvest_captures.fn(home=str(home))
    (home / "spool" / "agent.jsonl").rename(home / "spool" / "agent.1.jsonl")
    again = harvest_captures.fn(home=str(home))
    assert first.counts["seen"] == again.counts["seen"] == 60
    assert again.counts["inserted"] == again.counts["collapsed"] == 0


def test_a_harvest_that_was_killed_before_it_blanked_the_spool_is_finished_by_the_next(home: Path) -> None:
    needles = spooled(home, seed=8)
    with open_home(load_settings(home)) as opened:
        # The note stands in the transaction of the rows; a kill right after it leaves it so.
        read_sources(opened, dry_run=False)
    assert list(holding(home, needles)) == ["spool/agent.jsonl"]
    assert harvest_captures.fn(home=str(home)).counts["scrubbed"] == 300
    assert holding(home, needles) == {}


def test_after_a_sweep_no_file_holds_one_of_three_hundred_that_came_in_while_nobody_looked(
    home: Path,
) -> None:
    planted = secrets(9)
    with open_home(load_settings(home), clock=FrozenClock(NOW)) as opened:
        rows = [
            observation(f"s{number}", summary=one.text, terms=terms(one.text))
            if number % 2
            else observation(f"d{number}", detail_json=json.dumps({"out": one.text}, ensure_ascii=False))
            for number, one in enumerate(planted[:200])
        ]
        opened.ledger.commit_harvest(observations(*rows, observation("plain")), rejected=(), position=None)
        memories = LanceMemories.create(opened.settings.memories_uri, dimension=8)
        texts = [one.text for one in planted[200:]] + ["green tea is what the owner likes"]
        columns = {
            "id": [f"m{number}" for number in range(101)],
            "text": texts,
            "terms": [terms(text) for text in texts],
        }
        memories.add(pa.table(columns))
        memories.build_missing_indices()
    needles = [telling(one) for one in planted]
    assert sum(holding(home, needles).values()) >= 300

    receipt = sweep_secrets.fn(home=str(home))

    assert receipt.status is RunStatus.OK
    assert holding(home, needles) == {}
    with open_home(load_settings(home)) as opened:
        assert opened.ledger.check() == WHOLE
        assert opened.ledger.count("observations") == 201
        table = opened.memories()
        assert table is not None
        assert table.state().rows == 101
        found = recall(
            RecallRequest("green tea"), memories=table, embedder=NoEmbedder(), clock=FrozenClock(NOW)
        )
    assert [item.ref for item in found.items] == ["mem:m100"]
