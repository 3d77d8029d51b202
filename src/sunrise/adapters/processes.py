"""Which process holds a lease, and whether it is still alive."""

from __future__ import annotations

import os
import socket
import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """A process, told apart from a later one of the same number by when it started (epoch ms)."""

    host: str
    pid: int
    started_ms: int


def this_process() -> ProcessIdentity:
    """Return the identity of the running process."""
    pid = os.getpid()
    return ProcessIdentity(socket.gethostname(), pid, _started_ms(pid) or time.time_ns() // 1_000_000)


def is_gone(process: ProcessIdentity) -> bool:
    """
    Return whether a process of this host has surely ended.

    A process of another host is never known to be gone: its lease ends by time alone.
    """
    if process.host != socket.gethostname():
        return False
    started = _started_ms(process.pid)
    # The start time is read in clock ticks (10 ms), so two readings may differ by a tick or two.
    return started is None or abs(started - process.started_ms) > 1_000


def is_running(pid: int) -> bool:
    """
    Return whether a process of this host may be running, another of its number included.

    >>> is_running(os.getpid())
    True
    """
    if os.name != "posix":  # pragma: no cover - there a signal 0 would end the process
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _started_ms(pid: int) -> int | None:
    import psutil  # noqa: PLC0415  part of the batch extra: an agent's process never takes a lease

    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return int(process.create_time() * 1000)
    except psutil.Error:
        return None
