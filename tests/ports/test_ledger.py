"""The ledger on SQLite: what is written is whole, written once, and can be undone."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.records import Change, Inserted, Rejected
from sunrise.errors import StoreError
from tests.fakes import FrozenClock
from tests.homes import NOW, observation, observations, position
from tests.ledgers import WHOLE, change, grades, labels, put, raw

# Harvest


def test_a_row_is_kept_once_by_its_key(ledger: SqliteLedger) -> None:
    assert put(ledger, observation("a"), observation("b")) == 2
    assert put(ledger, observation("b", summary="another"), observation("c")) == 1
    assert raw(ledger, "SELECT key, summary FROM observations ORDER BY id") == [
        ("a", "summary of a"), ("b", "summary of b"), ("c", "summary of c"),
    ]  # fmt: skip
    assert ledger.new_keys(["a", "x", "x", "y"]) == 2


def test_of_equal_keys_in_a_batch_the_first_wins(ledger: SqliteLedger) -> None:
    assert put(ledger, observation("a", summary="first"), observation("a", summary="second")) == 1
    assert raw(ledger, "SELECT summary FROM observations") == [("first",)]


def test_nothing_but_a_position_can_be_committed(ledger: SqliteLedger) -> None:
    assert ledger.source_position("spool") is None
    assert ledger.commit_harvest(observations(), rejected=(), position=position(9)) == Inserted(
        observations=0
    )
    assert ledger.source_position("spool") == position(9)


def test_rows_quarantine_and_position_come_in_one_transaction(ledger: SqliteLedger) -> None:
    rejected = [Rejected("spool", "17", "malformed_json", "{", 2)]
    inserted = ledger.commit_harvest(observations(observation("a")), rejected=rejected, position=position(20))
    assert inserted == Inserted(observations=1)
    assert (ledger.count("observations"), ledger.count("quarantine")) == (1, 1)
    assert ledger.source_position("spool") == position(20)
    # Refusing the same line again adds nothing.
    assert ledger.quarantine(rejected) == 0
    assert ledger.quarantine([Rejected("spool", "18", "malformed_json", "{", 3)]) == 1
    assert ledger.quarantine([]) == 0
    assert ledger.quarantined_by_reason() == {"malformed_json": 2}


def test_a_bad_row_takes_the_whole_batch_back(ledger: SqliteLedger) -> None:
    bad = observations(observation("a"), observation("b", trust_tier="boundless"))
    with pytest.raises(StoreError, match="cannot be written"):
        ledger.commit_harvest(bad, rejected=[Rejected("spool", "1", "r", "s")], position=position(5))
    assert (ledger.count("observations"), ledger.count("quarantine")) == (0, 0)
    assert ledger.source_position("spool") is None
    assert ledger.check() == WHOLE


def test_inner_transactions_join_the_outer_one(ledger: SqliteLedger) -> None:
    def put_and_stop() -> None:
        with ledger.transaction():
            put(ledger, observation("a"))
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        put_and_stop()
    assert ledger.count("observations") == 0


# Grades


def test_new_rows_and_old_ones_without_a_grade_are_ungraded(ledger: SqliteLedger) -> None:
    put(ledger, observation("a"), observation("b", importance_label="ignore"), observation("c"))
    assert ledger.ungraded(after_id=0, limit=10)["id"].to_pylist() == [1, 2, 3]
    assert ledger.save_grades(grades((1, 0.9, "must_remember")), run_id="r", seen_up_to=3) == 1
    # Row 3 had no grade from that run: it comes again, the graded ones do not.
    assert ledger.ungraded(after_id=0, limit=10)["id"].to_pylist() == [3]
    put(ledger, observation("d", importance_label="ignore"), observation("e"), offset=2)
    assert ledger.ungraded(after_id=0, limit=10)["id"].to_pylist() == [3, 4, 5]
    assert ledger.ungraded(after_id=3, limit=10)["id"].to_pylist() == [4, 5]
    assert ledger.ungraded(after_id=0, limit=2)["id"].to_pylist() == [3, 4]


def test_a_grade_that_is_there_stands(ledger: SqliteLedger) -> None:
    put(ledger, observation("a", importance_label="ignore", importance_score=0.1), observation("b"))
    both = grades((1, 0.9, "must_remember"), (2, 0.6, "nice_to_have"))
    assert ledger.save_grades(both, run_id="r", seen_up_to=2) == 1
    assert ledger.save_grades(both, run_id="again", seen_up_to=2) == 0
    assert labels(ledger) == ["ignore", "nice_to_have"]
    assert ledger.changes(run_id="again") == ()
    (only,) = ledger.changes(run_id="r")
    assert (only.record_ref, only.field, only.reason) == ("obs:2", "importance", "m")
    columns = ("graded_at_ms", "label", "method", "rationale", "score", "version")
    assert only.before == "null"
    assert json.loads(only.after) == dict(
        zip(columns, (NOW, "nice_to_have", "m", "why", 0.6, 1), strict=True)
    )
    assert raw(
        ledger,
        "SELECT importance_method, importance_version, importance_rationale, importance_graded_at_ms"
        " FROM observations WHERE id = 2",
    ) == [("m", 1, "why", NOW)]


def test_the_watermark_never_goes_back(ledger: SqliteLedger) -> None:
    assert ledger.watermark("graded_up_to") == 0
    ledger.save_grades(grades(), run_id="r", seen_up_to=7)
    ledger.save_grades(grades(), run_id="r", seen_up_to=3)
    assert ledger.watermark("graded_up_to") == 7


def test_a_bad_grade_takes_all_of_them_back(ledger: SqliteLedger) -> None:
    put(ledger, observation("a"), observation("b"))
    with pytest.raises(StoreError):
        ledger.save_grades(grades((1, 0.9, "must_remember"), (2, 7.0, "ignore")), run_id="r", seen_up_to=2)
    assert labels(ledger) == [None, None]
    assert (ledger.count("changes"), ledger.watermark("graded_up_to")) == (0, 0)


LABEL = st.sampled_from(["must_remember", "nice_to_have", "ignore"])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    there=st.lists(st.none() | LABEL, max_size=8),
    given_grades=st.dictionaries(st.integers(1, 10), st.tuples(st.floats(0, 1), LABEL), max_size=10),
)
def test_no_grade_is_ever_overwritten_and_each_empty_one_filled(
    there: list[str | None],
    given_grades: dict[int, tuple[float, str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    ledger = SqliteLedger(tmp_path_factory.mktemp("g") / "l.sqlite", clock=FrozenClock(NOW))
    put(ledger, *(observation(str(n), importance_label=label) for n, label in enumerate(there)))
    rows = grades(*((i, score, label) for i, (score, label) in given_grades.items()))
    filled = ledger.save_grades(rows, run_id="r", seen_up_to=len(there))
    wanted = [
        label if label is not None else given_grades.get(i, (0, None))[1]
        for i, label in enumerate(there, start=1)
    ]
    assert labels(ledger) == wanted
    assert filled == sum(b is None and a is not None for a, b in zip(wanted, there, strict=True))
    assert ledger.count("changes") == filled
    ledger.close()


# The audit trail


def test_changes_of_memories_wait_in_the_outbox_until_cleared(ledger: SqliteLedger) -> None:
    first, second = change("mem:a", "scope", None, "ops"), change("mem:b", "importance", 0.5, 1.0)
    ledger.record_changes([first, second], run_id="r")
    assert [one for _, one in ledger.outbox()] == [first, second]
    ids = [change_id for change_id, _ in ledger.outbox()]
    ledger.clear_outbox(ids[:1])
    assert [one for _, one in ledger.outbox()] == [second]
    ledger.clear_outbox(ids)
    assert (ledger.outbox(), ledger.changes(run_id="r")) == ((), (first, second))
    assert ledger.count("outbox") == 0


def test_a_run_clears_its_own_changes_and_no_others(ledger: SqliteLedger) -> None:
    def record(*names: str) -> range:
        rows = [change(f"mem:{name}", "governance", {}, {"scope": "ops"}) for name in names]
        columns = ("record_ref", "field", "before", "after", "reason")
        frame = pa.table({name: [getattr(row, name) for row in rows] for name in columns})
        return ledger.record_change_frame(frame, run_id="r")

    first, second, third = record("a", "b"), record("c"), record("d", "e", "f")
    ledger.clear_outbox(second)
    assert [change_id for change_id, _ in ledger.outbox()] == [*first, *third]
    ledger.clear_outbox(third)
    assert [change_id for change_id, _ in ledger.outbox()] == list(first)
    ledger.clear_outbox(first)
    assert (ledger.outbox(), ledger.count("changes")) == ((), 6)


def test_a_change_is_applied_only_where_before_still_stands(ledger: SqliteLedger) -> None:
    put(ledger, observation("a"), observation("b", scope="ops"))
    wanted = [
        change("obs:1", "state", "captured", "archived"),
        change("obs:1", "archived_at_ms", None, NOW),
        change("obs:2", "scope", None, "other"),
        change("obs:9", "state", "captured", "archived"),
    ]
    assert ledger.apply_to_observations(wanted, run_id="r") == 1
    assert raw(ledger, "SELECT state, archived_at_ms, scope FROM observations ORDER BY id") == [
        ("archived", NOW, None), ("captured", None, "ops"),
    ]  # fmt: skip
    assert ledger.changes(run_id="r") == tuple(wanted[:2])
    assert ledger.outbox() == ()
    # The way back is the same change turned round.
    back = [Change(c.record_ref, c.field, c.after, c.before, "undo") for c in ledger.changes(run_id="r")]
    assert ledger.apply_to_observations(back, run_id="undo") == 1
    assert raw(ledger, "SELECT state, archived_at_ms FROM observations WHERE id = 1") == [("captured", None)]


def test_only_governance_fields_can_be_changed(ledger: SqliteLedger) -> None:
    put(ledger, observation("a"))
    good = change("obs:1", "state", "captured", "active")
    with pytest.raises(ValueError, match="no changeable field 'summary'"):
        ledger.apply_to_observations([good, change("obs:1", "summary", "x", "y")], run_id="r")
    assert raw(ledger, "SELECT state FROM observations") == [("captured",)]
    assert ledger.count("changes") == 0


@pytest.mark.parametrize("sql", ["UPDATE changes SET reason = 'x'", "DELETE FROM changes"])
def test_nothing_rewrites_the_audit_trail(sql: str, ledger: SqliteLedger) -> None:
    ledger.record_changes([change("mem:a", "scope", None, "ops")], run_id="r")
    with pytest.raises(StoreError, match="append-only"), ledger.writing() as db:
        db.execute(sql)
    assert ledger.count("changes") == 1


# What the flows read


def test_governance_names_the_linked_rows_with_a_category_that_is_text(ledger: SqliteLedger) -> None:
    put(
        ledger,
        observation("a"),
        observation("b", memory_id="m1", scope="ops", detail_json='{"category": "fact"}'),
        observation("c", memory_id="m2", importance_score=0.9, detail_json='{"category": {"a": 1}}'),
    )
    found = ledger.linked_governance(up_to=ledger.linked_up_to()).to_pylist()
    assert [(r["memory_id"], r["observation_id"], r["category"]) for r in found] == [
        ("m1", 2, "fact"), ("m2", 3, None),
    ]  # fmt: skip
    assert (found[0]["scope"], found[1]["importance"]) == ("ops", 0.9)


def test_lifecycle_rows_carry_priority_and_use(ledger: SqliteLedger) -> None:
    put(ledger, observation("a", detail_json='{"lifecycle": {"priority": "P0"}}'), observation("b"))
    with ledger.writing() as db:
        db.execute("INSERT INTO usage (record_ref, last_used_ms) VALUES ('obs:2', 77), ('mem:x', 88)")
    rows = ledger.lifecycle_rows().to_pylist()
    assert [(r["record_ref"], r["priority"], r["last_used_ms"], r["created_ms"]) for r in rows] == [
        ("obs:1", "P0", None, NOW - 1000), ("obs:2", None, 77, NOW - 1000),
    ]  # fmt: skip
    assert ledger.memory_usage().to_pylist() == [{"record_ref": "mem:x", "last_used_ms": 88}]


def test_the_distribution_counts_labels_and_scopes(ledger: SqliteLedger) -> None:
    put(
        ledger,
        observation("a", scope="ops"),
        observation("b", scope="ops"),
        observation("c", importance_label="ignore"),
    )
    assert ledger.distribution().to_pylist() == [
        {"importance_label": None, "scope": "ops", "rows": 2},
        {"importance_label": "ignore", "scope": None, "rows": 1},
    ]


def test_an_empty_ledger_gives_empty_frames_with_their_schema(ledger: SqliteLedger) -> None:
    governance = ledger.linked_governance(up_to=ledger.linked_up_to())
    for table in (governance, ledger.lifecycle_rows(), ledger.distribution()):
        assert table.num_rows == 0
        assert table.num_columns >= 3


# Runs


def test_runs_are_kept_newest_first_and_replaced_by_their_id(ledger: SqliteLedger) -> None:
    for number, flow in enumerate(["grade", "harvest", "grade"]):
        ledger.save_run(
            RunReceipt(run_id=f"r{number}", flow=flow, status=RunStatus.RUNNING, started_ms=number)
        )
    done = ledger.runs()[0].closed(status=RunStatus.OK, finished_ms=9)
    ledger.save_run(done)
    assert [run.run_id for run in ledger.runs()] == ["r2", "r1", "r0"]
    assert [run.run_id for run in ledger.runs(flow="grade", limit=1)] == ["r2"]
    assert ledger.runs(flow="grade")[0] == done
