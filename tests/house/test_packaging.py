"""The wheel adds one name to an environment and carries the rooms with it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from sunrise.rooms import ROOMS
from tests.house.tree import ROOT

CODE = """
import sys

target, site, checkout = sys.argv[1:]
# The editable install names the checkout in a .pth file: without it only the wheel is left.
sys.path[:] = [target, *(p for p in sys.path if p and not p.startswith((checkout, site))), site]

import sunrise
from sunrise.rooms import load, rooms_path

assert sunrise.__file__.startswith(target), sunrise.__file__
assert str(rooms_path()).startswith(target), rooms_path()
flow = load("flows.grade:grade_importance")
assert flow.name == "grade"
import flows
assert flows.__file__.startswith(target), flows.__file__

from prefect.flows import load_flow_from_entrypoint

assert str(rooms_path()) in sys.path
assert load_flow_from_entrypoint("flows.grade.grade_importance").name == "grade"
print("loaded")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    tree = tmp_path_factory.mktemp("tree") / "sunrise"
    ignore = shutil.ignore_patterns(".*", "__pycache__", "node_modules", "dist", "build")
    shutil.copytree(ROOT, tree, ignore=ignore)
    shutil.copy(ROOT / ".gitignore", tree)
    out = tmp_path_factory.mktemp("wheel")
    _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)], cwd=tree)
    (built,) = out.glob("*.whl")
    return built


def test_the_wheel_adds_one_name(wheel):
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"sunrise"}


def test_the_wheel_carries_the_rooms(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"sunrise/_rooms/{room}/__init__.py" for room in ROOMS} <= names
    templates = {path.relative_to(ROOT).as_posix() for path in (ROOT / "reports/templates").iterdir()}
    assert {f"sunrise/_rooms/{name}" for name in templates} <= names
    assert "sunrise/py.typed" in names
    assert not [name for name in names if "__pycache__" in name]


def test_a_flow_loads_from_the_wheel(wheel, tmp_path):
    target, empty = tmp_path / "target", tmp_path / "empty"
    empty.mkdir()
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--no-deps", "--no-index", "--no-compile", "--target", str(target), str(wheel)], cwd=empty)
    site = sysconfig.get_path("purelib")
    # -I: neither the working directory nor the environment adds a path.
    done = _run([sys.executable, "-I", "-c", CODE, str(target), site, str(ROOT)], cwd=empty)
    assert done.stdout.strip() == "loaded"


def _run(command: list[str], *, cwd: Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done
