"""How quick an embedder is on this machine, and how much memory it takes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from typing import Final

from sunrise.ports import Embedder

_STATEMENTS: Final = (
    "The nightly backup of database {n} failed because the disk was full; it was moved to another volume.",
    "使用者偏好在第 {n} 個專案裡使用繁體中文回覆，並且不要修改既有的設定檔。",
    "Decision {n}: services are deployed on Mondays, after the tests of the week before have passed.",
    "第 {n} 次会议决定把日志保留九十天，然后归档到对象存储。",
)
_QUESTIONS: Final = ("why did backup {n} fail", "第 {n} 個專案用什麼語言", "when is service {n} deployed")
_LONGEST_S: Final = 20.0
_BATCH: Final = 32


@dataclass(frozen=True, slots=True)
class Pace:
    """What was measured. Megabytes are None where the system does not tell them."""

    first_text_s: float
    texts: int
    texts_per_s: float
    query_p50_ms: float
    query_p95_ms: float
    memory_added_mb: float | None


def measure(embedder: Embedder, *, texts: int, queries: int) -> Pace:
    """Measure an embedder on so many texts and questions, or on as many as twenty seconds each allow."""
    before = _resident_mb()
    first = _seconds(lambda: embedder.embed(["one text to load the model"]))
    made, spent = 0, 0.0
    while made < texts and spent < _LONGEST_S:
        batch = [_filled(_STATEMENTS, number) for number in range(made, min(made + _BATCH, texts))]
        spent += _seconds(lambda batch=batch: embedder.embed(batch))  # type: ignore[misc]
        made += len(batch)
    waits: list[float] = []
    while len(waits) < queries and sum(waits) < _LONGEST_S:
        question = _filled(_QUESTIONS, len(waits))
        waits.append(_seconds(lambda question=question: embedder.embed_query([question])))  # type: ignore[misc]
    after = _resident_mb()
    cuts = quantiles(waits, n=20, method="inclusive") if len(waits) > 1 else waits * 19
    return Pace(
        first_text_s=first,
        texts=made,
        texts_per_s=made / spent,
        query_p50_ms=cuts[9] * 1000,
        query_p95_ms=cuts[18] * 1000,
        memory_added_mb=None if before is None or after is None else after - before,
    )


def _filled(patterns: tuple[str, ...], number: int) -> str:
    return patterns[number % len(patterns)].format(n=number)


def _seconds(do: Callable[[], object]) -> float:
    started = time.perf_counter()
    do()
    return time.perf_counter() - started


def _resident_mb() -> float | None:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
