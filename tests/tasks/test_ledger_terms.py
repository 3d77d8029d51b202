"""A home whose terms an analysis made that kept accents: it goes on working, and is renewed step by step."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from flows.harvest import harvest
from flows.index import index
from sunrise.adapters.sqlite_entry import fingerprint
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.bootstrap import Home, open_home
from sunrise.domain.forget import Tombstone
from sunrise.domain.recall import RecallRequest
from sunrise.domain.text.analysis import written_terms
from sunrise.domain.text.dated_terms import MADE_AS, date_words
from sunrise.ports import MemoryTable
from sunrise.settings import load_settings
from tasks.ledger_terms import renew_observation_terms, renew_terms_of_rows
from tests.homes import NOW, observation, run_body, write_captures
from tests.ledgers import put, raw

SAID = ("Škoda stojí v garáži", "plain words", "Müller bäckt Brötchen", "備份完成", "O café abre às nove")
FOLDED = [
    "skoda stoji v garazi", "plain word", "muller backt brotchen", "备 份 完 成 备份 份完 完成",
    "o cafe abr as nove",
]  # fmt: skip


class KilledError(Exception):
    """What a test raises where a process would be killed."""


def put_as_before(ledger: SqliteLedger) -> None:
    """Insert rows with the terms and the fingerprints that they had before accents were folded."""
    rows = [
        observation(f"k{number}", summary=text, terms=written_terms(text), ts_ms=NOW - 5000 + number)
        for number, text in enumerate(SAID)
    ]
    put(ledger, *rows)
    for row in rows:
        sql = "SELECT fingerprint FROM observations WHERE key = '{}'".format(row["key"])
        assert raw(ledger, sql) == [(fingerprint(row["terms"]),)]


def held(ledger: SqliteLedger) -> list[str]:
    return [terms for (terms,) in raw(ledger, "SELECT terms FROM observations ORDER BY id")]


def matching(ledger: SqliteLedger, word: str) -> list[int]:
    sql = f"SELECT rowid FROM observations_fts WHERE observations_fts MATCH '\"{word}\"'"
    return [row_id for (row_id,) in raw(ledger, sql)]


def test_a_killed_renewal_goes_on_where_it_stopped(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = home.ledger
    assert isinstance(ledger, SqliteLedger)
    put_as_before(ledger)
    numbers = raw(ledger, "SELECT fingerprint FROM observations ORDER BY id")
    assert held(ledger)[0] == "škoda stojí v garáži"
    put_terms = SqliteLedger.put_observation_terms
    batches: list[Mapping[int, str]] = []

    def killed_at_the_second(self: SqliteLedger, made: Mapping[int, str]) -> int:
        batches.append(made)
        written = put_terms(self, made)
        if len(batches) == 2:
            raise KilledError
        return written

    with monkeypatch.context() as patched:
        patched.setattr(SqliteLedger, "put_observation_terms", killed_at_the_second)
        with pytest.raises(KilledError):
            renew_terms_of_rows(home, batch=2)
    # The first batch stands, the second is as if it had never begun.
    assert [text == folded for text, folded in zip(held(ledger), FOLDED, strict=True)] == [
        True, True, False, True, False,
    ]  # fmt: skip
    assert renew_terms_of_rows(home, batch=2) == 2
    assert held(ledger) == FOLDED
    assert (matching(ledger, "brotchen"), matching(ledger, "brötchen")) == ([3], [])
    assert ledger.check()["full_text"] == "ok"
    # What texts are known again by is not touched.
    assert raw(ledger, "SELECT fingerprint FROM observations ORDER BY id") == numbers
    assert ledger.get_note("terms.observations") == f"{MADE_AS} done"


def test_a_harvest_renews_once_and_doubles_nothing(home_path: Path) -> None:
    spool = home_path / "spool" / "agent.jsonl"
    said = [
        {"id": 10 + at, "ts": NOW - 900 + at, "kind": "note", "summary": text} for at, text in enumerate(SAID)
    ]
    write_captures(spool, said, append=True)
    run_body(home_path, harvest, flow="harvest")
    with open_home(load_settings(home_path)) as home:
        ledger = home.ledger
        assert isinstance(ledger, SqliteLedger)
        with ledger.writing() as db:
            for text in SAID:
                db.execute("UPDATE observations SET terms = ? WHERE summary = ?", (written_terms(text), text))
            db.execute("DELETE FROM notes WHERE name = 'terms.observations'")
        rows = ledger.count("observations")
    write_captures(spool, [{**one, "id": one["id"] + 10} for one in said], append=True)
    assert (
        "observation_terms_renewed" not in run_body(home_path, harvest, flow="harvest", dry_run=True).counts
    )
    receipt = run_body(home_path, harvest, flow="harvest")
    assert receipt.counts["observation_terms_renewed"] == 3
    assert (receipt.counts["seen"], receipt.counts["inserted"], receipt.counts["collapsed"]) == (5, 0, 5)
    with open_home(load_settings(home_path)) as home:
        assert home.ledger.count("observations") == rows
    assert "observation_terms_renewed" not in run_body(home_path, harvest, flow="harvest").counts


@pytest.mark.parametrize("is_renewed", [False, True])
def test_what_was_forgotten_before_stays_away(home: Home, is_renewed: bool) -> None:
    # Both numbers of a tombstone are those of before: the text is gone, and they cannot be made anew.
    ledger, text = home.ledger, SAID[0]
    ledger.bury(
        [Tombstone(memory_id="m", text=text, scope="home", state="active", reason="asked")], run_id="r"
    )
    assert isinstance(ledger, SqliteLedger)
    assert raw(ledger, "SELECT fingerprint FROM tombstones") == [(fingerprint("škoda stojí v garáži"),)]
    if is_renewed:
        renew_terms_of_rows(home)
    assert ledger.may_be_forgotten([written_terms(text), "skoda stoji v garazi"]) == [True, False]
    assert ledger.forgotten_texts([(text, "home"), ("Skoda stoji v garazi", "home")]) == [True, False]


def test_erasing_finds_a_renewed_row(home: Home) -> None:
    ledger = home.ledger
    assert isinstance(ledger, SqliteLedger)
    put_as_before(ledger)
    renew_terms_of_rows(home)
    ledger.bury(
        [Tombstone(memory_id="m", text=SAID[0], scope=None, state="active", reason="asked")], run_id="r"
    )
    assert ledger.texts_known_of(["m"]) == {SAID[0]}
    assert [record.key for record in ledger.rows_speaking_of(["m"])] == [(1,)]


def old_memories(table: MemoryTable, zone: str) -> None:
    """Put memories into the table as the analysis of before made them."""
    day = " ".join(dict.fromkeys(written_terms(date_words(NOW, ZoneInfo(zone))).split()))
    table.adopt()
    table.add(
        pa.table(
            {
                "id": [f"old{number}" for number in range(len(SAID))],
                "text": list(SAID),
                "terms": [f"{written_terms(text)} @day {day}" for text in SAID],
                "createdAt": [float(NOW)] * len(SAID),
            }
        )
    )
    table.build_missing_indices()
    table.note_terms(f"2 {zone}")


def asked(home_path: Path, *queries: str) -> list[str | None]:
    with open_home(load_settings(home_path)) as home:
        results = [home.recall(RecallRequest(query)) for query in queries]
        return [next((item.ref for item in result.items), None) for result in results]


def test_memories_are_found_before_and_after_they_are_renewed(
    home_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_home(load_settings(home_path)) as home:
        table = home.memories()
        assert table is not None
        old_memories(table, home.settings.timezone)
        rows_before = len(table.scan(["id"]))
    with_accents = ["Škoda garáži", "BRÖTCHEN", "café"]
    assert asked(home_path, *with_accents) == ["mem:old0", "mem:old2", "mem:old4"]
    monkeypatch.setattr("tasks.term_renewal._BATCH", 1)
    calls: list[Any] = []

    def killed_at_the_second(table: MemoryTable, *arguments: Any, **more: Any) -> int:
        calls.append(arguments)
        if len(calls) == 2:
            raise KilledError
        return overwrite(table, *arguments, **more)

    with monkeypatch.context() as patched:
        overwrite = type(table).overwrite
        patched.setattr(type(table), "overwrite", killed_at_the_second)
        with pytest.raises(KilledError):
            run_body(home_path, index, flow="index")
    assert asked(home_path, *with_accents) == ["mem:old0", "mem:old2", "mem:old4"]
    receipt = run_body(home_path, index, flow="index")
    assert receipt.counts["terms_renewed"] == 2
    assert asked(home_path, *with_accents, "skoda garazi", "brotchen", "cafe") == [
        "mem:old0", "mem:old2", "mem:old4",
    ] * 2  # fmt: skip
    with open_home(load_settings(home_path)) as home:
        renewed = home.memories()
        assert renewed is not None
        assert len(renewed.scan(["id"])) == rows_before
    assert "terms_renewed" not in run_body(home_path, index, flow="index").counts


def test_the_step_says_nothing_where_there_is_nothing_to_renew(home_path: Path) -> None:
    assert "observation_terms_renewed" not in run_body(home_path, renew_observation_terms).counts
