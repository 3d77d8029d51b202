"""Days with a name of their own: "3 May", "in May 2023", "last Friday", 5月3日, 去年五月, 上週四, 星期三."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

from sunrise.domain.relative_days import (
    CJK_NUMBER,
    DOWN,
    THIS,
    UP,
    WEEK,
    Days,
    Reader,
    a_month,
    month_of,
    number,
)

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
_NTH: Final = r"(?P<d>\d{1,2})(?:st|nd|rd|th)"
_CJK_MONTH: Final = r"(?P<m>\d{1,2}|十[一二]?|[一二三四五六七八九])\s*月"
_CJK_DAY: Final = rf"(?P<d>{CJK_NUMBER})\s*[日號号]"
_THAT_DAY: Final = r"(?:那天|當天|当天|早上|上午|中午|下午|晚上)"

_YEARS: Final = {
    "last": 1,
    "this": 0,
    "next": -1,
    "大前": 3,
    "前": 2,
    "去": 1,
    "昨": 1,
    "今": 0,
    "明": -1,
    "来": -1,
    "來": -1,
}
_YEAR_EN: Final = r"(?P<ry>last|this|next) year"
_YEAR_CJK: Final = r"(?P<ry>大前|前|去|昨|今|明|来|來)年(?:的|の)?\s*"
_MONTH_CJK: Final = rf"(?P<rm>{UP}上|{UP}|{THIS}|{DOWN})(?:個|个)?月(?:份)?的?\s*"
_MONTH_BACK: Final = {"上上": 2, "上": 1, "last": 1, "下": -1, "next": -1}


def _dated(match: re.Match[str], today: date) -> Days | None:
    said = match.groupdict()
    month = _MONTHS[name.lower()] if (name := said.get("n")) else number(said.get("m"))
    try:
        return _of(said, month, number(said.get("d")), today)
    except ValueError:
        # No such day: 2026-13-40 is some number.
        return None


def _of(said: dict[str, str | None], month: int, day: int, today: date) -> Days:
    if relative := said.get("rm"):
        first = a_month(today, _MONTH_BACK.get(relative.lower(), 0))[0]
        return _stretch(first.year, first.month, day)
    if relative := said.get("ry"):
        return _stretch(today.year - _YEARS[relative.lower()], month, day)
    if year := said.get("y"):
        return _stretch(int(year), month, day)
    if not month:
        return _last_of_number(day, today)
    found = _stretch(today.year, month, day)
    if (said.get("b") or "").lower() == "next":
        return found if found[0] > today else _stretch(today.year + 1, month, day)
    return found if found[0] <= today else _stretch(today.year - 1, month, day)


def _stretch(year: int, month: int, day: int) -> Days:
    if not month:
        return date(year, 1, 1), date(year + 1, 1, 1)
    if not day:
        return month_of(date(year, month, 1).year * 12 + month - 1)
    begin = date(year, month, day)
    return begin, begin + timedelta(days=1)


def _last_of_number(day: int, today: date) -> Days:
    """Return the last day of this number that was; February has no 30th, and the month before has one."""
    for back in range(3):
        first = a_month(today, back)[0]
        try:
            begin = first.replace(day=day)
        except ValueError:
            continue
        if begin <= today:
            return begin, begin + timedelta(days=1)
    msg = f"no such day: {day}"
    raise ValueError(msg)


_WEEKDAYS: Final = {
    **{name: day for day, name in enumerate(
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))},
    **{sign: day for signs in ("一二三四五六日", "月火水木金土日") for day, sign in enumerate(signs)},
    "天": 6,
}  # fmt: skip
_WEEKS: Final = {
    "week before last": -2, "last week": -1, "this week": 0, "next week": 1,
    "this": 0, "next": 1, "coming": 1,
    "上上": -2, "上": -1, "先": -1, "這": 0, "这": 0, "本": 0, "今": 0, "下": 1, "下下": 2, "来": 1, "來": 1,
}  # fmt: skip
_WEEKDAY: Final = "(?P<day>monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_WEEK_EN: Final = "(?P<week>(?:last|this|next) week|week before last)"
_PAST: Final = re.compile(r"\b(?:did|was|were|had|happened)\b", re.IGNORECASE)
# 一週一次 and 兩週三天 are no days, nor is what comes every week.
_CJK_WEEKDAY: Final = r"(?P<day>[一二三四五六]|日(?!期)|天(?![氣气]))(?![次天個个])"


def _of_week(match: re.Match[str], today: date) -> Days:
    """Return a day of a week that is named."""
    back = _WEEKS[match["week"].lower()]
    begin = today + timedelta(days=_WEEKDAYS[match["day"].lower()] - today.weekday() + 7 * back)
    return begin, begin + timedelta(days=1)


def _last_weekday(match: re.Match[str], today: date) -> Days:
    """Return the last such day before today."""
    begin = today - timedelta(days=(today.weekday() - _WEEKDAYS[match["day"].lower()] - 1) % 7 + 1)
    return begin, begin + timedelta(days=1)


def _past_weekday(match: re.Match[str], today: date) -> Days | None:
    """Return the last such day where the query asks for what was, and not for what is done on such days."""
    return _last_weekday(match, today) if _PAST.search(match.string) else None


def _last_but_one(match: re.Match[str], today: date) -> Days:
    begin, end = _last_weekday(match, today)
    return begin - timedelta(days=7), end - timedelta(days=7)


def _readers(reader: Reader, *patterns: str) -> tuple[tuple[re.Pattern[str], Reader], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE | re.ASCII), reader) for pattern in patterns)


# In each of them the fullest stand first: what one of them has taken is nothing for the next.
WITH_YEAR: Final = _readers(
    _dated,
    rf"(?<!\d){_YEAR}[-/.](?P<m>\d{{1,2}})(?:[-/.](?P<d>\d{{1,2}}))?(?!\d)",
    rf"(?<!\d){_YEAR}\s*年の?\s*(?:{_CJK_MONTH}\s*(?:{_CJK_DAY})?)?",
    rf"\b{_DAY} (?:of )?(?P<n>{_MONTH})\.?,? {_YEAR}\b",
    rf"\b(?P<n>{_MONTH})\.?(?: {_DAY})?,? {_YEAR}\b",
)
"""Days, months and years of the calendar."""

OF_RELATIVE: Final = (
    *_readers(
        _dated,
        rf"\b{_DAY} (?:of )?(?P<n>{_MONTH})(?: of|,)? {_YEAR_EN}\b",
        rf"\b(?P<n>{_MONTH})\.?(?: {_DAY})?(?: of|,)? {_YEAR_EN}\b",
        rf"\b{_YEAR_EN},? (?:in|on) (?P<n>{_MONTH})\.?(?: {_DAY})?\b",
        rf"{_YEAR_CJK}{_CJK_MONTH}\s*(?:{_CJK_DAY})?",
        rf"\b{_NTH} (?:of )?(?P<rm>last|this|next) month\b",
        rf"\b(?P<rm>last|this|next) month on the {_NTH}\b",
        rf"{_MONTH_CJK}{_CJK_DAY}",
        rf"(?P<rm>本)月{_CJK_DAY}",
    ),
    *_readers(
        _of_week,
        rf"\b{_WEEKDAY},? (?:of |in |the )*{_WEEK_EN}\b",
        rf"\b{_WEEK_EN}(?:'s)?,? (?:on )?{_WEEKDAY}\b",
        rf"\b(?P<week>this|next|coming) {_WEEKDAY}\b",
        rf"(?P<week>{UP}上|{UP}|{THIS}|{DOWN}下|{DOWN}|[来來])(?:個|个)?{WEEK}的?{_CJK_WEEKDAY}",
        r"(?P<week>[先今来])週の?(?P<day>[月火水木金土日])曜",
    ),
    *_readers(_last_but_one, rf"\b{_WEEKDAY} before last\b"),
    *_readers(_last_weekday, rf"\b(?:last|past|previous) {_WEEKDAY}\b"),
)
"""Days and months of a week, a month or a year that is named from today."""

WITHOUT_YEAR: Final = _readers(
    _dated,
    rf"(?<![\d-])\b{_DAY} (?:of )?{_WRITTEN}\b",
    rf"\b{_WRITTEN}\.? {_DAY}\b(?!:)",
    rf"\b(?:on|by|since|until|before|after|from)(?: the)? {_DAY} (?:of )?(?P<n>{_MONTH})\b",
    rf"\bthe {_NTH} of (?P<n>{_MONTH})\b",
    rf"\b(?P<b>{_BEFORE})[ -](?P<n>{_MONTH})\b",
    rf"\b(?P<n>{_LONG})\b",
    rf"(?<![\d一二三四五六七八九十]){_CJK_MONTH}(?![前後后间間]|[之以]前)\s*(?:{_CJK_DAY})?",
    rf"(?<![\d/.])(?P<m>\d{{1,2}})/(?P<d>\d{{1,2}})(?=\s*(?:[日號号]|{_THAT_DAY}))",
    rf"(?<![第\d一二三四五六七八九十]){_CJK_DAY}的?(?={_THAT_DAY})",
    rf"\bon the {_NTH}(?=\s*(?:$|[?.,!;]|(?:did|was|were|we|i|you|he|she|they)\b))",
)
"""Days and months without a year: the last that was. So "next June" is the first that is to come."""

WEEKDAYS: Final = _readers(
    _last_weekday,
    rf"\b(?:on|since) {_WEEKDAY}\b",
    rf"(?<!every )(?<!each )\b{_WEEKDAY} (?:morning|afternoon|evening|night)\b",
    rf"(?<![每逢各一二兩两三四五六七八九十\d上下這这本來来到至])(?<![每各][個个])(?<!每一){WEEK}{_CJK_WEEKDAY}",
) + _readers(_past_weekday, rf"(?<!every )(?<!each )\b{_WEEKDAY}\b")
"""Days of no week that is named: the last such day."""
