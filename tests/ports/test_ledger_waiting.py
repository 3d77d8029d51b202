"""Threads of one ledger while another process holds it: a writer waits, and readers do not wait for it."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.errors import StoreError
from tests.fakes import FrozenClock
from tests.homes import NOW


def test_a_reader_does_not_wait_for_a_writer_that_waits(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.sqlite", clock=FrozenClock(NOW))
    ledger.raise_watermark("a", 1)
    holder = sqlite3.connect(tmp_path / "ledger.sqlite", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    writer = threading.Thread(target=ledger.raise_watermark, args=("a", 2))
    writer.start()
    # Nobody lets go before the reader has its answer: were it to wait for the writer, it would wait for good.
    for _ in range(200):
        assert ledger.watermark("a") == 1
    assert writer.is_alive()
    holder.execute("ROLLBACK")
    writer.join(20)
    assert ledger.watermark("a") == 2
    ledger.close()
    holder.close()


def test_a_writer_gives_up_when_its_patience_ends_and_leaves_the_ledger_usable(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.sqlite", clock=FrozenClock(NOW))
    holder = sqlite3.connect(tmp_path / "ledger.sqlite", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="database is locked"), ledger.writing(patience_ms=20):
        raise AssertionError("it was not locked")
    holder.execute("ROLLBACK")
    with ledger.writing(patience_ms=0), ledger.writing():
        ledger.raise_watermark("a", 3)
    with pytest.raises(StoreError), ledger.writing(), ledger.writing() as db:  # noqa: PT012  one transaction
        db.execute("DELETE FROM watermarks")
        # What fails inside takes back what was done before it.
        db.execute("no statement")
    assert ledger.watermark("a") == 3
    ledger.close()
    holder.close()
