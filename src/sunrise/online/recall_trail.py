"""What happened on the way to an answer, gathered by all its stages for the receipt."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from sunrise.domain.ranking import Ranked
from sunrise.domain.recall import Elsewhere
from sunrise.online.stages import timed


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
    elsewhere: Elsewhere | None = None
    fallback_scopes: tuple[str, ...] = ()

    def stage(self, name: str) -> AbstractContextManager[None]:
        """Time a stage; of one that runs twice, both together."""
        return timed(self.latency_ms, name)
