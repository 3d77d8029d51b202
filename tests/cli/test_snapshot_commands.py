"""Snapshots from the command line: what they print, and the codes they leave with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from sunrise.adapters.lance_memories import LanceMemories
from sunrise.cli import snapshot_commands
from sunrise.cli.exit_codes import ExitCode
from sunrise.errors import ConfigurationError, DataError
from tests.restoring import change_both, copy_of, everything, opened, take_first

Command = Callable[..., tuple[int, str]]


@pytest.fixture
def path(monkeypatch: pytest.MonkeyPatch, home_path: Path) -> Path:
    """A home that was changed since its snapshot ``first``."""
    monkeypatch.setenv("PREFECT_HOME", "unused")
    take_first(home_path)
    change_both(home_path)
    return home_path


@pytest.fixture
def call(path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    def command(name: str, *given: Any, **options: Any) -> tuple[int, str]:
        capsys.readouterr()
        code = 0
        try:
            getattr(snapshot_commands, name)(str(path), *given, **{"as_json": False, **options})
        except SystemExit as end:
            code = int(str(end.code or 0))
        return code, capsys.readouterr().out

    return command


def test_taken_listed_shown_compared_restored_and_deleted(call: Command, path: Path) -> None:
    changed = everything(path)
    code, out = call("create", "second", note="the move", dry_run=False)
    assert (code, "snapshot  second" in out) == (0, True)
    rows = call("list_all")[1].splitlines()
    assert [row.split()[0] for row in rows] == ["snapshot", "second", "first"]
    assert [row.split()[1] for row in rows] == ["reason", "manual", "manual"]
    assert rows[1].endswith("the move")
    code, out = call("show", "first", verify=True)
    assert (code, "state          every part as written" in out) == (0, True)
    assert "memories       6 (version " in out
    assert "to go back     sunrise snapshot restore first --yes" in out
    out = call("diff", "first", "second")[1]
    assert "ledger: 1 added, 0 removed, 1 changed" in out
    assert "memories: 1 added, 1 removed, 2 changed" in out
    assert "  added    mem:new" in out
    code, out = call("restore", "first", yes=True, dry_run=False)
    assert code == 0
    assert "memories  comes back 1, goes 1, changes back 2" in out
    assert "go back   sunrise snapshot restore second --yes" in out
    assert "restart the gateway" in out
    assert everything(path) != changed
    code, out = call("delete", "first", yes=True, dry_run=False)
    assert (code, "deleted  first" in out) == (0, True)
    assert "first" not in LanceMemories.open(path / "lance").state().tags


def test_nothing_is_restored_or_deleted_without_a_yes(call: Command, path: Path) -> None:
    before = everything(path)
    with pytest.raises(typer.BadParameter, match="say --yes"):
        call("restore", "first", yes=False, dry_run=False)
    with pytest.raises(typer.BadParameter, match="say --yes"):
        call("delete", "first", yes=False, dry_run=False)
    code, out = call("restore", "first", yes=False, dry_run=True)
    assert (code, "every part of first is as it was written" in out) == (0, True)
    assert "go back" not in out
    assert call("delete", "first", yes=False, dry_run=True)[0] == 0
    assert everything(path) == before
    assert (path / "backups" / "first").exists()


@pytest.mark.parametrize("name", ["備份", "a\x1b[31m", "../first", "sunrise-mine"])
def test_a_name_that_can_be_none_is_a_usage_error_in_plain_letters(name: str, call: Command) -> None:
    with pytest.raises(typer.BadParameter) as error:
        call("create", name, note="", dry_run=False)
    assert "\x1b" not in str(error.value)


def test_a_name_that_is_taken_fails_with_its_code(call: Command) -> None:
    code, out = call("create", "first", note="", dry_run=False)
    assert (code, "snapshot_exists: there is a snapshot 'first' already" in out) == (ExitCode.FAILED, True)


def test_a_tampered_one_is_shown_as_such_and_not_restored(call: Command, path: Path) -> None:
    copy_of(path).write_bytes(b"x" + copy_of(path).read_bytes()[1:])
    assert call("show", "first", verify=False)[0] == 0
    code, out = call("show", "first", verify=True)
    assert (code, "state          ledger_copy_altered: " in out) == (ExitCode.ANOMALY, True)
    assert "to go back" not in out
    code, out = call("restore", "first", yes=True, dry_run=False)
    assert (code, "ledger_copy_altered: " in out, "go back" in out) == (ExitCode.FAILED, True, False)
    LanceMemories.open(path / "lance").untag("first")
    assert "tag_missing: " in call("show", "first", verify=False)[1]


def test_while_a_flow_runs_the_code_is_that_of_busy(call: Command, path: Path) -> None:
    from sunrise.adapters.clock import SystemClock
    from sunrise.bootstrap import open_home
    from sunrise.settings import load_settings

    with open_home(load_settings(path), clock=SystemClock()) as home:
        home.ledger.acquire_lease("harvest", run_id="at-work")
        assert call("restore", "first", yes=True, dry_run=False)[0] == ExitCode.BUSY


def test_a_name_that_is_not_there_is_told(call: Command) -> None:
    for name, given in (("show", ["none"]), ("diff", ["none", "now"]), ("diff", ["first", "none"])):
        options = {"verify": False} if name == "show" else {}
        with pytest.raises(DataError, match="no finished snapshot 'none'"):
            call(name, *given, **options)


def test_programs_get_the_same_as_json(call: Command, tmp_path: Path) -> None:
    (one,) = json.loads(call("list_all", as_json=True)[1])["snapshots"]
    assert (one["tag"], one["rows"], one["ledger_rows"]["observations"]) == ("first", 6, 3)
    shown = json.loads(call("show", "first", verify=True, as_json=True)[1])
    assert (shown["fault"], shown["verified"]) == (None, True)
    assert json.loads(call("diff", "first", "now", as_json=True)[1])["memories"]["fields"] == {"scope": 2}
    laid_out = json.loads(call("check_out", "first", to=str(tmp_path / "new"), as_json=True)[1])
    assert (laid_out["memories"], (tmp_path / "new" / "sunrise.toml").exists()) == (6, True)
    receipt = json.loads(call("restore", "first", yes=True, dry_run=False, as_json=True)[1])["receipt"]
    assert (receipt["flow"], receipt["counts"]["restored"]) == ("restore", 2)


def test_a_checkout_says_what_comes_next_and_never_writes_over_anything(
    call: Command, path: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "new"
    assert f"next      sunrise run index --home {folder}" in call("check_out", "first", to=str(folder))[1]
    with pytest.raises(ConfigurationError, match="is not empty"):
        call("check_out", "first", to=str(folder))
    with opened(path) as home:
        assert home.ledger.count("observations") == 4


def test_an_empty_list_says_how_to_begin(call: Command) -> None:
    call("delete", "first", yes=True, dry_run=False)
    assert "sunrise snapshot create" in call("list_all")[1]
