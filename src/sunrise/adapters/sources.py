"""From the sources of the settings to readers: one for each file that there is at this moment."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from sunrise.adapters.capture_jsonl import CaptureFile
from sunrise.adapters.legacy_ledger import LegacyLedger
from sunrise.adapters.markdown_memories import MarkdownMemory, markdown_files
from sunrise.adapters.openclaw_agent_db import AgentDatabase
from sunrise.adapters.openclaw_home import CAPTURE, SESSIONS, TRANSCRIPTS, WORKSPACE, discover
from sunrise.adapters.openclaw_transcripts import transcript_files
from sunrise.adapters.spool_files import came_by_http, is_stamped, spool_files
from sunrise.domain.capture_origin import UNSTAMPED, ClaimLimits
from sunrise.domain.records import SourcePosition
from sunrise.domain.scope_policy import UNCHECKED, ScopePolicy
from sunrise.errors import StoreError
from sunrise.ports import CapturedBatch, ObservationSource
from sunrise.settings import Settings, SourceKind, SourceSettings

Build = Callable[[Path, tzinfo], Iterator[ObservationSource]]


def readers(settings: Settings, *, scopes: ScopePolicy = UNCHECKED) -> list[ObservationSource]:
    """
    Return a reader for each file of the spool and of the sources; one that two name is read once.

    What a captured line calls its scope is put in order, or the line refused, as *scopes* say.
    """
    found: dict[str, ObservationSource] = {}
    limits = ClaimLimits(settings.harvest.spool_highest_origin, scopes=scopes)
    for path in spool_files(settings.home):
        reader = _capture(path, settings.zone, limits, settings.home) if _may_open(path) else _NoFile(path)
        found[reader.name] = reader
    for source in settings.sources:
        for reader in readers_of(source, settings, scopes=scopes):
            found.setdefault(reader.name, reader)
    return list(found.values())


def readers_of(
    source: SourceSettings, settings: Settings, *, scopes: ScopePolicy = UNCHECKED
) -> list[ObservationSource]:
    """Return a reader for each file that one source of the settings stands for."""
    zone = ZoneInfo(source.timezone) if source.timezone else settings.zone
    limits = ClaimLimits(source.highest_origin, scopes=scopes)
    found: list[ObservationSource] = []
    for path in paths_of(source, settings):
        if not _may_open(path):
            found.append(_NoFile(path))
        elif source.kind == "capture":
            found.append(_capture(path, zone, limits, settings.home))
        elif source.kind == "openclaw":
            found.extend(_openclaw(path, zone, scopes))
        else:
            found.extend(_BUILD[source.kind](path, zone))
    return found


def paths_of(source: SourceSettings, settings: Settings) -> list[Path]:
    """Return what a source names and is there; a relative path starts at the home."""
    whole = settings.home / Path(source.path).expanduser()
    if not glob.has_magic(str(whole)):
        return [whole] if whole.exists() else []
    return sorted(Path(name) for name in glob.iglob(str(whole), recursive=True))  # noqa: PTH207  any root


@dataclass(frozen=True, slots=True)
class _NoFile:
    """What is named as a source and must not be opened: a pipe would keep us waiting for ever."""

    path: Path

    @property
    def name(self) -> str:
        return os.fsencode(self.path).decode("utf-8", "backslashreplace")

    def batches(
        self,
        position: SourcePosition | None,  # noqa: ARG002  the port's
        *,
        now_ms: int,  # noqa: ARG002
        batch_lines: int,  # noqa: ARG002
    ) -> Iterator[CapturedBatch]:
        raise StoreError("it is neither a file nor a folder, or its name is no UTF-8")


def _may_open(path: Path) -> bool:
    try:
        os.fspath(path).encode()
    except UnicodeEncodeError:
        return False
    # What is not there, or turns in a circle, is told of by who opens it.
    return path.is_file() or path.is_dir() or not path.exists()


def _capture(path: Path, zone: tzinfo, limits: ClaimLimits, home: Path) -> ObservationSource:
    """Return the reader of a capture; what came by HTTP is read as such, whatever the settings say of it."""
    if not came_by_http(home, path):
        return CaptureFile(path, zone=zone, limits=limits)
    return CaptureFile(path, zone=zone, limits=None if is_stamped(home, path) else UNSTAMPED)


def _transcripts(path: Path, zone: tzinfo) -> Iterator[ObservationSource]:
    yield from transcript_files(path, zone=zone)


def _agent_database(path: Path, zone: tzinfo) -> Iterator[ObservationSource]:
    yield AgentDatabase(path, zone=zone)


def _markdown(path: Path, zone: tzinfo) -> Iterator[ObservationSource]:
    files = markdown_files(path) if path.is_dir() else (path,)
    for file in files:
        yield MarkdownMemory(file, zone=zone)


def _legacy(path: Path, zone: tzinfo) -> Iterator[ObservationSource]:
    yield LegacyLedger(path, zone=zone)


def _openclaw(path: Path, zone: tzinfo, scopes: ScopePolicy) -> Iterator[ObservationSource]:
    # Looked at anew each time: an agent that joins later is found without a word from anyone.
    for found in discover(path):
        if found.kind == CAPTURE:
            yield CaptureFile(found.path, zone=zone, limits=ClaimLimits(scopes=scopes))
        elif found.kind in _FOUND:
            yield from _FOUND[found.kind](found.path, zone)


_FOUND: Mapping[str, Build] = {
    SESSIONS: _transcripts,
    TRANSCRIPTS: _agent_database,
    WORKSPACE: _markdown,
}
_BUILD: Mapping[SourceKind, Build] = {
    "transcripts": _transcripts,
    "agent-database": _agent_database,
    "markdown": _markdown,
    "legacy-ledger": _legacy,
}
