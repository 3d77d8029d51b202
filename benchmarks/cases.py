"""What is measured, and the figures of openclaw-mem that it stands beside."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.corpus import memory_id, records, write_capture
from benchmarks.processes import Measured, sunrise

ROUNDS = 3
QUESTIONS = 200
ANOMALY = 3
"""A day on the corpus may end with this code: a first run has no golden set."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table. ``theirs`` is openclaw-mem's figure for the same work, where there is one."""

    work: str
    ours: float
    unit: str
    theirs: float | None = None
    aim: float | None = None
    peak_mib: float | None = None
    cpu_s: float | None = None


def measure_all(rows: int, day_rows: int, *, say: Callable[[str], None]) -> list[Figure]:
    """Run every case; ``say`` hears which one is running."""
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="sunrise-bench-") as folder:
        root = Path(folder)
        say("command line start")
        figures.append(command_start())
        say(f"harvest and grade {rows:,} lines, {ROUNDS} rounds")
        figures += harvest_and_grade(root / "harvest", rows)
        say(f"the whole day on {day_rows:,} lines, twice")
        figures += whole_day(root / "day", day_rows)
        say("recall on the demo table")
        figures += ask_demo(root / "demo")
    return figures


def command_start() -> Figure:
    """Time ``sunrise --help``, the middle of seven."""
    runs = [sunrise("--help") for _ in range(7)]
    return _figure("command line start (`--help`)", runs, theirs=0.72, aim=0.25)


def harvest_and_grade(root: Path, rows: int) -> list[Figure]:
    """Harvest a file into a new home, harvest it again, grade it: whole processes, each in a new home."""
    first, again, copied, graded, grade_steps = [], [], [], [], []
    for number in range(ROUNDS):
        home = root / str(number)
        sunrise("init", "--home", str(home))
        capture = home / "spool" / "bench.jsonl"
        write_capture(capture, rows)
        first.append(sunrise("run", "harvest", "--home", str(home)))
        again.append(sunrise("run", "harvest", "--home", str(home)))
        graded.append(sunrise("run", "grade", "--home", str(home), "--json"))
        grade_steps.append(json.loads(graded[-1].output)["receipts"][0])
        # The same lines under another name: every one is read, and every one is a duplicate.
        capture.rename(home / "spool" / "copy.jsonl")
        copied.append(sunrise("run", "harvest", "--home", str(home)))
    inside = statistics.median(_duration_s(receipt) for receipt in grade_steps)
    size = f"{rows // 1000}k"
    full = rows == 100_000
    return [
        _figure(f"harvest {size}, whole process", first, theirs=10.5 if full else None, aim=2.8),
        _figure("the same file again, whole process", again, aim=1.0),
        _figure("the same lines in a new file, whole process", copied),
        _figure(f"grade {size}, whole process", graded),
        Figure(f"grade {size}, the run itself", inside, "s", theirs=3.5 if full else None, aim=0.3),
    ]


def whole_day(root: Path, rows: int) -> list[Figure]:
    """Run every flow once on a home with ``rows`` observations and a memory to each hundred; and again."""
    sunrise("init", "--home", str(root))
    write_capture(root / "spool" / "bench.jsonl", rows)
    _write_memories(root, rows)
    first = sunrise("run", "sunrise", "--home", str(root), codes=(0, ANOMALY))
    again = sunrise("run", "sunrise", "--home", str(root), codes=(0, ANOMALY))
    size = f"{rows // 1000}k"
    return [
        _figure(f"the whole day on {size}, whole process", [first]),
        _figure("the whole day again, nothing new", [again]),
    ]


def ask_demo(root: Path) -> list[Figure]:
    """Ask recall the demo's own questions in one process, and return the middle and the slow end."""
    # Imported here: on Linux the peak memory of a process starts from that of its parent.
    from sunrise import RecallRequest, load_settings, open_home, recall

    sunrise("demo", "--home", str(root), codes=(0, ANOMALY))
    with open_home(load_settings(root)) as home:
        table, embedder = home.memories(), home.embedder()
        assert table is not None
        lines = (root / "golden" / "demo.jsonl").read_text(encoding="utf-8").splitlines()
        queries = [json.loads(line)["query"] for line in lines]
        milliseconds = []
        for number in range(QUESTIONS):
            request = RecallRequest(queries[number % len(queries)], scope="homelab")
            begin = time.perf_counter()
            recall(request, memories=table, embedder=embedder, clock=home.clock)
            milliseconds.append((time.perf_counter() - begin) * 1000)
    # The first questions load what the others use.
    cuts = statistics.quantiles(milliseconds[10:], n=20)
    return [
        Figure("recall on the demo table (40 memories), p50", cuts[9], "ms"),
        Figure("recall on the demo table (40 memories), p95", cuts[18], "ms"),
    ]


def _write_memories(root: Path, rows: int) -> None:
    import pyarrow as pa

    from sunrise import load_settings, open_home
    from sunrise.bootstrap import DEFAULT_DIMENSION

    with open_home(load_settings(root)) as home:
        table = home.memories()
        assert table is not None
        named = [(number, record) for number, record in enumerate(records(rows)) if number % 100 == 0]
        vector = [1.0] + [0.0] * (DEFAULT_DIMENSION - 1)
        columns: dict[str, list[Any]] = {
            "id": [memory_id(number) for number, _ in named],
            "text": [record["summary"] for _, record in named],
            "vector": [vector] * len(named),
            "createdAt": [1_772_323_200_000.0 + number for number, _ in named],
        }
        fields = [table.schema().field(name) for name in columns]
        arrays = [pa.array(columns[field.name], field.type) for field in fields]
        table.add(pa.Table.from_arrays(arrays, schema=pa.schema(fields)))


def _figure(
    work: str, runs: list[Measured], *, theirs: float | None = None, aim: float | None = None
) -> Figure:
    return Figure(
        work,
        statistics.median(run.wall_s for run in runs),
        "s",
        theirs=theirs,
        aim=aim,
        peak_mib=max(run.peak_mib for run in runs),
        cpu_s=statistics.median(run.cpu_s for run in runs),
    )


def _duration_s(receipt: dict[str, Any]) -> float:
    return float(receipt["finished_ms"] - receipt["started_ms"]) / 1000
