"""The commented ``sunrise.toml`` that init writes, made from the settings themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sunrise.domain.schedule import SCHEDULED_FLOWS
from sunrise.settings import Settings, SourceSettings

_NOT_IN_FILE = {"home", "schedules", "sources"}


def render_config(
    chosen: Mapping[str, Mapping[str, Any]] | None = None, *, sources: Sequence[SourceSettings] = ()
) -> str:
    """
    Return a ``sunrise.toml`` with every setting, its meaning and its default, commented out.

    Values of ``chosen`` (by section and name) and the sources stand uncommented.
    """
    return "\n".join(_lines(chosen or {})) + "\n" + "".join(map(render_source, sources))


def render_source(source: SourceSettings) -> str:
    """Return the lines of one source, to be put at the end of a ``sunrise.toml``."""
    values = source.model_dump(exclude_defaults=True)
    return "\n[[sources]]\n" + "".join(f"{name} = {_toml(value)}\n" for name, value in values.items())


def _lines(chosen: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield "# Settings of this sunrise home. Uncomment a line to change its default."
    yield "# SUNRISE_<SECTION>__<NAME> in the environment wins over this file; arguments win over both."
    yield ""
    for name, field in Settings.model_fields.items():
        if name not in _NOT_IN_FILE and not _is_section(field):
            yield from _setting(name, field, chosen.get("", {}))
    for name, field in Settings.model_fields.items():
        if _is_section(field):
            yield from _section(name, field, chosen.get(name, {}))
    yield from _schedules()


def _section(name: str, field: FieldInfo, chosen: Mapping[str, Any]) -> Iterator[str]:
    section: type[BaseModel] = field.annotation  # type: ignore[assignment]  # checked by _is_section
    yield ""
    yield f"# {(section.__doc__ or '').strip()}"
    yield f"[{name}]"
    for key, setting in section.model_fields.items():
        yield from _setting(key, setting, chosen)


def _setting(name: str, field: FieldInfo, chosen: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {field.description}"
    if name in chosen:
        yield f"{name} = {_toml(chosen[name])}"
    else:
        yield f"# {name} = {_toml(field.default)}"


def _schedules() -> Iterator[str]:
    yield ""
    yield "# Cron lines by flow, in the time zone above."
    yield "[schedules]"
    for flow in SCHEDULED_FLOWS:
        yield f"# {flow.purpose}"
        yield f"# {flow.name} = {_toml(flow.cron)}"


def _is_section(field: FieldInfo) -> bool:
    return isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)


def _toml(value: Any) -> str:
    # JSON's strings, numbers, booleans and arrays are TOML's too.
    if isinstance(value, Path):
        value = str(value)
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
