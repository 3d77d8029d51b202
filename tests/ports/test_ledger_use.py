"""Use in the ledger: written at once, kept in memory while a flow holds the ledger, never lost in silence."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sunrise.adapters import sqlite_use
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.adapters.sqlite_reading import ReadOnlyLedger
from sunrise.domain.record_views import Usage
from sunrise.domain.turn_log import LoggedTurn
from sunrise.domain.use import RETRIEVED_EVERY_MS, Served
from tests.conftest import NOW, FrozenClock
from tests.ledgers import raw


@contextmanager
def held(ledger: SqliteLedger) -> Iterator[None]:
    """Let another process's connection hold the ledger for the time of a block."""
    holder = sqlite3.connect(ledger.path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        holder.execute("ROLLBACK")
        holder.close()


def test_what_is_handed_out_is_used_and_a_candidate_is_not(ledger: SqliteLedger) -> None:
    assert ledger.note_served(Served(NOW, ("mem:a", "mem:b", "mem:a"), ("mem:c",)))
    assert ledger.note_served(Served(NOW + 7, ("mem:a",), ("mem:b",)))
    assert ledger.usage_of("mem:a") == Usage(NOW + 7, NOW + 7, NOW + 7, 2)
    # A candidate is noted once in an hour; when it was used stays as it is.
    assert ledger.usage_of("mem:b") == Usage(NOW, NOW, NOW, 1)
    assert ledger.usage_of("mem:c") == Usage(last_retrieved_ms=NOW)
    later = NOW + RETRIEVED_EVERY_MS
    ledger.note_served(Served(later, (), ("mem:b",)))
    assert ledger.usage_of("mem:b") == Usage(later, NOW, NOW, 1)


def test_the_first_recall_is_noted_once(ledger: SqliteLedger) -> None:
    assert ledger.served_since() is None
    ledger.log_turn(LoggedTurn("s", "global", NOW - 5, (), {"skipReason": "greeting"}, skipped=True))
    assert ledger.served_since() is None
    ledger.note_served(Served(NOW))
    ledger.note_served(Served(NOW + 1, ("mem:a",)))
    ledger.log_turn(LoggedTurn("s", "global", NOW + 2, (), {}))
    assert ledger.served_since() == NOW


def test_a_turn_of_the_agent_starts_the_clock_too(ledger: SqliteLedger) -> None:
    ledger.log_turn(LoggedTurn("s", "global", NOW + 2, (), {}))
    assert ledger.served_since() == NOW + 2


def test_a_recall_never_waits_for_a_flow_and_is_counted_after_it(ledger: SqliteLedger) -> None:
    with held(ledger):
        began = time.monotonic()
        assert ledger.note_served(Served(NOW, ("mem:a",)))
        assert ledger.note_served(Served(NOW + 1, ("mem:a",)))
        assert time.monotonic() - began < 0.1
        assert not ledger.write_use(patience_ms=10)
        assert ledger.usage_of("mem:a") == Usage()
    ledger.note_served(Served(NOW + 2, ("mem:b",)))
    assert ledger.usage_of("mem:a") == Usage(NOW + 1, NOW + 1, NOW + 1, 2)
    assert ledger.usage_of("mem:b").included_count == 1
    assert ledger.served_since() == NOW


def test_what_waits_is_written_when_the_ledger_is_closed(ledger: SqliteLedger, clock: FrozenClock) -> None:
    with held(ledger):
        ledger.note_served(Served(NOW, ("mem:a",)))
    ledger.close()
    again = SqliteLedger(ledger.path, clock=clock)
    assert again.usage_of("mem:a") == Usage(NOW, NOW, NOW, 1)
    again.close()


def test_closing_a_ledger_that_is_held_does_not_fail_and_does_not_wait_long(
    tmp_path: Path, clock: FrozenClock
) -> None:
    ledger = SqliteLedger(tmp_path / "held.sqlite", clock=clock)
    with held(ledger):
        ledger.note_served(Served(NOW, ("mem:a",)))
        began = time.monotonic()
        ledger.close()
        assert time.monotonic() - began < 5


def test_what_waits_is_bounded_and_what_is_given_up_is_said(
    ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, clock: FrozenClock
) -> None:
    monkeypatch.setattr(sqlite_use, "MAX_WAITING", 3)
    short = SqliteLedger(tmp_path / "short.sqlite", clock=clock)
    with held(short):
        kept = [short.note_served(Served(NOW + number, (f"mem:{number}",))) for number in range(5)]
    assert kept == [True, True, True, False, False]
    assert short.write_use()
    assert raw(short, "SELECT record_ref FROM usage ORDER BY 1") == [("mem:2",), ("mem:3",), ("mem:4",)]
    short.close()


def test_a_large_note_is_not_read_again_for_use(ledger: SqliteLedger) -> None:
    ledger.put_note("calibration", "figures " * 1000)
    first = ledger.get_note("calibration")
    ledger.note_served(Served(NOW, ("mem:a",)))
    ledger.log_turn(LoggedTurn("s", "global", NOW, (), {}))
    read: list[str] = []
    with ledger.reading() as db:
        db.set_trace_callback(read.append)
        assert ledger.get_note("calibration") is first
        db.set_trace_callback(None)
    assert not [sql for sql in read if "FROM notes" in sql]
    ledger.put_note("calibration", "others")
    assert ledger.get_note("calibration") == "others"


def test_a_working_set_that_a_turn_leaves_is_read(ledger: SqliteLedger) -> None:
    assert ledger.get_note("working_set:ops") is None
    ledger.log_turn(LoggedTurn("s", "ops", NOW, (), {}, working_set="{}"))
    assert ledger.get_note("working_set:ops") == "{}"


def test_who_only_looks_counts_nothing(ledger: SqliteLedger, clock: FrozenClock) -> None:
    reader = ReadOnlyLedger(ledger.path, clock=clock)
    assert reader.note_served(Served(NOW, ("mem:a",)))
    assert reader.write_use()
    reader.close()
    assert raw(ledger, "SELECT * FROM usage") == []
    assert ledger.served_since() is None


def test_a_killed_process_leaves_a_whole_ledger_with_what_it_had_written(
    ledger: SqliteLedger, tmp_path: Path
) -> None:
    program = f"""
import os, signal
from pathlib import Path
from sunrise.adapters.clock import SystemClock
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.use import Served
ledger = SqliteLedger(Path({str(ledger.path)!r}), clock=SystemClock())
for number in range(50):
    ledger.note_served(Served(1_000 + number, (f"mem:{{number}}",)))
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ}, check=False)
    assert done.returncode == -9
    assert raw(ledger, "SELECT count(*), sum(included_count) FROM usage") == [(50, 50)]
    assert ledger.check()["integrity"] == "ok"


def test_names_of_notes_are_found_by_their_beginning_and_dropped(ledger: SqliteLedger) -> None:
    for name in ("set:b", "set:a", "other", "set_c", "se"):
        ledger.put_note(name, "x")
    assert ledger.note_names("set:") == ("set:a", "set:b")
    ledger.drop_note("set:a")
    ledger.drop_note("nobody")
    assert ledger.note_names("set:") == ("set:b",)
