"""The public face is small, sorted, whole, and costs nothing to import."""

from __future__ import annotations

import subprocess
import sys

import sunrise

HEAVY = ("prefect", "pandas", "polars", "duckdb", "jinja2", "pandera", "lancedb")


def test_the_public_names_are_few_and_sorted():
    assert sunrise.__all__ == sorted(sunrise.__all__)
    assert len(sunrise.__all__) <= 10


def test_every_public_name_is_there():
    assert all(getattr(sunrise, name) is not None for name in sunrise.__all__)


def test_importing_the_library_loads_nothing_heavy():
    code = f"import sunrise, sys; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
