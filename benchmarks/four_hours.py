"""
Measure writeback and the four-hourly cycle: `python -m benchmarks.four_hours [--rows N]`.

The home is settled (each observation names a memory, every field is filled, the indices cover all) before
10,000 observations and 10,000 memories of another writer come in.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.corpus import memory_id, records
from flows.grade import grade_importance
from flows.index import index_memories
from flows.writeback import write_back
from sunrise.adapters.capture_jsonl import CAPTURE_SCHEMA
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.bootstrap import open_home
from sunrise.domain.text.analysis import terms
from sunrise.settings import load_settings

DIMENSION = 512
BATCH = 100_000
NEWS = 10_000
FIRST_MS = 1_790_000_000_000
LABELS = ("must_remember", "nice_to_have", "ignore")
FILLED = ("scope", "importance_label", "category", "trust_tier", "source_kind", "lang", "state")


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.four_hours", description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000, help="observations and memories before")
    rows = parser.parse_args().rows
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n\n| work | s | |\n| --- | ---: | --- |")
    with tempfile.TemporaryDirectory(prefix="sunrise-bench-") as folder:
        _writeback(Path(folder) / "writeback", rows)
        _cycle(Path(folder) / "cycle", rows)
    print(f"\npeak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB")


def _writeback(home: Path, rows: int) -> None:
    """Fill all rows, then 10,000 of them once more."""
    _settle(home, rows, filled=False)
    _timed(f"writeback, {rows:,} rows changed", write_back.fn, home)
    _timed("again, nothing new", write_back.fn, home)
    some = range(0, rows, max(1, rows // NEWS))
    with open_home(load_settings(home)) as place:
        table = place.memories()
        assert table is not None
        _observe(place, some, key="again", graded=True)
        empty: dict[str, Any] = {name: pa.nulls(len(some), pa.string()) for name in FILLED[:4]}
        table.merge(pa.table({"id": [memory_id(number) for number in some], **empty}))
        table.optimize(keep=timedelta(days=7))
    _timed(f"writeback, {len(some):,} of {rows:,} rows changed", write_back.fn, home)
    shutil.rmtree(home)


def _cycle(home: Path, rows: int) -> None:
    """Grade, write back and index, with 10,000 new rows of both."""
    _settle(home, rows, filled=True)
    index_memories.fn(home=str(home))
    with open_home(load_settings(home)) as place:
        news = range(rows, rows + NEWS)
        _observe(place, news, key="new", graded=False)
        table = place.memories()
        assert isinstance(table, LanceMemories)
        for start in range(rows, rows + NEWS, 1000):
            table.add(_memories(range(start, start + 1000), filled=False))
    begin = time.perf_counter()
    for flow in (grade_importance, write_back, index_memories):
        _timed(f"{flow.name}, {NEWS:,} new on {rows:,}", flow.fn, home)
    print(f"| the cycle | {time.perf_counter() - begin:.2f} | |", flush=True)


def _timed(work: str, run: Callable[..., Any], home: Path) -> None:
    begin = time.perf_counter()
    receipt = run(home=str(home))
    slow = ", ".join(f"{step.name} {step.ms / 1000:.2f}" for step in receipt.steps if step.ms >= 50)
    print(f"| {work} | {time.perf_counter() - begin:.2f} | {receipt.status}: {slow} |", flush=True)


def _settle(home: Path, rows: int, *, filled: bool) -> None:
    home.mkdir(parents=True)
    (home / "sunrise.toml").write_text('[embedder]\nname = "none"\n', encoding="utf-8")
    with open_home(load_settings(home)) as place:
        for start in range(0, rows, BATCH):
            _observe(place, range(start, min(rows, start + BATCH)), key="old", graded=True)
        if filled:
            place.ledger.finish_writeback(up_to=place.ledger.linked_up_to(), unresolved={})
        table = LanceMemories.create(home / "lance", dimension=DIMENSION)
        for start in range(0, rows, BATCH):
            table.add(_memories(range(start, min(rows, start + BATCH)), filled=filled))
        table.build_missing_indices()
        table.optimize(keep=timedelta(days=7))


def _texts(numbers: Sequence[int]) -> list[str]:
    lines = [str(record["summary"]) for record in records(1000)]
    return [f"{lines[number % len(lines)]} {number}" for number in numbers]


def _observe(place: Any, numbers: Sequence[int], *, key: str, graded: bool) -> None:
    texts = _texts(numbers)
    same: dict[str, Any] = {
        "kind": "note", "tool_name": "memory_store", "lang": "en", "source_kind": "tool",
        "detail_json": '{"category":"decision"}', "trust_tier": "trusted", "created_at_ms": FIRST_MS,
        "importance_score": 0.6 if graded else None,
    }  # fmt: skip
    each = {
        "key": [f"{key}:{number}" for number in numbers],
        "ts_ms": [FIRST_MS + number for number in numbers],
        "summary": texts,
        "terms": [terms(text) for text in texts],
        "scope": [f"s{number % 20}" for number in numbers],
        "memory_id": [memory_id(number) for number in numbers],
        "importance_label": [LABELS[number % 3] if graded else None for number in numbers],
    }
    columns = [
        pa.array(each.get(field.name, [same.get(field.name)] * len(numbers)), field.type)
        for field in CAPTURE_SCHEMA
    ]
    rows = pa.Table.from_arrays(columns, schema=CAPTURE_SCHEMA)
    place.ledger.commit_harvest(rows, rejected=(), position=None)


def _memories(numbers: Sequence[int], *, filled: bool) -> pa.Table:
    rng = np.random.default_rng(numbers[0])
    vectors = rng.standard_normal((len(numbers), DIMENSION), dtype=np.float32)
    texts = _texts(numbers)
    columns: dict[str, Any] = {
        "id": [memory_id(number) for number in numbers],
        "text": texts,
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), DIMENSION),
        "createdAt": [float(FIRST_MS + number) for number in numbers],
    }
    if numbers[0] % BATCH == 0:
        # What is new was not taken in yet.
        columns["terms"] = [terms(text) for text in texts]
    if filled:
        columns |= {name: ["x"] * len(numbers) for name in FILLED} | {"importance": [0.6] * len(numbers)}
    return pa.table(columns)


if __name__ == "__main__":
    main()
