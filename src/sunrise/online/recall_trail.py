"""What happened on the way to an answer, gathered by all its stages for the receipt."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sunrise.domain.ranking import Ranked


@dataclass(slots=True)
class Trail:
    """Times, tops and reasons. Two legs may write at once, each under names of its own."""

    latency_ms: dict[str, float] = field(default_factory=dict)
    tops: dict[str, tuple[str, ...]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    found: tuple[Ranked, ...] = ()
    fusion: str | None = None
    calibration_id: str | None = None
    with_untrusted: bool = False
    query_terms: int = 0
    reason: str | None = None

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage; of one that runs twice, both together."""
        started = time.perf_counter()
        try:
            yield
        finally:
            taken = (time.perf_counter() - started) * 1000
            self.latency_ms[name] = self.latency_ms.get(name, 0.0) + taken
