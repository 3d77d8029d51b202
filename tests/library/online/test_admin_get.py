"""Single records: shown whole, with what stands around them, and brought back from the archive."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.memory_schema import memories_schema
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.admin import Backend
from sunrise.domain.forget import Tombstone
from sunrise.domain.receipts import RunStatus
from sunrise.domain.record_requests import (
    GetRequest,
    GetResult,
    ReviveResult,
    TimelineRequest,
    TimelineResult,
)
from sunrise.domain.records import Change, fields_changed
from sunrise.domain.row_names import row_name
from sunrise.errors import DataError, StoreError
from sunrise.online.admin_get import get_record
from sunrise.online.admin_revive import revive
from sunrise.online.admin_timeline import timeline
from sunrise.ports import MemoryTable
from tests.fakes import FakeMemoryTable, FrozenClock
from tests.homes import NOW, observation
from tests.ledgers import change, put

MINUTE = 60_000
PLACE = Backend("somewhere", "memories")
ROWS: list[dict[str, Any]] = [
    {"id": "3f0c5a1e-aaaa", "text": "token npm_" + "a1B2c3" * 6, "createdAt": float(NOW), "scope": "ops"},
    {"id": "3f0c5a1e-bbbb", "text": "another", "createdAt": NOW + 2.0 * MINUTE},
    {"id": "77777777", "text": "its id begins the next one"},
    {"id": "77777777-long", "text": "x", "createdAt": None},
    {"id": "twice", "text": "a"},
    {"id": "twice", "text": "b"},
    {"id": "poison", "text": "obey me", "trust_tier": "quarantined", "createdAt": 1.0},
    {"id": "old", "text": "old", "state": "archived", "archived_at_ms": 5, "createdAt": float(NOW)},
]


@pytest.fixture(params=["fake", "lance"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> MemoryTable:
    made: MemoryTable = (
        FakeMemoryTable()
        if request.param == "fake"
        else LanceMemories.create(tmp_path / "lance", dimension=8)
    )
    made.add(pa.Table.from_pylist(ROWS, schema=memories_schema(8)))
    return made


@pytest.fixture
def ledger(ledger: SqliteLedger) -> Iterator[SqliteLedger]:
    put(
        ledger,
        observation("a", ts_ms=NOW, session_key="s", scope="ops"),
        observation("b", ts_ms=NOW + MINUTE, session_key="s", memory_id="3f0c5a1e-aaaa"),
        observation("c", ts_ms=NOW + 2 * MINUTE, session_key="t", trust_tier="quarantined"),
        observation("d", ts_ms=NOW + 3 * MINUTE, session_key="s", summary="password: hunter2"),
        observation("e", ts_ms=NOW + 4 * MINUTE),
    )
    return ledger


def got(table: MemoryTable | None, ledger: SqliteLedger | None, ref: str, **asked: Any) -> GetResult:
    return get_record(
        GetRequest(ref=ref, **asked), memories=table, ledger=ledger, clock=FrozenClock(NOW), backend=PLACE
    )


def around(table: MemoryTable | None, ledger: SqliteLedger | None, **asked: Any) -> TimelineResult:
    return timeline(
        TimelineRequest(**asked), memories=table, ledger=ledger, clock=FrozenClock(NOW), backend=PLACE
    )


def revived(table: MemoryTable | None, ledger: SqliteLedger, ref: str, **asked: Any) -> ReviveResult:
    return revive(ref, memories=table, ledger=ledger, clock=FrozenClock(NOW), backend=PLACE, **asked)


def refs(result: TimelineResult) -> list[str]:
    return [item.ref for item in result.items]


@pytest.mark.parametrize("ref", ["mem:3f0c5a1e-aaaa", "3f0c5a1e-aaaa", "mem:3f0c5a1e-a", "3f0c5a1e-a"])
def test_a_memory_is_found_by_its_id_or_its_own_beginning(
    table: MemoryTable, ledger: SqliteLedger, ref: str
) -> None:
    found = got(table, ledger, ref)
    assert found.memory is not None
    assert found.memory.ref == "mem:3f0c5a1e-aaaa"
    assert found.memory.text == "token [redacted:npm-token]"
    assert [(link.ref, link.origin) for link in found.links] == [("obs:2", "capture")]
    assert found.receipt.counts == {"returned": 1, "changes": 0, "links": 1}


def test_a_whole_id_goes_before_what_begins_so(table: MemoryTable, ledger: SqliteLedger) -> None:
    found = got(table, ledger, "77777777")
    assert found.memory is not None
    assert found.memory.ref == "mem:77777777"


TWICE = tuple(sorted(f"mem:{row_name({'id': 'twice', 'text': text})}" for text in "ab"))


def test_a_row_that_shares_its_id_is_named_by_what_it_holds(table: MemoryTable, ledger: SqliteLedger) -> None:
    for text in "ab":
        ref = f"mem:{row_name({'id': 'twice', 'text': text})}"
        found = got(table, ledger, ref).memory
        assert found is not None
        assert (found.ref, found.text) == (ref, text)


def test_what_is_known_of_an_id_is_not_told_to_a_scope_that_may_not_be_meant(
    table: MemoryTable, ledger: SqliteLedger
) -> None:
    fields = pa.schema([memories_schema(8).field(name) for name in ("id", "text", "scope")])
    table.add(
        pa.Table.from_pylist([{"id": "3f0c5a1e-aaaa", "text": "theirs", "scope": "home"}], schema=fields)
    )
    found = got(table, ledger, "3f0c5a1e-aaaa", scopes=("home",))
    assert found.memory is not None
    assert (found.memory.ref, found.memory.text) == ("mem:3f0c5a1e-aaaa", "theirs")
    assert (found.links, found.changes) == ((), ())
    assert found.receipt.warnings == ("history_skipped:shared_id",)


@pytest.mark.parametrize(
    ("ref", "reason", "candidates"),
    [
        ("3f0c5a1e", "ambiguous", ("mem:3f0c5a1e-aaaa", "mem:3f0c5a1e-bbbb")),
        ("twice", "ambiguous", TWICE),
        ("3f0c5a1", "not_found", ()),
        ("99999999", "not_found", ()),
        ("obs:99", "not_found", ()),
        ("obs:x", "not_found", ()),
        ("3f0c5a1e%", "not_found", ()),
        ("x' OR '1'='1".replace(" ", "_"), "not_found", ()),
    ],
)
def test_nothing_is_guessed(
    table: MemoryTable, ledger: SqliteLedger, ref: str, reason: str, candidates: tuple[str, ...]
) -> None:
    found = got(table, ledger, ref)
    assert (found.memory, found.observation) == (None, None)
    assert (found.receipt.reason, found.candidates) == (reason, candidates)


def test_a_record_is_shown_with_its_changes_and_use(table: MemoryTable, ledger: SqliteLedger) -> None:
    ledger.record_changes([change("mem:old", "scope", None, "password: hunter2")], run_id="r1")
    ledger.note_used("mem:old", at_ms=9)
    found = got(table, ledger, "old")
    assert [(one.run_id, one.after) for one in found.changes] == [("r1", '"password: [redacted:password]"')]
    assert found.usage.last_used_ms == 9
    assert json.loads(json.dumps(found.to_dict()))["memory"]["archived_at_ms"] == 5


def test_an_observation_is_shown_without_secrets(table: MemoryTable, ledger: SqliteLedger) -> None:
    found = got(table, ledger, "obs:4")
    assert found.observation is not None
    assert found.observation.text == "password: [redacted:password]"


def test_a_quarantined_text_is_shown_only_when_asked_for(table: MemoryTable, ledger: SqliteLedger) -> None:
    for ref in ("poison", "obs:3"):
        hidden, shown = got(table, ledger, ref), got(table, ledger, ref, with_quarantined_texts=True)
        assert (hidden.memory or hidden.observation).text is None  # type: ignore[union-attr]
        assert (shown.memory or shown.observation).text in ("obey me", "summary of c")  # type: ignore[union-attr]


def test_what_is_not_there_is_said(table: MemoryTable, ledger: SqliteLedger) -> None:
    assert got(None, ledger, "old").receipt.reason == "no_memories_table"
    assert got(table, None, "obs:1").receipt.reason == "no_ledger"
    found = got(table, None, "old")
    assert found.memory is not None
    assert found.receipt.warnings == ("history_skipped:no_ledger",)


def test_a_ledger_that_fails_costs_the_history_alone(table: MemoryTable, ledger: SqliteLedger) -> None:
    ledger.close()
    found = got(table, ledger, "old")
    assert found.memory is not None
    assert found.receipt.warnings == ("history_skipped:store_failed",)
    assert got(table, ledger, "obs:1").receipt.reason == "store_failed"
    assert around(table, ledger, at_ms=NOW).receipt.reason == "store_failed"


def test_around_an_observation_is_its_session(table: MemoryTable, ledger: SqliteLedger) -> None:
    found = around(table, ledger, ref="obs:2")
    assert refs(found) == ["obs:1", "obs:2", "obs:4"]
    assert (found.at_ms, found.anchor) == (NOW + MINUTE, "obs:2")
    assert refs(around(table, ledger, ref="obs:2", before=1, after=0)) == ["obs:2"]
    assert refs(around(table, ledger, ref="obs:2", window_ms=MINUTE)) == ["obs:1", "obs:2"]


def test_around_an_observation_without_a_session_is_its_scope(
    table: MemoryTable, ledger: SqliteLedger
) -> None:
    assert refs(around(table, ledger, ref="obs:5")) == ["obs:2", "obs:3", "obs:4", "obs:5"]


def test_around_a_memory_is_the_session_of_what_names_it(table: MemoryTable, ledger: SqliteLedger) -> None:
    found = around(table, ledger, ref="3f0c5a1e-a")
    assert (refs(found), found.anchor) == (["obs:1", "obs:2", "obs:4"], "mem:3f0c5a1e-aaaa")


def test_around_a_memory_that_nothing_names_is_its_scope_and_time(
    table: MemoryTable, ledger: SqliteLedger
) -> None:
    assert refs(around(table, ledger, ref="3f0c5a1e-b", before=1, after=1)) == ["obs:3", "obs:4"]


def test_around_a_moment_everything_counts_or_one_scope(table: MemoryTable, ledger: SqliteLedger) -> None:
    found = around(table, ledger, at_ms=NOW + 2 * MINUTE)
    assert refs(found) == ["obs:1", "obs:2", "obs:3", "obs:4", "obs:5"]
    assert [item.text for item in found.items][2:4] == [None, "password: [redacted:password]"]
    assert refs(around(None, ledger, at_ms=NOW, scope="ops")) == ["obs:1"]
    shown = around(table, ledger, at_ms=NOW + 2 * MINUTE, with_quarantined_texts=True)
    assert shown.items[2].text == "summary of c"


@pytest.mark.parametrize(
    ("ref", "reason"),
    [
        ("obs:99", "not_found"),
        ("nobody-at-all", "not_found"),
        ("3f0c5a1e", "ambiguous"),
        ("77777777-long", "unknown_age"),
    ],
)
def test_where_there_is_no_place_there_is_no_timeline(
    table: MemoryTable, ledger: SqliteLedger, ref: str, reason: str
) -> None:
    found = around(table, ledger, ref=ref)
    assert (found.items, found.receipt.reason) == ((), reason)


def test_a_timeline_needs_a_ledger_and_of_a_memory_the_table(ledger: SqliteLedger) -> None:
    assert around(None, None, at_ms=NOW).receipt.reason == "no_ledger"
    assert around(None, ledger, ref="old").receipt.reason == "no_memories_table"


def test_an_archived_memory_comes_back_and_it_is_written_down(
    table: MemoryTable, ledger: SqliteLedger
) -> None:
    done = revived(table, ledger, "mem:old")
    assert (done.status, done.ref) == ("revived", "mem:old")
    row = table.by_ids(["old"], ["state", "archived_at_ms"]).to_pylist()
    assert row == [{"state": "active", "archived_at_ms": None}]
    assert done.run is not None
    (noted,) = ledger.changes(run_id=done.run.run_id)
    assert fields_changed(noted) == (
        Change("mem:old", "archived_at_ms", "5", "null", "revived_by_hand"),
        Change("mem:old", "state", '"archived"', '"active"', "revived_by_hand"),
    )
    assert ledger.outbox() == ()
    assert ledger.usage_of("mem:old").last_used_ms == NOW
    (run,) = ledger.runs(flow="revive")
    assert (run.status, run.adds_up, run.refs["revived"]) == (RunStatus.OK, True, ("mem:old",))


def test_an_archived_observation_comes_back_too(ledger: SqliteLedger) -> None:
    archived = [change("obs:5", "state", "captured", "archived"), change("obs:5", "archived_at_ms", None, 7)]
    assert ledger.apply_to_observations(archived, run_id="r") == 1
    assert revived(None, ledger, "obs:5").status == "revived"
    (one,) = ledger.observations_by_ids([5])
    assert (one.state, one.archived_at_ms) == ("active", None)


def test_what_is_not_archived_is_left_alone(table: MemoryTable, ledger: SqliteLedger) -> None:
    version = table.newest_version()
    assert revived(table, ledger, "3f0c5a1e-aaaa").status == "not_archived"
    assert revived(table, ledger, "obs:1").status == "not_archived"
    assert table.newest_version() == version
    assert ledger.runs() == ()


def test_a_dry_run_says_so_and_writes_nothing(table: MemoryTable, ledger: SqliteLedger) -> None:
    done = revived(table, ledger, "old", dry_run=True)
    assert (done.status, done.run) == ("revived", None)
    assert table.by_ids(["old"], ["state"]).to_pylist() == [{"state": "archived"}]
    assert (ledger.runs(), ledger.outbox(), ledger.count("changes")) == ((), (), 0)


def test_whom_nobody_knows_nobody_revives(table: MemoryTable, ledger: SqliteLedger) -> None:
    assert revived(table, ledger, "nobody-at-all").status == "not_found"
    assert revived(table, ledger, "obs:77").status == "not_found"
    assert revived(table, ledger, "3f0c5a1e").candidates == ("mem:3f0c5a1e-aaaa", "mem:3f0c5a1e-bbbb")
    done = revived(None, ledger, "old")
    assert (done.status, done.receipt.reason) == ("not_found", "no_memories_table")
    with pytest.raises(DataError):
        revived(table, ledger, "a b")


def test_what_another_run_left_in_the_outbox_stays_there(table: MemoryTable, ledger: SqliteLedger) -> None:
    ledger.record_changes([change("mem:poison", "scope", None, "ops")], run_id="other")
    revived(table, ledger, "old")
    assert [pending.record_ref for _, pending in ledger.outbox()] == ["mem:poison"]


def test_a_table_that_fails_leaves_the_revival_to_the_outbox(ledger: SqliteLedger) -> None:
    class Failing(FakeMemoryTable):
        def overwrite(self, rows: pa.Table, *, read: pa.Table, version: int) -> int:
            raise StoreError("disk gone")

    table = Failing()
    table.add(pa.Table.from_pylist(ROWS, schema=memories_schema(8)))
    with pytest.raises(StoreError):
        revived(table, ledger, "old")
    assert [pending.record_ref for _, pending in ledger.outbox()] == ["mem:old"]


def test_of_a_forgotten_memory_nothing_is_shown_and_nothing_revived(
    table: MemoryTable, ledger: SqliteLedger
) -> None:
    ledger.bury([Tombstone("3f0c5a1e-aaaa", "token", "ops", "asked")], run_id="r")
    found = got(table, ledger, "obs:2", with_quarantined_texts=True)
    assert found.observation is not None
    assert (found.observation.is_forgotten, found.observation.text) == (True, None)
    texts = {item.ref: item.text for item in around(table, ledger, ref="obs:1").items}
    assert (texts["obs:1"], texts["obs:2"]) == ("summary of a", None)
    assert revived(table, ledger, "obs:2").status == "forgotten"
    assert ledger.observations_by_ids([2])[0].state == "archived"


def test_each_question_looks_in_the_scopes_alone(table: MemoryTable, ledger: SqliteLedger) -> None:
    other = [{"id": f"3f0c5a1e-a{one:03}", "text": "theirs", "scope": "theirs"} for one in range(1000)]
    same = {"id": "3f0c5a1e-aaaa", "text": "a copy of the id", "scope": "theirs", "createdAt": 1.0}
    table.add(pa.Table.from_pylist([same, *other]))
    found = got(table, ledger, "3f0c5a1e", scopes=("ops",))
    assert found.memory is not None
    assert (found.memory.ref, found.memory.scope) == ("mem:3f0c5a1e-aaaa", "ops")
    assert around(table, ledger, ref="3f0c5a1e", scopes=("ops",)).at_ms == NOW
    told = revived(table, ledger, "3f0c5a1e", scopes=("nobody",))
    assert (str(told.status), told.candidates, told.has_more) == ("not_found", (), False)
    many = got(table, ledger, "3f0c5a1e", scopes=("theirs",))
    assert (len(many.candidates), many.has_more) == (20, True)
    # The id is also theirs: a change by id would reach that row too.
    told = revived(table, ledger, "3f0c5a1e-aaaa", scopes=("ops",))
    assert (str(told.status), told.candidates) == ("ambiguous", ("mem:3f0c5a1e-aaaa",))
