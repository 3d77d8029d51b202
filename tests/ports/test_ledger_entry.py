"""What the ledger is asked at its door, and what it counts there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from sunrise.adapters.sqlite_entry import SIGHTING_SCHEMA, fingerprint
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.records import EntryCount, Inserted, Rejected
from tasks.kept_rows import KeptRowsOfLedger
from tests.homes import NOW, observation, observations, position
from tests.ledgers import WHOLE, put, raw

_CANDIDATE = Candidate(
    key="new", ts_ms=NOW, kind="note", tool_name=None, text="", terms="", source_kind="tool"
)

SOURCES = ("operator", "agent", "tool", "web", "import", "system")


def sighting(key: str, onto: str, **fields: Any) -> dict[str, Any]:
    return {
        **dict.fromkeys(SIGHTING_SCHEMA.names),
        "key": key,
        "kept_key": onto,
        "rule": "near_duplicate",
        "ts_ms": NOW,
        "kind": "note",
        "source_kind": "agent",
        **fields,
    }


def collapse(ledger: SqliteLedger, *rows: dict[str, Any]) -> Inserted:
    return ledger.commit_harvest(
        observations(),
        rejected=(),
        position=None,
        sightings=pa.Table.from_pylist(list(rows), schema=SIGHTING_SCHEMA),
    )


def test_a_collapsed_row_is_known_by_its_key_and_counted_on_the_row_that_is_kept(
    ledger: SqliteLedger,
) -> None:
    put(ledger, observation("a"), observation("b"))
    assert collapse(ledger, sighting("c", "a", source_ref="s:1"), sighting("d", "a", text="said so")) == (
        Inserted(observations=0, sightings=2)
    )
    # Once more, and onto a row that is not there: neither adds a sighting.
    assert collapse(ledger, sighting("c", "b"), sighting("e", "nobody")).sightings == 0
    assert ledger.known_keys(["a", "c", "d", "e", "x"]) == {"a", "c", "d"}
    seen = ledger.sightings(observation_id=1)
    assert [(one["key"], one["source_ref"], one["text"]) for one in seen] == [
        ("c", "s:1", None),
        ("d", None, "said so"),
    ]
    assert ledger.check() == WHOLE


def test_a_row_and_what_is_collapsed_onto_it_may_come_at_once(ledger: SqliteLedger) -> None:
    ledger.commit_harvest(
        observations(observation("a")),
        rejected=(),
        position=position(1),
        sightings=pa.Table.from_pylist([sighting("b", "a")], schema=SIGHTING_SCHEMA),
    )
    assert raw(ledger, "SELECT key, observation_id FROM sightings") == [("b", 1)]


def test_rows_are_found_by_their_terms_with_the_time_of_their_last_sighting(ledger: SqliteLedger) -> None:
    put(
        ledger,
        observation("a", terms="prefer tea", ts_ms=NOW),
        observation("b", terms="prefer coffe", ts_ms=NOW),
        observation("c", terms="prefer tea", ts_ms=NOW + 5),
    )
    collapse(ledger, sighting("d", "a", ts_ms=NOW + 90), sighting("e", "a", ts_ms=NOW - 90))
    assert ledger.fingerprints(since_ms=NOW, until_ms=NOW) == {
        fingerprint("prefer tea"),
        fingerprint("prefer coffe"),
    }
    # One of them was seen again long before and long after it was said.
    for moment in (NOW - 90, NOW + 90):
        assert ledger.fingerprints(since_ms=moment, until_ms=moment) == {fingerprint("prefer tea")}
        seen = ledger.kept_with_fingerprints([fingerprint("prefer tea")], since_ms=moment, until_ms=moment)
        assert seen.column("key").to_pylist() == ["a"]
    numbers = [fingerprint("prefer tea"), fingerprint("prefer water")]
    found = ledger.kept_with_fingerprints(numbers, since_ms=NOW - 99, until_ms=NOW + 99).to_pylist()
    assert [(row["key"], row["ts_ms"], row["last_seen_ms"]) for row in found] == [
        ("a", NOW - 90, NOW + 90),
        ("c", NOW + 5, NOW + 5),
    ]


def test_texts_that_share_a_number_are_not_taken_for_each_other(ledger: SqliteLedger) -> None:
    # A pair that is known of this checksum.
    one, other = "codding", "gnu"
    assert fingerprint(one) == fingerprint(other)
    put(ledger, observation("a", summary=one, terms=one))
    kept = KeptRowsOfLedger(ledger, window_ms=NOW, dry_run=False)
    said = [replace(_CANDIDATE, text=text, terms=text) for text in (one, other)]
    kept.prepare(said, fingerprints=[fingerprint(one)])
    assert [kept.repeat_of(candidate) for candidate in said] == ["a", None]


def test_of_the_derived_rows_the_newest_of_a_time_come_oldest_first(ledger: SqliteLedger) -> None:
    put(
        ledger,
        *(observation(f"agent{n}", source_kind="agent", ts_ms=NOW + n) for n in range(5)),
        observation("owner", source_kind="operator", ts_ms=NOW),
        observation("tool", source_kind="tool", ts_ms=NOW),
    )
    found = ledger.kept_by_others(since_ms=NOW + 1, until_ms=NOW + 4, limit=3)
    assert found.column("key").to_pylist() == ["agent2", "agent3", "agent4"]
    assert ledger.kept_by_others(since_ms=NOW + 9, until_ms=NOW + 99, limit=3).num_rows == 0


def test_what_was_told_lately_is_of_every_source_and_the_hidden_too(ledger: SqliteLedger) -> None:
    rows = observations(
        *(observation(f"{source}", source_kind=source, ts_ms=NOW + at) for at, source in enumerate(SOURCES)),
        observation("late", source_kind="agent", ts_ms=NOW + 9),
    )
    hidden = pa.array([*["held_back"] * len(SOURCES), None], pa.string())
    rows = rows.append_column("entry_rule", hidden).append_column(
        "archived_at_ms", pa.array([*[NOW] * len(SOURCES), None], pa.int64())
    )
    ledger.commit_harvest(rows, rejected=(), position=None)
    found = ledger.told_lately(since_ms=NOW, until_ms=NOW + 8, limit=3)
    assert found.column("key").to_pylist() == ["web", "import", "system"]
    assert found.schema.names == ledger.kept_by_others(since_ms=0, until_ms=0, limit=1).schema.names
    assert ledger.told_lately(since_ms=NOW + 10, until_ms=NOW + 99, limit=3).num_rows == 0


def test_the_row_of_a_rule_belongs_to_an_agent_and_a_scope(ledger: SqliteLedger) -> None:
    columns = {"entry_rule": pa.string(), "archived_at_ms": pa.int64()}
    rows = observations(
        observation("a", agent_id="ada", scope="s"), observation("b", agent_id=None, scope=None)
    )
    for name, kind in columns.items():
        rows = rows.append_column(
            name, pa.array(["heartbeat"] * 2 if kind == pa.string() else [NOW] * 2, kind)
        )
    ledger.commit_harvest(rows, rejected=(), position=None)
    assert ledger.kept_for_rule("heartbeat", agent_id="ada", scope="s") == "a"
    assert ledger.kept_for_rule("heartbeat", agent_id=None, scope=None) == "b"
    assert ledger.kept_for_rule("heartbeat", agent_id="ada", scope=None) is None
    assert ledger.kept_for_rule("boot_file", agent_id="ada", scope="s") is None


@pytest.mark.parametrize(
    ("words", "said"),
    [(["brno"], True), (["brno", "live"], True), (["brno", "tea"], False), (["paris"], False), ([], False)],
)
def test_what_the_owner_said_is_asked_word_by_word(
    ledger: SqliteLedger, words: list[str], said: bool
) -> None:
    put(
        ledger,
        observation("a", source_kind="operator", terms="i live in brno"),
        observation("b", source_kind="operator", terms="i like tea"),
        observation("c", source_kind="agent", terms="paris"),
    )
    assert ledger.owner_said(words) is said


def test_a_row_was_recalled_by_itself_or_as_its_memory(ledger: SqliteLedger) -> None:
    put(ledger, observation("a"), observation("b", memory_id="m1"), observation("c"))
    with ledger.writing() as db:
        db.execute("INSERT INTO usage (record_ref, last_included_ms) VALUES ('obs:1', 5), ('mem:m1', 6)")
        db.execute("INSERT INTO usage (record_ref) VALUES ('obs:3')")
    assert [ledger.was_recalled(key) for key in ("a", "b", "c", "x")] == [True, True, False, False]


def test_the_day_counts_what_entered_and_what_did_not(ledger: SqliteLedger) -> None:
    rows = observations(
        observation("a", source_kind="operator"),
        observation("b", source_kind="tool"),
        observation("c", source_kind="tool", trust_tier="quarantined"),
    )
    torn = Rejected("/somewhere/agent.jsonl", "7", "malformed_json", "{", 1)
    told = [EntryCount("2026-11-18", "redacted", "github-token", "tool", 1)]
    for _ in range(2):
        # The same again: only what is said to be new counts twice.
        ledger.commit_harvest(rows, rejected=[torn], position=None, entries=told, day="2026-11-18")
    assert ledger.entries(since="2026-11-01") == (
        EntryCount("2026-11-18", "admitted", "new", "operator", 1),
        EntryCount("2026-11-18", "admitted", "new", "tool", 1),
        EntryCount("2026-11-18", "redacted", "github-token", "tool", 2),
        EntryCount("2026-11-18", "refused", "malformed_json", "agent.jsonl", 1),
    )
    assert ledger.entries(since="2026-11-19") == ()


def test_rows_are_judged_again_in_the_order_in_which_they_entered(ledger: SqliteLedger) -> None:
    put(
        ledger, observation("a", ts_ms=NOW), observation("b", ts_ms=NOW - 10), observation("c", ts_ms=NOW + 1)
    )
    found = ledger.rows_to_judge(after_id=0, since_ms=NOW, limit=1).to_pylist()
    assert [(row["id"], row["key"]) for row in found] == [(1, "a")]
    assert ledger.rows_to_judge(after_id=1, since_ms=NOW, limit=9).column("key").to_pylist() == ["c"]
