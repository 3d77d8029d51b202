"""What a process of its own runs to read a big capture file for another one."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from sunrise.adapters.capture_jsonl import capture_batches
from sunrise.adapters.entry_screen import screened
from sunrise.adapters.payload_gate import suspects
from sunrise.adapters.secret_gate import harmless_lines
from sunrise.domain.text.analysis import terms


def main() -> None:
    """Read what standard input asks for and write to standard output batches, then None, or an exception."""
    # The parent is told of Ctrl-C as well, and ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Rows hold no cycles, and looking for some among many of them takes a tenth of the time.
    gc.disable()
    out = sys.stdout.buffer
    # Load what the first lines would load.
    harmless_lines([b""])
    suspects(pa.array([""]))
    terms("word")
    gc.freeze()
    try:
        asked: dict[str, Any] = pickle.load(sys.stdin.buffer)  # noqa: S301  our parent wrote it
    except EOFError:
        # It was made ready, and there was nothing to read after all.
        return
    threading.Thread(target=_end_with_parent, args=(sys.stdin.fileno(),), daemon=True).start()
    try:
        for batch in capture_batches(Path(asked.pop("path")), **asked):
            # Screened here, because the other process has more to do with each row.
            _send(out, replace(batch, rows=screened(batch.rows, "summary", "summary_en")))
            gc.collect()
        _send(out, None)
    except BrokenPipeError:
        # Nobody listens any more. Python must not try to write again when it ends.
        os._exit(1)
    except Exception as error:
        _send(out, error)


def _send(out: BinaryIO, message: object) -> None:
    pickle.dump(message, out, protocol=pickle.HIGHEST_PROTOCOL)
    out.flush()


def _end_with_parent(lifeline: int) -> None:
    # The parent writes nothing more; that this pipe ends is all that a killed one still says.
    while os.read(lifeline, 1024):
        pass
    os._exit(1)
