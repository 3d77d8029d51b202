from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from sunrise.bootstrap import Home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.errors import ConfigurationError
from sunrise.settings import Settings
from tasks.overview import GRACE_MS, overview
from tasks.schedule_times import check_schedules, due_times, next_due_ms, period_ms
from tests.fakes import FrozenClock

TAIPEI, UTC, BERLIN = "Asia/Taipei", "UTC", "Europe/Berlin"
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000


def at(text: str, zone: str = TAIPEI) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp() * 1000)


@pytest.mark.parametrize(
    ("cron", "zone", "after", "due"),
    [
        ("0 */4 * * *", TAIPEI, "2026-11-18T19:06", "2026-11-18T20:00"),
        ("0 */4 * * *", TAIPEI, "2026-11-18T20:00", "2026-11-19T00:00"),
        ("*/15 * * * *", TAIPEI, "2026-11-18T19:06", "2026-11-18T19:15"),
        ("30 3 * * *", TAIPEI, "2026-11-18T03:29", "2026-11-18T03:30"),
        ("30 3 * * *", TAIPEI, "2026-12-31T03:31", "2027-01-01T03:30"),
        # The clock is put forward at 2 o'clock: half past two does not come that day.
        ("30 3 * * *", BERLIN, "2027-03-27T04:00", "2027-03-28T03:30"),
    ],
)
def test_the_next_time_in_its_zone(cron: str, zone: str, after: str, due: str) -> None:
    assert next_due_ms(cron, zone=zone, after_ms=at(after, zone)) == at(due, zone)


def test_the_same_line_in_two_zones_is_due_at_two_times() -> None:
    after = at("2026-11-18T12:00", UTC)
    # 3:30 in Taipei is 19:30 UTC of the day before.
    assert next_due_ms("30 3 * * *", zone=TAIPEI, after_ms=after) == at("2026-11-18T19:30", UTC)
    assert next_due_ms("30 3 * * *", zone=UTC, after_ms=after) == at("2026-11-19T03:30", UTC)


@pytest.mark.parametrize(
    ("cron", "now", "period"),
    [
        ("*/15 * * * *", "2026-11-18T19:06", 15 * MINUTE),
        ("0 */4 * * *", "2026-11-18T19:06", 4 * HOUR),
        ("30 3 * * *", "2026-11-18T19:06", DAY),
        ("0 9 * * 1", "2026-11-18T19:06", 7 * DAY),
        ("0 9,10 * * *", "2026-11-18T19:06", HOUR),
        ("0 9,10 * * *", "2026-11-18T09:30", 23 * HOUR),
    ],
)
def test_the_period_is_the_time_between_the_last_two(cron: str, now: str, period: int) -> None:
    assert period_ms(cron, zone=TAIPEI, now_ms=at(now)) == period


def run(flow: str, started: str, status: RunStatus = RunStatus.OK, *, dry: bool = False) -> RunReceipt:
    return RunReceipt(
        run_id=f"{flow}-{started}-{status}", flow=flow, status=status, started_ms=at(started), dry_run=dry
    )


def test_due_times_count_from_the_last_run_that_worked(tmp_path: Path) -> None:
    receipts = [
        run("grade", "2026-11-18T19:00", RunStatus.BUSY),
        run("grade", "2026-11-18T18:00", dry=True),
        run("grade", "2026-11-18T17:00", RunStatus.CRASHED),
        run("grade", "2026-11-18T12:01", RunStatus.FAILED),
        run("grade", "2026-11-18T08:00"),
        run("harvest", "2026-11-18T19:01", RunStatus.ANOMALY),
        run("sunrise", "2026-11-18T19:01"),
    ]
    due = due_times(Settings(home=tmp_path), receipts)
    assert due["grade"] == at("2026-11-18T16:00")
    assert due["harvest"] == at("2026-11-18T19:15")
    assert due["drift"] is None
    assert "sunrise" not in due


def test_an_operators_line_counts(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, timezone=UTC, schedules={"grade": "0 6 * * *"})
    due = due_times(settings, [run("grade", "2026-11-18T19:00")])
    assert due["grade"] == at("2026-11-19T06:00", UTC)


@pytest.mark.parametrize("schedules", [{"grade": "often"}, {"grade": "61 * * * *"}, {"dream": "* * * * *"}])
def test_a_line_that_cannot_be_is_said_even_before_any_run(schedules: dict[str, str], tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, schedules=schedules)
    with pytest.raises(ConfigurationError, match=r"\[schedules\] in sunrise\.toml"):
        check_schedules(settings)
    with pytest.raises(ConfigurationError, match=r"\[schedules\] in sunrise\.toml"):
        due_times(settings, [])


def test_the_overview_says_what_ran_and_what_is_overdue(home: Home, clock: FrozenClock) -> None:
    home.ledger.save_run(run("grade", "2026-11-18T16:00"))
    home.ledger.save_run(run("harvest", "2026-11-18T18:00", RunStatus.FAILED))
    clock.ms = at("2026-11-18T18:15") + GRACE_MS
    by_flow = {one.flow: one for one in overview(home)}
    assert list(by_flow)[-1] == "sunrise"
    assert (by_flow["grade"].status, by_flow["grade"].overdue) == ("ok", False)
    assert by_flow["grade"].next_due_ms == at("2026-11-18T20:00")
    assert (by_flow["harvest"].status, by_flow["harvest"].overdue) == ("failed", False)
    assert (by_flow["drift"].run_id, by_flow["drift"].next_due_ms, by_flow["drift"].overdue) == (
        None, None, False,
    )  # fmt: skip
    clock.ms += 1
    assert {one.flow for one in overview(home) if one.overdue} == {"harvest"}
