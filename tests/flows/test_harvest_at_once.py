"""While a harvest writes, who asks the ledger is answered at once, and who writes waits and succeeds."""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Callable
from contextlib import closing
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest

from sunrise.adapters.clock import SystemClock
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.text.analysis import terms
from tests.flows.at_once import harvest_many, write_small_batches
from tests.homes import NOW
from tests.ledgers import WHOLE

ROWS = 50_000
SLOWEST_READ_S = 0.1
SMALL_BATCHES = 20


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.flows.at_once"])
    return context


@pytest.mark.slow
def test_a_harvest_keeps_no_reader_waiting_and_fails_no_other_writer(
    processes: ForkServerContext, tmp_path: Path
) -> None:
    _capture(tmp_path / "spool" / "agent.jsonl")
    with closing(SqliteLedger(tmp_path / "ledger.sqlite", clock=SystemClock())) as ledger:
        harvest = processes.Process(target=harvest_many, args=(str(tmp_path),))
        writer = processes.Process(target=write_small_batches, args=(str(tmp_path), SMALL_BATCHES))
        harvest.start()
        _until(lambda: ledger.count("observations") > 0)
        writer.start()
        waits, counts = _read_while(lambda: harvest.exitcode is None, ledger)
        harvest.join(timeout=30)
        writer.join(timeout=30)
        assert (harvest.exitcode, writer.exitcode) == (0, 0)
        assert ledger.count("observations") == ROWS + SMALL_BATCHES
        assert ledger.check() == WHOLE
    # Readers saw the ledger grow batch by batch, never a part of one.
    assert len(set(counts)) > 3
    assert counts == sorted(counts)
    slow = [wait for wait in waits if wait > SLOWEST_READ_S]
    assert len(waits) > 30
    # A busy machine stops us now and then; a lock would stop us at each batch.
    assert len(slow) <= 2, f"{len(slow)} of {len(waits)} reads waited, the longest {max(slow):.3f} s"


def _read_while(going: Callable[[], bool], ledger: SqliteLedger) -> tuple[list[float], list[int]]:
    """Ask as recall and the pages do, and return how long each answer took and how many rows there were."""
    waits: list[float] = []
    counts: list[int] = []
    found = terms("backup of the database 備份")
    while going():
        for ask in (
            lambda: counts.append(ledger.count("observations")),
            lambda: ledger.runs(limit=20),
            lambda: _search(ledger, found),
        ):
            began = time.perf_counter()
            ask()
            waits.append(time.perf_counter() - began)
        time.sleep(0.002)
    return waits, counts


def _search(ledger: SqliteLedger, found: str) -> int:
    query = " OR ".join(f'"{term}"' for term in found.split())
    with ledger.reading() as db:
        # The newest first: to rank tens of thousands of hits takes its time with or without a harvest.
        sql = "SELECT rowid FROM observations_fts WHERE terms MATCH ? ORDER BY rowid DESC LIMIT 20"
        return len(db.execute(sql, (query,)).fetchall())


def _until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline, "the harvest does not begin"
        time.sleep(0.005)


def _capture(path: Path) -> None:
    path.parent.mkdir()
    with path.open("w", encoding="utf-8") as file:
        for number in range(ROWS):
            text = f"backup {number} of the database" if number % 2 else f"第 {number} 次備份資料庫"
            record = {"event_id": f"e-{number}", "ts": NOW - number, "kind": "note", "summary": text}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
