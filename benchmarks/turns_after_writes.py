"""
CPU time of auto-recall before and after a write: `python -m benchmarks.turns_after_writes [--rows N N]`.

Each turn stores a memory and recalls twice in its scope. Wall time would measure what else the machine does.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from benchmarks.corpus import memory_id, records
from benchmarks.recall_speed import CALIBRATION, make_table, read_calibration
from sunrise.adapters.clock import SystemClock
from sunrise.adapters.embedders import UseEmbedder
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.store import StoreRequest, StoreStatus
from sunrise.domain.turn_request import AutoRecallRequest, TurnPolicy
from sunrise.online.auto_recall import TurnPorts, auto_recall
from sunrise.online.backbone_lane import Backbones
from sunrise.online.store import store

SIZES = (14, 1_000, 100_000)
TURNS = {14: 2_000, 1_000: 2_000, 100_000: 300}
CHANGES_A_MEMORY = 6
WARM = 20
A_SESSION = 12
STORE_AT_MOST = {100_000: 35.0}


class Figures(NamedTuple):
    """CPU milliseconds of the recalls without a write, of the stores, and of the recalls after them."""

    quiet: list[float]
    stored: list[float]
    after: list[float]


def main() -> None:
    """Parse, measure each size in a process of its own, print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.turns_after_writes", description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=SIZES, help="sizes of the tables")
    parser.add_argument("--turns", type=int, help="turns at each size")
    parser.add_argument("--tables", type=Path, help="folder of the tables, kept for the next time")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sunrise-bench-") as made:
        tables = chosen.tables or Path(made)
        if chosen.one:
            (rows,) = chosen.rows
            print(_lines(rows, _measured(tables / str(rows), rows, Path(made), chosen.turns or TURNS[rows])))
            return
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
        print("| CPU time | p50 | p95 | at most |\n| --- | ---: | ---: | ---: |", flush=True)
        for rows in chosen.rows:
            if not (tables / str(rows)).exists():
                make_table(tables / str(rows), rows, None, None)
            command = [sys.executable, "-m", "benchmarks.turns_after_writes", "--one", "--rows", str(rows)]
            command += ["--tables", str(tables), "--turns", str(chosen.turns or TURNS.get(rows, 300))]
            subprocess.run(command, check=True)


def _lines(rows: int, found: Figures) -> str:
    limit = 2 * statistics.median(found.quiet)
    store_limit = STORE_AT_MOST.get(rows)
    lines = (
        (f"{rows:,} memories, auto-recall without a write", found.quiet, ""),
        ("auto-recall after a write", found.after, f"p95 {limit:.1f} ms"),
        ("store", found.stored, "" if store_limit is None else f"p50 {store_limit:.0f} ms"),
    )
    cuts = (
        (name, statistics.median(ms), statistics.quantiles(ms, n=20)[-1], most) for name, ms, most in lines
    )
    return "\n".join(f"| {name} | {p50:.1f} ms | {p95:.1f} ms | {most} |" for name, p50, p95, most in cuts)


def _measured(source: Path, rows: int, scratch: Path, turns: int) -> Figures:
    folder = scratch / "lance"
    shutil.copytree(source, folder)
    clock, embedder = SystemClock(), UseEmbedder()
    ledger = SqliteLedger(scratch / "ledger.sqlite", clock=clock)
    _fill(ledger, rows)
    table = LanceMemories.open(folder)
    ports = TurnPorts(
        memories=table,
        turns=ledger,
        backbones=Backbones(),
        embedder=embedder,
        clock=clock,
        calibration=read_calibration(folder) if (folder / CALIBRATION).exists() else None,
    )
    (asked, again_asked), facts = _questions(rows, turns), _facts(turns)
    for question in asked[:WARM]:
        auto_recall(question, ports=ports, policy=TurnPolicy())
    _wait()
    stores = {"memories": table, "ledger": ledger, "embedder": embedder, "clock": clock}
    found = Figures([], [], [])
    for question, again, fact in zip(asked, again_asked, facts, strict=True):
        done = _timed(
            partial(store, StoreRequest(fact, scope=question.scope or "global"), **stores), found.stored
        )
        assert done.status is StoreStatus.CREATED, done.receipt
        _timed(partial(auto_recall, question, ports=ports, policy=TurnPolicy()), found.after)
        # Another question of the same scope, so that only the write makes a difference.
        _timed(partial(auto_recall, again, ports=ports, policy=TurnPolicy()), found.quiet)
    ledger.close()
    return found


def _timed(work: Callable[[], Any], taken: list[float]) -> Any:
    begin = time.process_time()
    done = work()
    taken.append((time.process_time() - begin) * 1000)
    return done


def _wait() -> None:
    for thread in threading.enumerate():
        if thread.name == "sunrise-rows":
            thread.join()


def _fill(ledger: SqliteLedger, rows: int) -> None:
    """Give the ledger a past: so many changes of each memory, all of them applied."""
    refs = [f"mem:{memory_id(number)}" for number in range(rows)]
    for number in range(CHANGES_A_MEMORY):
        same = {"field": f"field{number}", "before": "null", "after": '"x"', "reason": "writeback"}
        changes = pa.table({"record_ref": refs} | {name: [value] * rows for name, value in same.items()})
        ledger.clear_outbox(ledger.record_change_frame(changes, run_id=f"run{number}"))


def _questions(rows: int, turns: int) -> tuple[list[AutoRecallRequest], list[AutoRecallRequest]]:
    """Return questions of a few words of what is known, and others, each in the scope of its counterpart."""
    chance = random.Random(7)
    said: dict[str, list[list[str]]] = {}
    for row in islice(records(rows), 0, None, max(1, rows // (2 * turns))):
        said.setdefault(row["detail"]["scope"], []).append(row["summary"].split())
    scopes = chance.choices([*said], k=turns)

    def asked(place: int, scope: str) -> AutoRecallRequest:
        words = chance.choice(said[scope])
        text = f"What about {' '.join(chance.sample(words, min(4, len(words))))}?"
        return AutoRecallRequest(text, session_key=f"session-{place // A_SESSION}", scope=scope)

    one, other = ([asked(place, scope) for place, scope in enumerate(scopes)] for _ in range(2))
    return one, other


def _facts(turns: int) -> list[str]:
    chance = random.Random(11)
    who, what = (
        ("Ana", "Ben", "Chloe", "Dev", "Emeka"),
        ("keeps the spare key", "parks the van", "grows figs"),
    )
    return [
        f"{chance.choice(who)} {chance.choice(what)} in room {number} beside locker {chance.randrange(10**6)}"
        for number in range(turns)
    ]


if __name__ == "__main__":
    main()
