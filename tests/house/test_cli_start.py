"""The command line comes up at once: a stated limit of the project."""

from __future__ import annotations

import resource
import subprocess
import sys

MOST = 2.6
"""Times the CPU of loading typer alone. On a quiet machine that takes 0.1 s, and help may take 0.25 s."""

ROUNDS = 9


def test_help_uses_little_cpu():
    # CPU time, in turn and the best of nine: neither how fast the machine is nor what it does beside counts.
    rounds = [
        (_cpu_seconds("-c", "import typer"), _cpu_seconds("-m", "sunrise", "--help")) for _ in range(ROUNDS)
    ]
    typer, shown = (min(taken) for taken in zip(*rounds, strict=True))
    assert shown <= MOST * typer


def _cpu_seconds(*words: str):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
