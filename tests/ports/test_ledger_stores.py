"""Stores and tombstones in the ledger: noted once, finished by one, and told without a text."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.adapters.sqlite_runs import LEASE_MS
from sunrise.domain.forget import Tombstone
from sunrise.domain.stored import NewStore
from sunrise.domain.text.analysis import terms
from tests.fakes import FrozenClock
from tests.homes import NOW, observation
from tests.ledgers import put, raw

TEXT = "The gate code is on the fridge"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOW)


@pytest.fixture
def ledger(tmp_path: Path, clock: FrozenClock) -> Iterator[SqliteLedger]:
    made = SqliteLedger(tmp_path / "ledger.sqlite", clock=clock)
    yield made
    made.close()


def new(memory_id: str = "m1", *, text: str = TEXT, run_id: str = "", **more: Any) -> NewStore:
    values: dict[str, Any] = {
        "status": "created", "scope": "home", "request": text,
        "run_id": run_id or f"run-{memory_id}", "row": {"id": memory_id, "text": text},
        "observation": {
            "ts_ms": NOW, "kind": "note", "summary": text, "lang": "en", "source_kind": "agent",
            "terms": terms(text), "scope": "home",
        },
        **more,
    }  # fmt: skip
    return NewStore(memory_id=memory_id, text=text, **values)


def tombstone(memory_id: str = "m1", text: str = TEXT, scope: str | None = "home") -> Tombstone:
    return Tombstone(memory_id, text, scope, "asked", "active")


def test_a_store_is_noted_with_all_that_belongs_to_it(ledger: SqliteLedger) -> None:
    noted = ledger.begin_store(new())
    assert (noted.is_new, noted.is_pending, noted.observation_id) == (True, True, 1)
    assert raw(ledger, "SELECT memory_id, observation_id, origin FROM memory_links") == [("m1", 1, "store")]
    assert raw(ledger, "SELECT count(*) FROM outbox") == [(0,)]
    assert ledger.pending_stores() == 1
    ledger.finish_stores(["m1"])
    assert (ledger.pending_stores(), ledger.take_pending_stores()) == (0, ())


def test_of_the_same_text_at_once_one_is_stored(tmp_path: Path) -> None:
    def begin(number: int) -> str:
        other = SqliteLedger(tmp_path / "ledger.sqlite", clock=FrozenClock(NOW))
        try:
            return other.begin_store(
                new(f"m{number}", text="THE gate code is on the fridge." if number % 2 else TEXT)
            ).memory_id
        finally:
            other.close()

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(begin, range(12)))) == 1


def test_a_text_whose_memory_is_gone_may_be_stored_again(ledger: SqliteLedger) -> None:
    ledger.begin_store(new("m1"))
    assert ledger.stored_alike("the gate code is on the FRIDGE", scope="home") == ("m1",)
    assert ledger.stored_alike(TEXT, scope="work") == ()
    assert ledger.begin_store(new("m2")).memory_id == "m1"
    assert ledger.begin_store(new("m2"), gone=["m1"]).is_new


def test_a_key_is_told_with_what_was_asked_under_it(ledger: SqliteLedger) -> None:
    ledger.begin_store(new("m1", key="turn 7"))
    known = ledger.stored_under("turn 7", request=TEXT)
    assert known is not None
    assert (known.memory_id, known.is_same_request, known.is_new) == ("m1", True, False)
    other = ledger.begin_store(new("m2", text="Something else", key="turn 7"))
    assert (other.memory_id, other.is_same_request, other.is_new) == ("m1", False, False)
    assert ledger.stored_under("turn 8", request=TEXT) is None
    assert not any("turn 7" in str(value) for value in raw(ledger, "SELECT * FROM stores")[0])


def test_what_a_live_process_is_at_is_left_to_it_until_its_time_is_over(
    ledger: SqliteLedger, clock: FrozenClock
) -> None:
    ledger.begin_store(new())
    assert ledger.take_pending_stores() == ()
    clock.ms += LEASE_MS + 1
    (left,) = ledger.take_pending_stores()
    assert (left.memory_id, left.row) == ("m1", {"id": "m1", "text": TEXT})
    assert ledger.take_pending_stores() == ()
    ledger.leave_store("m1")
    assert len(ledger.take_pending_stores()) == 1


def test_what_a_dead_process_left_is_taken_at_once(ledger: SqliteLedger) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    ledger.begin_store(new())
    with ledger.writing() as db:
        db.execute("UPDATE stores SET pid = ?", (int(done.stdout),))
    assert len(ledger.take_pending_stores()) == 1
    assert raw(ledger, "SELECT host, pid FROM stores") == [(socket.gethostname(), os.getpid())]


def test_what_is_left_on_another_host_is_waited_for(ledger: SqliteLedger, clock: FrozenClock) -> None:
    ledger.begin_store(new())
    with ledger.writing() as db:
        db.execute("UPDATE stores SET host = 'elsewhere', pid = 1")
    assert ledger.take_pending_stores() == ()
    clock.ms += LEASE_MS + 1
    assert len(ledger.take_pending_stores()) == 1


def test_a_burial_takes_along_what_would_bring_it_back(ledger: SqliteLedger) -> None:
    ledger.begin_store(new())
    put(ledger, observation("later", memory_id="m1"))
    assert ledger.bury([tombstone()], run_id="r") == 2
    assert raw(ledger, "SELECT count(*) FROM memory_links") == [(0,)]
    assert raw(ledger, "SELECT DISTINCT state FROM observations") == [("archived",)]
    assert (ledger.pending_stores(), ledger.stored_alike(TEXT, scope="home")) == (0, ())
    assert (ledger.unfinished_burials(), ledger.buried()) == (("m1",), frozenset({"m1"}))
    ledger.finish_burial(["m1"])
    assert (ledger.unfinished_burials(), ledger.buried(["m1", "m2"])) == ((), frozenset({"m1"}))
    put(ledger, observation("latest", memory_id="m1"))
    assert raw(ledger, "SELECT count(*) FROM memory_links") == [(0,)]


@pytest.mark.parametrize(
    ("text", "scope", "is_forgotten"),
    [
        (TEXT, "home", True),
        ("the GATE code is on the fridge!", "home", True),
        (TEXT, "work", False),
        (TEXT, None, True),
        ("The gate code is in the fridge", "home", False),
    ],
)
def test_a_forgotten_text_is_known_again_in_its_scope(
    ledger: SqliteLedger, text: str, scope: str | None, is_forgotten: bool
) -> None:
    assert ledger.forgotten_texts([(text, scope)]) == [False]
    assert ledger.may_be_forgotten([terms(text)]) == [False]
    ledger.bury([tombstone()], run_id="r")
    assert ledger.forgotten_texts([(text, scope), ("other", scope)]) == [is_forgotten, False]
    assert ledger.may_be_forgotten([terms(TEXT), terms("other")]) == [True, False]


def test_without_a_scope_it_is_forgotten_everywhere(ledger: SqliteLedger) -> None:
    ledger.bury([tombstone(scope=None)], run_id="r")
    assert ledger.forgotten_texts([(TEXT, "work"), (TEXT, None)]) == [True, True]


def test_a_lifted_tombstone_keeps_nothing_out(ledger: SqliteLedger) -> None:
    ledger.bury([tombstone(), tombstone("m2", "Tea at four")], run_id="r")
    assert ledger.lift_tombstones(TEXT, scope="work") == 0
    assert ledger.lift_tombstones(TEXT, scope="home") == 1
    assert ledger.forgotten_texts([(TEXT, "home"), ("Tea at four", "home")]) == [False, True]
    assert ledger.buried() == {"m2"}
    assert ledger.lift_tombstones("another text", scope="home", memory_id="m2") == 1
    assert ledger.unfinished_burials() == ()


def test_two_ledgers_mark_the_same_text_differently(tmp_path: Path, ledger: SqliteLedger) -> None:
    other = SqliteLedger(tmp_path / "other.sqlite", clock=FrozenClock(NOW))
    for one in (ledger, other):
        one.bury([tombstone()], run_id="r")
    sql = "SELECT text_mark FROM tombstones"
    assert raw(ledger, sql) != raw(other, sql)
    other.close()
