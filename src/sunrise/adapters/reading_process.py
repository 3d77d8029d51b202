"""Starts the process that reads a big capture, early where it is sure to be wanted."""

from __future__ import annotations

import atexit
import os
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

from sunrise.adapters.spool_files import spool_files

MUCH_BYTES = 8 * 1024 * 1024
"""From here on it pays to read in a process of its own."""

LEDGER_FILE = "ledger.sqlite"
"""As :mod:`sunrise.adapters.sqlite_ledger` has it, which takes as long to load as all else."""

_WORKER = "from sunrise.adapters.capture_worker import main; main()"
_ready: list[subprocess.Popen[bytes]] = []


def start() -> subprocess.Popen[bytes]:
    """
    Return a process that waits for what to read on its standard input.

    Raises:
        OSError: There is no room for one.
    """
    return _ready.pop() if _ready else _start()


def make_ready(home: Path) -> None:
    """
    Start a process if a file of the spool has much that the ledger of the home has not.

    It loads what it needs while this one loads what it needs, which is a quarter of a second each.
    """
    if _ready or not can_pay():
        return
    with suppress(OSError, sqlite3.Error):
        sizes = {str(path): path.stat().st_size for path in spool_files(home)}
        big = {name: size for name, size in sizes.items() if size >= MUCH_BYTES}
        read = _offsets(home / LEDGER_FILE) if big and (home / LEDGER_FILE).exists() else {}
        if any(size - read.get(name, 0) >= MUCH_BYTES for name, size in big.items()):
            _ready.append(_start())
            atexit.register(_dismiss)


def can_pay() -> bool:
    """Say whether a second process has a core to run on."""
    return (os.cpu_count() or 1) > 1


def _offsets(ledger: Path) -> dict[str, int]:
    # Without the ledger's own code: loading that is what the time is wanted for.
    with closing(sqlite3.connect(f"{ledger.as_uri()}?mode=ro", uri=True)) as db:
        return dict(db.execute('SELECT source, "offset" FROM offsets'))


def _start() -> subprocess.Popen[bytes]:
    # It must find the same sunrise, wherever this process found it.
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(  # noqa: S603  our own code
        [sys.executable, "-c", _WORKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths},
    )


def _dismiss() -> None:
    for worker in _ready:
        worker.kill()
        worker.wait()
    _ready.clear()
