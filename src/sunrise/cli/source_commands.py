"""What the commands of sources and of the quarantine do."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn, get_args

import typer
from pydantic import ValidationError

from sunrise import rooms
from sunrise.adapters.openclaw_home import MEMORIES, discover, find_openclaw_home
from sunrise.bootstrap import open_home
from sunrise.cli.config_file import render_source
from sunrise.cli.exit_codes import ExitCode
from sunrise.cli.output import say
from sunrise.cli.tables import table
from sunrise.domain.records import Quarantined, QuarantineState
from sunrise.errors import ConfigurationError
from sunrise.settings import CONFIG_FILE, SourceKind, SourceSettings, load_settings

AUTO = "auto"


def add_source(home: str | None, kind: str, path: str | None, *, timezone: str | None, as_json: bool) -> None:
    """Write a source into the home's config; one that stands there already stays alone."""
    settings = load_settings(home)
    if kind == AUTO and (path is not None or timezone is not None):
        raise typer.BadParameter(f"{AUTO} finds the OpenClaw home itself: it takes no path and no --timezone")
    source = _found() if kind == AUTO else _named(kind, path, timezone)
    known = source in settings.sources
    if not known:
        _append(settings.home / CONFIG_FILE, render_source(source))
    lines = [f"{'known' if known else 'added'}  {source.kind} {source.path}"]
    if source.kind == "openclaw":
        lines += [f"finds  {found.kind} {found.path}" for found in discover(Path(source.path))]
        lines += _hint_at_memories(source, uri=settings.memories.uri)
    say({"source": source.model_dump(), "added": not known}, "\n".join(lines), as_json=as_json)


def list_sources(home: str | None, *, as_json: bool) -> None:
    """Print the sources of the settings and the files that each stands for now."""
    settings = load_settings(home)
    with open_home(settings) as place:
        standings = rooms.load("tasks.source_survey:standings")(place)
    rows = [[one.source, one.file, str(one.bytes_read), one.read_up_to] for one in standings]
    text = table(rows, header=["source", "file", "bytes read", "of"]) if rows else "nothing to read"
    say({"sources": [asdict(one) for one in standings]}, text, as_json=as_json)


def try_sources(home: str | None, *, lines: int, as_json: bool) -> NoReturn:
    """Read the beginning of what is new in each source, keep nothing, and say what would come of it."""
    settings = load_settings(home)
    with open_home(settings) as place:
        trials = rooms.load("tasks.source_survey:trials")(place, lines=lines)
        absent = place.missing_sources()
    rows = [
        [one.file, str(one.seen), str(one.new), str(one.episodes), str(one.refused), one.problem]
        for one in trials
    ]
    rows += [[one, "0", "0", "0", "0", "is not there"] for one in absent]
    text = table(rows, header=["file", "seen", "new", "episodes", "refused", "problem"])
    say({"sources": [asdict(one) for one in trials], "missing": absent}, text, as_json=as_json)
    ill = absent or any(one.problem for one in trials)
    raise SystemExit(ExitCode.ANOMALY if ill else ExitCode.OK)


def list_quarantine(home: str | None, *, every: bool, limit: int, as_json: bool) -> None:
    """Print refused rows: those that wait, or every one."""
    settings = load_settings(home)
    state = None if every else QuarantineState.WAITING
    with open_home(settings) as place:
        found = place.ledger.quarantined(state=state, limit=limit)
    rows = [
        [str(one.id), one.state, one.reason, str(one.line or "-"), one.position, one.source] for one in found
    ]
    header = ["id", "state", "reason", "line", "position", "source"]
    text = table(rows, header=header) if rows else "nothing is in quarantine"
    say({"quarantine": [asdict(one) for one in found]}, text, as_json=as_json)


