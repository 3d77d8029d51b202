"""The terms of a memory with the day that it is of behind them, so that a question of that day finds it."""

from __future__ import annotations

from datetime import datetime, tzinfo
from functools import lru_cache
from typing import Final

from sunrise.domain.text.accents import has_accents
from sunrise.domain.text.analysis import terms

MADE_AS: Final = "3"
"""The version of the analysis and of the day behind it; stored terms of another one are made anew."""

_DAY: Final = "@day"
"""Parts the terms of the text from those of the day. No text has such a term."""

MONTH_NAMES: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def date_words(created_ms: float | None, zone: tzinfo) -> str:
    """
    Return a day as people write it; nothing where there is none, or one that no calendar has.

    >>> from datetime import UTC
    >>> date_words(1_777_766_400_000, UTC)
    '2026-05-03 2026-05 3 May 2026 2026年5月3日'
    """
    if created_ms is None:
        return ""
    try:
        day = datetime.fromtimestamp(created_ms / 1000, zone)
    except (ValueError, OverflowError, OSError):
        return ""
    year, month = f"{day.year:04}", f"{day.month:02}"
    western = f"{day.day} {MONTH_NAMES[day.month - 1]} {year}"
    return f"{year}-{month}-{day.day:02} {year}-{month} {western} {year}年{day.month}月{day.day}日"


def dated_terms(text: str, created_ms: float | None, zone: tzinfo) -> str:
    """
    Return the index terms of a text and of its day; a text that says nothing has none.

    >>> from datetime import UTC
    >>> "2026-05" in dated_terms("green tea", 1_777_766_400_000, UTC).split()
    True
    """
    words = date_words(created_ms, zone) if text.strip() else ""
    return with_day(text, _once_each(words))


def text_terms(stored: str) -> str:
    """
    Return the terms of the text alone, as :func:`sunrise.domain.text.analysis.terms` gives them.

    >>> text_terms("green tea @day 2026-05-03 2026 05 03"), text_terms("green tea")
    ('green tea', 'green tea')
    """
    return f" {stored}".partition(f" {_DAY} ")[0].strip()


def current_terms(stored: str, text: str) -> str:
    """
    Return stored terms as today's analysis makes them of the *text*.

    Until a flow has renewed them they may be those of an analysis that kept accents.

    >>> current_terms("cafés @day 2026-05-03", "Cafés"), current_terms("cafe", "Cafés")
    ('cafe @day 2026-05-03', 'cafe')
    """
    return with_day(text, day_terms(stored)) if has_accents(stored) else stored


def day_terms(stored: str) -> str:
    """
    Return the terms of the day alone.

    >>> day_terms("green tea @day 2026-05-03 2026 05 03"), day_terms("green tea")
    ('2026-05-03 2026 05 03', '')
    """
    return f" {stored}".partition(f" {_DAY} ")[2]


def with_day(text: str, day: str) -> str:
    """
    Return the terms of a text with those of a day that are known.

    >>> with_day("green tea", "2026-05-03"), with_day("green tea", "")
    ('green tea @day 2026-05-03', 'green tea')
    """
    return f"{terms(text)} {_DAY} {day}".strip() if day else terms(text)


def with_any_day(analysed: str) -> tuple[str, str]:
    """
    Return between what texts the terms lie of a text with this analysis and some day, the second outside.

    >>> from datetime import UTC
    >>> low, high = with_any_day("green tea")
    >>> low <= dated_terms("green tea", 0, UTC) < high, low <= dated_terms("green tea set", 0, UTC) < high
    (True, False)
    """
    begin = f"{analysed} {_DAY}".strip()
    # No character lies between a space and this one.
    return f"{begin} ", f"{begin}!"


# The rows of a table are of few days.
@lru_cache(maxsize=4096)
def _once_each(words: str) -> str:
    return " ".join(dict.fromkeys(terms(words).split()))
