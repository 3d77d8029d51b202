"""Appends events to spool files that several processes write and a harvest reads."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

from sunrise.adapters.clock import SystemClock
from sunrise.adapters.jsonl_lines import dump_json
from sunrise.domain.capture import RejectReason
from sunrise.domain.secret_fields import may_hold_secrets, without_secrets
from sunrise.errors import DataError, StoreError
from sunrise.ports import Clock

MAX_BYTES = 64 * 1024 * 1024
LOCK_TIMEOUT_S = 30.0
"""How long a writer waits for the others; each holds the lock for one write."""

_HAS_FLOCK = find_spec("fcntl") is not None
_STEP = 64 * 1024
_BINARY = getattr(os, "O_BINARY", 0)


class SpoolWriter:
    """
    Writes events as JSON lines to ``<stem>.jsonl`` in a folder, and starts a new file when one is full.

    Only these writers may write to the file: they take turns by a lock, so lines never mix, and what a killed
    one left unfinished is cut off by the next. A full file is renamed to ``<stem>.<UTC stamp>-<n>.jsonl`` and
    never overwrites another.

    What holds for readers of ``*.jsonl``: a renamed file has a new name and therefore no position, so it is
    read once more from its start; the ids of its events keep them from being taken twice. Only lines that a
    reader refuses are noted again under the new name. The fresh file is another inode than the one that its
    name's position speaks of, so it too is read from its start.
    """

    def __init__(
        self,
        folder: Path,
        *,
        stem: str = "events",
        max_bytes: int = MAX_BYTES,
        clock: Clock | None = None,
    ) -> None:
        self.folder = folder
        self.path = folder / f"{stem}.jsonl"
        self._stem = stem
        self._lock = folder / f".{stem}.lock"
        self._max_bytes = max_bytes
        self._clock = clock or SystemClock()

    def append(
        self, events: Sequence[Mapping[str, Any]], *, stamps: Sequence[Mapping[str, Any]] | None = None
    ) -> tuple[str, ...]:
        """
        Write events, all or none, and return their ids once they are safe on the disk.

        An event without ``event_id`` or ``ts`` gets them. A caller that may send an event twice gives it an
        ``event_id`` of its own: by it the event is taken once. With ``stamps``, one for each event, a line
        holds both side by side, the event inside.

        Raises:
            DataError: An event holds what JSON has no form for; nothing was written.
            StoreError: The disk is full or the folder cannot be written; nothing was left behind.
        """
        if not events:
            return ()
        made = [self._completed(event) for event in events]
        lines = made if stamps is None else map(_stamped, made, stamps)
        data = b"".join(map(_line, lines))
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with _locked(self._lock):
                self._write(data)
        except OSError as error:
            raise StoreError(f"cannot write to the spool {self.path}: {error}") from error
        return tuple(str(event["event_id"]) for event in made)

    def _completed(self, event: Mapping[str, Any]) -> dict[str, Any]:
        moment = datetime.fromtimestamp(self._clock.now_ms() / 1000, tz=UTC)
        now = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {
            **event,
            "event_id": event.get("event_id") or str(uuid4()),
            "ts": now if event.get("ts") in (None, "") else event["ts"],
        }

    def _write(self, data: bytes) -> None:
        with _opened(self.path) as file:
            size = _heal(file)
            is_new = size == 0
            if is_new or size + len(data) <= self._max_bytes:
                _append(file, data, size=size)
        if is_new:
            _sync_folder(self.folder)
        elif size + len(data) > self._max_bytes:
            self._rotate()
            self._write(data)

    def _rotate(self) -> None:
        stamp = datetime.fromtimestamp(self._clock.now_ms() / 1000, tz=UTC).strftime("%Y%m%dT%H%M%SZ")
        number = 1
        # Nobody else makes such names: the lock is ours.
        while (target := self.folder / f"{self._stem}.{stamp}-{number}.jsonl").exists():
            number += 1
        self.path.rename(target)
        _sync_folder(self.folder)


def _stamped(event: dict[str, Any], stamp: Mapping[str, Any]) -> dict[str, Any]:
    return {"stamp": dict(stamp), "event": event}


def _line(event: dict[str, Any]) -> bytes:
    try:
        line = dump_json(event)
        if may_hold_secrets(detail_text=line):
            line = dump_json(without_secrets(event))
        return line.encode() + b"\n"
    except (TypeError, ValueError) as error:
        raise DataError(f"the event is no JSON: {error}", reason=RejectReason.WRONG_TYPE) from error


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    # Events hold what people said: they are nobody else's to read.
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _BINARY, 0o600)
    try:
        yield file
    finally:
        os.close(file)


def _heal(file: int) -> int:
    """Cut off a last line that a killed writer left without its end; return the size that is left."""
    end = size = os.lseek(file, 0, os.SEEK_END)
    while end > 0:
        start = max(0, end - _STEP)
        os.lseek(file, start, os.SEEK_SET)
        newline = os.read(file, end - start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    if end < size:
        os.ftruncate(file, end)
    return end


def _append(file: int, data: bytes, *, size: int) -> None:
    try:
        written = os.write(file, data)
        # A full disk takes a part and complains when asked to take the rest.
        while written < len(data):
            written += os.write(file, data[written:])
        os.fsync(file)
    except OSError:
        os.ftruncate(file, size)
        raise


def _sync_folder(folder: Path) -> None:
    # Windows cannot open a folder, and keeps names safe by itself.
    with contextlib.suppress(PermissionError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock between processes and threads; the system gives it back when a holder dies."""
    if not _HAS_FLOCK:
        with _locked_by_file(path.with_suffix(".held")):
            yield
        return
    with _opened(path) as file:
        _wait_for(lambda: _try_lock(file), path)
        yield


def _wait_for(attempt: Callable[[], bool], path: Path) -> None:
    deadline = time.monotonic() + LOCK_TIMEOUT_S
    while not attempt():
        if time.monotonic() > deadline:
            raise StoreError(f"another writer has held {path} for more than {LOCK_TIMEOUT_S:g} s")
        time.sleep(0.002)


def _try_lock(file: int) -> bool:
    import fcntl  # noqa: PLC0415  Windows has none

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def _locked_by_file(path: Path) -> Iterator[None]:
    """Hold a lock that is the existence of a file."""
    _wait_for(lambda: _try_make(path), path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _try_make(path: Path) -> bool:
    # No write takes half the longest wait: an older lock is a dead writer's.
    with contextlib.suppress(FileNotFoundError):
        if time.time() - path.stat().st_mtime > LOCK_TIMEOUT_S / 2:
            path.unlink()
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except (FileExistsError, PermissionError):
        # Windows answers the second for a file that is just being removed.
        return False
    return True
