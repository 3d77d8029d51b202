"""Days named by how far they lie from today: "yesterday", "two weeks ago", 大前天, 上上週, 過去三天."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

Days = tuple[date, date]
"""The first day and the first day after."""

Reader = Callable[[re.Match[str], date], Days | None]
"""Makes days of what was found, seen from today; None where it names none."""

_FAR_BACK: Final = 4000
WEEK: Final = "(?:週|周|星期|禮拜|礼拜)"
_MONTH: Final = "(?:月(?![亮光餅饼薪租費费台臺])|月份)"
_ONE: Final = "(?:個|个)?"
# 晚上周末, 早上下月: there 上 belongs to the time of the day.
UP: Final = "(?<![晚早馬马])上"
DOWN: Final = "(?<![上底])下"
THIS: Final = "[這这本]"

CJK_NUMBER: Final = r"\d{1,4}|[二三四五六七八九]?十[一二三四五六七八九]?|[一二兩两三四五六七八九]"
_CJK_COUNTS: Final = {
    **{sign: count for count, sign in enumerate("一二三四五六七八九十", 1)}, "兩": 2, "两": 2,
}  # fmt: skip
NUMBER_WORDS: Final = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
"""The English words for the numbers from 1 on."""

_COUNTS: Final = {
    **{word: count for count, word in enumerate(NUMBER_WORDS, 1)},
    "a": 1, "an": 1, "a couple of": 2, "couple of": 2,
}  # fmt: skip
_NUMBER: Final = rf"\d{{1,4}}|(?:a )?couple of|an?|{'|'.join(NUMBER_WORDS)}"


def number(said: str | None) -> int:
    """
    Return a number in digits, in Chinese or in English; 0 where nothing was said.

    >>> number("31"), number("三十一"), number("十"), number("two"), number(None)
    (31, 31, 10, 2, 0)
    """
    if not said or said.isdecimal():
        return int(said or 0)
    if said.lower() in _COUNTS:
        return _COUNTS[said.lower()]
    tens, ten, ones = said.rpartition("十")
    return (10 * _CJK_COUNTS.get(tens, 1) if ten else 0) + _CJK_COUNTS.get(ones, 0)


def cjk_number(count: int) -> str:
    """
    Return a number below a hundred as Chinese writes it.

    >>> cjk_number(3), cjk_number(10), cjk_number(31)
    ('三', '十', '三十一')
    """
    digits = "零一二三四五六七八九"
    tens, ones = divmod(count, 10)
    return (digits[tens] if tens > 1 else "") + ("十" if tens else "") + (digits[ones] if ones else "")


def month_of(months: int) -> Days:
    """Return a month by how many went before it, from the year 0 on."""
    return _first(months), _first(months + 1)


def _first(months: int) -> date:
    return date(months // 12, months % 12 + 1, 1)


def a_day(today: date, back: int) -> Days:
    """Return a day so many before today."""
    return today - timedelta(days=back), today - timedelta(days=back - 1)


def a_week(today: date, back: int) -> Days:
    """Return a week so many before this one; it begins on a Monday."""
    monday = today - timedelta(days=today.weekday() + 7 * back)
    return monday, monday + timedelta(days=7)


def a_month(today: date, back: int) -> Days:
    """Return a month so many before this one."""
    return month_of(today.year * 12 + today.month - 1 - back)


def a_year(today: date, back: int) -> Days:
    """Return a year so many before this one."""
    return date(today.year - back, 1, 1), date(today.year - back + 1, 1, 1)


def _weekend(today: date, back: int) -> Days:
    saturday = a_week(today, back)[0] + timedelta(days=5)
    return saturday, saturday + timedelta(days=2)


def _last_weekend(today: date, back: int) -> Days:
    begun = _weekend(today, back)
    return begun if begun[0] <= today else _weekend(today, back + 1)


def _lately(today: date, back: int) -> Days:
    return today - timedelta(days=back), today + timedelta(days=1)


_Unit = Callable[[date, int], Days]
_UNITS: Final[dict[str, _Unit]] = {
    **dict.fromkeys(("day", "天", "日"), a_day),
    **dict.fromkeys(("week", "週間", "週", "周", "星期", "禮拜", "礼拜"), a_week),
    **dict.fromkeys(("month", "月"), a_month),
    **dict.fromkeys(("year", "年"), a_year),
}

# What a name of a day is made of, the unit, and how many of it lie between. The longer names stand first.
_NAMES: Final[tuple[tuple[str, _Unit, int], ...]] = (
    (r"\bthe day before yesterday\b|(?<![大目以之空])前[天晚](?![氣气])|一昨日|おととい", a_day, 2),
    (r"大前[天日晚]", a_day, 3),
    (r"\bthe day after tomorrow\b|(?<![大先以之然])(?:後天|后天)|明後日|あさって", a_day, -2),
    (r"大後天|大后天", a_day, -3),
    (r"\b(?:yesterday|last night)\b|昨[天日晚夜晩]", a_day, 1),
    (r"\b(?:today|tonight|this (?:morning|afternoon|evening|noon))\b|今[天日早晨晚夜朝]", a_day, 0),
    (r"[剛刚]才|剛剛|刚刚", a_day, 0),
    (r"\btomorrow\b|(?<![說说證证聲声表發发註注])明[天日早晚]", a_day, -1),
    (r"\b(?:the other day|(?:a|the (?:last|past)) few days(?: ago)?|these days)\b", _lately, 7),
    (r"前[幾几兩两][天日]|[這这][幾几][天日]", _lately, 7),
    (rf"\blast weekend\b|{UP}{_ONE}{WEEK}末", _last_weekend, 0),
    (rf"\bnext weekend\b|{DOWN}{_ONE}{WEEK}末", _weekend, -1),
    (rf"\b(?:the|this) weekend\b|(?<![每下]){THIS}?{_ONE}(?:週|周)末", _last_weekend, 0),
    (rf"\b(?:the )?week before last\b|{UP}上{_ONE}{WEEK}|先々週", a_week, 2),
    (rf"\b(?:the )?week after next\b|{DOWN}下{_ONE}{WEEK}", a_week, -2),
    (rf"\bnext week\b|{DOWN}{_ONE}{WEEK}|[来來]週", a_week, -1),
    (rf"\bthis week\b|{THIS}{_ONE}{WEEK}|今週", a_week, 0),
    (rf"\b(?:last|past|previous) week\b|{UP}{_ONE}{WEEK}|先週", a_week, 1),
    (rf"\b(?:the )?month before last\b|{UP}上{_ONE}{_MONTH}|先々月", a_month, 2),
    (rf"\bnext month\b|{DOWN}{_ONE}{_MONTH}|[来來]月", a_month, -1),
    (rf"\bthis month\b|{THIS}{_ONE}{_MONTH}|今月", a_month, 0),
    (rf"\b(?:last|past|previous) month\b|{UP}{_ONE}{_MONTH}|先月", a_month, 1),
    (r"\bnext year\b|明年|来年", a_year, -1),
    (r"\bthis year\b|今年", a_year, 0),
    (r"\b(?:last|past|previous) year\b|去年|昨年", a_year, 1),
    (r"大前年", a_year, 3),
    (r"(?<!大)前年|一昨年", a_year, 2),
)  # fmt: skip


def _counted(match: re.Match[str], today: date) -> Days | None:
    """Return the one unit that lies so many before today."""
    unit = _UNITS[match["unit"].lower()]
    count = number(match["count"])
    far = count >= today.year if unit is a_year else count > _FAR_BACK
    return None if far else unit(today, count)


def _to_the_day(match: re.Match[str], today: date) -> Days | None:
    """Return the day of the week or of the month that today is, so many weeks, months or years before."""
    days = _counted(match, today)
    if days is None:
        return None
    first, after = days
    if after - first <= timedelta(days=7):
        return a_day(first + timedelta(days=today.weekday() if after - first > timedelta(days=1) else 0), 0)
    month = today.month if after - first > timedelta(days=31) else first.month
    try:
        return a_day(date(first.year, month, today.day), 0)
    except ValueError:
        # There was no 31st then.
        return None


def _stretch(match: re.Match[str], today: date) -> Days | None:
    """Return so many units up to today."""
    count = number(match["count"])
    return (
        None
        if count > _FAR_BACK // 31
        else (_UNITS[match["unit"].lower()](today, count)[0], _tomorrow(today))
    )


def _half(match: re.Match[str], today: date) -> Days:
    back = 182 if match["unit"] == "年" else 15
    return today - timedelta(days=back + back // 4), today - timedelta(days=back - back // 4)


def _tomorrow(today: date) -> date:
    return today + timedelta(days=1)


_CJK_UNIT: Final = "(?:個|个|か|ヶ|カ)?(?P<unit>天|日|週間|週|周|星期|禮拜|礼拜|月|年)"


def _named(unit: _Unit, back: int) -> Reader:
    return lambda _match, today: unit(today, back)


COUNTED: Final[tuple[tuple[re.Pattern[str], Reader], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.ASCII), reader)
    for pattern, reader in (
        (r"半(?:個|个)?(?P<unit>月|年)(?:多)?(?:之|以)?前", _half),
        (rf"\b(?P<count>{_NUMBER}) (?P<unit>week|month|year)s? ago (?:today|to the day)\b", _to_the_day),
        (rf"(?P<count>{CJK_NUMBER})\s*{_CJK_UNIT}(?:之|以)?前的?(?:今天|今日|同一天)", _to_the_day),
        (rf"\b(?P<count>{_NUMBER}) (?P<unit>day|week|month|year)s? (?:ago|back|earlier)\b", _counted),
        (rf"(?P<count>{CJK_NUMBER})\s*{_CJK_UNIT}(?:之|以)?前", _counted),
        (rf"\b(?:last|past|previous) (?P<count>{_NUMBER}) (?P<unit>day|week|month)s\b", _stretch),
        (rf"(?:過去|过去|最近|這|这|近)\s*(?P<count>{CJK_NUMBER})\s*{_CJK_UNIT}", _stretch),
    )
)
"""How far away a day lies, in numbers."""

RELATIVE: Final[tuple[tuple[re.Pattern[str], Reader], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.ASCII), _named(unit, back)) for pattern, unit, back in _NAMES
)
"""Names of days, seen from today."""
