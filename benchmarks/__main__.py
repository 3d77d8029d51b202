"""Measure and print the table of docs/performance.md: `python -m benchmarks [--rows N] [--day-rows N]`."""

from __future__ import annotations

import argparse
import os
import platform
import sys

from benchmarks.cases import Figure, measure_all

HEADER = ("work", "sunrise", "at most", "openclaw-mem", "ratio", "CPU time", "peak memory")


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000, help="lines to harvest and grade")
    parser.add_argument("--day-rows", type=int, default=20_000, help="lines of the whole day")
    chosen = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {_load()}")
    figures = measure_all(chosen.rows, chosen.day_rows, say=lambda text: print(text, file=sys.stderr))
    print(f"load at the end {_load()}\n")
    print("| " + " | ".join(HEADER) + " |")
    print("| --- |" + " ---: |" * (len(HEADER) - 1))
    for figure in figures:
        print("| " + " | ".join(_cells(figure)) + " |")


def _cells(figure: Figure) -> tuple[str, ...]:
    return (
        figure.work,
        _amount(figure.ours, figure.unit),
        _amount(figure.aim, figure.unit),
        _amount(figure.theirs, figure.unit),
        "" if figure.theirs is None else f"{figure.theirs / figure.ours:.1f}x",
        _amount(figure.cpu_s, "s"),
        "" if figure.peak_mib is None else f"{figure.peak_mib:.0f} MiB",
    )


def _amount(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:.3g} {unit}"


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


if __name__ == "__main__":
    main()
