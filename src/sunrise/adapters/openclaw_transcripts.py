"""Reads transcripts of OpenClaw up to mid-2026: JSON lines, one file a session, rotated on a reset."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from sunrise.adapters.episode_frames import (
    EPISODE_SCHEMA,
    OBSERVATION_SCHEMA,
    EventGathering,
    TranscriptBatch,
)
from sunrise.adapters.jsonl_lines import (
    MAX_LINE_BYTES,
    JsonLines,
    opened,
    parse_object,
)
from sunrise.domain.records import SourcePosition
from sunrise.domain.sessions import Session, session_of
from sunrise.domain.times import time_of
from sunrise.errors import DataError

__all__ = [
    "EPISODE_SCHEMA",
    "OBSERVATION_SCHEMA",
    "TranscriptBatch",
    "TranscriptFile",
    "transcript_files",
]

_TRANSCRIPT = re.compile(r"(?P<id>.+?)\.jsonl(?P<reset>\.reset\..+)?")


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """
    One session's transcript as a source of observations and episodes; it is called by its path.

    ``agent_id`` stands in where the session's key is not known; left out, it is the folder's. After a reset
    the file goes on under another name and a new one begins: both are read from their start, and as rows are
    keyed by session and event, what was read before the reset adds nothing. Times that name no zone are in
    ``zone``.
    """

    path: Path
    agent_id: str | None = None
    zone: tzinfo = field(default=UTC, kw_only=True)

    @property
    def name(self) -> str:
        """What positions and quarantine rows call it."""
        return str(self.path)

    def batches(
        self, position: SourcePosition | None, *, now_ms: int, batch_lines: int
    ) -> Iterator[TranscriptBatch]:
        """
        Yield what came since ``position``, in batches; nothing when the file has not grown or is not there.

        Raises:
            StoreError: The file is there and cannot be read.
        """
        with opened(self.path, what="transcript") as file:
            if file is not None:
                yield from self._batches(file, position, now_ms=now_ms, lines=batch_lines)

    def retry(self, position: str, *, now_ms: int) -> TranscriptBatch | None:
        """
        Read one refused line again, by its byte offset; None when there is no line there any more.

        Raises:
            StoreError: The file is there and cannot be read.
        """
        with opened(self.path, what="transcript") as file:
            if file is None:
                return None
            reader = JsonLines(file, source=self.name, position=None)
            gathering = EventGathering(now_ms, reader.changed_ms, self.zone)
            session = self._session(file)
            stretch = reader.one_at(int(position), lambda event: gathering.take(event, session))
        if stretch is None:
            return None
        return gathering.close_batch(
            rejected=stretch.rejected, position=stretch.position, taken_bytes=stretch.bytes
        )

    def _batches(
        self, file: BinaryIO, position: SourcePosition | None, *, now_ms: int, lines: int
    ) -> Iterator[TranscriptBatch]:
        reader = JsonLines(file, source=self.name, position=position)
        fallback_ms = reader.last_before(self._message_time) or reader.changed_ms
        gathering = EventGathering(now_ms, fallback_ms, self.zone)
        session = self._session(file)
        for stretch in reader.stretches(lambda event: gathering.take(event, session), lines=lines):
            yield gathering.close_batch(
                rejected=stretch.rejected, position=stretch.position, taken_bytes=stretch.bytes
            )

    def _message_time(self, event: Mapping[str, Any]) -> int | None:
        message = event.get("message")
        return time_of(message, zone=self.zone) if isinstance(message, dict) else None

    def _session(self, file: BinaryIO) -> Session:
        """Return the session that the first line names. The file keeps the name of the first one it held."""
        file.seek(0)
        try:
            header = parse_object(file.readline(MAX_LINE_BYTES))
        except DataError:
            header = {}
        match = _TRANSCRIPT.fullmatch(self.path.name)
        file_id = match["id"] if match else self.path.stem
        named = header.get("id") if header.get("type") == "session" else None
        session_id = named if isinstance(named, str) and named else file_id
        keys = _session_keys(self.path.parent)
        key = keys.get(session_id) or keys.get(file_id)
        return session_of(session_id, session_key=key, agent_id=self.agent_id or _agent_of(self.path))


def transcript_files(
    sessions_dir: Path, *, agent_id: str | None = None, zone: tzinfo = UTC
) -> tuple[TranscriptFile, ...]:
    """
    Return the transcripts in an agent's ``sessions`` folder, what was rotated before what is written now.

    Trajectories, which repeat the transcripts at great length, and deleted sessions are left out. A folder
    that is not there (yet) has none.
    """
    if not sessions_dir.is_dir():
        return ()
    found = []
    for path in sessions_dir.iterdir():
        match = _TRANSCRIPT.fullmatch(path.name)
        if match and not match["id"].endswith(".trajectory") and path.is_file():
            found.append((match["id"], match["reset"] is None, path))
    return tuple(TranscriptFile(path, agent_id, zone=zone) for _, _, path in sorted(found))


def _agent_of(path: Path) -> str | None:
    *_, agents, agent, folder, _ = ("", "", "", *path.absolute().parts)
    return agent if (agents, folder) == ("agents", "sessions") else None


def _session_keys(sessions_dir: Path) -> Mapping[str, str]:
    """Return the session keys by session id and by file id, as ``sessions.json`` has them now."""
    store = sessions_dir / "sessions.json"
    try:
        stat = store.stat()
        return _read_keys(store, stat.st_mtime_ns, stat.st_size)
    except (OSError, DataError):
        # A transcript without its key is worth having; a store half written now is whole the next time.
        return {}


@lru_cache(maxsize=16)
def _read_keys(store: Path, _mtime_ns: int, _size: int) -> Mapping[str, str]:
    # With prompts and skills in it a store is megabytes, and every transcript of the folder asks for it.
    by_id: dict[str, str] = {}
    by_file: dict[str, str] = {}
    for key, entry in parse_object(store.read_bytes()).items():
        if not isinstance(entry, dict):
            continue
        if isinstance(entry.get("sessionId"), str):
            by_id[entry["sessionId"]] = key
        if isinstance(entry.get("sessionFile"), str):
            by_file[Path(entry["sessionFile"]).name.removesuffix(".jsonl")] = key
    return {**by_file, **by_id}
