"""How numbers, durations and times are written on a page."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from urllib.parse import quote
from zoneinfo import ZoneInfo

from sunrise.domain.times import written_time
from sunrise.errors import ConfigurationError

__all__ = ["NO_BREAK", "Stamp", "duration", "number", "page_name", "plural", "stamp"]

NO_BREAK = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True)
class Stamp:
    """
    A moment as the machine reads it (``iso``) and as people do.

    ``text`` is what the commands show too. ``short`` is for a page that names its zone.
    """

    iso: str
    text: str
    short: str


def stamp(ms: int, *, zone: str) -> Stamp:
    """
    Return the moment *ms* (epoch milliseconds) on the wall clock of *zone*.

    >>> stamp(0, zone="Asia/Taipei").text
    '1970-01-01 08:00 +08:00'

    Raises:
        ConfigurationError: The zone is not in the time zone database.
    """
    moment = datetime.fromtimestamp(ms / 1000, tz=_zone(zone))
    return Stamp(
        iso=moment.isoformat(timespec="seconds"),
        text=written_time(ms, zone=_zone(zone)),
        short=f"{moment.day} {moment:%b, %H:%M}",
    )


def duration(ms: float | None) -> str:
    """
    Return a span of time in the two units that matter.

    Its spaces do not break, so that a number stays with its unit.

    >>> spans = [duration(ms) for ms in (None, 0.4, 840, 12_340, 185_000, 7_380_000, 180_000_000)]
    >>> " | ".join(spans).replace(NO_BREAK, " ")
    '– | 0.4 ms | 840 ms | 12.3 s | 3 min 05 s | 2 h 03 min | 2 d 2 h'
    """
    return "–" if ms is None else _span(ms).replace(" ", NO_BREAK)


def number(value: float) -> str:
    """
    Return a count whole, and a measured number with four figures at most.

    >>> [number(value) for value in (12345, 0.98765, 1234.5, 0.000012, float("nan"))]
    ['12,345', '0.9877', '1,234', '1.2e-05', 'n/a']
    """
    if isinstance(value, int):
        return f"{value:,}"
    if not math.isfinite(value):
        return "n/a"
    if abs(value) >= 1000 or value == round(value):
        return f"{value:,.0f}"
    return f"{value:.4g}" if abs(value) >= 0.0001 else f"{value:.2g}"


def plural(count: int, noun: str, many: str = "") -> str:
    """
    Return the count with its noun.

    >>> plural(1, "anomaly", "anomalies"), plural(2, "run")
    ('1 anomaly', '2 runs')
    """
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def page_name(run_id: str) -> str:
    """
    Return the file name of a run's page as a link may carry it.

    >>> page_name("harvest 1/2")
    'harvest%201%2F2.html'
    """
    return quote(run_id, safe="", errors="replace") + ".html"


def _span(ms: float) -> str:
    if ms < 999.5:
        return f"{ms:.1f} ms" if 0 < ms < 10 and ms != round(ms) else f"{ms:.0f} ms"
    if ms < 59_950:
        return f"{ms / 1000:.1f} s"
    seconds = round(ms / 1000)
    minutes, hours = seconds // 60, seconds // 3600
    if seconds < 3600:
        return f"{minutes} min {seconds % 60:02} s"
    if hours < 48:
        return f"{hours} h {minutes % 60:02} min"
    return f"{hours // 24} d {hours % 24} h"


@lru_cache(maxsize=8)
def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ConfigurationError(
            f"unknown time zone {name!r}: set an IANA name such as Asia/Taipei"
        ) from error
