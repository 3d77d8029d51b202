"""Single records in the ledger: what was changed of them, how they were used, what stands around them."""

from __future__ import annotations

from typing import Any

import pytest

from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.record_views import RecordedChange, RecordLink, Usage
from sunrise.domain.use import Served
from tests.homes import NOW, observation
from tests.ledgers import change, put, raw

MINUTE = 60_000


@pytest.fixture
def day(ledger: SqliteLedger) -> SqliteLedger:
    """Six rows of two sessions and two scopes, a minute apart; the third and the fourth at once."""
    rows: list[tuple[str, int, dict[str, Any]]] = [
        ("a", 0, {"session_key": "s1", "scope": "ops"}),
        ("b", 1, {"session_key": "s2", "scope": "ops"}),
        ("c", 2, {"session_key": "s1", "scope": None}),
        ("d", 2, {"session_key": "s1", "scope": "ops"}),
        ("e", 3, {"session_key": None, "scope": ""}),
        ("f", 4, {"session_key": "s1", "scope": "ops", "memory_id": "m"}),
    ]
    put(ledger, *(observation(key, ts_ms=NOW + at * MINUTE, **more) for key, at, more in rows))
    return ledger


def near(ledger: SqliteLedger, at: int, **asked: Any) -> str:
    wanted = {"row_id": 10**6, "window_ms": 10 * MINUTE, "before": 10, "after": 10, **asked}
    rows = ledger.observations_near(NOW + at * MINUTE, **wanted)
    return "".join((one.text or "")[-1] for one in rows)


def test_observations_are_shown_field_by_field(day: SqliteLedger) -> None:
    (one,) = day.observations_by_ids([6, 99, -1, 2**70])
    assert (one.ref, one.memory_ref, one.text, one.at_ms) == (
        "obs:6",
        "mem:m",
        "summary of f",
        NOW + 4 * MINUTE,
    )
    assert (one.scope, one.session_key, one.state, one.source_kind) == ("ops", "s1", "captured", "tool")
    assert [one.ref for one in day.observations_by_ids([3, 1, 3])] == ["obs:1", "obs:3"]


def test_what_was_captured_around_stands_oldest_first(day: SqliteLedger) -> None:
    assert near(day, 2) == "abcdef"
    assert near(day, 2, row_id=3, session_key="s1") == "acdf"
    assert near(day, 2, before=1, after=1, row_id=3) == "cd"
    assert near(day, 2, before=1, after=1, row_id=4) == "de"
    assert near(day, 2, before=0, after=2, row_id=3, session_key="s1") == "df"
    assert near(day, 0, window_ms=MINUTE) == "ab"
    assert near(day, -5, window_ms=MINUTE) == ""


def test_around_in_a_scope_are_only_rows_of_it(day: SqliteLedger) -> None:
    assert near(day, 2, scope="ops") == "abdf"
    assert near(day, 2, scope="") == "ce"
    assert near(day, 2, scope="o'ps") == ""


def test_the_history_is_newest_first_and_names_the_run(ledger: SqliteLedger) -> None:
    ledger.save_run(RunReceipt(run_id="r1", flow="trust", status=RunStatus.OK, started_ms=1))
    ledger.record_changes([change("mem:a", "scope", None, "ops")], run_id="r1")
    ledger.record_changes(
        [change("mem:a", "scope", "ops", "x"), change("mem:b", "scope", "", "")], run_id="r2"
    )
    assert ledger.history_of("mem:a", limit=5) == (
        RecordedChange(NOW, "r2", None, "scope", '"ops"', '"x"', "test"),
        RecordedChange(NOW, "r1", "trust", "scope", "null", '"ops"', "test"),
    )
    assert [one.run_id for one in ledger.history_of("mem:a", limit=1)] == ["r2"]
    assert ledger.history_of("mem:nobody", limit=5) == ()


def test_use_is_told_and_noted_and_never_goes_back(ledger: SqliteLedger) -> None:
    assert ledger.usage_of("mem:a") == Usage()
    ledger.note_used("mem:a", at_ms=7)
    ledger.note_used("mem:a", at_ms=5)
    ledger.note_served(Served(9, retrieved=("mem:a",)))
    assert ledger.usage_of("mem:a") == Usage(last_retrieved_ms=9, last_used_ms=7)


def test_a_memory_has_the_observations_that_name_it(day: SqliteLedger) -> None:
    put(day, observation("g", memory_id="m", tool_name="memory_store"), offset=2)
    assert day.links_of_memory("m", limit=5) == (
        RecordLink("obs:7", "tool_result"),
        RecordLink("obs:6", "capture"),
    )
    assert len(day.links_of_memory("m", limit=1)) == 1
    assert day.links_of_memory("nobody", limit=5) == ()


def test_rows_around_a_moment_are_found_by_an_index(day: SqliteLedger) -> None:
    with day.reading() as db:
        plan = db.execute(
            "EXPLAIN QUERY PLAN SELECT id FROM observations o WHERE o.ts_ms BETWEEN 1 AND 2 ORDER BY o.ts_ms"
        ).fetchall()
    assert any("observations_ts" in str(step) for step in plan)


def test_a_look_leaves_nothing_behind(day: SqliteLedger) -> None:
    before = raw(day, "SELECT * FROM usage"), raw(day, "SELECT count(*) FROM changes")
    near(day, 2)
    day.usage_of("obs:1")
    day.history_of("obs:1", limit=1)
    assert (raw(day, "SELECT * FROM usage"), raw(day, "SELECT count(*) FROM changes")) == before
