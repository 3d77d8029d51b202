"""Holds one `sunrise up` for each home."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sunrise.errors import BusyError


@contextmanager
def only_one(path: Path) -> Iterator[None]:
    """
    Hold a lock file that carries our process id; the system frees it however this process ends.

    Raises:
        BusyError: Another process holds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(descriptor, path)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        # The file stays: to unlink it would let two processes lock two files of one name.
        os.close(descriptor)


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
        msg = f"`sunrise up` already serves this home (process {holder}, {path})"
        raise BusyError(msg, holder=holder) from error
