"""Changes of memories go through the outbox: a kill at any moment loses and doubles nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pytest

from sunrise.adapters.memory_schema import memories_schema
from sunrise.bootstrap import Home, existing_memories, open_home
from sunrise.domain.receipts import RunStatus
from sunrise.domain.records import Change
from sunrise.settings import load_settings
from tasks.memories import apply_outbox, change, change_memories, is_empty, open_memories
from tasks.run_frame import Run
from tests.fakes import FakeMemoryTable, FrozenClock
from tests.homes import run_body


@pytest.fixture
def table() -> FakeMemoryTable:
    made = FakeMemoryTable()
    made.add(pa.table({"id": ["a", "b"], "scope": [None, "theirs"], "importance": [0.5, None]}))
    return made


def scopes(table: FakeMemoryTable) -> list[str | None]:
    values: list[str | None] = table.scan(["scope"]).column("scope").to_pylist()
    return values


def fill(memory_id: str, before: str | None, after: str) -> Change:
    return change(memory_id, "scope", before=before, after=after, reason="fill_empty")


def test_what_was_recorded_before_a_kill_is_applied_once(home: Home, table: FakeMemoryTable) -> None:
    # The process ends here: the audit trail has the change, the table does not.
    home.ledger.record_changes([fill("a", None, "ops")], run_id="killed")
    assert scopes(table) == [None, "theirs"]
    assert apply_outbox(home, table) == 1
    version = table.version
    assert scopes(table) == ["ops", "theirs"]
    assert apply_outbox(home, table) == 0
    assert (home.ledger.outbox(), table.version) == ((), version)
    assert len(home.ledger.changes(run_id="killed")) == 1


def test_what_was_applied_before_a_kill_is_not_applied_again(home: Home, table: FakeMemoryTable) -> None:
    home.ledger.record_changes([fill("a", None, "ops")], run_id="killed")
    # Killed after the merge and before the outbox was cleared; then the agent changes its mind.
    table.merge(pa.table({"id": ["a"], "scope": ["ops"]}))
    version = table.version
    assert apply_outbox(home, table) == 0
    assert (scopes(table)[0], table.version, home.ledger.outbox()) == ("ops", version, ())


def test_what_somebody_else_wrote_since_stands(home: Home, table: FakeMemoryTable) -> None:
    home.ledger.record_changes([fill("a", None, "ops"), fill("b", None, "ops")], run_id="killed")
    table.merge(pa.table({"id": ["a"], "scope": ["hers"]}))
    assert apply_outbox(home, table) == 0
    assert scopes(table) == ["hers", "theirs"]
    assert home.ledger.outbox() == ()


def test_changes_of_one_field_follow_each_other(home: Home, table: FakeMemoryTable) -> None:
    home.ledger.record_changes([fill("a", None, "one")], run_id="r1")
    home.ledger.record_changes([fill("a", "one", "two")], run_id="r2")
    assert apply_outbox(home, table) == 1
    assert scopes(table)[0] == "two"


def test_an_empty_text_counts_as_empty(home: Home, table: FakeMemoryTable) -> None:
    table.merge(pa.table({"id": ["a"], "scope": [" "]}))
    home.ledger.record_changes([fill("a", None, "ops")], run_id="r")
    assert apply_outbox(home, table) == 1
    assert scopes(table)[0] == "ops"
    assert [is_empty(value) for value in (None, "", " \n", "x", 0.0, False)] == [True] * 3 + [False] * 3


def test_fields_of_several_memories_come_in_one_merge(home: Home, table: FakeMemoryTable) -> None:
    changes = [
        fill("a", None, "ops"),
        change("a", "importance", before=0.5, after=0.9, reason="r"),
        change("b", "importance", before=None, after=0.2, reason="r"),
        fill("gone", None, "ops"),
    ]
    home.ledger.record_changes(changes, run_id="r")
    version = table.version
    assert apply_outbox(home, table) == 2
    assert table.version == version + 1
    assert table.scan(["id", "scope", "importance"]).to_pylist() == [
        {"id": "a", "scope": "ops", "importance": 0.9},
        {"id": "b", "scope": "theirs", "importance": 0.2},
    ]
    assert home.ledger.outbox() == ()


def only_open(run: Run) -> None:
    open_memories(run)


def test_opening_adopts_the_table_and_finishes_a_killed_run(home_path: Path, clock: FrozenClock) -> None:
    with open_home(load_settings(home_path), clock=clock) as home:
        home.ledger.record_changes([fill("m-tea", None, "home")], run_id="killed")
    dry = run_body(home_path, only_open, dry_run=True)
    assert "columns_added" not in dry.facts
    assert dry.counts == {"finished_from_killed_run": 0}
    receipt = run_body(home_path, only_open)
    assert "importance_label" in receipt.facts["columns_added"]
    assert receipt.counts == {"finished_from_killed_run": 1}
    again = run_body(home_path, only_open)
    assert (again.facts, again.counts) == ({"memories": str(home_path / "lance")}, {})
    with open_home(load_settings(home_path), clock=clock) as home:
        found = home.memories()
        assert found is not None
        assert found.by_ids(["m-tea"], ["scope"]).to_pylist() == [{"scope": "home"}]


def test_a_table_that_the_agent_has_not_made_is_waited_for(home_path: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "gateway"
    with (home_path / "sunrise.toml").open("a") as file:
        file.write(f'[memories]\nuri = "{elsewhere}"\n')
    receipt = run_body(home_path, only_open)
    assert (receipt.status, receipt.reason) == (RunStatus.SKIPPED, "no_memories_table")
    assert not elsewhere.exists()


def test_a_home_of_its_own_gets_a_table(home_path: Path) -> None:
    shutil.rmtree(home_path / "lance")
    assert run_body(home_path, only_open).status is RunStatus.OK
    table = existing_memories(load_settings(home_path))
    assert table is not None
    # Without an embedder the vectors are as long as the built-in one would make them.
    assert table.schema() == memories_schema(512)


def test_changing_memories_is_recorded_under_the_run(home_path: Path, clock: FrozenClock) -> None:
    def body(run: Run) -> None:
        table = open_memories(run)
        assert change_memories(run, table, [fill("m-zh", None, "ops")]) == 1

    receipt = run_body(home_path, body)
    with open_home(load_settings(home_path), clock=clock) as home:
        assert home.ledger.changes(run_id=receipt.run_id) == (fill("m-zh", None, "ops"),)
        assert home.ledger.outbox() == ()
