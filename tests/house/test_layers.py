"""The directions between rooms hold, without a list of exceptions."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

from tests.house.tree import ROOT


def test_the_layers_hold():
    command = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_import_is_excused():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    assert [c["name"] for c in config["contracts"] if "ignore_imports" in c] == []
