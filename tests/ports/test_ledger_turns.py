"""Turns in the ledger: numbered in their session, bounded, and counted as use."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import pytest

from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.turn_log import Injected, Lane, LoggedTurn
from sunrise.errors import StoreError
from tests.conftest import NOW, FrozenClock
from tests.ledgers import raw


def turn(*refs: str, session: str = "s", key: str | None = None, at_ms: int = NOW) -> LoggedTurn:
    return LoggedTurn(session, "global", at_ms, tuple((ref, Lane.HOT) for ref in refs), {"n": len(refs)}, key)


def test_turns_are_numbered_within_their_session(ledger: SqliteLedger) -> None:
    assert [ledger.log_turn(turn("mem:a")), ledger.log_turn(turn("mem:b"))] == [1, 2]
    assert ledger.log_turn(turn("mem:a", session="other")) == 1


def test_what_was_injected_comes_back_newest_turn_first_and_in_its_order(ledger: SqliteLedger) -> None:
    ledger.log_turn(turn("mem:a", "mem:b"))
    ledger.log_turn(turn())
    ledger.log_turn(LoggedTurn("s", "global", NOW, (), {"skipReason": "greeting"}, skipped=True))
    ledger.log_turn(LoggedTurn("s", "global", NOW, (("mem:w", Lane.BACKBONE), ("mem:c", Lane.HOT)), {}))
    ledger.log_turn(turn("mem:x", session="other"))
    assert ledger.injected("s", turns=3) == (
        Injected("mem:w", 1, Lane.BACKBONE),
        Injected("mem:c", 1, Lane.HOT),
        Injected("mem:a", 3, Lane.HOT),
        Injected("mem:b", 3, Lane.HOT),
    )
    assert [one.ref for one in ledger.injected("s", turns=2)] == ["mem:w", "mem:c"]
    assert ledger.injected("nobody", turns=6) == ()


def test_a_turn_of_the_same_key_takes_the_place_of_the_first(ledger: SqliteLedger) -> None:
    ledger.log_turn(turn("mem:a", key="one"))
    ledger.log_turn(turn("mem:b", key="two"))
    assert ledger.log_turn(turn("mem:c", key="one")) == 1
    assert [(one.ref, one.turns_ago) for one in ledger.injected("s", turns=6)] == [("mem:b", 1), ("mem:c", 2)]
    assert [one.ref for one in ledger.injected("s", turns=6, but="two")] == ["mem:c"]


def test_the_last_turn_is_told_with_its_receipt(ledger: SqliteLedger) -> None:
    assert ledger.last_turn() is None
    ledger.log_turn(turn("mem:a", key="k"))
    ledger.log_turn(turn("mem:b", session="other"))
    assert ledger.last_turn("s") == replace(turn("mem:a", key="k"), number=1)
    newest = ledger.last_turn()
    assert newest is not None
    assert newest.session_key == "other"


def test_a_session_keeps_its_newest_fifty_turns(ledger: SqliteLedger) -> None:
    for number in range(53):
        ledger.log_turn(turn(f"mem:{number}"))
    assert raw(ledger, "SELECT min(number), max(number), count(*) FROM turns") == [(4, 53, 50)]
    assert raw(ledger, "SELECT count(*) FROM injections") == [(50,)]


def test_all_sessions_together_are_bounded(ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sunrise.adapters.sqlite_turns.MAX_TURNS", 5)
    for number in range(8):
        ledger.log_turn(turn(f"mem:{number}", session=f"s{number}"))
    for number in range(10):
        ledger.log_turn(turn(f"mem:{number}", session="long"))
    assert raw(ledger, "SELECT session_key, number FROM turns ORDER BY id") == [
        ("long", number) for number in range(6, 11)
    ]


def test_what_is_included_counts_as_used_and_what_is_found_as_retrieved(ledger: SqliteLedger) -> None:
    ledger.log_turn(replace(turn(), retrieved=("mem:a", "mem:a", "mem:b")))
    ledger.log_turn(turn("mem:a", at_ms=NOW + 5))
    ledger.log_turn(turn("mem:a", at_ms=NOW + 3))
    columns = "record_ref, last_retrieved_ms, last_included_ms, last_used_ms, included_count"
    assert raw(ledger, f"SELECT {columns} FROM usage ORDER BY record_ref") == [
        ("mem:a", NOW + 5, NOW + 5, NOW + 5, 2),
        ("mem:b", NOW, None, None, 0),
    ]


def test_an_agent_does_not_wait_for_a_flow_that_holds_the_ledger(
    ledger: SqliteLedger, clock: FrozenClock, tmp_path: Path
) -> None:
    holder = sqlite3.connect(ledger.path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    with pytest.raises(StoreError, match="locked"):
        ledger.log_turn(turn("mem:a"))
    assert time.monotonic() - began < 10
    holder.execute("ROLLBACK")
    holder.close()
    assert ledger.log_turn(turn("mem:a")) == 1
    assert raw(ledger, "PRAGMA busy_timeout") == [(30_000,)]
