"""Measure the indices of a large table: `python -m benchmarks.vector_index [--rows N] [--vectors FILE]`."""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.corpus import memory_id
from sunrise.adapters.lance_memories import LanceMemories

DIMENSION = 512
CENTRES = 1_000
BATCH = 50_000
QUERIES = 100
NEIGHBOURS = 20
WORDS = 20_000
ROUNDING = 1e-5


class Table:
    """Lines of a Markdown table, printed as soon as they are known."""

    def __init__(self) -> None:
        print("| work | figure | peak memory so far |\n| --- | ---: | ---: |")

    def add(self, work: str, figure: str) -> None:
        """Print one line."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(f"| {work} | {figure} | {peak} MiB |", flush=True)

    @contextmanager
    def timed(self, work: str) -> Iterator[None]:
        """Time a block."""
        begin = time.perf_counter()
        yield
        self.add(work, f"{time.perf_counter() - begin:.2f} s")


def main() -> None:
    """Parse, fill a table, build, probe, search."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vector_index", description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000, help="rows of the table")
    parser.add_argument("--vectors", type=Path, help="rows of float32 to take in place of made clusters")
    chosen = parser.parse_args()
    given = np.load(chosen.vectors, mmap_mode="r") if chosen.vectors else None
    rows = len(given) if given is not None else chosen.rows
    print(f"{rows:,} rows, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="sunrise-bench-") as folder:
        measure(Path(folder), rows, given)


def measure(folder: Path, rows: int, given: np.ndarray | None) -> None:
    """Run every step on one table."""
    report = Table()
    dimension = DIMENSION if given is None else int(given.shape[1])
    table = LanceMemories.create(folder, dimension=dimension)
    with report.timed(f"fill {rows:,} x {dimension}"):
        for begin in range(0, rows, BATCH):
            table.add(_batch(begin, min(BATCH, rows - begin), given))
    with report.timed("compact"):
        table.optimize(keep=timedelta(days=7))
    with report.timed("build all indices"):
        table.build_missing_indices()
    for turn in ("first", "second"):
        with report.timed(f"probe all indices, {turn} time"):
            probes = table.probe_indices(seed=1)
        assert all(one.ok for one in probes), probes
    asked, truth = _true_neighbours(rows, given)
    found, milliseconds = _searched(table, asked, truth)
    report.add(f"recall@{NEIGHBOURS} of the index against a scan, {QUERIES} queries", f"{found:.4f}")
    report.add("search by vector, p50", f"{np.percentile(milliseconds, 50):.1f} ms")
    report.add("search by vector, p95", f"{np.percentile(milliseconds, 95):.1f} ms")


def _searched(table: LanceMemories, asked: np.ndarray, truth: np.ndarray) -> tuple[float, list[float]]:
    found, milliseconds = 0, []
    for query, farthest in zip(asked, truth[:, -1], strict=True):
        begin = time.perf_counter()
        hits = table.search_vector(query, columns=["id"], where=None, limit=NEIGHBOURS)
        milliseconds.append((time.perf_counter() - begin) * 1000)
        # A corpus repeats itself: what is as near as the last true neighbour is as good as it.
        found += int((hits.column("_distance").to_numpy() <= farthest + ROUNDING).sum())
    return found / (len(asked) * NEIGHBOURS), milliseconds


def _true_neighbours(rows: int, given: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the queries, and the distances of the nearest rows of each by a scan of all, nearest first."""
    chosen = np.sort(np.random.default_rng(2).choice(rows, QUERIES, replace=False))
    slabs = [(begin, min(BATCH, rows - begin)) for begin in range(0, rows, BATCH)]
    parts = [
        _vectors(*slab, given)[chosen[(chosen >= slab[0]) & (chosen < sum(slab))] - slab[0]] for slab in slabs
    ]
    asked = np.concatenate(parts)
    nearest = np.full((QUERIES, NEIGHBOURS), np.inf, np.float32)
    for slab in slabs:
        distances = np.concatenate([nearest, 1 - asked @ _vectors(*slab, given).T], axis=1)
        nearest = np.sort(np.partition(distances, NEIGHBOURS, axis=1)[:, :NEIGHBOURS], axis=1)
    return asked, nearest


def _vectors(begin: int, count: int, given: np.ndarray | None) -> np.ndarray:
    """Return unit vectors of some rows: those that were given, or points about a thousand centres."""
    if given is not None:
        made = np.asarray(given[begin : begin + count], np.float32)
    else:
        centres = np.random.default_rng(0).standard_normal((CENTRES, DIMENSION), dtype=np.float32)
        chance = np.random.default_rng([1, begin])
        noise = chance.standard_normal((count, DIMENSION), dtype=np.float32)
        made = centres[chance.integers(0, CENTRES, count)] + noise
    unit: np.ndarray = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit


def _batch(begin: int, count: int, given: np.ndarray | None) -> pa.Table:
    chance = np.random.default_rng([3, begin])
    words = np.minimum(chance.zipf(1.3, (count, 12)), WORDS)
    terms = [" ".join(f"word{word}" for word in row) for row in words.tolist()]
    vectors = _vectors(begin, count, given)
    numbers = range(begin, begin + count)
    return pa.table(
        {
            "id": [memory_id(number) for number in numbers],
            "text": terms,
            "terms": terms,
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1]),
            "createdAt": [1.7e12 + number for number in numbers],
            "category": ["fact" if number % 3 else "other" for number in numbers],
            "importance_label": ["must_remember" if number % 4 == 0 else None for number in numbers],
            "scope": [f"scope-{number % 20}" for number in numbers],
            "trust_tier": ["trusted" if number % 2 else "untrusted" for number in numbers],
            "state": ["active"] * count,
        }
    )


if __name__ == "__main__":
    main()
