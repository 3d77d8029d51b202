"""The days that a query means: "yesterday", "last week", 上週, 先月, "in May", "last Friday", 2026-05-03."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final

from sunrise.domain.named_days import OF_RELATIVE, WEEKDAYS, WITH_YEAR, WITHOUT_YEAR
from sunrise.domain.relative_days import COUNTED, RELATIVE, Days, Reader, a_month, cjk_number
from sunrise.domain.text.analysis import terms
from sunrise.domain.text.dated_terms import MONTH_NAMES

_MOST_SPANS: Final = 8
_SHORT_DAYS: Final = 31
_DAY_MS: Final = 86_400_000

# What one of them has taken is nothing for the next, so "the third of last month" is no "last month".
# Words that are seen from today are told apart: in a text they mean another day.
_READERS: Final[tuple[tuple[tuple[tuple[re.Pattern[str], Reader], ...], bool], ...]] = (
    (WITH_YEAR, False),
    (OF_RELATIVE, True),
    (WITHOUT_YEAR, False),
    (COUNTED, True),
    (RELATIVE, True),
    (WEEKDAYS, False),
)


# Most queries name no time, and are passed over at once.
_HINT: Final = re.compile(
    r"\d|day|tomorrow|week|month|year|night|morning|noon|evening|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|[今昨前明後后週周星禮礼月日號号年天剛刚先来來]|おととい|あさって",
    re.IGNORECASE,
)
_PARTS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), hours)
    for pattern, hours in (
        (r"morning|breakfast|今[早晨朝]|明早|早[上晨餐]|上午|清晨", (0, 12)),
        (r"\bnoon|lunch|中午|午餐", (10, 15)),
        (r"afternoon|下午", (12, 18)),
        (r"night|evening|dinner|[今昨前明]晚|[今昨]夜|昨晩|晚上|夜[裡里]|半夜|傍晚|晚餐", (17, 30)),
    )
)
"""Parts of a day by their hours. A night ends at six in the morning after."""

_BEHIND: Final = 24
"""So many characters behind the name of a day may name the part of it."""

_OTHER_PART: Final = 0.7
"""So much counts what is of the named day, and not of the part of it that is named."""


@dataclass(frozen=True, slots=True)
class Span:
    """
    A stretch of time, its end outside.

    ``likely`` is the part of it that is meant, as far as it is kept to: what happened in the morning may be
    told in the evening, and "two weeks ago" is a day for some and a week for others.
    """

    begin_ms: int
    end_ms: int
    likely: tuple[int, int] | None = None

    @property
    def is_short(self) -> bool:
        """Whether it is a month at most: who names it asks for what was then."""
        return self.end_ms - self.begin_ms <= (_SHORT_DAYS + 1) * _DAY_MS

    def closeness(self, moment_ms: int | None) -> float:
        """
        Return how well a moment lies in it, from 0 to 1.

        >>> [Span(0, 100, likely=(50, 60)).closeness(moment) for moment in (55, 10, 100, None)]
        [1.0, 0.7, 0.0, 0.0]
        """
        if moment_ms is None:
            return 0.0
        begin, end = self.likely or (self.begin_ms, self.end_ms)
        if begin <= moment_ms < end:
            return 1.0
        return _OTHER_PART if self.begin_ms <= moment_ms < self.end_ms else 0.0


@dataclass(frozen=True, slots=True)
class Times:
    """
    The stretches of time that a query names, and the query without the words that name them.

    Neither is evidence: "yesterday" in a memory is the day before that memory, and parts of a date stand in
    many other dates. ``dates`` are those of the calendar as they are written. Years, weekdays, which may be
    habits, and what is to come stay in the rest.
    """

    spans: tuple[Span, ...]
    rest: str
    dates: tuple[str, ...] = ()


def times_in(query: str, *, now_ms: int, zone: tzinfo) -> Times:
    """
    Return the times that a query names, relative ones seen from *now_ms*, days as in *zone*.

    >>> from datetime import UTC
    >>> times_in("昨天吃什麼", now_ms=9 * 86_400_000, zone=UTC).rest
    '吃什麼'
    """
    today = datetime.fromtimestamp(now_ms / 1000, zone).date()
    if not _HINT.search(query):
        return Times((), query)
    found: dict[Days, tuple[datetime, datetime] | None] = {}
    dates: list[str] = []
    left = rest = unicodedata.normalize("NFKC", query)
    for readers, is_relative in _READERS:
        for pattern, reader in readers:
            for match in (matches := list(pattern.finditer(left))):
                days = reader(match, today)
                if days is not None:
                    found.setdefault(days, _likely(match, days, today))
                    if days[0] <= today if is_relative else readers is not WEEKDAYS and _is_short(days):
                        rest = rest.replace(match[0], " ", 1)
                        dates += [] if is_relative else [match[0]]
            left = pattern.sub("\n", left) if matches else left
    # "3 May 2023" holds "May 2023": the narrower is meant.
    meant = [days for days in found if not any(_is_within(other, days) for other in found)]
    return Times(
        tuple(_span(days, found[days], zone) for days in meant[:_MOST_SPANS]), rest.strip(), tuple(dates)
    )


def spans_in(query: str, *, now_ms: int, zone: tzinfo) -> tuple[Span, ...]:
    """
    Return the stretches of time that a query names.

    >>> from datetime import UTC
    >>> day = 86_400_000
    >>> [(span.begin_ms // day, span.end_ms // day) for span in spans_in("昨天", now_ms=9 * day, zone=UTC)]
    [(8, 9)]
    """
    return times_in(query, now_ms=now_ms, zone=zone).spans


def terms_of(spans: Iterable[Span], *, zone: tzinfo) -> list[str]:
    """
    Return the terms that memories of short stretches have: that of a month, or those of each day.

    >>> from datetime import UTC
    >>> terms_of(spans_in("yesterday", now_ms=9 * 86_400_000, zone=UTC), zone=UTC)
    ['1970-01-09']
    """
    found: list[str] = []
    for span in spans:
        first, after = (datetime.fromtimestamp(ms / 1000, zone).date() for ms in (span.begin_ms, span.end_ms))
        if (first, after) == a_month(first, 0):
            found.append(first.isoformat()[:7])
        elif span.is_short:
            days = (first + timedelta(days=number) for number in range((after - first).days))
            found += [day.isoformat() for day in days]
    return list(dict.fromkeys(found))


def phrases_of(spans: Iterable[Span], *, zone: tzinfo) -> list[str]:
    """
    Return how texts name these days and months themselves, as analysed terms in their order.

    A memory of today that says "the dentist on 3 May" is one of the third of May too.

    >>> from datetime import UTC
    >>> phrases_of(spans_in("2026-05-03", now_ms=0, zone=UTC), zone=UTC)
    ['2026-05-03', '3 may', 'may 3', '3rd may', '3rd of may', 'may 3rd', '5/3', '5 月 3', '五 月 三']
    """
    found: list[str] = []
    for span in spans:
        first, after = (datetime.fromtimestamp(ms / 1000, zone).date() for ms in (span.begin_ms, span.end_ms))
        name = MONTH_NAMES[first.month - 1]
        if after - first == timedelta(days=1):
            day, nth = str(first.day), f"{first.day}{_ordinal(first.day)}"
            said = (f"{day} {name}", f"{name} {day}", f"{nth} {name}", f"{nth} of {name}", f"{name} {nth}")
            cjk = " ".join(f"{cjk_number(first.month)}月{cjk_number(first.day)}")
            found += [
                first.isoformat(),
                *map(terms, said),
                f"{first.month}/{day}",
                f"{first.month} 月 {day}",
                cjk,
            ]
        elif (first, after) == a_month(first, 0):
            # "May" alone is a verb.
            found += [f"{first.month} 月", *([terms(name)] if len(name) > len("May") else [])]
    return found


def _ordinal(day: int) -> str:
    return "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _is_short(days: Days) -> bool:
    return (days[1] - days[0]).days <= _SHORT_DAYS


def _is_within(inner: Days, outer: Days) -> bool:
    return inner != outer and outer[0] <= inner[0] and inner[1] <= outer[1]


def _likely(match: re.Match[str], days: Days, today: date) -> tuple[datetime, datetime] | None:
    """Return the hours of a day or the day of a week that is meant most likely."""
    first, after = days
    midnight = datetime.combine(first, time())
    if after - first == timedelta(days=1):
        named = match[0] + match.string[match.end() : match.end() + _BEHIND]
        hours = next((hours for pattern, hours in _PARTS if pattern.search(named)), None)
        return (
            None
            if hours is None
            else (midnight + timedelta(hours=hours[0]), midnight + timedelta(hours=hours[1]))
        )
    if after - first == timedelta(days=7) and match.groupdict().get("count"):
        begin = midnight + timedelta(days=today.weekday())
        return begin, begin + timedelta(days=1)
    return None


def _span(days: Days, likely: tuple[datetime, datetime] | None, zone: tzinfo) -> Span:
    begin, end = (datetime.combine(day, time()) for day in days)
    return Span(
        _ms(begin, zone),
        _ms(end, zone),
        None if likely is None else (_ms(likely[0], zone), _ms(likely[1], zone)),
    )


def _ms(moment: datetime, zone: tzinfo) -> int:
    return int(moment.replace(tzinfo=zone).timestamp() * 1000)
