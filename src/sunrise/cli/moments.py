"""Times as people write them and as a terminal shows them, in the zone of the home."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import typer


def milliseconds(said: str, zone: str, *, option: str) -> int:
    """
    Return a date or a time as epoch milliseconds; one without a zone is in that of the home.

    >>> milliseconds("1970-01-02", "UTC", option="--since")
    86400000

    Raises:
        typer.BadParameter: It is none.
    """
    try:
        time = datetime.fromisoformat(said)
        return int((time if time.tzinfo else time.replace(tzinfo=ZoneInfo(zone))).timestamp() * 1000)
    except (ValueError, OverflowError) as error:
        msg = f"{option} takes a date such as 2026-11-18, or a time in ISO 8601"
        raise typer.BadParameter(msg) from error


def day(ms: int | None, zone: str) -> str:
    """
    Return the day of a moment, or a dash where it is in no calendar.

    >>> day(0, "UTC"), day(None, "UTC"), day(10**15, "UTC")
    ('1970-01-01', '-', '-')
    """
    return _written(ms, zone, "%Y-%m-%d")


def minute(ms: int | None, zone: str) -> str:
    """
    Return the minute of a moment, or a dash where it is in no calendar.

    >>> minute(0, "Asia/Taipei")
    '1970-01-01 08:00'
    """
    return _written(ms, zone, "%Y-%m-%d %H:%M")


def _written(ms: int | None, zone: str, form: str) -> str:
    if ms is None:
        return "-"
    try:
        return datetime.fromtimestamp(ms / 1000, tz=ZoneInfo(zone)).strftime(form)
    except (OverflowError, ValueError, OSError):
        return "-"
