"""The system's clock."""

from __future__ import annotations

import time


class SystemClock:
    """The time of this machine."""

    def now_ms(self) -> int:
        """Return the time as epoch milliseconds, UTC."""
        return time.time_ns() // 1_000_000
