"""Reference pages of the library: commands, settings, errors."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from typer import Typer
from typer.testing import CliRunner

from docs.markdown import code, page, table
from sunrise import errors
from sunrise.cli.app import app
from sunrise.cli.exit_codes import MEANINGS
from sunrise.domain.schedule import SCHEDULED_FLOWS
from sunrise.settings import DEFAULT_HOME, Settings, SourceSettings

_WIDTH = 100


def command_names() -> list[str]:
    """Return the names of all commands, those of a group as ``group command``."""
    return [
        *_names(app),
        *(f"{group.name} {name}" for group in app.registered_groups for name in _names(group.typer_instance)),
    ]


def cli_page() -> str:
    """Return the page of the command line."""
    parts = ["What each command takes, as it says itself.", code(_help())]
    for name in command_names():
        parts += [f"## sunrise {name}", code(_help(*name.split()))]
    rows = [(str(int(exit_code)), exit_code.name, meaning) for exit_code, meaning in MEANINGS.items()]
    parts += ["## Exit codes", "Every command keeps to these.", table(("code", "name", "meaning"), rows)]
    return page("Command line", *parts)


def settings_page() -> str:
    """Return the page of the settings."""
    parts = [
        _SETTINGS_INTRODUCTION,
        "## Top level",
        table(_SETTINGS_HEADER, _top_level()),
    ]
    for name, field in Settings.model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, BaseModel):
            rows = [_setting_row(f"{name}.{key}", one) for key, one in section.model_fields.items()]
            parts += [f"## [{name}]", (section.__doc__ or "").strip(), table(_SETTINGS_HEADER, rows)]
    rows = [_setting_row(f"sources.{key}", one) for key, one in SourceSettings.model_fields.items()]
    parts += [
        "## [[sources]]",
        (SourceSettings.__doc__ or "").strip()
        + " Repeat the table for each; `sunrise sources add` writes it.",
        table(_SETTINGS_HEADER, rows),
        "## [schedules]",
        "A cron line of your own in place of a built-in one. Names are flows.",
        table(
            _SETTINGS_HEADER,
            [
                (f"`schedules.{flow.name}`", "`SUNRISE_SCHEDULES` (JSON)", f"`{flow.cron}`", flow.purpose)
                for flow in SCHEDULED_FLOWS
            ],
        ),
    ]
    return page("Settings", *parts)


def errors_page() -> str:
    """Return the page of the errors."""
    drawing = inspect.cleandoc(errors.__doc__ or "").partition("::")[2]
    classes = [
        one for one in vars(errors).values() if inspect.isclass(one) and one.__module__ == errors.__name__
    ]
    rows = [(f"`{one.__name__}`", inspect.cleandoc(one.__doc__ or "").replace("``", "`")) for one in classes]
    return page(
        "Errors",
        "Every error that sunrise raises on purpose. Catch `SunriseError` at the edge of a program.",
        code(inspect.cleandoc(drawing)),
        table(("error", "when"), rows),
    )


_SETTINGS_INTRODUCTION = (
    "A value comes from an argument, else from the environment, else from `sunrise.toml` in the home, "
    "else it is the default. An unknown name in the file is an error. `sunrise init` writes the file with "
    "every setting commented out. Lists and tables in the environment are JSON."
)
_SETTINGS_HEADER = ("`sunrise.toml`", "environment", "default", "meaning")


def _top_level() -> Iterator[tuple[str, ...]]:
    for name, field in Settings.model_fields.items():
        if name == "home":
            yield "not in the file", "`SUNRISE_HOME`", f"`{DEFAULT_HOME}`", field.description or ""
        elif name != "schedules" and not isinstance(field.default, BaseModel):
            yield _setting_row(name, field)


def _setting_row(name: str, field: FieldInfo) -> tuple[str, ...]:
    environment = "SUNRISE_" + name.upper().replace(".", "__")
    default = list(field.default) if isinstance(field.default, tuple) else field.default
    if field.is_required():
        return (f"`{name}`", "", "required", field.description or "")
    text = str(default) if isinstance(default, Path) else json.dumps(default, ensure_ascii=False)
    return f"`{name}`", f"`{environment}`", f"`{text}`", field.description or ""


def _names(group: Typer | None) -> list[str]:
    commands = group.registered_commands if group else []
    names = [command.name or getattr(command.callback, "__name__", "") for command in commands]
    return [name.replace("_", "-") for name in names]


def _help(*command: str) -> str:
    runner = CliRunner(env={"COLUMNS": str(_WIDTH), "TERMINAL_WIDTH": str(_WIDTH), "NO_COLOR": "1"})
    result = runner.invoke(app, [*command, "--help"], prog_name="sunrise", terminal_width=_WIDTH)
    return "\n".join(line.rstrip() for line in result.output.strip().splitlines())
