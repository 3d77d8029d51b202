"""The systemd timers of the flows, made from the schedule: for a host without a Prefect server."""

from __future__ import annotations

from pathlib import Path

from sunrise.domain.schedule import SCHEDULED_FLOWS, cron_lines
from sunrise.errors import ConfigurationError
from sunrise.settings import Settings

_DAYS = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_TIMER = """\
# Made by deployments/systemd_units.py from the schedule.
[Unit]
Description=sunrise: {purpose}

[Timer]
OnCalendar={calendar}
# What was missed while the machine was off is caught up once.
Persistent=true
AccuracySec=1s
Unit=sunrise-run@{name}.service

[Install]
WantedBy=timers.target
"""


def timer_units(settings: Settings) -> dict[str, str]:
    """
    Return the text of each flow's timer by its file name.

    Raises:
        ConfigurationError: A cron line has no like in systemd, or names no flow.
    """
    try:
        lines = cron_lines(settings.schedules)
    except ValueError as error:
        msg = f"[schedules] in sunrise.toml: {error}"
        raise ConfigurationError(msg) from error
    return {
        f"sunrise-run-{flow.name}.timer": _TIMER.format(
            name=flow.name,
            purpose=flow.purpose,
            calendar=on_calendar(lines[flow.name], zone=settings.timezone),
        )
        for flow in SCHEDULED_FLOWS
    }


def write_timer_units(folder: Path, *, settings: Settings) -> list[Path]:
    """
    Write the timers into a folder and return their paths.

    Raises:
        ConfigurationError: A cron line has no like in systemd, or names no flow.
    """
    paths = []
    for name, text in timer_units(settings).items():
        path = folder / name
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def on_calendar(cron: str, *, zone: str) -> str:
    """
    Return the OnCalendar expression of a cron line in its time zone.

    >>> on_calendar("20 */4 * * 1-5", zone="Asia/Taipei")
    'Mon..Fri *-*-* 00/4:20:00 Asia/Taipei'

    Raises:
        ConfigurationError: The line has no like in systemd, such as one that restricts both kinds of day.
    """
    fields = cron.split()
    if len(fields) != 5:
        raise ConfigurationError(f"not a cron line of five fields: {cron!r}")
    minute, hour, day, month, weekday = fields
    if day != "*" and weekday != "*":
        # cron fires when either matches, systemd only when both do.
        raise ConfigurationError(f"systemd cannot say day of month or day of week: {cron!r}")
    date = f"*-{_field(month, first=1)}-{_field(day, first=1)}"
    clock = f"{_field(hour, first=0)}:{_field(minute, first=0)}:00"
    days = "" if weekday == "*" else f"{_weekdays(weekday)} "
    return f"{days}{date} {clock} {zone}"


def _field(text: str, *, first: int) -> str:
    return ",".join(_part(part, first=first) for part in text.split(","))


def _part(part: str, *, first: int) -> str:
    span, slash, step = part.partition("/")
    low, dash, high = span.partition("-")
    numbers = [text for text in (low if low != "*" else "", high, step) if text]
    if not all(number.isdecimal() for number in numbers) or (slash and not step) or (dash and not high):
        raise ConfigurationError(f"not a number, range or step that systemd knows: {part!r}")
    if span == "*":
        return f"{first:02d}/{step}" if step else "*"
    two = f"{int(low):02d}" + (f"..{int(high):02d}" if high else "")
    return f"{two}/{step}" if step else two


def _weekdays(text: str) -> str:
    try:
        return ",".join("..".join(_weekday(end) for end in part.split("-")) for part in text.split(","))
    except (ValueError, IndexError) as error:
        raise ConfigurationError(f"not a day of the week that systemd knows: {text!r}") from error


def _weekday(text: str) -> str:
    return _DAYS[int(text)] if text.isdecimal() else _DAYS[[day.lower() for day in _DAYS].index(text.lower())]
