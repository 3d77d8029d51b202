from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.query_dates import spans_in, terms_of, times_in

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
        ("大前天", "2026-05-10", "2026-05-11"),
        ("大後天", "2026-05-16", "2026-05-17"),
        ("星期三開了什麼會", "2026-05-06", "2026-05-07"),
        ("禮拜二", "2026-05-12", "2026-05-13"),
        ("周五面试了谁", "2026-05-08", "2026-05-09"),
        ("上上週三", "2026-04-29", "2026-04-30"),
        ("這週三", "2026-05-13", "2026-05-14"),
        ("下週三", "2026-05-20", "2026-05-21"),
        ("上上週", "2026-04-27", "2026-05-04"),
        ("上上個月", "2026-03-01", "2026-04-01"),
        ("上個月三號", "2026-04-03", "2026-04-04"),
        ("去年五月", "2025-05-01", "2025-06-01"),
        ("前年十月二十一日", "2024-10-21", "2024-10-22"),
        ("十一月三號", "2025-11-03", "2025-11-04"),
        ("3號那天", "2026-05-03", "2026-05-04"),
        ("十一天前", "2026-05-02", "2026-05-03"),
        ("兩個星期前的今天", "2026-04-29", "2026-04-30"),
        ("過去三天", "2026-05-10", "2026-05-14"),
        ("上週末", "2026-05-09", "2026-05-11"),
        ("今早", "2026-05-13", "2026-05-14"),
        ("昨晚", "2026-05-12", "2026-05-13"),
        ("the week before last", "2026-04-27", "2026-05-04"),
        ("last weekend", "2026-05-09", "2026-05-11"),
        ("two weeks ago", "2026-04-27", "2026-05-04"),
        ("two weeks ago today", "2026-04-29", "2026-04-30"),
        ("a month ago today", "2026-04-13", "2026-04-14"),
        ("the Friday before last", "2026-05-01", "2026-05-02"),
        ("Tuesday last week", "2026-05-05", "2026-05-06"),
        ("what did we decide Monday", "2026-05-11", "2026-05-12"),
        ("the 3rd of last month", "2026-04-03", "2026-04-04"),
        ("in May last year", "2025-05-01", "2025-06-01"),
        ("what happened on the 3rd?", "2026-05-03", "2026-05-04"),
        ("this morning", "2026-05-13", "2026-05-14"),
        ("the past three days", "2026-05-10", "2026-05-14"),
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
        "每個星期三",
        "一週三次",
        "目前天氣",
        "說明日期",
        "晚上月亮很圓",
        "the bins go out Mondays",
        "第三號月台",
        "a month of Sundays",
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
        ("last week", [f"2026-05-{day:02}" for day in range(4, 11)]),
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


@pytest.mark.parametrize(
    ("query", "rest", "dates"),
    [
        ("what did I eat yesterday", "what did I eat", ()),
        ("大前天我們做了什麼", "我們做了什麼", ()),
        ("what is due next week", "what is due next week", ()),
        ("tax return of 2025", "tax return of 2025", ()),
        ("who called on 3 May 2026", "who called on", ("3 May 2026",)),
        ("bins go out on Monday", "bins go out on Monday", ()),
    ],
)
def test_words_of_a_past_time_are_no_evidence(query: str, rest: str, dates: tuple[str, ...]) -> None:
    found = times_in(query, now_ms=NOW, zone=UTC)
    assert (found.rest, found.dates) == (rest, dates)


@pytest.mark.parametrize(
    ("query", "likely"),
    [
        ("last night", ("2026-05-12T17", "2026-05-13T06")),
        ("今早", ("2026-05-13T00", "2026-05-13T12")),
        ("昨天下午", ("2026-05-12T12", "2026-05-12T18")),
        ("two weeks ago", ("2026-04-29T00", "2026-04-30T00")),
    ],
)
def test_a_part_of_a_time_is_more_likely(query: str, likely: tuple[str, str]) -> None:
    (span,) = spans_in(query, now_ms=NOW, zone=UTC)
    assert span.likely is not None
    hours = tuple(datetime.fromtimestamp(ms / 1000, UTC).isoformat()[:13] for ms in span.likely)
    assert hours == likely


@pytest.mark.parametrize(
    ("query", "today", "found"),
    [
        ("two weeks ago today", "2026-05-13", ("2026-04-29", "2026-04-30")),
        ("what broke a month ago today", "2026-05-13", ("2026-04-13", "2026-04-14")),
        ("a year ago today", "2026-05-13", ("2025-05-13", "2025-05-14")),
        # April has no 31st, nor has February.
        ("a month ago today", "2026-05-31", None),
        ("what came on the 31st", "2026-03-05", ("2026-01-31", "2026-02-01")),
        ("what came on the 45th", "2026-03-05", None),
        ("9999 weeks ago today", "2026-05-13", None),
        # 182 days and 45 more or less, 15 days and 3 more or less.
        ("半年前", "2026-05-13", ("2025-09-28", "2025-12-27")),
        ("半個月前", "2026-05-13", ("2026-04-25", "2026-05-01")),
        ("the other day", "2026-05-13", ("2026-05-06", "2026-05-14")),
    ],
)
def test_days_counted_from_another_today(query: str, today: str, found: tuple[str, str] | None) -> None:
    now_ms = int(datetime.fromisoformat(f"{today}T12:00+00:00").timestamp() * 1000)
    spans = [
        tuple(datetime.fromtimestamp(at / 1000, UTC).date().isoformat() for at in (one.begin_ms, one.end_ms))
        for one in spans_in(query, now_ms=now_ms, zone=UTC)
    ]
    assert spans == ([] if found is None else [found])
