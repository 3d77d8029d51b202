"""Time recall in large tables: `python -m benchmarks.recall_speed [CORPUS.jsonl] [--rows N N]`."""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.corpus import memory_id, records
from sunrise.adapters.clock import SystemClock
from sunrise.adapters.embedders import UseEmbedder
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.domain.calibration import Calibration
from sunrise.domain.recall import RecallRequest
from sunrise.domain.text.analysis import terms
from sunrise.domain.vector_space import VectorSpace, active_space
from sunrise.online.recall import recall
from sunrise.ports import Embedder, MemoryTable

SIZES = (100_000, 1_000_000)
QUERIES = 400
WARM = 40
BATCH = 25_000
EMBEDDED = 100_000
"""What lies beyond has these vectors once more, a little turned: embedding a million takes half an hour."""

EMBEDDED_AT_ONCE = 500
LABELS = ("must_remember", "nice_to_have", "nice_to_have", "ignore", None)
CALIBRATION = "calibration.json"

AT_MOST = {100_000: {"p50": "10 ms", "p95": "20 ms", "memory": "600 MiB"}, 1_000_000: {"p95": "60 ms"}}
THEIRS = {100_000: {"p50": "20.7 ms", "p95": "45.6 ms"}}
"""openclaw-mem, hybrid, a table of the same size with 16 numbers a vector, without embedding the query."""


