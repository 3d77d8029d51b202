"""Reads the Markdown files in which an agent and its owner keep memories, as observations."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any

from sunrise.adapters.arrow_rows import table_of
from sunrise.adapters.capture_jsonl import CAPTURE_SCHEMA, CaptureBatch
from sunrise.adapters.jsonl_lines import dump_json
from sunrise.domain.capture import CaptureRow, RejectReason, capture_row
from sunrise.domain.capture_origin import OF_THE_READER
from sunrise.domain.memory_notes import MemoryNote, note_key, split_notes
from sunrise.domain.memory_sessions import SessionNotes, file_moment, read_session
from sunrise.domain.records import Rejected, SourcePosition
from sunrise.domain.secrets import redact
from sunrise.domain.text.cleaning import clean
from sunrise.errors import DataError, StoreError

MAX_FILE_BYTES = 16 * 1024 * 1024
"""No memory file comes near; a larger one is something else under such a name."""

LASTING_FILES = ("MEMORY.md", "USER.md")
"""What the owner answers for: long-term memory and the owner's own page."""

_DATED = re.compile(r"\d{4}-\d{2}-\d{2}(?:-.+)?\.md")
_LINK = re.compile(r"\]\(((?![A-Z_-]+\.md)[\w.-]+\.md)\)")
_SCOPE = re.compile(r"[a-z0-9][a-z0-9._:/-]*")
# Goes up when the reading changes: then every file is read once more, and keys keep it from doubling.
_READER = "markdown2"
_HALFWAY = f"{_READER}:halfway"


def markdown_files(workspace: Path) -> tuple[Path, ...]:
    """
    Return the memory files of a workspace: ``MEMORY.md``, ``USER.md`` and the dated files of ``memory/``.

    Where ``MEMORY.md`` is an index, as Claude Code keeps it, the files beside it that it links to and that
    begin with front matter are memories too. ``DREAMS.md``, imports and other notes are no memories of what
    happened and are left out, and so are files with names in capitals, such as ``AGENTS.md``.
    """
    lasting = [workspace / name for name in LASTING_FILES]
    dated = sorted(path for path in (workspace / "memory").glob("*.md") if _DATED.fullmatch(path.name))
    return tuple(path for path in (*lasting, *_linked(workspace), *dated) if path.is_file())


def _linked(workspace: Path) -> list[Path]:
    index = _beginning(workspace / LASTING_FILES[0], MAX_FILE_BYTES).decode("utf-8", "replace")
    paths = [workspace / name for name in dict.fromkeys(_LINK.findall(index))]
    return [path for path in paths if _beginning(path, 4).startswith(b"---")]


def _beginning(path: Path, size: int) -> bytes:
    """Return the first bytes of a regular file, none where it cannot be read: its reader says why."""
    if not path.is_file():
        return b""
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError:
        return b""


@dataclass(frozen=True, slots=True)
class MarkdownMemory:
    """
    One Markdown memory file as a source of observations; it is called by its path.

    Each bullet or paragraph is one, known by its file, headings and text: an edited bullet adds one row, a
    moved one none, unless it moves below another heading. ``zone`` is the owner's time zone, and
    ``agent_id`` the agent whose workspace this is, where several agents have one.

    What ``MEMORY.md`` and ``USER.md`` say is the owner's and trusted. Daily notes are the agent's own
    (``agent``). Files of the session-memory hook give the user's turns as the operator's words. They are
    trusted only where nobody else speaks in the session and every turn is quoted, because a raw reply can
    pose as a turn of the user. What only looks like a person, a cron job for one, is ``system``.
    """

    path: Path
    zone: tzinfo = field(default=UTC, kw_only=True)
    agent_id: str | None = field(default=None, kw_only=True)

    @property
    def name(self) -> str:
        """What positions and quarantine rows call it."""
        return str(self.path)

    @property
    def relative(self) -> str:
        """Its path within the workspace, with slashes."""
        name = self.path.name
        return f"memory/{name}" if _DATED.fullmatch(name) else name

    def batches(
        self, position: SourcePosition | None, *, now_ms: int, batch_lines: int
    ) -> Iterator[CaptureBatch]:
        """
        Yield the observations of the file, all of them when anything in it changed, else nothing.

        A file that is gone yields nothing.

        Raises:
            StoreError: The file is there and cannot be read, or is too large to be a memory file.
        """
        try:
            with self.path.open("rb") as file:
                stat = os.fstat(file.fileno())
                raw = file.read(MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"cannot read the memory file {self.path}: {error}") from error
        if len(raw) > MAX_FILE_BYTES:
            raise StoreError(f"{self.path} is larger than {MAX_FILE_BYTES} bytes: no memory file")
        fingerprint = f"{_READER}:{len(raw)}:{hashlib.sha256(raw).hexdigest()}"
        if position is not None and position.fingerprint == fingerprint:
            return
        yield from self._batches(raw, stat, fingerprint=fingerprint, now_ms=now_ms, lines=max(1, batch_lines))

    def _batches(
        self, raw: bytes, stat: os.stat_result, *, fingerprint: str, now_ms: int, lines: int
    ) -> Iterator[CaptureBatch]:
        page = _Page(self, _decoded(raw), mtime_ms=int(stat.st_mtime * 1000), now_ms=now_ms)
        # One more than none: a file without notes still has a position to keep.
        for start in range(0, max(1, len(page.notes)), lines):
            last = start + lines >= len(page.notes)
            # Until the last batch is kept nothing says that the file was read.
            position = SourcePosition(
                source=self.name,
                device=stat.st_dev,
                inode=stat.st_ino,
                offset=len(raw) if last else 0,
                line=raw.count(b"\n") if last else 0,
                fingerprint=fingerprint if last else _HALFWAY,
            )
            notes = page.notes[start : start + lines]
            yield page.batch(notes, position=position, size=len(raw) if last else 0)


