"""What flows do with a memory that was replaced: undo brings it back, lifecycle judges it as any other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from flows.lifecycle import lifecycle
from flows.undo import undo
from sunrise.bootstrap import Home, open_home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.retention import DAY_MS
from sunrise.domain.store import StoreRequest, StoreResult
from sunrise.domain.use import Served
from sunrise.online.store import store
from sunrise.settings import load_settings
from tests.fakes import FrozenClock
from tests.homes import NOW, run_body

TEXT = "The user drinks coffee now"


@pytest.fixture
def home(home_path: Path) -> Iterator[Home]:
    with open_home(load_settings(home_path), clock=FrozenClock(NOW)) as opened:
        yield opened


def kept(home: Home, text: str, **more: Any) -> StoreResult:
    table = home.memories()
    assert table is not None
    return store(
        StoreRequest(text, source_kind="operator", **more),
        memories=table, ledger=home.ledger, embedder=home.embedder(), clock=home.clock,
    )  # fmt: skip


def states(home: Home, *ids: str) -> list[str | None]:
    table = home.memories()
    assert table is not None
    held = {row["id"]: row["state"] for row in table.by_ids(ids, ["id", "state"]).to_pylist()}
    return [held[name] for name in ids]


def undone(home: Home, run_id: str | None, **more: Any) -> RunReceipt:
    body = partial(undo, run_id=str(run_id), **{"over_later": False, **more})
    return run_body(home.path, body, flow="undo", clock=FrozenClock(NOW + 5000))


def test_an_undo_of_the_store_brings_back_what_it_replaced_and_that_of_the_undo_does_not(home: Home) -> None:
    done = kept(home, TEXT, id="coffee", replaces=("m-tea",))
    assert (done.receipt.replaced, states(home, "coffee", "m-tea")) == (
        ("mem:m-tea",),
        ["active", "superseded"],
    )
    back = undone(home, done.receipt.run_id)
    # An agent's own row had no state before.
    assert (back.status, back.counts["restored"], states(home, "coffee", "m-tea")) == (
        RunStatus.OK, 2, ["archived", None],
    )  # fmt: skip
    undone(home, back.run_id)
    assert states(home, "coffee", "m-tea") == ["active", "superseded"]


def test_a_duplicate_that_replaces_is_a_run_that_can_be_undone(home: Home) -> None:
    kept(home, TEXT, id="coffee")
    done = kept(home, TEXT, replaces=("m-tea",))
    assert (done.status, states(home, "coffee", "m-tea")) == ("duplicate", ["active", "superseded"])
    assert undone(home, done.receipt.run_id).counts["restored"] == 1
    assert states(home, "coffee", "m-tea") == ["active", None]


def test_what_was_said_again_since_is_not_taken_back_unasked(home: Home) -> None:
    first = kept(home, "The user drinks tea", id="tea")
    done = kept(home, TEXT, id="coffee", replaces=("tea",))
    again = kept(home, "The user drinks tea", replaces=("coffee",))
    assert (again.ref, states(home, "coffee", "tea")) == (first.ref, ["superseded", "active"])
    refused = undone(home, done.receipt.run_id)
    assert (refused.status, refused.reason) == (RunStatus.FAILED, "changed_by_a_later_run")
    assert undone(home, again.receipt.run_id).status is RunStatus.OK
    assert states(home, "coffee", "tea") == ["active", "superseded"]


def test_lifecycle_archives_a_replaced_memory_when_nobody_used_it_and_not_before(home: Home) -> None:
    home.ledger.note_served(Served(NOW))
    for name, importance in (("nice", "nice_to_have"), ("must", "must_remember")):
        kept(home, f"The {name} memory of tea", id=name, importance=importance)
    kept(home, TEXT, id="coffee", importance="must_remember", replaces=("nice", "must"))
    for days, expected in ((29, ["superseded", "superseded"]), (31, ["archived", "superseded"])):
        clock = FrozenClock(NOW + days * DAY_MS)
        assert run_body(home.path, lifecycle, flow="lifecycle", clock=clock).status is RunStatus.OK
        assert states(home, "nice", "must") == expected
    assert kept(home, TEXT, replaces=("nice",)).receipt.not_replaced[0].reason == "archived"