def main() -> None:
    """Parse, make what is missing, ask in a process of its own, print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall_speed", description=__doc__)
    parser.add_argument("corpus", type=Path, nargs="?", help="JSON lines with summary and detail.scope")
    parser.add_argument("--vectors", type=Path, help="float32 vectors of the first summaries, made before")
    parser.add_argument("--rows", type=int, nargs="+", default=SIZES, help="sizes of the tables")
    parser.add_argument("--tables", type=Path, help="folder of the tables, kept for the next time")
    parser.add_argument("--step", choices=["make", "ask"], help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sunrise-bench-") as made:
        folder = chosen.tables or Path(made)
        for rows in chosen.rows:
            if chosen.step == "make":
                make_table(folder / str(rows), rows, chosen.corpus, chosen.vectors)
            elif chosen.step == "ask":
                print(json.dumps(_ask(folder / str(rows), rows, chosen.corpus)))
            else:
                _measure(folder, rows, chosen.corpus, chosen.vectors)


def _measure(folder: Path, rows: int, corpus: Path | None, vectors: Path | None) -> None:
    given = [str(corpus)] if corpus else []
    given += ["--vectors", str(vectors)] if vectors else []
    given += ["--rows", str(rows), "--tables", str(folder)]
    command = [sys.executable, "-m", "benchmarks.recall_speed", *given, "--step"]
    if not (folder / str(rows) / CALIBRATION).exists():
        subprocess.run([*command, "make"], check=True)
    # What made the table does not count as what asks it.
    asked = subprocess.run([*command, "ask"], check=True, stdout=subprocess.PIPE, text=True)
    figures: dict[str, str] = json.loads(asked.stdout)
    limits, theirs = AT_MOST.get(rows, {}), THEIRS.get(rows, {})
    load = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    print(f"\n| recall in {rows:,} rows ({load}) | sunrise | at most | openclaw-mem |")
    print("| --- | ---: | ---: | ---: |")
    for name, figure in figures.items():
        print(f"| {name} | {figure} | {limits.get(name, '')} | {theirs.get(name, '')} |", flush=True)


def lines(rows: int, corpus: Path | None) -> Iterator[dict[str, Any]]:
    """Yield the records of a corpus, or of one made here."""
    if corpus is None:
        yield from records(rows)
        return
    with corpus.open(encoding="utf-8") as file:
        yield from map(json.loads, islice(file, rows))


def make_table(folder: Path, rows: int, corpus: Path | None, vectors: Path | None) -> None:
    """Make a table of memories with vectors and indices, and its calibration beside it."""
    from tasks.calibration import ask_model, calibrate

    embedder, turned = UseEmbedder(), np.random.default_rng(3)
    table = LanceMemories.create(folder, dimension=0)
    column = table.prepare_space(embedder.model_id, embedder.dimension)
    read = lines(rows, corpus)
    known = np.load(vectors, mmap_mode="r") if vectors else np.zeros((0, embedder.dimension), np.float32)
    for begin in range(0, rows, BATCH):
        part = list(islice(read, BATCH))
        if begin + len(part) > len(known) and begin < EMBEDDED:
            known = np.concatenate([known[:begin], _embedded(embedder, [row["summary"] for row in part])])
        near = np.asarray(known[np.arange(begin, begin + len(part)) % len(known)], np.float32)
        if begin >= len(known):
            near += turned.standard_normal(near.shape, np.float32) / 100
        table.add(_rows(part, begin, column, near))
    table.activate(column)
    table.optimize(keep=timedelta(days=7))
    table.build_missing_indices()
    space = active_space(table.spaces())
    assert isinstance(space, VectorSpace)
    found = calibrate(table, space, embedder.model_id, rows=rows, now_ms=0)
    if found is None:
        # Too few texts: a home of this size has no calibration of its own.
        return
    questions, elsewhere = ask_model(embedder)
    whole = replace(found, questions=questions, elsewhere=elsewhere)
    (folder / CALIBRATION).write_text(json.dumps(whole.to_dict()), encoding="utf-8")


def read_calibration(folder: Path) -> Calibration:
    """Return the calibration of a table that was made here."""
    return Calibration.from_dict(json.loads((folder / CALIBRATION).read_text(encoding="utf-8")))


def _rows(part: list[dict[str, Any]], begin: int, column: str, vectors: np.ndarray) -> pa.Table:
    texts = [row["summary"] for row in part]
    flat = pa.array(np.ascontiguousarray(vectors).ravel())
    return pa.table({
        "id": [memory_id(begin + at) for at in range(len(part))],
        "text": texts,
        "terms": [terms(text) for text in texts],
        "scope": [row["detail"]["scope"] for row in part],
        "category": [row["kind"] for row in part],
        "importance_label": [LABELS[(begin + at) % len(LABELS)] for at in range(len(part))],
        "createdAt": [datetime.fromisoformat(row["ts"]).timestamp() * 1000 for row in part],
        column: pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1]),
    })  # fmt: skip


def _embedded(embedder: Embedder, texts: list[str]) -> np.ndarray:
    parts = range(0, len(texts), EMBEDDED_AT_ONCE)
    return np.concatenate([embedder.embed(texts[at : at + EMBEDDED_AT_ONCE]) for at in parts])


def _ask(folder: Path, rows: int, corpus: Path | None) -> dict[str, str]:
    chance = random.Random(7)
    # Every so many lines one, so that the corpus is not in memory while memory is measured.
    step = max(1, rows // (QUERIES + 2 * WARM))
    chosen = islice(lines(rows, corpus), chance.randrange(step), None, step)
    asked = [_request(row, chance) for row in chosen]
    chance.shuffle(asked)
    embedder, table = UseEmbedder(), LanceMemories.open(folder)
    embedder.embed(["the model is loaded"])
    calibration = read_calibration(folder)
    before = _memory_mib()
    cold, _ = _timed(asked[:WARM], table, embedder, calibration)
    for thread in threading.enumerate():
        if thread.name == "sunrise-rows":
            thread.join()
    _timed(asked[WARM : 2 * WARM], table, embedder, calibration)
    begin = time.process_time()
    warm, stages = _timed(asked[2 * WARM :], table, embedder, calibration)
    cpu_ms = (time.process_time() - begin) * 1000 / len(warm)
    cuts = statistics.quantiles(warm, n=20)
    return {
        "p50": f"{statistics.median(warm):.1f} ms",
        "p95": f"{cuts[-1]:.1f} ms",
        "CPU time": f"{cpu_ms:.1f} ms",
        **{
            f"p50 of {name}": f"{statistics.median(ms):.1f} ms"
            for name, ms in stages.items()
            if name != "total"
        },
        "p50 of the first questions": f"{statistics.median(cold[1:]):.1f} ms",
        "memory": f"{_memory_mib()} MiB",
        "peak memory": f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB",
        "memory before the first question": f"{before} MiB",
    }


def _request(row: dict[str, Any], chance: random.Random) -> RecallRequest:
    words = row["summary"].split()
    return RecallRequest(" ".join(chance.sample(words, min(4, len(words)))), scope=row["detail"]["scope"])


def _timed(
    asked: list[RecallRequest], table: MemoryTable, embedder: Embedder, calibration: Calibration
) -> tuple[list[float], dict[str, list[float]]]:
    taken, stages = list[float](), dict[str, list[float]]()
    for request in asked:
        begin = time.perf_counter()
        found = recall(
            request, memories=table, embedder=embedder, clock=SystemClock(), calibration=calibration
        )
        taken.append((time.perf_counter() - begin) * 1000)
        for name, ms in found.receipt.latency_ms.items():
            stages.setdefault(name, []).append(ms)
    return taken, stages


def _memory_mib() -> int:
    """Return what this process has in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() >> 20


if __name__ == "__main__":
    main()
