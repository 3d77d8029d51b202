"""A harvest and another writer, each to be run in a process of its own, on one ledger."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

from sunrise.adapters.clock import SystemClock
from sunrise.adapters.sqlite_ledger import LEDGER_FILE, SqliteLedger
from sunrise.bootstrap import open_home
from sunrise.settings import load_settings
from tasks.harvest import read_sources
from tests.homes import observation, observations


def harvest_many(home: str) -> None:
    """Harvest the whole spool in batches of 5,000 lines."""
    settings = load_settings(Path(home))
    batches = settings.harvest.model_copy(update={"batch_lines": 5_000})
    with open_home(settings.model_copy(update={"harvest": batches})) as opened:
        found = read_sources(opened, dry_run=False)
    assert found.seen == found.inserted


def write_small_batches(home: str, number: int) -> None:
    """Put one row after the other into the ledger, each in a transaction of its own."""
    with closing(SqliteLedger(Path(home) / LEDGER_FILE, clock=SystemClock())) as ledger:
        for row in range(number):
            small = observations(observation(f"small-{row}"))
            assert ledger.commit_harvest(small, rejected=(), position=None).observations == 1
            time.sleep(0.01)
