"""No module, function or flow grows past its limit; no file has a name that says nothing."""

from __future__ import annotations

import ast

from sunrise.rooms import ROOMS as ROOM_NAMES
from tests.house.tree import ROOT, name_of, python_files

MODULE_LINES = 400
FUNCTION_LINES = 60
FLOW_LINES = 120
EMPTY_NAMES = {"utils", "helpers", "common", "manager", "base"}


def test_modules_are_short():
    lengths = {name_of(path): _lines(path) for path in python_files()}
    assert {name: lines for name, lines in lengths.items() if lines > MODULE_LINES} == {}


def test_functions_are_short():
    long = {}
    for path in python_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > FUNCTION_LINES:
                    long[f"{name_of(path)}:{node.name}"] = lines
    assert long == {}


def test_flow_files_read_like_a_paragraph():
    lengths = {path.name: _lines(path) for path in (ROOT / "flows").glob("*.py")}
    assert {name: lines for name, lines in lengths.items() if lines > FLOW_LINES} == {}


def test_no_file_has_a_name_that_says_nothing():
    assert [name_of(path) for path in python_files() if path.stem in EMPTY_NAMES] == []


def test_no_flow_file_hides_a_room():
    # A file entrypoint puts flows/ first on sys.path, and flows/tasks.py would stand before the room tasks.
    stems = {path.stem for path in (ROOT / "flows").glob("*.py")}
    assert stems.isdisjoint({*ROOM_NAMES, "sunrise"})


def _lines(path):
    return len(path.read_text(encoding="utf-8").splitlines())
