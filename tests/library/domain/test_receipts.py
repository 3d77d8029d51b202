from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.receipts import (
    RECEIPT_SCHEMA,
    Anomaly,
    Balance,
    RunReceipt,
    RunStatus,
    StepTiming,
)

NAMES = st.text(min_size=1, max_size=5)
COUNTS = st.dictionaries(NAMES, st.integers(-5, 10**12), max_size=3)
RECEIPTS = st.builds(
    RunReceipt,
    run_id=NAMES,
    flow=NAMES,
    status=st.sampled_from(RunStatus),
    started_ms=st.integers(0, 2**50),
    finished_ms=st.none() | st.integers(0, 2**50),
    dry_run=st.booleans(),
    parent_run_id=st.none() | NAMES,
    reason=st.none() | NAMES,
    counts=COUNTS,
    groups=st.dictionaries(NAMES, COUNTS, max_size=2),
    figures=st.dictionaries(NAMES, st.floats(allow_nan=False, allow_infinity=False), max_size=2),
    facts=st.dictionaries(NAMES, st.text(max_size=5), max_size=2),
    refs=st.dictionaries(NAMES, st.lists(NAMES, max_size=3).map(tuple), max_size=2),
    steps=st.lists(st.builds(StepTiming, NAMES, st.floats(0, 1e6)), max_size=2).map(tuple),
    balances=st.lists(st.builds(Balance, NAMES, st.lists(NAMES, max_size=3).map(tuple)), max_size=2).map(
        tuple
    ),
    anomalies=st.lists(st.builds(Anomaly, NAMES, NAMES, st.integers(0, 9)), max_size=2).map(tuple),
)


def receipt(**values: Any) -> RunReceipt:
    whole: dict[str, Any] = {"run_id": "r", "flow": "grade", "status": RunStatus.RUNNING, "started_ms": 100}
    return RunReceipt(**{**whole, **values})


@given(one=RECEIPTS)
def test_a_receipt_survives_json(one: RunReceipt) -> None:
    text = json.dumps(one.to_dict(), ensure_ascii=False)
    assert RunReceipt.from_dict(json.loads(text)) == one


def test_keys_of_a_later_version_are_passed_over() -> None:
    read = RunReceipt.from_dict({**receipt().to_dict(), "mood": "fine"})
    assert read == receipt()
    assert read.schema == RECEIPT_SCHEMA


@pytest.mark.parametrize("name", ["run_id", "flow", "status", "started_ms"])
def test_what_names_a_run_must_be_there(name: str) -> None:
    data = receipt().to_dict()
    del data[name]
    with pytest.raises(KeyError, match=name):
        RunReceipt.from_dict(data)


def test_the_rest_may_be_missing() -> None:
    least = {"run_id": "r", "flow": "grade", "status": "running", "started_ms": 100}
    assert RunReceipt.from_dict(least) == receipt()


def test_an_unknown_status_is_refused() -> None:
    with pytest.raises(ValueError, match="splendid"):
        RunReceipt.from_dict({**receipt().to_dict(), "status": "splendid"})


def test_a_sum_must_hold() -> None:
    balance = Balance("seen", ("kept", "refused"))
    assert receipt(balances=(balance,), counts={"seen": 3, "kept": 2, "refused": 1}).adds_up
    assert not receipt(balances=(balance,), counts={"seen": 3, "kept": 2}).adds_up
    assert receipt(balances=(balance,)).adds_up
    assert receipt().adds_up
    assert balance.gap({"seen": 1, "kept": 3}) == -2


def test_a_closed_receipt_has_its_end() -> None:
    assert receipt().duration_ms is None
    closed = receipt(reason="early").closed(status=RunStatus.OK, finished_ms=350)
    assert (closed.status, closed.duration_ms, closed.reason) == (RunStatus.OK, 250, "early")
    assert closed.closed(status=RunStatus.FAILED, finished_ms=400, reason="late").reason == "late"
