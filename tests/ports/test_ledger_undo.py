"""Grades are replaced only where they are ours, and what a run changed can be put back to the last digit."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunrise.adapters import sqlite_audit
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.adapters.sqlite_undo import GRADE, PLAIN_FIELDS, UNDO, UndoneBatch
from sunrise.domain.records import Change
from tests.fakes import FrozenClock
from tests.homes import NOW, observation
from tests.ledgers import GRADE_SCHEMA, WHOLE, change, grades, labels, put, raw

OURS = ("m", "heuristic-v1")
LABELS = ("must_remember", "nice_to_have", "ignore")
HELD = (
    "SELECT importance_graded_at_ms, importance_label, importance_method, importance_rationale,"
    " importance_score, importance_version FROM observations ORDER BY id"
)


def undo(
    ledger: SqliteLedger, undone: str, *, run_id: str = "u", limit: int = 1000, dry_run: bool = False
) -> dict[tuple[str, str], int]:
    plan = ledger.plan_undo(undone)
    counts: dict[tuple[str, str], int] = {}
    below: int | None = None
    while True:
        batch = ledger.undo_observations(plan, run_id=run_id, below=below, limit=limit, dry_run=dry_run)
        for key, fields in batch.counts.items():
            counts[key] = counts.get(key, 0) + fields
        below = batch.below
        if below is None:
            return counts


def once(ledger: SqliteLedger, undone: str, *, run_id: str = "u") -> UndoneBatch:
    return ledger.undo_observations(ledger.plan_undo(undone), run_id=run_id, below=None, limit=1000)


def everything(ledger: SqliteLedger) -> list[tuple[Any, ...]]:
    return raw(ledger, "SELECT * FROM observations ORDER BY id")


def by_hand(ledger: SqliteLedger, sql: str) -> None:
    with ledger.writing() as db:
        db.execute(sql)


def regrade(ledger: SqliteLedger, rows: pa.Table, *, run_id: str = "g", force: tuple[str, ...] = ()) -> int:
    return ledger.save_regrades(rows, own=OURS, run_id=run_id, force=force)


# Grades


def test_a_change_holds_a_whole_grade_before_and_after(ledger: SqliteLedger) -> None:
    put(ledger, observation("a"))
    ledger.save_grades(grades((1, 0.1 + 0.2, "ignore")), run_id="r", seen_up_to=1)
    (made,) = ledger.changes(run_id="r")
    assert made.before == "null"
    assert made.after == (
        f'{{"graded_at_ms":{NOW},"label":"ignore","method":"m","rationale":"why",'
        '"score":0.30000000000000004,"version":1}'
    )
    assert made.reason == "m"


def test_only_grades_of_ours_are_replaced_and_only_where_they_differ(ledger: SqliteLedger) -> None:
    put(ledger, *(observation(name) for name in "abcd"), observation("manual", importance_label="ignore"))
    ledger.save_grades(grades(*((n, 0.2, "ignore") for n in (1, 2, 3))), run_id="r", seen_up_to=5)
    by_hand(ledger, "UPDATE observations SET importance_method = 'someone-else' WHERE id = 3")
    moved = grades(
        (1, 0.9, "must_remember"), (2, 0.2, "ignore"), *((n, 0.9, "must_remember") for n in (3, 4, 5))
    )
    assert regrade(ledger, moved) == 2
    assert labels(ledger) == ["must_remember", "ignore", "ignore", "must_remember", "ignore"]
    made = ledger.changes(run_id="g")
    assert [(one.record_ref, one.field, one.reason) for one in made] == [
        ("obs:1", "importance", "regrade:m"),
        ("obs:4", "importance", "regrade:m"),
    ]
    assert json.loads(made[0].before)["label"] == "ignore"
    assert regrade(ledger, moved, run_id="again") == 0


def test_a_forced_field_is_the_only_one_that_is_replaced(ledger: SqliteLedger) -> None:
    put(ledger, observation("a", importance_label="ignore", importance_score=0.1), observation("b"))
    both = grades((1, 0.9, "must_remember"), (2, 0.9, "must_remember"))
    assert regrade(ledger, both, force=("label",)) == 2
    assert raw(ledger, HELD)[0] == (None, "must_remember", None, None, 0.1, None)
    assert raw(ledger, HELD)[1] == (NOW, "must_remember", "m", "why", 0.9, 1)
    assert [one.reason for one in ledger.changes(run_id="g")] == ["regrade:m", "forced:m"]
    with pytest.raises(ValueError, match="no such field: summary"):
        regrade(ledger, both, force=("summary",))


def test_a_forced_method_does_not_open_the_rest(ledger: SqliteLedger) -> None:
    put(ledger, observation("a", importance_label="ignore", importance_score=0.1))
    assert regrade(ledger, grades((1, 0.9, "must_remember")), force=("method",)) == 1
    assert raw(ledger, HELD) == [(None, "ignore", "m", None, 0.1, None)]


def test_a_stretch_is_bounded_by_time_and_scope(ledger: SqliteLedger) -> None:
    put(ledger, observation("old", ts_ms=1), observation("a", scope="x"), observation("b", scope="y"))

    def ids(**bounds: Any) -> list[int]:
        found: list[int] = ledger.regradable(after_id=0, limit=10, **bounds)["id"].to_pylist()
        return found

    assert (ids(), ids(since_ms=2), ids(scope="x"), ids(since_ms=NOW, scope="x")) == (
        [1, 2, 3],
        [2, 3],
        [2],
        [],
    )
    assert ledger.regradable(after_id=1, limit=1)["id"].to_pylist() == [2]


# Undo


def test_every_field_that_a_change_may_name_can_be_undone() -> None:
    assert set(PLAIN_FIELDS) == sqlite_audit._CHANGEABLE


def test_a_run_over_many_fields_is_put_back_and_its_undo_too(ledger: SqliteLedger) -> None:
    put(ledger, observation("a", scope="專案 \\u0000"), observation("b"))
    before = everything(ledger)
    values: dict[str, tuple[object, object]] = {
        "archived_at_ms": (None, NOW),
        "importance_label": (None, "ignore"),
        "importance_score": (None, 0.1 + 0.2),
        "scope": ("專案 \\u0000", None),
        "state": ("captured", "archived"),
        "trust_reason": (None, 'said "so" \0 and more'),
        "trust_tier": (None, "untrusted"),
    }
    made = [change("obs:1", name, *both) for name, both in values.items()]
    ledger.apply_to_observations(made, run_id="r")
    changed = everything(ledger)
    assert set(undo(ledger, "r", run_id="u1").items()) == {((name, "restored"), 1) for name in values}
    assert everything(ledger) == before
    assert {one.reason for one in ledger.changes(run_id="u1")} == {f"{UNDO}r"}
    assert sum(undo(ledger, "u1", run_id="u2").values()) == len(values)
    assert everything(ledger) == changed
    assert sum(undo(ledger, "r", run_id="u3").values()) == len(values)
    assert everything(ledger) == before


def test_a_field_that_was_changed_twice_goes_back_to_the_first(ledger: SqliteLedger) -> None:
    put(ledger, observation("a", trust_tier="trusted"), observation("b"))
    steps = (("trusted", "untrusted"), ("untrusted", "quarantined"))
    ledger.apply_to_observations([change("obs:1", "trust_tier", *step) for step in steps], run_id="r")
    ledger.apply_to_observations([change("obs:2", "scope", None, "x")], run_id="r")
    assert undo(ledger, "r", limit=1) == {("trust_tier", "restored"): 1, ("scope", "restored"): 1}
    assert raw(ledger, "SELECT trust_tier, scope FROM observations ORDER BY id") == [
        ("trusted", None),
        (None, None),
    ]
    assert undo(ledger, "r", run_id="again", limit=1) == {
        ("trust_tier", "already_so"): 1,
        ("scope", "already_so"): 1,
    }
    assert ledger.changes(run_id="again") == ()


def test_what_older_versions_noted_of_a_grade_is_undone_too(ledger: SqliteLedger) -> None:
    put(ledger, observation("a"), observation("b"))
    ledger.save_grades(grades((1, 0.9, "must_remember"), (2, 0.2, "ignore")), run_id="r", seen_up_to=2)
    graded = everything(ledger)
    by_hand(
        ledger,
        "INSERT INTO changes (run_id, record_ref, field, before, after, reason, at_ms)"
        " SELECT 'old', record_ref, field, 'null', json_object('score', after -> '$.score',"
        " 'label', after ->> '$.label'), reason, 1 FROM changes ORDER BY id",
    )
    by_hand(ledger, "UPDATE observations SET importance_label = 'nice_to_have' WHERE id = 2")
    assert undo(ledger, "old", run_id="u1") == {("importance", "restored"): 1, ("importance", "skipped"): 1}
    assert raw(ledger, HELD)[0] == (None,) * 6
    undo(ledger, "u1", run_id="u2")
    assert everything(ledger)[0] == graded[0]


def test_what_was_edited_by_hand_is_left_alone(ledger: SqliteLedger) -> None:
    put(ledger, *(observation(name) for name in "abc"))
    made = [change(f"obs:{n}", "scope", None, "x") for n in (1, 2, 3)]
    ledger.apply_to_observations(made, run_id="r")
    by_hand(ledger, "UPDATE observations SET scope = 'mine' WHERE id = 2")
    by_hand(ledger, "UPDATE observations SET scope = NULL WHERE id = 3")
    batch = once(ledger, "r")
    assert batch.counts == {("scope", "restored"): 1, ("scope", "skipped"): 1, ("scope", "already_so"): 1}
    assert batch.skipped == ("obs:2",)
    assert raw(ledger, "SELECT scope FROM observations ORDER BY id") == [(None,), ("mine",), (None,)]


def test_later_runs_are_told_and_can_be_gone_over(ledger: SqliteLedger) -> None:
    put(ledger, observation("a"), observation("b"))
    ledger.apply_to_observations([change(f"obs:{n}", "scope", None, "x") for n in (1, 2)], run_id="r")
    ledger.apply_to_observations([change("obs:1", "state", "captured", "stale")], run_id="other field")
    assert ledger.plan_undo("r").later_runs == {}
    ledger.apply_to_observations([change("obs:1", "scope", "x", "y")], run_id="later")
    assert ledger.plan_undo("r").later_runs == {"later": 1}
    batch = once(ledger, "r")
    assert (batch.counts, batch.over_later) == ({("scope", "restored"): 2}, 1)
    assert [(one.before, one.after) for one in ledger.changes(run_id="u")] == [
        ('"x"', "null"),
        ('"y"', "null"),
    ]
    assert raw(ledger, "SELECT scope FROM observations ORDER BY id") == [(None,), (None,)]


def test_undos_of_a_run_are_no_later_runs(ledger: SqliteLedger) -> None:
    put(ledger, observation("a"))
    ledger.apply_to_observations([change("obs:1", "scope", None, "x")], run_id="r")
    undo(ledger, "r", run_id="u1")
    undo(ledger, "u1", run_id="u2")
    assert [ledger.plan_undo(run).later_runs for run in ("r", "u1", "u2")] == [{}, {}, {}]
    ledger.apply_to_observations([change("obs:1", "scope", "x", "y")], run_id="later")
    assert [ledger.plan_undo(run).later_runs for run in ("r", "u1", "u2")] == [{"later": 1}] * 3


def test_a_later_run_that_was_undone_is_in_nobodys_way(ledger: SqliteLedger) -> None:
    put(ledger, observation("a"))
    steps = (None, "x", "y", "z")
    for number in (1, 2, 3):
        made = change("obs:1", "scope", steps[number - 1], steps[number])
        ledger.apply_to_observations([made], run_id=f"r{number}")
    assert [ledger.plan_undo(f"r{number}").later_runs for number in (1, 2, 3)] == [{"r3": 1}, {"r3": 1}, {}]
    for number in (3, 2, 1):
        assert ledger.plan_undo(f"r{number}").later_runs == {}
        batch = once(ledger, f"r{number}", run_id=f"u{number}")
        assert (batch.counts, batch.over_later) == ({("scope", "restored"): 1}, 0)
        assert raw(ledger, "SELECT scope FROM observations") == [(steps[number - 1],)]
    # What is undone is undone again in the order of the undos.
    assert ledger.plan_undo("u3").later_runs == {"u1": 1}
    once(ledger, "u1", run_id="v1")
    assert ledger.plan_undo("u2").later_runs == {}


def test_what_changes_after_the_plan_was_made_is_left_alone(ledger: SqliteLedger) -> None:
    put(ledger, observation("a"), observation("b"))
    ledger.apply_to_observations([change(f"obs:{n}", "scope", None, "x") for n in (1, 2)], run_id="r")
    plan = ledger.plan_undo("r")
    ledger.apply_to_observations([change("obs:1", "scope", "x", "y")], run_id="meanwhile")
    batch = ledger.undo_observations(plan, run_id="u", below=None, limit=10)
    assert batch.counts == {("scope", "restored"): 1, ("scope", "skipped"): 1}
    assert raw(ledger, "SELECT scope FROM observations ORDER BY id") == [("y",), (None,)]


def test_a_field_that_nobody_knows_is_left_alone(ledger: SqliteLedger) -> None:
    put(ledger, observation("a"))
    by_hand(
        ledger,
        "INSERT INTO changes (run_id, record_ref, field, before, after, reason, at_ms)"
        " VALUES ('r', 'obs:1', 'summary', '1', '2', '', 1), ('r', 'obs:9', 'scope', '1', '2', '', 1)",
    )
    assert undo(ledger, "r") == {("summary", "skipped"): 1, ("scope", "skipped"): 1}


def test_fields_of_memories_are_handed_out_with_what_they_must_hold(ledger: SqliteLedger) -> None:
    def made(before: object, after: object) -> Change:
        return change("mem:m", "scope", before, after)

    ledger.record_changes([made(None, "x"), made("x", "y")], run_id="r")
    ledger.record_changes([change("mem:n", "scope", "", "z")], run_id="r")

    def told(plan: Any) -> list[tuple[object, ...]]:
        return [tuple(row.values()) for row in ledger.memories_to_undo(plan).to_pylist()]

    plan = ledger.plan_undo("r")
    first, second = ("mem:m", "scope", '"y"', "null", False), ("mem:n", "scope", '"z"', '""', False)
    assert sorted(told(plan)) == [first, second]
    ledger.record_changes([made("y", "later")], run_id="later")
    assert sorted(told(plan)) == [("mem:m", "scope", None, "null", False), second]
    over = ("mem:m", "scope", '"later"', "null", True)
    assert sorted(told(ledger.plan_undo("r"))) == [over, second]
    assert (ledger.plan_undo("r").memories, ledger.plan_undo("r").observations) == (3, 0)
    assert ledger.recorded_run("r") is None


# Laws

grade_of_a_row = st.fixed_dictionaries(
    {
        "label": st.none() | st.sampled_from(LABELS),
        "score": st.none() | st.floats(0, 1, allow_subnormal=False),
        "method": st.none() | st.sampled_from([*OURS, "openclaw", "手"]),
        "version": st.none() | st.integers(1, 9),
        "rationale": st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
        "graded_at_ms": st.none() | st.integers(0, NOW),
    }
)
new_grade = st.tuples(st.floats(0, 1), st.sampled_from(LABELS), st.sampled_from(["m", "heuristic-v1"]))
mixed = st.lists(st.tuples(grade_of_a_row, new_grade), min_size=1, max_size=12)


def fill(folder: str, rows: list[tuple[dict[str, Any], Any]]) -> tuple[SqliteLedger, pa.Table]:
    ledger = SqliteLedger(Path(folder) / "ledger.sqlite", clock=FrozenClock(NOW))
    put(ledger, *(observation(str(number)) for number in range(len(rows))))
    names = ", ".join(f"importance_{name} = :{name}" for name in rows[0][0])
    with ledger.writing() as db:
        for number, (held, _) in enumerate(rows, start=1):
            db.execute(f"UPDATE observations SET {names} WHERE id = {number}", held)
    news = [
        {"id": number, "score": score, "label": label, "method": method, "version": 2, "rationale": "new"}
        for number, (_, (score, label, method)) in enumerate(rows, start=1)
    ]
    return ledger, pa.Table.from_pylist(news, schema=GRADE_SCHEMA)


@settings(deadline=None, max_examples=50)
@given(rows=mixed, limit=st.integers(1, 13))
def test_grades_come_and_go_without_a_trace_in_any_column(rows: list[Any], limit: int) -> None:
    with TemporaryDirectory() as folder:
        ledger, news = fill(folder, rows)
        states = [everything(ledger)]
        ledger.save_grades(news, run_id="grade", seen_up_to=len(rows))
        states.append(everything(ledger))
        regrade(ledger, news, run_id="regrade")
        states.append(everything(ledger))
        for number, (held, _) in enumerate(rows):
            if held["label"] is not None and held["method"] not in OURS:
                assert states[0][number] == states[1][number] == states[2][number]
        undo(ledger, "regrade", run_id="u1", limit=limit)
        assert everything(ledger) == states[1]
        undo(ledger, "u1", run_id="u2", limit=limit)
        assert everything(ledger) == states[2]
        undo(ledger, "u2", run_id="u3", limit=limit)
        undo(ledger, "grade", run_id="u4", limit=limit)
        assert everything(ledger) == states[0]
        ungraded = [number for number, (held, _) in enumerate(rows, start=1) if held["label"] is None]
        assert ledger.ungraded(after_id=0, limit=99)["id"].to_pylist() == ungraded
        assert ledger.check() == WHOLE
        ledger.close()


@settings(deadline=None, max_examples=30)
@given(rows=mixed, force=st.sets(st.sampled_from(["score", "label", "rationale"]), min_size=1))
def test_a_forced_regrade_is_undone_like_any_other(rows: list[Any], force: set[str]) -> None:
    with TemporaryDirectory() as folder:
        ledger, news = fill(folder, rows)
        before = everything(ledger)
        held = raw(ledger, HELD)
        regrade(ledger, news, run_id="r", force=tuple(force))
        for number, (old, _) in enumerate(rows):
            if old["label"] is not None and old["method"] not in OURS:
                now = raw(ledger, HELD)[number]
                names = ("graded_at_ms", "label", "method", "rationale", "score", "version")
                moved = {
                    name for name, one, other in zip(names, held[number], now, strict=True) if one != other
                }
                assert moved <= force
        dry = undo(ledger, "r", dry_run=True)
        assert ledger.changes(run_id="u") == ()
        assert undo(ledger, "r") == dry
        assert everything(ledger) == before
        ledger.close()


def test_the_name_of_a_grade_in_the_audit_trail_is_known(ledger: SqliteLedger) -> None:
    put(ledger, observation("a"))
    ledger.save_grades(grades((1, 0.9, "must_remember")), run_id="r", seen_up_to=1)
    assert [one.field for one in ledger.changes(run_id="r")] == [GRADE]
