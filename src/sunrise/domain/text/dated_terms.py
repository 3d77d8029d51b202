"""The terms of a memory with the day that it is of, so that a question of that day finds it."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import Final

from sunrise.domain.text.analysis import terms

_MONTHS: Final = (
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
    western = f"{day.day} {_MONTHS[day.month - 1]} {year}"
    return f"{year}-{month}-{day.day:02} {year}-{month} {western} {year}年{day.month}月{day.day}日"


def dated_terms(text: str, created_ms: float | None, zone: tzinfo) -> str:
    """
    Return the index terms of a text and of its day.

    >>> from datetime import UTC
    >>> "2026-05" in dated_terms("green tea", 1_777_766_400_000, UTC).split()
    True
    """
    words = date_words(created_ms, zone)
    return f"{terms(text)} {terms(words)}".strip() if words else terms(text)
