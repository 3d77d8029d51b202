"""Times as people write them on the command line and as a terminal shows them, in the zone of the home."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import typer

from sunrise.domain.times import TimeFault, read_time, written_time
from sunrise.errors import DataError


def milliseconds(said: str, zone: str, *, option: str) -> int:
    """
    Return a date or a time as epoch milliseconds; one without a zone is in that of the home.

    A date before all times that a memory can have is the beginning of time.

    >>> [milliseconds(day, "UTC", option="--since") for day in ("2026-11-18", "1970-01-02")]
    [1794960000000, 0]

    Raises:
        typer.BadParameter: It is none.
    """
    try:
        return read_time(said, zone=ZoneInfo(zone))
    except DataError as error:
        if error.reason == TimeFault.TOO_EARLY and "-" in said.strip()[1:]:
            return 0
        msg = f"{option} takes a date such as 2026-11-18, or a time in ISO 8601"
        raise typer.BadParameter(msg) from error


def when(ms: float | None, zone: str) -> str:
    """
    Return a moment as :func:`sunrise.domain.times.written_time` does, or a dash where there is none.

    >>> when(0, "Asia/Taipei"), when(None, "UTC")
    ('1970-01-01 08:00 +08:00', '-')
    """
    return written_time(ms, zone=ZoneInfo(zone)) or "-"
