"""Time auto-recall in a large table: `python -m benchmarks.turn_speed [CORPUS.jsonl] [--rows N]`."""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import threading
import time
from itertools import islice
from pathlib import Path

from benchmarks.recall_speed import lines, make_table, read_calibration
from sunrise.adapters.clock import SystemClock
from sunrise.adapters.embedders import UseEmbedder
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.turn_request import AutoRecallRequest, AutoRecallResult, TurnPolicy
from sunrise.online.auto_recall import TurnPorts, auto_recall
from sunrise.online.backbone_lane import Backbones

TURNS = 400
WARM = 40
A_SESSION = 12


def main() -> None:
    """Parse, make what is missing, ask turn after turn, print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.turn_speed", description=__doc__)
    parser.add_argument("corpus", type=Path, nargs="?", help="JSON lines with summary and detail.scope")
    parser.add_argument("--vectors", type=Path, help="float32 vectors of the first summaries, made before")
    parser.add_argument("--rows", type=int, default=100_000, help="size of the table")
    parser.add_argument("--tables", type=Path, help="folder of the tables, kept for the next time")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sunrise-bench-") as made:
        folder = (chosen.tables or Path(made)) / str(chosen.rows)
        if not (folder / "calibration.json").exists():
            make_table(folder, chosen.rows, chosen.corpus, chosen.vectors)
        _measure(folder, chosen.rows, chosen.corpus, Path(made) / "ledger.sqlite")


def _measure(folder: Path, rows: int, corpus: Path | None, ledger_file: Path) -> None:
    clock = SystemClock()
    ledger = SqliteLedger(ledger_file, clock=clock)
    table = LanceMemories.open(folder)
    ports = TurnPorts(
        memories=table,
        turns=ledger,
        backbones=Backbones(),
        embedder=UseEmbedder(),
        clock=clock,
        calibration=read_calibration(folder),
    )
    asked = _turns(rows, corpus)
    _timed(asked[:WARM], ports)
    for thread in threading.enumerate():
        if thread.name == "sunrise-rows":
            thread.join()
    _timed(asked[WARM : 2 * WARM], ports)
    begin = time.process_time()
    taken, answers = _timed(asked[2 * WARM :], ports)
    cpu_ms = (time.process_time() - begin) * 1000 / len(taken)
    ledger.close()
    cuts = statistics.quantiles(taken, n=20)
    chars = statistics.mean(len(one.text) for one in answers)
    print(f"\n| auto-recall in {rows:,} rows, working set included | sunrise | at most |")
    print("| --- | ---: | ---: |")
    print(f"| {os.cpu_count()} cores, load | {os.getloadavg()[0]:.1f} | |")
    print(f"| p50 | {statistics.median(taken):.1f} ms | 15 ms |")
    print(f"| p95 | {cuts[-1]:.1f} ms | 30 ms |")
    print(f"| CPU time | {cpu_ms:.1f} ms | |")
    for stage in ("working_set", "recall", "select", "render"):
        spent = [one.receipt.latency_ms.get(stage, 0.0) for one in answers]
        print(f"| p50 of {stage} | {statistics.median(spent):.1f} ms | |")
    print(f"| characters of a block | {chars:.0f} | |")


def _turns(rows: int, corpus: Path | None) -> list[AutoRecallRequest]:
    chance = random.Random(7)
    step = max(1, rows // (TURNS + 2 * WARM))
    chosen = islice(lines(rows, corpus), chance.randrange(step), None, step)
    prompts = [(row["summary"].split(), row["detail"]["scope"]) for row in chosen]
    chance.shuffle(prompts)
    return [
        AutoRecallRequest(
            f"What about {' '.join(chance.sample(words, min(4, len(words))))}?",
            session_key=f"session-{place // A_SESSION}",
            scope=scope,
        )
        for place, (words, scope) in enumerate(prompts)
    ]


def _timed(asked: list[AutoRecallRequest], ports: TurnPorts) -> tuple[list[float], list[AutoRecallResult]]:
    taken, answers = list[float](), list[AutoRecallResult]()
    for request in asked:
        begin = time.perf_counter()
        answers.append(auto_recall(request, ports=ports, policy=TurnPolicy()))
        taken.append((time.perf_counter() - begin) * 1000)
    return taken, answers


if __name__ == "__main__":
    main()
