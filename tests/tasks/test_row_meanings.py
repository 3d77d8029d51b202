"""Meanings at the door: what is compared with what, what is embedded, and what a harvest makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tasks.row_meanings
from sunrise.bootstrap import open_home
from sunrise.domain.admission.boot_files import BootFiles
from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.judging import ADMITTED, Verdict
from sunrise.domain.admission.meaning import Seen
from sunrise.domain.admission.rule_names import RuleName
from sunrise.domain.text.analysis import terms
from sunrise.settings import load_settings
from tasks.admission_report import report_admission
from tasks.harvest import read_sources
from tasks.row_meanings import MAX_CHARS, RowMeanings, row_meanings
from tests.fakes import FakeEmbedder, FrozenClock
from tests.homes import CONFIG, NOW, OWNERS_SPOOL, write_captures

BOOT = "# Rules\n\nAsk before you delete a file.\n"


class Counting(FakeEmbedder):
    """Counts the texts that it is given."""

    def __init__(self) -> None:
        super().__init__(256)
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.texts += texts
        return super().embed(texts)


def row(text: str, source: str = "agent", *, key: str | None = None) -> Candidate:
    return Candidate(key or text, NOW, "note", None, text, terms(text), source)


def test_a_statement_is_compared_with_boot_files_and_with_each_row_before() -> None:
    meanings = RowMeanings(Counting(), BootFiles([BOOT]))
    (first,) = meanings.likeness(row("Ask before you delete a file."))
    assert first.boot == pytest.approx(1, abs=1e-5)
    assert (first.repeat, first.seen) == (-1, None)

    meanings.overhear("k1", "The kettle is blue")
    meanings.remember(row("The stove is red", "operator"), ADMITTED)
    meanings.remember(row("The lamp is green", "operator"), Verdict("k1", RuleName.NEAR_DUPLICATE))
    for text, seen in (
        ("- The kettle is blue", Seen("The kettle is blue", "k1", row="The kettle is blue")),
        ("Note: The stove is red", Seen("The stove is red", "The stove is red", row="The stove is red")),
    ):
        (found,) = meanings.likeness(row(text))
        assert found.repeat == pytest.approx(1, abs=1e-5)
        assert found.seen == seen
    (lamp,) = meanings.likeness(row("The lamp is green"))
    assert lamp.repeat < 0.99


def test_a_hidden_row_is_remembered_by_its_rule_and_a_repeat_not_at_all() -> None:
    meanings = RowMeanings(Counting(), BootFiles([BOOT]))
    verdicts = {
        "The kettle is blue": Verdict(None, RuleName.TRANSIENT_STATE, archived=True),
        "The stove is red": Verdict("k1", RuleName.NEAR_DUPLICATE),
        "The lamp is green": ADMITTED,
    }
    for text, verdict in verdicts.items():
        asked = row(text)
        meanings.likeness(asked)
        meanings.remember(asked, verdict)
    kettle, stove, lamp = (meanings.likeness(row(text))[0].seen for text in verdicts)
    assert kettle == Seen("The kettle is blue", None, RuleName.TRANSIENT_STATE, "The kettle is blue")
    assert stove in (kettle, lamp)
    assert lamp == Seen("The lamp is green", "The lamp is green", row="The lamp is green")


def test_a_row_in_another_language_is_found_by_what_marks_it() -> None:
    meanings = RowMeanings(Counting(), BootFiles([BOOT]))
    for number in range(20):
        meanings.overhear(f"n{number}", f"The shelf number {number} holds tea")
    meanings.overhear("k1", "Paket SF1440021877 kommt am Montag")
    (found,) = meanings.likeness(row("The tea of the shelf comes as SF1440021877"))
    assert "k1" in [seen.key for _, seen in found.others]


def test_the_clauses_of_a_statement_are_compared_by_themselves() -> None:
    meanings = RowMeanings(Counting(), BootFiles([BOOT]))
    told = meanings.parts("the kettle is blue, while the stove is red")
    assert [one.statement for one in told] == ["the kettle is blue", "the stove is red"]
    assert meanings.parts("the kettle is blue") == ()


def test_a_held_row_is_remembered_by_its_key() -> None:
    meanings = RowMeanings(Counting(), BootFiles([BOOT]))
    asked = row("The kettle is blue")
    meanings.likeness(asked)
    meanings.remember(asked, Verdict(None, RuleName.HELD_BACK, archived=True))
    (again,) = meanings.likeness(row("The kettle is blue"))
    assert again.seen == Seen("The kettle is blue", asked.key, RuleName.HELD_BACK, asked.text)


def test_a_row_that_was_not_asked_about_costs_no_vector() -> None:
    embedder = Counting()
    meanings = RowMeanings(embedder, BootFiles([BOOT]))
    meanings.remember(row("The kettle is blue"), Verdict(None, RuleName.HEARTBEAT, archived=True))
    meanings.remember(row("The stove is red", "operator"), ADMITTED)
    meanings.overhear("k1", "word " * MAX_CHARS)
    assert embedder.texts == []
    assert meanings.likeness(row("12:30")) == ()
    assert embedder.texts == []
    meanings.likeness(row("The lamp is green"))
    assert {"The stove is red", "The lamp is green"} <= set(embedder.texts)
    assert "The kettle is blue" not in embedder.texts
    asked = len(embedder.texts)
    meanings.likeness(row("The lamp is green"))
    assert len(embedder.texts) == asked


def test_the_oldest_statements_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks.row_meanings, "MAX_SEEN", 400)
    meanings = RowMeanings(FakeEmbedder(64), BootFiles([BOOT]))
    for number in range(900):
        text = f"kettle number {number} stands on shelf {number}"
        meanings.overhear(text, text)
        if number % 50 == 0:
            meanings.likeness(row("The lamp is green"))
    for number, known in ((899, True), (5, False)):
        text = f"kettle number {number} stands on shelf {number}"
        (found,) = meanings.likeness(row(text))
        assert (found.seen is not None and found.seen.key == text) is known


ADMIT = '[admission]\nboot_files = ["*.md"]\n'


def home_of(path: Path, more: str) -> Path:
    (path / "spool").mkdir()
    (path / "SOUL.md").write_text(BOOT)
    (path / "sunrise.toml").write_text(CONFIG + more)
    return path


@pytest.mark.parametrize("more", ["", ADMIT + "by_meaning = false\n"])
def test_without_boot_files_or_when_switched_off_there_are_no_meanings(tmp_path: Path, more: str) -> None:
    with open_home(load_settings(home_of(tmp_path, more))) as home:
        assert row_meanings(home, BootFiles(home.boot_texts())) is None


def said(text: str, source: str, **fields: Any) -> dict[str, Any]:
    return {"ts": NOW, "kind": "note", "summary": text, "source_kind": source, **fields}


def test_a_harvest_tells_other_words_and_other_languages(tmp_path: Path) -> None:
    path = home_of(tmp_path, ADMIT)
    (path / "sunrise.toml").write_text('[embedder]\nname = "use"\n' + ADMIT + OWNERS_SPOOL)
    rows = [
        said("The flat in Brno costs 14500 crowns a month, says my landlord", "operator"),
        said("pg_dump of billing wrote 38 GB in 9 min", "tool", tool_name="exec"),
        said("刪除檔案前必須先詢問。", "agent"),
        said("The monthly rent of the flat in Brno is 14500 crowns.", "agent"),
        said("The dump of billing has 38 GB and took 9 minutes with pg_dump.", "agent"),
        said("The deploy failed because the disk of attic was full", "agent"),
        said("The monthly rent of the flat in Brno is 15200 crowns.", "agent"),
    ]
    with open_home(load_settings(path), clock=FrozenClock(NOW)) as home:
        write_captures(home.spool / "a.jsonl", rows)
        found = read_sources(home, dry_run=False)
        assert (found.hidden, found.collapsed) == ({"boot_file": 1}, {"near_duplicate": 2})
        assert [one["text"] for one in home.ledger.sightings(observation_id=1)] == [rows[3]["summary"]]
        assert [one["text"] for one in home.ledger.sightings(observation_id=2)] == [rows[4]["summary"]]
        # The next run knows what the one before has kept, and the report what the ledger holds.
        write_captures(
            home.spool / "b.jsonl", [said("A full disk on attic made the deploy fail today", "agent")]
        )
        assert read_sources(home, dry_run=False).collapsed == {"near_duplicate": 1}
        assert report_admission(home).hidden.total() == 1


def test_a_tool_that_reads_a_boot_file_brings_no_news(tmp_path: Path) -> None:
    with open_home(load_settings(home_of(tmp_path, ADMIT)), clock=FrozenClock(NOW)) as home:
        reads = [said(text, "tool", tool_name="read") for text in (BOOT, "# Rules\n\nBread is in the box")]
        write_captures(home.spool / "a.jsonl", reads)
        found = read_sources(home, dry_run=False)
        assert (found.inserted, found.hidden) == (2, {"boot_file": 1})
