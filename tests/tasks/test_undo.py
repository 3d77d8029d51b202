"""What a run changed goes back to what it was, in both stores, and what came later is not trodden on."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from flows.grade import grade
from flows.lifecycle import lifecycle
from flows.sweep import sweep
from flows.undo import undo
from flows.writeback import writeback
from sunrise.bootstrap import Home, existing_memories, open_home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.retention import DAY_MS
from sunrise.domain.use import Served
from sunrise.settings import load_settings
from tasks.memories import change, change_memories, open_memories
from tasks.run_frame import Run
from tasks.trust import TrustDecision, change_trust
from tasks.undo import is_known, memories_to_undo, plan_undo
from tasks.undo_verdicts import judge_memories
from tests.fakes import FakeMemoryTable, FrozenClock
from tests.homes import NOW, observation, observations, run_body

PARTS = ("seen", "restored", "already_so", "skipped")


@pytest.fixture
def place(home_path: Path, clock: FrozenClock) -> Path:
    """A home whose flows all have something to change; the memories table is adopted."""
    old = NOW - 200 * DAY_MS
    with open_home(load_settings(home_path), clock=clock) as home:
        rows = observations(
            observation("a", kind="decision", summary="We decided: always back up before a deploy"),
            observation("b", summary="ls", ts_ms=old),
            observation(
                "tea",
                memory_id="m-tea",
                scope="home",
                importance_label="nice_to_have",
                ts_ms=old,
                created_at_ms=old,
            ),
            observation("trusted", source_kind="operator", trust_tier="trusted"),
        )
        home.ledger.commit_harvest(rows, rejected=(), position=None)
        home.ledger.note_served(Served(old))
    run_body(home_path, adopt, flow="index")
    return home_path


def adopt(run: Run) -> None:
    open_memories(run)


def everything(path: Path) -> dict[str, Any]:
    with open_home(load_settings(path), clock=FrozenClock(NOW)) as home:
        table = home.memories()
        assert table is not None
        memories = table.scan(table.schema().names).to_pylist()
        rows = home.ledger.regradable(after_id=0, limit=1000).to_pylist()
        trust = [(one.ref, one.tier, one.reason) for one in home.ledger.observation_standings(range(1, 9))]
        return {
            "observations": rows,
            "lifecycle": home.ledger.lifecycle_rows().to_pylist(),
            "trust": trust,
            "memories": sorted(memories, key=lambda row: str(row["id"])),
            "health": home.ledger.check(),
            "outbox": home.ledger.outbox(),
        }


def take_back(path: Path, run_id: str, *, over_later: bool = False, dry_run: bool = False) -> RunReceipt:
    body = partial(undo, run_id=run_id, over_later=over_later)
    return run_body(path, body, flow="undo", dry_run=dry_run)


def parts(receipt: RunReceipt) -> list[int]:
    return [receipt.counts[name] for name in PARTS]


def decide(path: Path, *refs: str) -> RunReceipt:
    return change_trust(str(path), TrustDecision(refs, "untrusted", "seen it"))


@pytest.mark.parametrize(
    ("run", "fields"),
    [
        (lambda path: run_body(path, grade), {"importance": 3}),
        (
            lambda path: run_body(path, writeback, flow="writeback"),
            {"importance_label": 1, "scope": 1, "lang": 1, "source_kind": 1, "state": 1},
        ),
        # obs:3 and its memory, and two more memories that nobody used, each with its state and its time.
        (lambda path: run_body(path, lifecycle, flow="lifecycle"), {"state": 3, "archived_at_ms": 3}),
        (lambda path: decide(path, "obs:3", "obs:4"), {"trust_tier": 3, "trust_reason": 2}),
    ],
    ids=["grade", "writeback", "lifecycle", "trust"],
)
def test_what_a_flow_changed_goes_back_and_comes_again(place: Path, run: Any, fields: dict[str, int]) -> None:
    before = everything(place)
    first = run(place)
    after = everything(place)
    assert after != before
    dry = take_back(place, first.run_id, dry_run=True)
    assert everything(place) == after
    undone = take_back(place, first.run_id)
    assert everything(place) == before
    assert (undone.status, undone.facts["undone"]) == (RunStatus.OK, first.run_id)
    assert undone.groups["restored_by_field"] == dry.groups["restored_by_field"] == fields
    assert parts(undone) == parts(dry) == [sum(fields.values()), sum(fields.values()), 0, 0]
    again = take_back(place, first.run_id)
    assert parts(again) == [sum(fields.values()), 0, sum(fields.values()), 0]
    redone = take_back(place, undone.run_id)
    assert redone.counts["restored"] == sum(fields.values())
    assert everything(place) == after


def test_after_an_undo_the_next_run_grades_again(place: Path) -> None:
    first = run_body(place, grade)
    take_back(place, first.run_id)
    assert run_body(place, grade).counts["graded_filled"] == first.counts["graded_filled"] == 3


def test_a_later_run_is_not_trodden_on_unless_that_is_wanted(place: Path) -> None:
    before = everything(place)
    first = decide(place, "obs:3", "obs:4")
    later = change_trust(str(place), TrustDecision(("obs:4",), "quarantined", "worse"))
    after = everything(place)
    refused = take_back(place, first.run_id)
    assert (refused.status, refused.reason) == (RunStatus.FAILED, "changed_by_a_later_run")
    assert f"{later.run_id} (1 records)" in refused.anomalies[0].message
    assert everything(place) == after
    done = take_back(place, first.run_id, over_later=True)
    assert (done.status, done.counts["restored_over_later"]) == (RunStatus.OK, 2)
    assert done.refs["later_runs"] == (later.run_id,)
    assert everything(place) == before


def test_many_later_runs_are_told_of_in_short(place: Path) -> None:
    refs = ("obs:1", "obs:2", "obs:3", "obs:4")
    first = decide(place, *refs)
    for ref in refs:
        change_trust(str(place), TrustDecision((ref,), "quarantined", "again"))
    assert " and 1 more; undo those first" in take_back(place, first.run_id).anomalies[0].message


def test_runs_are_undone_one_after_another_from_the_last(place: Path) -> None:
    before = everything(place)
    runs = [decide(place, "obs:4"), change_trust(str(place), TrustDecision(("obs:4",), None, "who knows"))]
    assert take_back(place, runs[0].run_id).status is RunStatus.FAILED
    assert [take_back(place, run.run_id).status for run in reversed(runs)] == [RunStatus.OK] * 2
    assert everything(place) == before


def test_a_memory_that_its_agent_wrote_to_is_left_alone(place: Path) -> None:
    first = run_body(place, writeback, flow="writeback")
    table = existing_memories(load_settings(place))
    assert table is not None
    table.merge(pa.table({"id": ["m-tea"], "scope": ["the agent's"]}))
    receipt = take_back(place, first.run_id)
    assert (parts(receipt), receipt.refs["skipped"]) == ([5, 4, 0, 1], ("mem:m-tea",))
    assert receipt.groups["skipped_by_field"] == {"scope": 1}
    row = table.by_ids(["m-tea"], ["scope", "importance_label"]).to_pylist()
    assert row == [{"scope": "the agent's", "importance_label": None}]


def test_memories_over_a_later_run_are_counted(place: Path) -> None:
    first = run_body(place, writeback, flow="writeback")

    def later(run: Run) -> None:
        change_memories(
            run, open_memories(run), [change("m-tea", "scope", before="home", after="x", reason="")]
        )

    run_body(place, later, flow="index")
    assert take_back(place, first.run_id).status is RunStatus.FAILED
    receipt = take_back(place, first.run_id, over_later=True)
    assert (receipt.counts["restored"], receipt.counts["restored_over_later"]) == (5, 1)


def test_memories_whose_table_is_gone_are_told_of(place: Path, tmp_path: Path) -> None:
    first = decide(place, "obs:3")
    with (place / "sunrise.toml").open("a") as file:
        file.write(f'[memories]\nuri = "{tmp_path / "nowhere"}"\n')
    receipt = take_back(place, first.run_id)
    assert (receipt.status, receipt.anomalies[0].code) == (RunStatus.ANOMALY, "no_memories_table")
    assert parts(receipt) == [3, 2, 0, 1]


def test_a_sweep_keeps_no_before_image(place: Path) -> None:
    swept = run_body(place, sweep, flow="sweep")
    receipt = take_back(place, swept.run_id)
    assert (receipt.status, receipt.reason) == (RunStatus.FAILED, "redaction_keeps_no_before_image")


def test_runs_that_are_not_there_are_at_work_or_changed_nothing(place: Path) -> None:
    assert take_back(place, "nobody").reason == "no_such_run"
    first = run_body(place, grade, dry_run=True)
    receipt = take_back(place, first.run_id)
    assert (receipt.status, receipt.reason) == (RunStatus.SKIPPED, "run_changed_nothing")
    inside: list[RunReceipt] = []
    run_body(place, lambda run: inside.append(take_back(place, run.run_id)))
    assert inside[0].reason == "run_still_running"
    with open_home(load_settings(place)) as home:
        assert [is_known(home, run_id) for run_id in (first.run_id, "nobody")] == [True, False]


def test_a_run_is_known_by_its_changes_alone(home: Home) -> None:
    home.ledger.record_changes([change("m-tea", "scope", before=None, after="x", reason="r")], run_id="r")
    assert is_known(home, "r")


def test_memories_are_judged_by_what_their_column_can_hold(home: Home) -> None:
    single = pa.schema([("id", pa.string()), ("importance", pa.float32()), ("scope", pa.string())])
    rows = [("a", 0.9, "x"), ("b", 0.5, None), ("twice", 0.9, "x"), ("twice", 0.9, "x")]
    table = FakeMemoryTable(
        pa.Table.from_pylist([dict(zip(single.names, row, strict=True)) for row in rows], schema=single)
    )
    # Field by field: before the run, after it, and what an undo makes of what the table holds now.
    wanted: list[tuple[str, str, object, object, str]] = [
        ("a", "importance", 0.5, 0.9, "restored"),
        ("a", "scope", None, "y", "skipped"),
        ("a", "no_such_column", None, "x", "skipped"),
        ("b", "importance", 0.5, 0.9, "already_so"),
        ("b", "scope", "y", "", "restored"),
        ("twice", "scope", None, "x", "skipped"),
        ("gone", "scope", None, "x", "skipped"),
    ]
    made = [change(*names, before=before, after=after, reason="") for *names, before, after, _ in wanted]
    home.ledger.record_changes(made, run_id="r")
    judged = judge_memories(table, memories_to_undo(home, plan_undo(home, "r", over_later=False)))
    told = {
        (f"mem:{row['id']}", name): row["verdict"]
        for name, rows in judged.by_field.items()
        for row in rows.iter_rows(named=True)
    }
    assert told == {(f"mem:{memory_id}", name): verdict for memory_id, name, _, _, verdict in wanted}
    assert judged.updates("undo:r").rows().sort_by("id").to_pylist() == [
        {"id": "a", "importance": 0.5, "scope": "x"}, {"id": "b", "importance": 0.5, "scope": "y"},
    ]  # fmt: skip


def test_a_memory_that_changes_while_the_plan_is_carried_out_is_left_alone(home: Home) -> None:
    table = FakeMemoryTable(pa.table({"id": ["a"], "scope": ["y"]}))
    home.ledger.record_changes([change("a", "scope", before=None, after="x", reason="")], run_id="r")
    plan = plan_undo(home, "r", over_later=False)
    home.ledger.record_changes([change("a", "scope", before="x", after="y", reason="")], run_id="meanwhile")
    judged = judge_memories(table, memories_to_undo(home, plan))
    assert (list(judged.counts()), len(judged.updates(""))) == ([("scope", "skipped", 1, 0)], 0)
