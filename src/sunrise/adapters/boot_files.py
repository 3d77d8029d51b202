"""The files that an agent reads at each start: what restates them is nothing new."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sunrise.adapters.markdown_memories import MarkdownMemory
from sunrise.adapters.openclaw_home import WORKSPACE, discover
from sunrise.adapters.sources import paths_of, readers
from sunrise.settings import Settings

BOOT_FILES = (
    "AGENTS.md",
    "BOOT.md",
    "BOOTSTRAP.md",
    "HEARTBEAT.md",
    "IDENTITY.md",
    "MEMORY.md",
    "SOUL.md",
    "TOOLS.md",
    "USER.md",
)
"""What OpenClaw puts into a session's first prompt."""

MAX_BYTES = 256 * 1024
"""A longer file is read up to here: no prompt takes more."""


def boot_texts(settings: Settings, *, named: Iterable[Path], with_memories: bool = True) -> tuple[str, ...]:
    """
    Return the boot files of the sources' workspaces, and those named; what cannot be read is left out.

    ``with_memories=False`` leaves out the files from which notes are harvested, such as ``MEMORY.md``: a note
    must not be compared with the file that it stands in.
    """
    paths = dict.fromkeys(named)
    for source in settings.sources:
        for place in paths_of(source, settings):
            for workspace in _workspaces(source.kind, place):
                paths.update(dict.fromkeys(workspace / name for name in BOOT_FILES))
    if not with_memories:
        memories = {one.path.resolve() for one in readers(settings) if isinstance(one, MarkdownMemory)}
        paths = {path: None for path in paths if path.resolve() not in memories}
    return tuple(text for text in map(_read, sorted(paths)) if text.strip())


def _workspaces(kind: str, place: Path) -> list[Path]:
    if kind == "openclaw":
        return [found.path for found in discover(place) if found.kind == WORKSPACE]
    return [place] if kind == "markdown" and place.is_dir() else []


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
