from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from sunrise.errors import ConfigurationError
from sunrise.settings import Settings, load_settings, machine_zone


@pytest.fixture(autouse=True)
def _no_settings_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("SUNRISE_")]:
        monkeypatch.delenv(name)


def toml(home: Path, text: str) -> Path:
    (home / "sunrise.toml").write_text(text, encoding="utf-8")
    return home


def test_a_home_without_a_file_has_the_defaults(tmp_path: Path) -> None:
    settings = load_settings(tmp_path)
    assert settings.home == tmp_path
    assert (settings.embedder.name, settings.lifecycle.p1_days) == ("use", 90)
    assert settings.memories_uri == str(tmp_path / "lance")


def test_a_home_without_a_file_has_the_zone_of_the_machine_and_an_old_file_that_of_its_comment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "America/Lima")
    assert load_settings(tmp_path).timezone == "America/Lima"
    toml(tmp_path, '# timezone = "Asia/Taipei"\n')
    assert load_settings(tmp_path).timezone == "Asia/Taipei"


@pytest.mark.parametrize(
    ("stated", "link", "text", "zone"),
    [
        ("Europe/Paris", "Asia/Tokyo", "America/Lima", "Europe/Paris"),
        (":Europe/Paris", "Asia/Tokyo", "America/Lima", "Europe/Paris"),
        ("/usr/share/zoneinfo/posix/Europe/Paris", None, None, "Europe/Paris"),
        # A rule has no name by which another program could know the zone.
        ("CST-8", "Asia/Tokyo", "America/Lima", "Asia/Tokyo"),
        ("", "Asia/Tokyo", "America/Lima", "Asia/Tokyo"),
        ("", None, "America/Lima", "America/Lima"),
        ("", None, "Mars/Olympus", "UTC"),
        ("", None, None, "UTC"),
    ],
)
def test_the_zone_of_the_machine_is_that_of_its_environment_or_its_files(
    stated: str,
    link: str | None,
    text: str | None,
    zone: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", stated)
    monkeypatch.setattr("sunrise.settings._LOCALTIME", tmp_path / "localtime")
    monkeypatch.setattr("sunrise.settings._TIMEZONE", tmp_path / "timezone")
    if link is not None:
        (tmp_path / "localtime").symlink_to(tmp_path / "zoneinfo" / link)
    if text is not None:
        (tmp_path / "timezone").write_text(f"{text}\n", encoding="ascii")
    assert machine_zone() == zone


def test_file_then_environment_then_argument(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toml(tmp_path, 'timezone = "UTC"\n[lifecycle]\np1_days = 10\np2_days = 5\n')
    assert load_settings(tmp_path).timezone == "UTC"
    monkeypatch.setenv("SUNRISE_TIMEZONE", "Europe/Paris")
    monkeypatch.setenv("SUNRISE_LIFECYCLE__P1_DAYS", "20")
    settings = load_settings(tmp_path)
    assert settings.timezone == "Europe/Paris"
    # One value of a section from the environment leaves the others to the file.
    assert (settings.lifecycle.p1_days, settings.lifecycle.p2_days) == (20, 5)
    assert settings.replaced(timezone="Asia/Tokyo").timezone == "Asia/Tokyo"
    assert settings.timezone == "Europe/Paris"


def test_the_home_comes_from_the_argument_else_the_environment_else_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_settings().home == tmp_path / ".sunrise"
    monkeypatch.setenv("SUNRISE_HOME", str(tmp_path / "from-env"))
    assert load_settings().home == tmp_path / "from-env"
    assert load_settings("~/mine").home == tmp_path / "mine"
    monkeypatch.chdir(tmp_path)
    assert load_settings("here").home == tmp_path / "here"


def test_the_home_of_the_file_is_no_setting(tmp_path: Path) -> None:
    toml(tmp_path, 'home = "/somewhere/else"\n')
    assert load_settings(tmp_path).home == tmp_path


def test_lists_are_read_from_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toml(tmp_path, '[notify]\nurls = ["json://a"]\n[schedules]\ngrade = "0 1 * * *"\n')
    settings = load_settings(tmp_path)
    assert (settings.notify.urls, settings.schedules) == (("json://a",), {"grade": "0 1 * * *"})
    monkeypatch.setenv("SUNRISE_NOTIFY__URLS", '["json://b", "json://c"]')
    assert load_settings(tmp_path).notify.urls == ("json://b", "json://c")


def test_the_memories_may_be_elsewhere(tmp_path: Path) -> None:
    toml(tmp_path, '[memories]\nuri = "/gateway/lancedb"\n')
    assert load_settings(tmp_path).memories_uri == "/gateway/lancedb"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("colour = 1\n", "colour: Extra inputs are not permitted"),
        ("[grade]\nscorer = 'oracle'\n", "grade.scorer: Input should be"),
        ("[grade]\nscore = 'off'\n", "grade.score: Extra inputs"),
        ("timezone = 'Mars/Olympus'\n", "no such time zone: 'Mars/Olympus'"),
        ("timezone = '../etc/passwd'\n", "no such time zone"),
        ("timezone = ''\n", "timezone"),
        ("[lifecycle]\np1_days = 0\n", "lifecycle.p1_days"),
        ("[lifecycle]\np1_days = 'many'\n", "lifecycle.p1_days"),
        ("[prefect]\nport = 70000\n", "prefect.port"),
        ("lifecycle = 7\n", "lifecycle"),
        ("[harvest]\nspool_highest_origin = 'system'\n", "harvest.spool_highest_origin"),
        ("[[sources]]\nkind = 'markdown'\npath = 'a'\nhighest_origin = 'operator'\n", "of the kind capture"),
    ],
)
def test_what_cannot_be_is_named(text: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="settings are not valid") as error:
        load_settings(toml(tmp_path, text))
    assert complaint in str(error.value)
    assert "sunrise.toml" in str(error.value)


def test_a_bad_value_of_the_environment_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUNRISE_DRIFT__WARN", "lots")
    with pytest.raises(ConfigurationError, match=r"drift\.warn"):
        load_settings(tmp_path)


def test_a_list_of_the_environment_that_is_no_json_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUNRISE_NOTIFY__URLS", "json://a")
    with pytest.raises(ConfigurationError, match="notify"):
        load_settings(tmp_path)


@pytest.mark.parametrize("content", [b"this is = = no TOML", b"\xff\xfe\x00"])
def test_a_file_that_is_no_toml_is_named(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "sunrise.toml").write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"sunrise\.toml cannot be read"):
        load_settings(tmp_path)


def test_a_folder_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "sunrise.toml").mkdir()
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_settings(tmp_path)


def test_settings_never_change(tmp_path: Path) -> None:
    toml(tmp_path, "")
    settings = load_settings(tmp_path)
    with pytest.raises(ValidationError):
        settings.timezone = "UTC"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        settings.grade.scorer = "off"  # type: ignore[misc]
    assert Settings(home=tmp_path) == settings
