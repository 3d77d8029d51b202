"""Looking at a patient: what the tests of the doctor share."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import lancedb

from sunrise.adapters.clock import SystemClock
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.retention import DAY_MS
from sunrise.settings import load_settings
from tasks.doctor import Finding, examine
from tests.fakes import FrozenClock


def look_at(path: Path, *, later_days: float = 0) -> dict[str, Finding]:
    clock = FrozenClock(SystemClock().now_ms() + int(later_days * DAY_MS))
    findings = examine(load_settings(path), clock=clock)
    for one in findings:
        assert (one.cure is None) == (one.verdict == "well"), one
        # A cure is a sentence with the command to type.
        assert one.cure is None or ("`" in one.cure and one.cure.endswith(".")), one
    return {one.check: one for one in findings}


def verdicts(path: Path) -> dict[str, str]:
    return {name: one.verdict for name, one in look_at(path).items()}


def opened(path: Path) -> SqliteLedger:
    return SqliteLedger(path / "ledger.sqlite", clock=SystemClock())


def lance(path: Path) -> Any:
    return lancedb.connect(str(path / "lance")).open_table("memories")


def command_of(finding: Finding) -> list[str]:
    return shlex.split((finding.cure or "").split("`")[1])


def obey(finding: Finding) -> None:
    """Do what a cure says, where it is a line of Python."""
    program, flag, code = command_of(finding)
    assert (program, flag) == ("python", "-c")
    exec(code, {})


def tree(path: Path) -> dict[str, bytes]:
    return {str(one.relative_to(path)): one.read_bytes() for one in path.rglob("*") if one.is_file()}