class _Page:
    """A memory file that was read, and how its notes become rows."""

    def __init__(self, memory: MarkdownMemory, text: str, *, mtime_ms: int, now_ms: int) -> None:
        self.memory = memory
        self.now_ms = now_ms
        self.mtime_ms = mtime_ms
        self.session: SessionNotes | None = read_session(text, zone=memory.zone)
        self.notes = self.session.turns if self.session else split_notes(text)
        started = self.session.started if self.session else None
        self.moment = started or file_moment(memory.path.name, zone=memory.zone)

    def batch(self, notes: tuple[MemoryNote, ...], *, position: SourcePosition, size: int) -> CaptureBatch:
        rows: list[CaptureRow] = []
        rejected: list[Rejected] = []
        redacted = 0
        for note in notes:
            key = note_key(note, path=self.memory.relative, owner=self.memory.agent_id)
            try:
                row, had_secret = self._row(note)
            except DataError as error:
                sample = redact(clean(note.text[:4000])).text[:500]
                rejected.append(Rejected(self.memory.name, key, error.reason, sample, note.line))
                continue
            rows.append(row._replace(key=key))
            redacted += had_secret
        return CaptureBatch(
            rows=table_of(rows, CAPTURE_SCHEMA),
            rejected=tuple(rejected),
            position=position,
            seen=len(notes),
            redacted=redacted,
            bytes=size,
        )

    def _row(self, note: MemoryNote) -> tuple[CaptureRow, bool]:
        if any("\udc80" <= character <= "\udcff" for character in note.text):
            raise DataError("not UTF-8", reason=RejectReason.INVALID_UTF8)
        moment = note.at or self.moment
        record = {
            "ts": None if moment is None else round(moment.timestamp() * 1000),
            "kind": "fact" if self._is_lasting() else "note",
            "summary": note.text,
            "detail": self._detail(note),
            "scope": note.project if note.project and _SCOPE.fullmatch(note.project) else None,
            "session_key": self.session.session_key if self.session else None,
            "agent_id": self.memory.agent_id or self._session_agent(),
            "source_kind": self._source_kind(),
            "source_ref": f"{self.memory.relative}#L{note.line}",
        }
        row, redacted = capture_row(
            record,
            dumps=dump_json,
            fallback_ms=self.mtime_ms,
            now_ms=self.now_ms,
            limits=OF_THE_READER,
        )
        # Words that look like the owner's and cannot be proven to be are not trusted for their looks.
        return row if self._is_trusted() else row._replace(trust_tier=None), redacted

    def _source_kind(self) -> str:
        if self._is_operators():
            return "operator"
        return "system" if self.session else "agent"

    def _detail(self, note: MemoryNote) -> dict[str, Any]:
        detail: dict[str, Any] = {"file": self.memory.relative}
        if self._is_trusted():
            detail["trust"] = "trusted"
        if note.importance is not None:
            detail["importance"] = {"score": note.importance, "method": "operator"}
        said = {
            "heading": list(note.heading),
            "under": note.under,
            "trigger": list(note.triggers),
            "project": note.project,
            "session_id": self.session.session_id if self.session else None,
        }
        return detail | {name: value for name, value in said.items() if value}

    def _is_lasting(self) -> bool:
        return self.memory.relative in LASTING_FILES

    def _is_operators(self) -> bool:
        return not self.session.automated if self.session else self._is_lasting()

    def _is_trusted(self) -> bool:
        proven = self.session is None or (self.session.sealed and not self.session.shared)
        return proven and self._is_operators()

    def _session_agent(self) -> str | None:
        parts = (self.session.session_key or "").split(":") if self.session else []
        return parts[1] if len(parts) > 1 and parts[0] == "agent" else None


def _decoded(raw: bytes) -> str:
    # Editors of Windows write UTF-16; a broken byte elsewhere costs its own note, not the file.
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", "replace").replace("\r\n", "\n")
    return raw.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
