"""How long the stages of an answer took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def timed(latency_ms: dict[str, float], name: str) -> Iterator[None]:
    """Add the milliseconds of a block to those of a stage: of one that runs twice, both together."""
    started = time.perf_counter()
    try:
        yield
    finally:
        latency_ms[name] = latency_ms.get(name, 0.0) + (time.perf_counter() - started) * 1000
