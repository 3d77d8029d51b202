"""Links of observations to memories: made at the harvest, told once, and looked at again when they change."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sunrise.adapters.migrations import MIGRATIONS
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.links import LinkedUpTo
from sunrise.domain.records import Change
from tests.fakes import FrozenClock
from tests.homes import observation, observations
from tests.ledgers import grades


@pytest.fixture
def ledger(tmp_path: Path) -> Any:
    made = SqliteLedger(tmp_path / "ledger.sqlite", clock=FrozenClock())
    yield made
    made.close()


def put(ledger: SqliteLedger, *rows: dict[str, Any]) -> None:
    ledger.commit_harvest(observations(*rows), rejected=(), position=None)


def named(ledger: SqliteLedger, *, everything: bool = False) -> list[tuple[str, int]]:
    rows = ledger.linked_governance(up_to=ledger.linked_up_to(), everything=everything).to_pylist()
    return sorted((row["memory_id"], row["observation_id"]) for row in rows)


def finish(ledger: SqliteLedger, **unresolved: str) -> None:
    ledger.finish_writeback(up_to=ledger.linked_up_to(), unresolved=unresolved)


def links(ledger: SqliteLedger) -> list[tuple[Any, ...]]:
    with ledger.reading() as db:
        return db.execute("SELECT memory_id, observation_id, origin FROM memory_links ORDER BY id").fetchall()


def test_a_harvest_links_what_names_a_memory(ledger: SqliteLedger) -> None:
    put(
        ledger,
        observation("a"),
        observation("b", memory_id="m1", tool_name="memory_store"),
        observation("c", memory_id="m1", source_kind="import"),
        observation("d", memory_id="m2", source_kind="operator"),
    )
    assert links(ledger) == [("m1", 2, "tool_result"), ("m1", 3, "import"), ("m2", 4, "capture")]
    put(ledger, observation("b", memory_id="m1"), observation("e"))
    assert len(links(ledger)) == 3


def test_what_was_told_is_looked_at_again_only_when_it_changes(ledger: SqliteLedger) -> None:
    put(ledger, observation("a", memory_id="m1"), observation("b", memory_id="m2"), observation("c"))
    assert named(ledger) == named(ledger, everything=True) == [("m1", 1), ("m2", 2)]
    finish(ledger)
    assert (named(ledger), len(named(ledger, everything=True))) == ([], 2)
    # A later observation of a memory brings all that the ledger knows of it.
    put(ledger, observation("d", memory_id="m1"))
    assert named(ledger) == [("m1", 1), ("m1", 4)]
    finish(ledger)
    ledger.save_grades(grades((2, 0.9, "must_remember"), (3, 0.1, "ignore")), run_id="g", seen_up_to=4)
    assert named(ledger) == [("m2", 2)]
    finish(ledger)
    archived = Change("obs:1", "state", '"captured"', '"archived"', "unused")
    ledger.apply_to_observations([archived], run_id="l")
    assert named(ledger) == []


def test_what_could_not_be_resolved_is_looked_at_until_it_is(ledger: SqliteLedger) -> None:
    put(ledger, observation("a", memory_id="m1"), observation("b", memory_id="m2"))
    finish(ledger, m1="missing")
    assert (dict(ledger.unresolved_memories()), named(ledger)) == ({"m1": "missing"}, [("m1", 1)])
    finish(ledger, m1="ambiguous")
    assert dict(ledger.unresolved_memories()) == {"m1": "ambiguous"}
    finish(ledger)
    assert (dict(ledger.unresolved_memories()), named(ledger)) == ({}, [])


def test_a_mark_never_goes_back_and_stays_where_nothing_was_to_be_told(ledger: SqliteLedger) -> None:
    put(ledger, observation("a", memory_id="m1"))
    before = ledger.linked_up_to()
    put(ledger, observation("b", memory_id="m2"))
    finish(ledger)
    ledger.finish_writeback(up_to=before, unresolved={})
    assert named(ledger) == []
    ledger.record_changes([Change("mem:m1", "scope", "null", '"x"', "r")], run_id="r")
    finish(ledger)
    assert ledger.watermark("writeback.changes") == 0
    assert ledger.linked_up_to() == LinkedUpTo(observations=2, links=2, changes=1)


def test_what_stored_a_memory_without_a_name_is_counted_once(ledger: SqliteLedger) -> None:
    put(
        ledger,
        observation("a", tool_name="memory_store"),
        observation("b", tool_name="memory_store", memory_id="m"),
        observation("c", tool_name="exec"),
        observation("d", tool_name="memory_store"),
    )
    up_to = ledger.linked_up_to()
    assert ledger.unlinked_observations(up_to=up_to, limit=1) == (2, (1,))
    finish(ledger)
    assert ledger.unlinked_observations(up_to=up_to, limit=9) == (0, ())


def test_what_a_tool_wrote_down_is_the_agents_and_an_archived_row_archives_nothing(
    ledger: SqliteLedger,
) -> None:
    put(
        ledger,
        observation("a", memory_id="m1", source_kind="tool", detail_json='{"category": "r\\u00e9gle"}'),
    )
    ledger.apply_to_observations([Change("obs:1", "state", '"captured"', '"archived"', "r")], run_id="l")
    (row,) = ledger.linked_governance(up_to=ledger.linked_up_to()).to_pylist()
    assert (row["source_kind"], row["state"], row["category"]) == ("agent", None, "régle")


def test_an_older_ledger_gets_its_links_and_what_it_missed(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    before = [name for name, _ in MIGRATIONS].index("m006_links")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sunrise.adapters.sqlite_connection.MIGRATIONS", MIGRATIONS[:before])
        old = SqliteLedger(path, clock=FrozenClock())
        with old.writing() as db:
            for row_id, memory_id in ((1, "m1"), (2, None), (3, "m2")):
                db.execute(
                    "INSERT INTO observations (id, key, ts_ms, kind, summary, lang, source_kind, memory_id,"
                    " terms, created_at_ms) VALUES (?, ?, 1, 'note', 's', 'en', 'agent', ?, 's', 1)",
                    (row_id, str(row_id), memory_id),
                )
            db.execute("INSERT INTO notes VALUES ('writeback.missing_ids', '[\"m2\"]', 1)")
        old.close()
    new = SqliteLedger(path, clock=FrozenClock())
    assert links(new) == [("m1", 1, "capture"), ("m2", 3, "capture")]
    assert dict(new.unresolved_memories()) == {"m2": "missing"}
    new.close()
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM notes").fetchone() == (0,)


@pytest.mark.parametrize("label", [None, "must_remember", "nice_to_have", "ignore"])
@pytest.mark.parametrize("tier", [None, "trusted", "untrusted", "quarantined"])
@pytest.mark.parametrize("state", ["captured", "active", "stale"])
def test_every_label_tier_and_state_is_told_by_its_name(
    ledger: SqliteLedger, label: str | None, tier: str | None, state: str
) -> None:
    put(ledger, observation("a", memory_id="m1", importance_label=label, trust_tier=tier))
    if state != "captured":
        moved = Change("obs:1", "state", '"captured"', f'"{state}"', "r")
        ledger.apply_to_observations([moved], run_id="l")
    (row,) = ledger.linked_governance(up_to=ledger.linked_up_to()).to_pylist()
    assert (row["importance_label"], row["trust_tier"], row["state"]) == (label, tier, state)


def test_links_are_new_until_a_writeback_ends(ledger: SqliteLedger) -> None:
    put(ledger, observation("a", memory_id="m1"), observation("b", memory_id="m2"))
    assert ledger.links_since_writeback(up_to=ledger.linked_up_to()) == 2
    finish(ledger)
    put(ledger, observation("c", memory_id="m1"))
    assert ledger.links_since_writeback(up_to=ledger.linked_up_to()) == 1
