"""
Look for known rows in a large table: `python -m benchmarks.needles CORPUS.jsonl NEEDLES.json`.

The corpus is one that `benchmarks.recall_speed` takes. The needles are a JSON list of objects with ``class``,
``query`` and ``row``, the place of the row that answers it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.corpus import memory_id
from benchmarks.recall_speed import CALIBRATION, lines, make_table, read_calibration
from sunrise.adapters.clock import SystemClock
from sunrise.adapters.embedders import UseEmbedder
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.domain.calibration import Calibration
from sunrise.domain.recall import RecallRequest
from sunrise.domain.records import memory_ref
from sunrise.online.recall import recall
from sunrise.ports import Embedder, MemoryReader

LIMIT = 10


def main() -> None:
    """Parse, make the table if it is missing, ask for each needle, print a line for each class."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.needles", description=__doc__)
    parser.add_argument("corpus", type=Path, help="JSON lines with summary and detail.scope")
    parser.add_argument("needles", type=Path, help="JSON list of class, query and row")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--tables", type=Path, help="folder of the tables, kept for the next time")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sunrise-bench-") as made:
        folder = (chosen.tables or Path(made)) / str(chosen.rows)
        if not (folder / CALIBRATION).exists():
            make_table(folder, chosen.rows, chosen.corpus, None)
        _look(folder, chosen.rows, chosen.corpus, json.loads(chosen.needles.read_text(encoding="utf-8")))


def _look(folder: Path, rows: int, corpus: Path, needles: list[dict[str, Any]]) -> None:
    wanted = {one["row"] for one in needles}
    scopes = {at: row["detail"]["scope"] for at, row in enumerate(lines(rows, corpus)) if at in wanted}
    memories, embedder = LanceMemories.open(folder), UseEmbedder()
    calibration = read_calibration(folder)
    places = defaultdict[str, list[int | None]](list)
    for one in needles:
        request = RecallRequest(one["query"], scope=scopes[one["row"]], limit=LIMIT)
        places[one["class"]].append(_place(request, one["row"], memories, embedder, calibration))
    print(f"| needles in {rows:,} rows | asked | first | among {LIMIT} |")
    print("| --- | ---: | ---: | ---: |")
    for name, found in places.items():
        among = sum(place is not None for place in found)
        print(f"| {name} | {len(found)} | {found.count(1)} | {among} |")


def _place(
    request: RecallRequest, row: int, memories: MemoryReader, embedder: Embedder, calibration: Calibration
) -> int | None:
    found = recall(
        request, memories=memories, embedder=embedder, clock=SystemClock(), calibration=calibration
    )
    refs = [one.ref for one in found.items]
    ref = memory_ref(memory_id(row))
    return refs.index(ref) + 1 if ref in refs else None


if __name__ == "__main__":
    main()
