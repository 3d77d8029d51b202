"""The systemd units: timers are the schedule, services are valid."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from deployments.systemd_units import on_calendar, timer_units, write_timer_units
from sunrise.cli.exit_codes import ExitCode
from sunrise.errors import ConfigurationError
from sunrise.rooms import rooms_path
from sunrise.settings import Settings

UNITS = rooms_path() / "deployments" / "systemd"
SERVICES = ("sunrise.service", "sunrise-serve.service", "sunrise-run@.service")


def test_the_timers_in_the_tree_are_those_of_the_schedule() -> None:
    """To make them anew: ``write_timer_units(Path("deployments/systemd"), settings=Settings())``."""
    assert {path.name: path.read_text(encoding="utf-8") for path in UNITS.glob("*.timer")} == timer_units(
        Settings()
    )


def test_an_operators_own_timers_can_be_written(tmp_path: Path) -> None:
    settings = Settings(timezone="Europe/Rome", schedules={"grade": "7 3 * * *"})
    paths = write_timer_units(tmp_path, settings=settings)
    assert "OnCalendar=*-*-* 03:07:00 Europe/Rome\n" in (tmp_path / "sunrise-run-grade.timer").read_text()
    assert sorted(paths) == sorted(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("cron", "calendar"),
    [
        ("*/15 * * * *", "*-*-* *:00/15:00 UTC"),
        ("0 */4 * * *", "*-*-* 00/4:00:00 UTC"),
        ("5,35 8-18 * * mon-fri", "Mon..Fri *-*-* 08..18:05,35:00 UTC"),
        ("0 8-18/2 */3 2 *", "*-02-01/3 08..18/2:00:00 UTC"),
        ("30 3 * * 0,7", "Sun,Sun *-*-* 03:30:00 UTC"),
    ],
)
def test_cron_lines_become_calendar_expressions(cron: str, calendar: str) -> None:
    assert on_calendar(cron, zone="UTC") == calendar
    if shutil.which("systemd-analyze"):
        subprocess.run(["systemd-analyze", "calendar", calendar], check=True, capture_output=True)


@pytest.mark.parametrize(
    "cron", ["* * * *", "0 0 1 * 1", "0 0 L * *", "0 0 * * 9", "0 0 * * someday", "1- * * * *", "*/ * * * *"]
)
def test_what_systemd_cannot_say_is_refused(cron: str) -> None:
    with pytest.raises(ConfigurationError):
        on_calendar(cron, zone="UTC")


def test_timers_of_an_unknown_flow_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="schedules"):
        timer_units(Settings(schedules={"grades": "0 * * * *"}))


def test_up_is_not_restarted_where_that_mends_nothing() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # systemd's names have capitals
    unit.read(UNITS / "sunrise.service", encoding="utf-8")
    codes = f"{int(ExitCode.BUSY)} {int(ExitCode.CONFIGURATION)}"
    assert unit["Service"]["RestartPreventExitStatus"] == codes
    assert unit["Service"]["KillMode"] == "mixed"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "sunrise"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for path in UNITS.iterdir():
        text = path.read_text(encoding="utf-8").replace("%h/.local/bin/sunrise", str(program))
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    shutil.copy(tmp_path / "sunrise-run@.service", tmp_path / "sunrise-run@grade.service")
    units = [tmp_path / "sunrise.service", tmp_path / "sunrise-run@grade.service", *tmp_path.glob("*.timer")]
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *map(str, units)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
    )
    complaints = [line for line in done.stderr.splitlines() if "sunrise" in line]
    assert complaints == []
    assert done.returncode == 0, done.stderr
