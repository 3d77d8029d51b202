"""Finds the home of an OpenClaw gateway and what in it can be read; it only looks and makes nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sunrise.adapters.markdown_memories import markdown_files

CAPTURE, SESSIONS, TRANSCRIPTS = "capture", "sessions", "transcripts"
WORKSPACE, MEMORIES = "workspace", "memories"

# In its strings nothing is a comment, so those are matched first.
_JSON5_EXTRAS = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)


@dataclass(frozen=True, slots=True)
class FoundSource:
    """
    Something in an OpenClaw home that can be read.

    ``kind`` is ``capture`` (a file of JSON lines), ``sessions`` (a folder of transcripts as JSON lines),
    ``transcripts`` (an agent's SQLite file), ``workspace`` (a folder with Markdown memories) or ``memories``
    (the LanceDB directory).
    """

    kind: str
    path: Path


def find_openclaw_home(environ: Mapping[str, str]) -> Path | None:
    """
    Return the state folder of the gateway as its own environment variables name it, or None.

    ``OPENCLAW_STATE_DIR`` is the folder itself, ``OPENCLAW_HOME`` and the user's home hold it as
    ``.openclaw``. A named folder that is not there is not replaced by the next.
    """
    if named := environ.get("OPENCLAW_STATE_DIR", "").strip():
        home = Path(named).expanduser()
    elif named := environ.get("OPENCLAW_HOME", "").strip():
        home = Path(named).expanduser() / ".openclaw"
    else:
        own = environ.get("HOME") or environ.get("USERPROFILE")
        home = (Path(own) if own else Path.home()) / ".openclaw"
    return home if home.is_dir() else None


def discover(home: Path) -> tuple[FoundSource, ...]:
    """Return what can be read in an OpenClaw home, by kind and path; nothing that is not there."""
    config = _config(home)
    found = [
        *_capture(home, config),
        *(FoundSource(SESSIONS, path) for path in _agents(home, "sessions") if path.is_dir()),
        *(FoundSource(TRANSCRIPTS, path) for path in _agents(home, "agent/openclaw-agent.sqlite")),
        *_workspaces(home, config),
        *_memories(home, config),
    ]
    return tuple(dict.fromkeys(found))


def _capture(home: Path, config: Mapping[str, Any]) -> Iterator[FoundSource]:
    named = _at(config, "plugins", "entries", "openclaw-mem", "config", "outputPath")
    for path in (home / "memory/openclaw-mem-observations.jsonl", _path(named, home)):
        if path is not None and path.is_file():
            yield FoundSource(CAPTURE, path)


def _agents(home: Path, inner: str) -> list[Path]:
    return sorted(home.glob(f"agents/*/{inner}"))


def _workspaces(home: Path, config: Mapping[str, Any]) -> Iterator[FoundSource]:
    named = _path(_at(config, "agents", "defaults", "workspace"), home)
    listed = _at(config, "agents", "list")
    agents = listed if isinstance(listed, list) else []
    own = (_path(_at(agent, "workspace"), home) for agent in agents)
    for path in (named or home / "workspace", *own):
        if path is not None and markdown_files(path):
            yield FoundSource(WORKSPACE, path)


def _memories(home: Path, config: Mapping[str, Any]) -> Iterator[FoundSource]:
    named = _at(config, "plugins", "entries", "memory-lancedb", "config", "dbPath")
    path = home / "memory/lancedb" if named is None else _path(named, home)
    if path is not None and path.is_dir():
        yield FoundSource(MEMORIES, path)


def _config(home: Path) -> Mapping[str, Any]:
    """Return ``openclaw.json``, comments and trailing commas allowed; empty where it cannot be read."""
    try:
        text = (home / "openclaw.json").read_text(encoding="utf-8-sig")
        config = json.loads(_JSON5_EXTRAS.sub(lambda match: match[1] or "", text))
    except (OSError, ValueError):
        return {}
    return config if isinstance(config, dict) else {}


def _at(config: object, *names: str) -> object:
    for name in names:
        config = config.get(name) if isinstance(config, dict) else None
    return config


def _path(value: object, home: Path) -> Path | None:
    # A place on the network is not one to look at here.
    if not isinstance(value, str) or not value.strip() or "://" in value:
        return None
    return home / Path(value.strip()).expanduser()