def show_quarantine(home: str | None, row_id: int, *, as_json: bool) -> None:
    """Print one refused row with its redacted sample."""
    settings = load_settings(home)
    with open_home(settings) as place:
        row = place.ledger.quarantined_row(row_id)
    if row is None:
        raise typer.BadParameter(f"nothing in quarantine has the id {row_id}")
    text = "\n".join(f"{name:<9} {value}" for name, value in asdict(row).items())
    say(asdict(row), text, as_json=as_json)


def retry_quarantine(home: str | None, row_ids: list[int], *, as_json: bool) -> None:
    """Read refused rows again, all that wait if none is named."""
    settings = load_settings(home)
    with open_home(settings) as place:
        _known(place.ledger.quarantined_row(row_id) for row_id in row_ids)
        done = rooms.load("tasks.harvest:retry_quarantined")(place, row_ids or None)
        again = rooms.load("tasks.import_again:retry_imports")(place, row_ids or None)
        waiting = len(place.ledger.quarantined(state=QuarantineState.WAITING, limit=1_000_000))
    data = {
        "resolved": done.resolved + again.resolved,
        "inserted": done.inserted,
        "imported": again.counts["imported"],
        "duplicate": done.duplicate + again.counts["duplicate"],
    }
    parts = ", ".join(f"{name} {data[name]}" for name in ("inserted", "imported", "duplicate"))
    text = f"resolved {data['resolved']} ({parts}), {waiting} wait"
    say({**data, "waiting": waiting}, text, as_json=as_json)


def drop_quarantine(home: str | None, row_ids: list[int], *, as_json: bool) -> None:
    """Close refused rows for good; they stay to be read."""
    settings = load_settings(home)
    with open_home(settings) as place:
        _known(place.ledger.quarantined_row(row_id) for row_id in row_ids)
        dropped = place.ledger.close_quarantined(row_ids, state=QuarantineState.DROPPED)
    say({"dropped": dropped}, f"dropped {dropped}", as_json=as_json)


def _known(rows: Any) -> list[Quarantined]:
    found = list(rows)
    if None in found:
        raise typer.BadParameter("nothing in quarantine has one of these ids")
    return found


def _named(kind: str, path: str | None, timezone: str | None) -> SourceSettings:
    kinds: tuple[SourceKind, ...] = get_args(SourceKind)
    if kind not in kinds:
        raise typer.BadParameter(f"no such kind of source: {kind!r}; there are {', '.join((AUTO, *kinds))}")
    if path is None:
        raise typer.BadParameter(f"a source of kind {kind} needs a path")
    whole = str(Path(path).expanduser().absolute())
    try:
        return SourceSettings(kind=kind, path=whole, timezone=timezone)
    except ValidationError as error:
        # The kind was checked, and a path may be any text.
        raise typer.BadParameter(
            f"no such time zone: {timezone!r}; it takes a name such as Asia/Taipei, Europe/Berlin or UTC"
        ) from error


def _found() -> SourceSettings:
    home = find_openclaw_home(os.environ)
    if home is None:
        msg = "no OpenClaw home was found: name it with `sunrise sources add openclaw DIR`"
        raise ConfigurationError(msg)
    return SourceSettings(kind="openclaw", path=str(home))


def _hint_at_memories(source: SourceSettings, *, uri: str) -> list[str]:
    tables = [found.path for found in discover(Path(source.path)) if found.kind == MEMORIES]
    if uri or not tables:
        return []
    return [f"hint   set [memories] uri = {json.dumps(str(tables[0]))} to govern the agent's own memories"]


def _append(config: Path, text: str) -> None:
    if not config.is_file():
        msg = f"there is no {config}: make the home with `sunrise init` first"
        raise ConfigurationError(msg)
    partial = config.with_name(f".{config.name}.partial")
    try:
        partial.write_text(config.read_text(encoding="utf-8").rstrip("\n") + "\n" + text, encoding="utf-8")
        partial.replace(config)
    except OSError as error:
        msg = f"{config} cannot be written: {error}"
        raise ConfigurationError(msg) from error
