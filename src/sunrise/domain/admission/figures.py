"""The figures of a text: what it counts, measures, dates or pays, without the clockwork of a session."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta


def figures_of(text: str) -> frozenset[str]:
    """
    Return every number of a text, without leading zeros and commas.

    A date gives its parts, so that it is the same in every way of writing.

    >>> sorted(figures_of("1,250 EUR on 2026-05-01"))
    ['1', '1250', '2026', '5']
    """
    runs = _RUN.findall(_GROUPED.sub(lambda match: match[0].replace(",", ""), text))
    return frozenset([run.lstrip("0") or "0" for run in runs])


def told_figures(text: str, ts_ms: int) -> frozenset[str]:
    """
    Return the numbers of a text but for those that only tell when and where in the machinery it was written.

    These are times of day, the date of the row itself, long ids, durations and steps.

    >>> sorted(told_figures("beat at 14:05 on 1970-01-01 took 3 s, id 7f3c9a21, disk 81 GB", 0))
    ['81']
    """
    text = _CLOCKWORK.sub(" ", text)
    for shown in _days_around(ts_ms):
        text = text.replace(shown, " ")
    return figures_of(text)


def _days_around(ts_ms: int) -> tuple[str, ...]:
    day = datetime.fromtimestamp(ts_ms / 1000, UTC)
    return tuple((day + timedelta(days=off)).strftime("%Y-%m-%d") for off in (-1, 0, 1))


_GROUPED = re.compile(r"(?<![\d,])\d{1,3}(?:,\d{3})+(?!\d)")
_RUN = re.compile(r"\d+")
_CLOCKWORK = re.compile(
    r"\b\d{4}-\d\d-\d\dT[\d:.+Z-]+|\b\d{1,2}:\d\d(?::\d\d)?\b|\bGMT[+-]\d+"
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]+|\b(?=\w*\d)[0-9a-f]{8,}\b"
    r"|(?<![\d-])(?!\d{4}-\d\d-\d\d)\+?\d(?:[ -]?\d){9,}"
    r"|\bid \d+\b|\b\w*(?:ms|id|count|chunks|len|tokens|chars|seq|pid)[=:] ?\d+"
    r"|\b\d+(?:\.\d+)? ?(?:ms|s|sec|seconds?|min|mins|minutes?|chars|messages?|tokens)\b|\d+ ?(?:秒|分鐘"
    r"|分钟|毫秒)"
    r"|\b\d{1,3} ?(?:%|percent)(?= (?:complete|done|finished|through))|完成度?[約约]? ?\d+ ?%"
    r"|\b(?:step|beat|task|part|file|run|attempt|item|turn|session|no\.|#) ?\d+(?: ?(?:of|/) ?\d+)?\b"
    r"|第 ?\d+ ?[步輪轮次]",
    re.IGNORECASE,
)
