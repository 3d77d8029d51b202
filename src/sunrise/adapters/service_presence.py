"""Whether a service answers for a home, and where. Quick to load: a hook asks this at each turn."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sunrise.adapters.private_files import read_private, write_private
from sunrise.errors import BusyError, ConfigurationError

PRESENCE_FILE = "serve.json"
LOCK_FILE = "serve.lock"

_PATIENCE_S = 1.0
"""A client that looks holds the lock for a moment; another service holds it for good."""


class Presence(NamedTuple):
    """Where a running service listens, and which process it is. A tuple: that is the quickest to import."""

    host: str
    port: int
    pid: int
    version: str


@contextmanager
def only_service(home: Path) -> Iterator[None]:
    """
    Be the only service of a home for the time of a block. The system ends it when the process dies.

    Raises:
        BusyError: Another one is running.
    """
    file = os.open(home / LOCK_FILE, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        deadline = time.monotonic() + _PATIENCE_S
        while not _try_lock(file, shared=False):
            if time.monotonic() > deadline:
                raise BusyError(f"another service runs on {home}", holder="serve")
            time.sleep(0.01)
        # What a killed one left says where it was, and would be taken for ours until we say where we are.
        (home / PRESENCE_FILE).unlink(missing_ok=True)
        try:
            yield
        finally:
            (home / PRESENCE_FILE).unlink(missing_ok=True)
    finally:
        os.close(file)


def announce(home: Path, presence: Presence) -> None:
    """Say where this service listens; to be called inside :func:`only_service`."""
    write_private(home / PRESENCE_FILE, json.dumps(presence._asdict()) + "\n")


def running_service(home: Path) -> Presence | None:
    """
    Return where the service of a home listens, or None where none is running.

    What a killed service left behind is not believed: its port may be another program's by now.
    """
    try:
        text = read_private(home / PRESENCE_FILE)
        if text is None or not _is_held(home / LOCK_FILE):
            return None
        found = Presence(**json.loads(text))
        return found if _lives(found.pid) else None
    except (ConfigurationError, OSError, ValueError, TypeError):
        return None


def _lives(pid: int) -> bool:
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _is_held(path: Path) -> bool:
    file = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    try:
        return sys.platform == "win32" or not _try_lock(file, shared=True)
    finally:
        os.close(file)


def _try_lock(file: int, *, shared: bool) -> bool:
    if sys.platform == "win32":
        return True
    from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock  # noqa: PLC0415  Windows has none

    try:
        flock(file, (LOCK_SH if shared else LOCK_EX) | LOCK_NB)
    except BlockingIOError:
        return False
    return True
