"""Runs a command and measures it whole: wall time, CPU time, peak memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measured:
    """One process from start to end: seconds on the clock and on the CPU, peak memory in MiB."""

    wall_s: float
    cpu_s: float
    peak_mib: float
    output: str


def sunrise(*arguments: str, codes: Sequence[int] = (0,)) -> Measured:
    """Run ``python -m sunrise`` with these arguments; any exit code but ``codes`` stops the benchmark."""
    return measure([sys.executable, "-m", "sunrise", *arguments], codes=codes)


def measure(command: Sequence[str], *, codes: Sequence[int] = (0,)) -> Measured:
    """Run a command and measure it."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    output = process.stdout.read().decode()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in codes:
        msg = f"{' '.join(command)} ended with {process.returncode}:\n{output}"
        raise RuntimeError(msg)
    # Linux counts peak memory in KiB, macOS in bytes.
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return Measured(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / unit, output)
