"""The command line as a person and a script meet it."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sunrise.cli.app import main
from sunrise.cli.config_file import render_config
from sunrise.cli.exit_codes import MEANINGS, ExitCode, code_for
from sunrise.domain.receipts import RunStatus
from sunrise.domain.schedule import FLOW_NAMES, SCHEDULED_FLOWS
from sunrise.settings import Settings, SourceSettings, load_settings
from tasks.demo.home import write_demo_home

NOW_MS = 1_795_000_000_000
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def sunrise(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    # Commands give Prefect a home of its own through the environment; monkeypatch gives it back.
    monkeypatch.setenv("PREFECT_HOME", "unused")

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["sunrise", *words])
        code: Any = 0
        try:
            main()
        except SystemExit as end:
            code = end.code
        printed = capsys.readouterr()
        return int(code or 0), printed.out, printed.err

    return call


def test_init_makes_a_home_with_a_commented_config(
    sunrise: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("TZ", "America/Lima")

    code, out, _ = sunrise("init", "--home", str(home), "--json")

    assert code == 0
    assert json.loads(out) == {
        "home": str(home), "config": str(home / "sunrise.toml"), "config_written": True,
        "timezone": "America/Lima",
    }  # fmt: skip
    assert (home / "ledger.sqlite").is_file()
    assert (home / "spool").is_dir()
    assert tomllib.loads((home / "sunrise.toml").read_text()) == {
        "timezone": "America/Lima",
        **{section: {} for section in (*_sections(), "schedules")},
    }
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    _, out, _ = sunrise("init", "--home", str(home))
    assert "zone    America/Lima: times are shown in it; to change it, set timezone in the config" in out


def test_init_keeps_a_config_that_is_there(sunrise: Command, tmp_path: Path) -> None:
    (tmp_path / "sunrise.toml").write_text('timezone = "Europe/Prague"\n')

    code, out, _ = sunrise("init", "--home", str(tmp_path))

    assert code == 0
    assert "(kept)" in out
    assert (tmp_path / "sunrise.toml").read_text() == 'timezone = "Europe/Prague"\n'


def test_init_writes_where_the_agent_keeps_its_things(sunrise: Command, tmp_path: Path) -> None:
    sunrise("init", "--home", str(tmp_path), "--memories", "/agent/lancedb", "--capture", "/agent/*.jsonl")

    settings = load_settings(tmp_path)
    assert settings.memories_uri == "/agent/lancedb"
    assert settings.sources == (SourceSettings(kind="capture", path="/agent/*.jsonl"),)


def test_init_refuses_to_change_a_config_by_arguments(sunrise: Command, tmp_path: Path) -> None:
    sunrise("init", "--home", str(tmp_path))

    code, _, err = sunrise("init", "--home", str(tmp_path), "--memories", "/agent/lancedb")

    assert code == ExitCode.CONFIGURATION
    assert "is there already" in err


def test_every_default_of_the_written_config_is_the_default(tmp_path: Path) -> None:
    lines = render_config().splitlines()
    uncommented = [line[2:] if line.startswith("# ") and " = " in line else line for line in lines]
    (tmp_path / "sunrise.toml").write_text("\n".join(uncommented))

    written = load_settings(tmp_path)

    assert written.model_dump(exclude={"schedules"}) == Settings(home=tmp_path).model_dump(
        exclude={"schedules"}
    )
    assert written.schedules == {flow.name: flow.cron for flow in SCHEDULED_FLOWS}


def test_run_prints_a_line_for_each_flow_and_the_path_of_the_index(sunrise: Command, tmp_path: Path) -> None:
    write_demo_home(tmp_path / "home", now_ms=NOW_MS)

    code, out, _ = sunrise("run", "sunrise", "--home", str(tmp_path / "home"))

    lines = out.splitlines()
    assert code == 0
    assert [line.split()[0] for line in lines[1:11]] == list(FLOW_NAMES)
    harvested = "seen 240 = inserted 235 + duplicate 2 + collapsed 2 + quarantined 1"
    assert lines[1].split(maxsplit=3)[3] == harvested
    assert lines[-1] == str(tmp_path / "home" / "reports" / "index.html")


def test_run_dry_says_so_and_writes_no_observation(sunrise: Command, tmp_path: Path) -> None:
    write_demo_home(tmp_path, now_ms=NOW_MS)

    code, out, _ = sunrise("run", "harvest", "--home", str(tmp_path), "--dry-run")
    _, receipts, _ = sunrise("receipts", "--home", str(tmp_path), "--json")

    assert code == 0
    assert "ok (dry run)" in out
    assert json.loads(receipts)["receipts"][0]["dry_run"] is True


def test_run_of_an_unknown_flow_names_those_there_are(sunrise: Command, tmp_path: Path) -> None:
    code, _, err = sunrise("run", "sunset", "--home", str(tmp_path))

    assert code == ExitCode.USAGE
    assert all(name in " ".join(err.split()) for name in FLOW_NAMES)


def test_a_config_that_is_not_toml_is_a_configuration_error(sunrise: Command, tmp_path: Path) -> None:
    (tmp_path / "sunrise.toml").write_text("timezone = ")

    code, _, err = sunrise("status", "--home", str(tmp_path))

    assert code == ExitCode.CONFIGURATION
    assert str(tmp_path / "sunrise.toml") in err


def test_a_ledger_that_is_none_is_a_failure_in_one_line(sunrise: Command, tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite").write_text("this is no database, but it is long enough to look" * 20)

    code, _, err = sunrise("receipts", "--home", str(tmp_path))

    assert code == ExitCode.FAILED
    assert len(err.strip().splitlines()) == 1


def test_status_shows_flows_that_never_ran(sunrise: Command, tmp_path: Path) -> None:
    sunrise("init", "--home", str(tmp_path))

    code, out, _ = sunrise("status", "--home", str(tmp_path))

    assert code == 0
    assert out.count("never ran") == len(FLOW_NAMES)


def test_status_as_json_names_the_last_run(sunrise: Command, tmp_path: Path) -> None:
    sunrise("run", "harvest", "--home", str(tmp_path))

    _, out, _ = sunrise("status", "--home", str(tmp_path), "--json")

    flows = {one["flow"]: one for one in json.loads(out)["flows"]}
    assert flows["harvest"]["status"] == "ok"
    assert flows["harvest"]["next_due_ms"] > flows["harvest"]["started_ms"]
    assert flows["grade"]["status"] is None


def test_receipts_are_newest_first_and_of_one_flow(sunrise: Command, tmp_path: Path) -> None:
    for flow in ("harvest", "grade", "harvest"):
        sunrise("run", flow, "--home", str(tmp_path))

    _, out, _ = sunrise("receipts", "--home", str(tmp_path), "--flow", "harvest", "--json")

    receipts = json.loads(out)["receipts"]
    assert [receipt["flow"] for receipt in receipts] == ["harvest", "harvest"]
    assert receipts[0]["started_ms"] >= receipts[1]["started_ms"]


def test_demo_refuses_a_folder_that_is_no_demo(sunrise: Command, tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("mine")

    code, _, err = sunrise("demo", "--home", str(tmp_path))

    assert code == ExitCode.CONFIGURATION
    assert "no demo home" in err
    assert (tmp_path / "precious.txt").read_text() == "mine"


def test_demo_runs_the_day_and_can_be_made_anew(sunrise: Command, tmp_path: Path) -> None:
    home = str(tmp_path / "demo")

    first = sunrise("demo", "--home", home, "--json")
    second = sunrise("demo", "--home", home, "--json")

    for code, out, _ in (first, second):
        assert code == 0
        inserted = {r["flow"]: r["counts"] for r in json.loads(out)["receipts"]}["harvest"]["inserted"]
        assert inserted == 235


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (RunStatus.OK, 0),
        (RunStatus.SKIPPED, 0),
        (RunStatus.ANOMALY, 3),
        (RunStatus.BUSY, 75),
        (RunStatus.FAILED, 1),
        (RunStatus.CRASHED, 1),
    ],
)
def test_each_verdict_has_its_exit_code(status: RunStatus, code: int) -> None:
    assert code_for(status) == code


def test_every_exit_code_has_a_meaning() -> None:
    assert set(MEANINGS) == set(ExitCode)


def test_version_is_that_of_the_package(sunrise: Command) -> None:
    code, out, _ = sunrise("version", "--json")

    assert code == 0
    assert json.loads(out)["version"].count(".") == 2


def _sections() -> list[str]:
    return [
        name
        for name, field in Settings.model_fields.items()
        if name not in {"home", "timezone", "schedules", "sources"} and field.annotation is not None
    ]
