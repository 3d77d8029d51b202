"""How often one client may ask: a bucket of tokens for each, filled at a steady pace."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

MOST_CLIENTS: Final = 4096
"""Beyond this the client that has been quiet for longest is forgotten: its bucket was full anyway."""


class RateLimit:
    """Lets each client ask ``burst`` times at once, and ``rate`` times a second after that."""

    def __init__(self, *, rate: float, burst: int, now: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._now = now
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> float:
        """Take one from a client's bucket; return 0, or how many seconds to wait where it is empty."""
        now = self._now()
        left, since = self._buckets.pop(client, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._rate)
        taken = left >= 1
        self._buckets[client] = (left - 1 if taken else left, now)
        if len(self._buckets) > MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return 0.0 if taken else (1 - left) / self._rate
