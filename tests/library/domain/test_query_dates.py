from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.query_dates import spans_in, terms_of

NOW = int(datetime(2026, 5, 13, 10, tzinfo=UTC).timestamp() * 1000)
"""A Wednesday."""


def days(query: str, *, now_ms: int = NOW) -> list[tuple[str, str]]:
    return [
        tuple(
            datetime.fromtimestamp(ms / 1000, UTC).date().isoformat() for ms in (span.begin_ms, span.end_ms)
        )  # type: ignore[misc]
        for span in spans_in(query, now_ms=now_ms, zone=UTC)
    ]


@pytest.mark.parametrize(
    ("query", "first", "after"),
    [
        ("what did I eat yesterday?", "2026-05-12", "2026-05-13"),
        ("the day before yesterday", "2026-05-11", "2026-05-12"),
        ("昨天的會議", "2026-05-12", "2026-05-13"),
        ("一昨日の会議", "2026-05-11", "2026-05-12"),
        ("meeting last week", "2026-05-04", "2026-05-11"),
        ("上週決定了什麼", "2026-05-04", "2026-05-11"),
        ("上个星期", "2026-05-04", "2026-05-11"),
        ("先月の請求書", "2026-04-01", "2026-05-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("three days ago", "2026-05-10", "2026-05-11"),
        ("兩個月前", "2026-03-01", "2026-04-01"),
        ("2週間前", "2026-04-27", "2026-05-04"),
        ("a year ago", "2025-01-01", "2026-01-01"),
        ("in May 2023", "2023-05-01", "2023-06-01"),
        ("May 3, 2023", "2023-05-03", "2023-05-04"),
        ("on 3rd of May 2023", "2023-05-03", "2023-05-04"),
        ("2026-05-03", "2026-05-03", "2026-05-04"),
        ("2025年の計画", "2025-01-01", "2026-01-01"),
        ("2025年12月", "2025-12-01", "2026-01-01"),
        ("2025年12月31日", "2025-12-31", "2026-01-01"),
        ("2025年の12月", "2025-12-01", "2026-01-01"),
        ("what did we decide in May", "2026-05-01", "2026-06-01"),
        ("in march", "2026-03-01", "2026-04-01"),
        ("downtime in February", "2026-02-01", "2026-03-01"),
        ("what is planned for mid October", "2025-10-01", "2025-11-01"),
        ("next June", "2026-06-01", "2026-07-01"),
        ("next April", "2027-04-01", "2027-05-01"),
        ("on 3 may", "2026-05-03", "2026-05-04"),
        ("3 May", "2026-05-03", "2026-05-04"),
        ("the 14th of May", "2025-05-14", "2025-05-15"),
        ("May 3rd", "2026-05-03", "2026-05-04"),
        ("Dec 24", "2025-12-24", "2025-12-25"),
        ("五月", "2026-05-01", "2026-06-01"),
        ("十二月的會議", "2025-12-01", "2026-01-01"),
        ("五月三日的決定", "2026-05-03", "2026-05-04"),
        ("十月三十一號", "2025-10-31", "2025-11-01"),
        ("5月3日", "2026-05-03", "2026-05-04"),
        ("last Friday", "2026-05-08", "2026-05-09"),
        ("on Wednesday", "2026-05-06", "2026-05-07"),
        ("this Monday", "2026-05-11", "2026-05-12"),
        ("next Monday", "2026-05-18", "2026-05-19"),
        ("上週四", "2026-05-07", "2026-05-08"),
        ("这个星期五", "2026-05-15", "2026-05-16"),
        ("下周日", "2026-05-24", "2026-05-25"),
        ("先週の金曜日", "2026-05-08", "2026-05-09"),
        ("下個月", "2026-06-01", "2026-07-01"),
        ("下个月", "2026-06-01", "2026-07-01"),
        ("來週", "2026-05-18", "2026-05-25"),
        ("tomorrow", "2026-05-14", "2026-05-15"),
        ("後天", "2026-05-15", "2026-05-16"),
        ("next year", "2027-01-01", "2028-01-01"),
    ],
)
def test_a_query_names_days(query: str, first: str, after: str) -> None:
    assert (first, after) in days(query)
    assert len(days(query)) == 1


@pytest.mark.parametrize(
    "query",
    [
        "",
        "which port is it",
        "2026-13-40",
        "9999 years ago",
        "5000 days ago",
        "the mayor",
        "v2026",
        "who may enter",
        "at most 3 may wait",
        "may 3 retries fail",
        "we march on",
        "every Monday",
        "30 February",
        "每週一",
        "三個人",
    ],
)
def test_other_numbers_and_words_are_no_dates(query: str) -> None:
    assert days(query) == []


def test_a_day_begins_where_the_reader_lives() -> None:
    (span,) = spans_in("today", now_ms=NOW, zone=ZoneInfo("Asia/Taipei"))
    assert datetime.fromtimestamp(span.begin_ms / 1000, timezone(timedelta(hours=8))).hour == 0


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("yesterday", ["2026-05-12"]),
        ("五月", ["2026-05"]),
        ("3 May 2026 and last month", ["2026-04", "2026-05-03"]),
        ("last week", []),
        ("in 2025", []),
    ],
)
def test_a_day_or_a_month_has_a_term(query: str, found: list[str]) -> None:
    assert sorted(terms_of(spans_in(query, now_ms=NOW, zone=UTC), zone=UTC)) == found


@given(st.text(), st.dates(date(1970, 1, 2), date(2200, 1, 1)))
def test_any_text_on_any_day_is_answered_by_a_few_stretches(query: str, day: date) -> None:
    now_ms = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000)
    found = spans_in(query + " last month", now_ms=now_ms, zone=UTC)
    assert 1 <= len(found) <= 8
    assert all(span.begin_ms < span.end_ms for span in found)
