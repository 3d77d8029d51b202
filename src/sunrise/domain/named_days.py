"""Days that a query calls by a name: "3 May", "in May 2023", "last Friday", 5月3日, 五月, 上週四."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

Days = tuple[date, date]
"""The first day and the first day after."""

_MONTHS: Final = {
    name: month
    for month, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
         "august aug", "september sep sept", "october oct", "november nov", "december dec"), 1)
    for name in names.split()
}  # fmt: skip
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
# A lone "may" or "march" is a verb, and "sep" may be anything.
_SURE: Final = "|".join(sorted(_MONTHS.keys() - {"may", "march"}, key=len, reverse=True))
_LONG: Final = "|".join(name for name in _MONTHS if len(name) > len("sept") and name != "march")
_WRITTEN: Final = rf"(?P<n>{_SURE}|(?-i:May|March))"
_BEFORE: Final = "in|of|since|until|by|from|during|through|early|mid|late|last|this|next"
_YEAR: Final = r"(?P<y>(?:19|20)\d\d)"
_DAY: Final = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_CJK_COUNTS: Final = {sign: count for count, sign in enumerate("一二三四五六七八九十", 1)}
_CJK_MONTH: Final = r"(?P<m>\d{1,2}|十[一二]?|[一二三四五六七八九])\s*月"
_CJK_DAY: Final = r"(?P<d>\d{1,2}|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九])\s*[日號号]"

# The fullest first: what one of them has taken is nothing for the next.
_DATED: Final = tuple(
    re.compile(pattern, re.IGNORECASE | re.ASCII)
    for pattern in (
        rf"(?<!\d){_YEAR}[-/.](?P<m>\d{{1,2}})(?:[-/.](?P<d>\d{{1,2}}))?(?!\d)",
        rf"(?<!\d){_YEAR}\s*年の?\s*(?:{_CJK_MONTH}\s*(?:{_CJK_DAY})?)?",
        rf"\b{_DAY} (?:of )?(?P<n>{_MONTH})\.?,? {_YEAR}\b",
        rf"\b(?P<n>{_MONTH})\.?(?: {_DAY})?,? {_YEAR}\b",
        rf"(?<![\d-])\b{_DAY} (?:of )?{_WRITTEN}\b",
        rf"\b{_WRITTEN}\.? {_DAY}\b(?!:)",
        rf"\b(?:on|by|since|until|before|after|from)(?: the)? {_DAY} (?:of )?(?P<n>{_MONTH})\b",
        rf"\b(?P<b>{_BEFORE})[ -](?P<n>{_MONTH})\b",
        rf"\b(?P<n>{_LONG})\b",
        rf"(?<![\d一二三四五六七八九十]){_CJK_MONTH}(?![前後后间間])\s*(?:{_CJK_DAY})?",
    )
)
_WEEKDAYS: Final = {
    **{name: day for day, name in enumerate(
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))},
    **{sign: day for signs in ("一二三四五六日", "月火水木金土日") for day, sign in enumerate(signs)},
    "天": 6,
}  # fmt: skip
_WEEKS: Final = {
    "last": -1, "past": -1, "previous": -1, "on": -1, "since": -1, "this": 0, "next": 1, "coming": 1,
    "上": -1, "先": -1, "這": 0, "这": 0, "本": 0, "今": 0, "下": 1, "来": 1, "來": 1,
}  # fmt: skip
_WEEKDAY: Final = re.compile(
    r"\b(?P<which>last|past|previous|on|since|this|next|coming) "
    r"(?P<day>monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b"
    r"|(?P<zh>[上下這这本來来])(?:個|个)?(?:週|周|星期|禮拜|礼拜)(?P<zhday>[一二三四五六日天])"
    r"|(?P<ja>[先今来])週の?(?P<jaday>[月火水木金土日])曜",
    re.IGNORECASE,
)


def named(query: str, today: date) -> Iterator[Days]:
    """
    Yield the days, months and years that a query names.

    What names no year is the last that began by today, or with "next" the first that is to come.

    >>> [str(first) for first, _ in named("what did we decide on 3 May", date(2026, 4, 1))]
    ['2025-05-03']
    """
    for said in _dates(query):
        try:
            yield _days(said, today)
        except ValueError:
            # No such day: 2026-13-40 is some number.
            continue
    for match in _WEEKDAY.finditer(query):
        yield _weekday(match, today)


def month_of(months: int) -> Days:
    """Return a month by how many went before it, from the year 0 on."""
    return _first(months), _first(months + 1)


def _dates(query: str) -> list[dict[str, str | None]]:
    found: list[dict[str, str | None]] = []

    def take(match: re.Match[str]) -> str:
        found.append(match.groupdict())
        return "\n"

    for pattern in _DATED:
        query = pattern.sub(take, query)
    return found


def _days(said: dict[str, str | None], today: date) -> Days:
    month = _MONTHS[name.lower()] if (name := said.get("n")) else _number(said.get("m"))
    day, year = _number(said.get("d")), said.get("y")
    if year is not None:
        return _stretch(int(year), month, day)
    found = _stretch(today.year, month, day)
    if (said.get("b") or "").lower() == "next":
        return found if found[0] > today else _stretch(today.year + 1, month, day)
    return found if found[0] <= today else _stretch(today.year - 1, month, day)


def _number(said: str | None) -> int:
    if not said or said.isdecimal():
        return int(said or 0)
    tens, ten, ones = said.rpartition("十")
    return (10 * _CJK_COUNTS.get(tens, 1) if ten else 0) + _CJK_COUNTS.get(ones, 0)


def _stretch(year: int, month: int, day: int) -> Days:
    if not month:
        return date(year, 1, 1), date(year + 1, 1, 1)
    if not day:
        return month_of(date(year, month, 1).year * 12 + month - 1)
    begin = date(year, month, day)
    return begin, begin + timedelta(days=1)


def _first(months: int) -> date:
    return date(months // 12, months % 12 + 1, 1)


def _weekday(match: re.Match[str], today: date) -> Days:
    said = (match["which"] or match["zh"] or match["ja"]).lower()
    day = _WEEKDAYS[(match["day"] or match["zhday"] or match["jaday"]).lower()]
    if match["which"] and _WEEKS[said] < 0:
        begin = today - timedelta(days=(today.weekday() - day - 1) % 7 + 1)
    else:
        begin = today + timedelta(days=day - today.weekday() + 7 * _WEEKS[said])
    return begin, begin + timedelta(days=1)
