"""Time recall in a large table: `python -m benchmarks.recall_speed CORPUS.jsonl [--table DIR]`."""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.corpus import memory_id
from sunrise.adapters.clock import SystemClock
from sunrise.adapters.embedders import UseEmbedder
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.domain.calibration import Calibration
from sunrise.domain.recall import RecallRequest
from sunrise.domain.text.analysis import terms
from sunrise.domain.vector_space import VectorSpace, active_space
from sunrise.errors import StoreError
from sunrise.online.recall import recall
from sunrise.ports import Embedder, MemoryTable
from tasks.calibration import ask_model, calibrate

QUERIES = 200
BATCH = 25_000
EMBEDDED_AT_ONCE = 500


def main() -> None:
    """Parse, make or open the table, ask, print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall_speed", description=__doc__)
    parser.add_argument("corpus", type=Path, help="JSON lines with summary and detail.scope")
    parser.add_argument("--vectors", type=Path, help="float32 vectors of the summaries, made before")
    parser.add_argument("--table", type=Path, help="folder of the table, kept for the next time")
    chosen = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    embedder = UseEmbedder()
    with tempfile.TemporaryDirectory(prefix="sunrise-bench-") as made:
        folder = chosen.table or Path(made)
        rows = [json.loads(line) for line in chosen.corpus.read_text(encoding="utf-8").splitlines()]
        table = _table(folder, rows, embedder, chosen.vectors)
        _ask(table, rows, embedder, _calibration(table, embedder, len(rows)))


def _table(folder: Path, rows: list[dict[str, Any]], embedder: Embedder, vectors: Path | None) -> MemoryTable:
    try:
        return LanceMemories.open(folder)
    except StoreError:
        table = LanceMemories.create(folder, dimension=0)
    column = table.prepare_space(embedder.model_id, embedder.dimension)
    given = np.load(vectors, mmap_mode="r") if vectors else None
    for begin in range(0, len(rows), BATCH):
        part = rows[begin : begin + BATCH]
        texts = [row["summary"] for row in part]
        made = _embedded(embedder, texts) if given is None else given[begin : begin + len(part)]
        flat = pa.array(np.ascontiguousarray(made, np.float32).ravel())
        table.add(
            pa.table({
                "id": [memory_id(begin + at) for at in range(len(part))],
                "text": texts,
                "terms": [terms(text) for text in texts],
                "scope": [row["detail"]["scope"] for row in part],
                column: pa.FixedSizeListArray.from_arrays(flat, embedder.dimension),
            })
        )  # fmt: skip
    table.activate(column)
    table.optimize(keep=timedelta(days=7))
    table.build_missing_indices()
    return table


def _embedded(embedder: Embedder, texts: list[str]) -> np.ndarray:
    parts = range(0, len(texts), EMBEDDED_AT_ONCE)
    return np.concatenate([embedder.embed(texts[at : at + EMBEDDED_AT_ONCE]) for at in parts])


def _calibration(table: MemoryTable, embedder: Embedder, rows: int) -> Calibration | None:
    space = active_space(table.spaces())
    assert isinstance(space, VectorSpace)
    found = calibrate(table, space, embedder.model_id, rows=rows, now_ms=0)
    return None if found is None else replace(found, questions=ask_model(embedder))


def _ask(
    table: MemoryTable, rows: list[dict[str, Any]], embedder: Embedder, calibration: Calibration | None
) -> None:
    chance, taken, stages = random.Random(7), list[float](), dict[str, list[float]]()
    for row in chance.sample(rows, QUERIES):
        words = row["summary"].split()
        query = " ".join(chance.sample(words, min(4, len(words))))
        request = RecallRequest(query, scope=row["detail"]["scope"])
        begin = time.perf_counter()
        found = recall(
            request, memories=table, embedder=embedder, clock=SystemClock(), calibration=calibration
        )
        taken.append((time.perf_counter() - begin) * 1000)
        for name, ms in found.receipt.latency_ms.items():
            stages.setdefault(name, []).append(ms)
    warm = taken[QUERIES // 10 :]
    print("| stage | p50 ms | p95 ms |\n| --- | ---: | ---: |")
    for name, all_ms in {"recall": warm, **{one: ms[QUERIES // 10 :] for one, ms in stages.items()}}.items():
        cuts = statistics.quantiles(all_ms, n=20)
        print(f"| {name} | {statistics.median(all_ms):.1f} | {cuts[-1]:.1f} |")


if __name__ == "__main__":
    main()
