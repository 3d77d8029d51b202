"""The days that a query means: "yesterday", "last week", 上週, 先月, "in May", "last Friday", 2026-05-03."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final

from sunrise.domain.named_days import Days, month_of, named

_MOST_SPANS: Final = 8


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time, its end outside."""

    begin_ms: int
    end_ms: int


_FAR_BACK: Final = 4000


def spans_in(query: str, *, now_ms: int, zone: tzinfo) -> tuple[Span, ...]:
    """
    Return the stretches of time that a query names, relative ones seen from *now_ms*, days as in *zone*.

    >>> from datetime import UTC
    >>> day = 86_400_000
    >>> [(span.begin_ms // day, span.end_ms // day) for span in spans_in("昨天", now_ms=9 * day, zone=UTC)]
    [(8, 9)]
    """
    today = datetime.fromtimestamp(now_ms / 1000, zone).date()
    found = dict.fromkeys(days for find in (_relative, _counted, named) for days in find(query, today))
    # "3 May 2023" holds "May 2023": the narrower is meant.
    meant = [days for days in found if not any(_is_within(other, days) for other in found)]
    return tuple(Span(_ms(first, zone), _ms(after, zone)) for first, after in meant[:_MOST_SPANS])


def terms_of(spans: Iterable[Span], *, zone: tzinfo) -> list[str]:
    """
    Return the terms that memories of a day or a month have, for those that are meant whole.

    >>> from datetime import UTC
    >>> terms_of(spans_in("yesterday", now_ms=9 * 86_400_000, zone=UTC), zone=UTC)
    ['1970-01-09']
    """
    found = []
    for span in spans:
        first, after = (datetime.fromtimestamp(ms / 1000, zone).date() for ms in (span.begin_ms, span.end_ms))
        if (after - first).days == 1:
            found.append(first.isoformat())
        elif (first, after) == _month(first, 0):
            found.append(first.isoformat()[:7])
    return found


def _is_within(inner: Days, outer: Days) -> bool:
    return inner != outer and outer[0] <= inner[0] and inner[1] <= outer[1]


def _ms(day: date, zone: tzinfo) -> int:
    return int(datetime.combine(day, time(), zone).timestamp() * 1000)


def _day(today: date, back: int) -> Days:
    return today - timedelta(days=back), today - timedelta(days=back - 1)


def _week(today: date, back: int) -> Days:
    monday = today - timedelta(days=today.weekday() + 7 * back)
    return monday, monday + timedelta(days=7)


def _month(today: date, back: int) -> Days:
    return month_of(today.year * 12 + today.month - 1 - back)


def _year(today: date, back: int) -> Days:
    return date(today.year - back, 1, 1), date(today.year - back + 1, 1, 1)


_Unit = Callable[[date, int], Days]

_RELATIVE: Final[tuple[tuple[re.Pattern[str], _Unit, int], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), unit, back)
    for pattern, unit, back in (
        (r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b|今天|今日|今早|今晚", _day, 0),
        (r"\b(?:yesterday|last night)\b|昨天|昨日|昨晚|昨夜", _day, 1),
        (r"\bthe day before yesterday\b|前天|一昨日|おととい", _day, 2),
        (r"\btomorrow\b|明天|明日", _day, -1),
        (r"後天|后天|明後日|あさって", _day, -2),
        (r"\bnext week\b|下(?:個|个)?(?:週|周|星期|禮拜|礼拜)|[来來]週", _week, -1),
        (r"\bnext month\b|下(?:個|个)?月|[来來]月", _month, -1),
        (r"\bnext year\b|明年|来年", _year, -1),
        (r"\bthis week\b|[這这本](?:個|个)?(?:週|周|星期|禮拜|礼拜)|今週", _week, 0),
        (r"\b(?:last|past|previous) week\b|上(?:個|个)?(?:週|周|星期|禮拜|礼拜)|先週", _week, 1),
        (r"\bthis month\b|[這这本](?:個|个)?月|今月", _month, 0),
        (r"\b(?:last|past|previous) month\b|上(?:個|个)?月|先月", _month, 1),
        (r"\bthis year\b|今年", _year, 0),
        (r"\b(?:last|past|previous) year\b|去年|昨年", _year, 1),
        (r"前年|一昨年", _year, 2),
    )
)
# "the day before yesterday" holds "yesterday", and 一昨日 holds 昨日.
_NOT_YESTERDAY: Final = re.compile(r"\bthe day before yesterday\b|一昨日|一昨年", re.IGNORECASE)


def _relative(query: str, today: date) -> Iterator[Days]:
    longer = [match[0] for match in _NOT_YESTERDAY.finditer(query)]
    rest = _NOT_YESTERDAY.sub(" ", query)
    for pattern, unit, back in _RELATIVE:
        if pattern.search(rest) or any(pattern.fullmatch(one) for one in longer):
            yield unit(today, back)


_WORDS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS: Final = {
    **{word: count for words in (_WORDS, "一二三四五六七八九十") for count, word in enumerate(words, 1)},
    "a": 1,
    "an": 1,
    "兩": 2,
    "两": 2,
}
_AGO: Final = re.compile(
    rf"\b(?P<en>\d{{1,4}}|an?|{'|'.join(_WORDS)}) (?P<unit>day|week|month|year)s? ago\b"
    r"|(?P<zh>\d{1,4}|[一二兩两三四五六七八九十])\s*(?:個|个|か|ヶ|カ)?"
    r"(?P<cjk>天|日|週間|週|周|星期|月|年)(?:之)?前",
    re.IGNORECASE,
)
_UNITS: Final[dict[str, _Unit]] = {
    **dict.fromkeys(("day", "天", "日"), _day),
    **dict.fromkeys(("week", "週間", "週", "周", "星期"), _week),
    **dict.fromkeys(("month", "月"), _month),
    **dict.fromkeys(("year", "年"), _year),
}


def _counted(query: str, today: date) -> Iterator[Days]:
    for match in _AGO.finditer(query):
        said = (match["en"] or match["zh"]).lower()
        unit = _UNITS[(match["unit"] or match["cjk"]).lower()]
        count = int(said) if said.isdecimal() else _NUMBERS[said]
        far = count >= today.year if unit is _year else count > _FAR_BACK
        if not far:
            yield unit(today, count)
