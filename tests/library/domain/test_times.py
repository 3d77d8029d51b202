"""Times from outside are read whatever their unit, form and name, and what is none is refused by name."""

from __future__ import annotations

import math
from datetime import UTC
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sunrise.domain.times import EARLIEST_MS, LATEST_MS, known_time, read_time, time_of, written_time
from sunrise.errors import DataError
from tests.time_forms import AT, FIELDS, NO_TIMES, TIMES

TAIPEI = ZoneInfo("Asia/Taipei")


def refused(value: object) -> str:
    with pytest.raises(DataError) as error:
        read_time(value, zone=TAIPEI)
    return str(error.value.reason)


@pytest.mark.parametrize(("value", "ms"), TIMES.values(), ids=TIMES)
def test_a_time_is_read_whatever_its_form(value: object, ms: int) -> None:
    assert read_time(value, zone=TAIPEI) == ms


@pytest.mark.parametrize(("value", "fault"), NO_TIMES.values(), ids=NO_TIMES)
def test_what_is_no_time_is_refused_by_name(value: object, fault: str) -> None:
    assert refused(value) == fault


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_no_number_is_is_refused(value: float) -> None:
    assert refused(value) == "not_finite"


def test_every_accepted_time_is_read_back_from_each_of_its_units() -> None:
    for ms in (EARLIEST_MS, AT, LATEST_MS - 1):
        for value in (ms / 1000, ms, ms * 1000, ms * 1_000_000):
            assert read_time(value, zone=UTC) == ms
    assert refused(EARLIEST_MS / 1000 - 1) == "too_early"
    assert refused(LATEST_MS) == "too_late"


def test_a_time_without_a_zone_is_that_of_the_wall_in_winter_and_in_summer() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    assert read_time("2025-01-20 06:00", zone=berlin) == read_time("2025-01-20T05:00Z", zone=berlin)
    assert read_time("2025-07-20 07:00", zone=berlin) == read_time("2025-07-20T05:00Z", zone=berlin)


@pytest.mark.parametrize("field", FIELDS)
def test_a_record_states_its_time_under_any_of_its_names(field: str) -> None:
    assert time_of({"text": "tea", field: 1_752_960_000}, zone=UTC) == AT


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"createdAt": "yesterday"}, "bad_time.createdAt.not_a_time"),
        ({"createdAt": None, "created_at": -1}, "bad_time.created_at.negative"),
        # Another right one beside it does not make it right.
        ({"createdAt": True, "timestamp": AT}, "bad_time.createdAt.boolean"),
    ],
)
def test_a_wrong_time_is_told_with_its_field(record: dict[str, Any], reason: str) -> None:
    with pytest.raises(DataError) as error:
        time_of(record, zone=UTC)
    assert error.value.reason == reason
    assert known_time(record, zone=UTC) is None


@pytest.mark.parametrize(
    "record", [{}, {"ts": None}, {"ts": ""}, {"time": 3.2}, {"time": 950_000}, {"date": "soon"}]
)
def test_no_time_is_none_and_a_duration_is_no_time(record: dict[str, Any]) -> None:
    assert time_of(record, zone=UTC) is None


@pytest.mark.parametrize(
    ("zone", "text"),
    [
        ("Asia/Taipei", "2025-07-20 05:20 +08:00"),
        ("UTC", "2025-07-19 21:20 +00:00"),
        ("America/New_York", "2025-07-19 17:20 -04:00"),
        ("Asia/Kathmandu", "2025-07-20 03:05 +05:45"),
    ],
)
def test_a_time_is_written_with_its_offset_and_read_back(zone: str, text: str) -> None:
    assert written_time(AT, zone=ZoneInfo(zone)) == text
    assert read_time(text, zone=UTC) == AT


@pytest.mark.parametrize("ms", [None, math.nan, 10**18, -(10**18)])
def test_what_no_calendar_has_is_written_as_nothing(ms: float | None) -> None:
    assert written_time(ms, zone=UTC) == ""
