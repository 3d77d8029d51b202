"""Reads a big capture file in a process of its own, while this one writes what was read before."""

from __future__ import annotations

import pickle
import queue
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, tzinfo
from pathlib import Path
from typing import IO, Any, cast

from sunrise.adapters.capture_jsonl import CaptureBatch, capture_batches
from sunrise.adapters.reading_process import start
from sunrise.domain.capture_origin import LOCAL, ClaimLimits
from sunrise.domain.records import SourcePosition
from sunrise.errors import StoreError

LINES_AHEAD = 20_000
"""Lines in one batch: with more of them both processes wait longer for the first and the last one."""

AHEAD = 2
"""Batches that wait here while one is written: enough that neither side waits for long."""

_Message = CaptureBatch | Exception | None


def batches_from_process(
    path: Path,
    *,
    source: str,
    position: SourcePosition | None,
    now_ms: int,
    batch_lines: int = LINES_AHEAD,
    zone: tzinfo = UTC,
    limits: ClaimLimits | None = LOCAL,
) -> Iterator[CaptureBatch]:
    """
    Begin to read, and yield what :func:`sunrise.adapters.capture_jsonl.capture_batches` yields.

    The other process only reads: positions move with the rows, here, so that it may be killed at any time.
    It ends with this one. Where none can be started, the file is read here.

    Raises:
        StoreError: The file is there and cannot be read, or the other process died.
    """
    asked: dict[str, Any] = {
        "source": source,
        "position": position,
        "now_ms": now_ms,
        "zone": zone,
        "limits": limits,
    }
    try:
        worker = start()
    except OSError:
        return capture_batches(path, batch_lines=batch_lines, **asked)
    batches = _batches(worker, path, {**asked, "batch_lines": min(batch_lines, LINES_AHEAD)})
    # Up to its first yield: from here on it ends the process, even if nobody asks it for a batch.
    next(batches)
    return _Begun(cast("Iterator[CaptureBatch]", batches))


@dataclass(frozen=True, slots=True)
class _Begun(Iterator[CaptureBatch]):
    """Batches that are being read already; ``operator.length_hint`` says that there will be some."""

    batches: Iterator[CaptureBatch]

    def __next__(self) -> CaptureBatch:
        return next(self.batches)

    def __length_hint__(self) -> int:
        return 1


def _batches(
    worker: subprocess.Popen[bytes], path: Path, asked: Mapping[str, object]
) -> Iterator[CaptureBatch | None]:
    with _incoming(worker, {"path": str(path), **asked}) as messages:
        yield None
        while True:
            message = messages.get()
            if message is None:
                return
            if isinstance(message, EOFError):
                msg = f"cannot read the capture {path}: the process that reads it died"
                raise StoreError(msg)
            if isinstance(message, Exception):
                raise message
            yield message


@contextmanager
def _incoming(worker: subprocess.Popen[bytes], asked: object) -> Iterator[queue.Queue[_Message]]:
    """Lend the queue of what the worker says; a thread fills it, because a pipe holds no whole batch."""
    lifeline, voice = cast("IO[bytes]", worker.stdin), cast("IO[bytes]", worker.stdout)
    messages: queue.Queue[_Message] = queue.Queue(maxsize=AHEAD)
    stopped = threading.Event()
    listener = threading.Thread(target=_listen, args=(voice, messages, stopped), daemon=True)
    listener.start()
    try:
        # Where it died at once, the listener says so.
        with suppress(BrokenPipeError):
            pickle.dump(asked, lifeline)
            lifeline.flush()
        yield messages
    finally:
        stopped.set()
        worker.kill()
        while listener.is_alive():
            _drain(messages)
            listener.join(timeout=0.01)
        with suppress(BrokenPipeError):
            lifeline.close()
        voice.close()
        worker.wait()


def _listen(pipe: IO[bytes], messages: queue.Queue[_Message], stopped: threading.Event) -> None:
    try:
        while not stopped.is_set():
            message: _Message = pickle.load(pipe)  # noqa: S301  our own child wrote it
            messages.put(message)
            if not isinstance(message, CaptureBatch):
                return
    except (EOFError, pickle.UnpicklingError, OSError):
        messages.put(EOFError())


def _drain(messages: queue.Queue[_Message]) -> None:
    with suppress(queue.Empty):
        messages.get_nowait()
