"""The command line comes up at once: a stated limit of the project."""

from __future__ import annotations

import resource
import subprocess
import sys

LIMIT_S = 0.25
ROUNDS = 5


def test_help_uses_little_cpu():
    # CPU time and the best of five: what the machine does beside it does not count.
    assert min(_cpu_seconds() for _ in range(ROUNDS)) <= LIMIT_S


def _cpu_seconds():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "sunrise", "--help"], capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
