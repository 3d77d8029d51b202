"""Writeback from the command line: its own form, and the form of openclaw-mem on any table."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import lancedb
import pytest
import typer

from sunrise.adapters.plugin_table import PluginMemory, write_plugin_table
from sunrise.bootstrap import open_home
from sunrise.cli.exit_codes import ExitCode
from sunrise.cli.writeback_commands import Asked, writeback, writeback_lancedb
from sunrise.errors import ConfigurationError
from sunrise.settings import load_settings
from tests.fakes import FrozenClock
from tests.homes import NOW, observation, observations

Command = Callable[..., tuple[int, str]]
LEGACY = Path(__file__).parents[2].parent / "shared" / "data" / "openclaw-mem" / "v1.9.26.sqlite"


def asked(**options: Any) -> Asked:
    given = {"force": False, "force_fields": None, "limit": None, "batch": None, "dry_run": False}
    return Asked(**{**given, **options})


@pytest.fixture
def home_dir(monkeypatch: pytest.MonkeyPatch, home_path: Path) -> Path:
    monkeypatch.setenv("PREFECT_HOME", "unused")
    for name in ("SUNRISE_MEMORIES__URI", "SUNRISE_MEMORIES__TABLE"):
        # The command sets them for its own process; they must not stay for the next test.
        monkeypatch.setenv(name, "x")
        monkeypatch.delenv(name)
    with open_home(load_settings(home_path), clock=FrozenClock(NOW)) as home:
        rows = observations(
            observation("a", memory_id="m-tea", scope="me", detail_json='{"category": "rule"}'),
            observation("b", memory_id="m-gone", scope="me"),
        )
        home.ledger.commit_harvest(rows, rejected=(), position=None)
    return home_path


@pytest.fixture
def write(home_dir: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    def call(*, everything: bool = False, as_json: bool = False, **options: Any) -> tuple[int, str]:
        with pytest.raises(SystemExit) as end:
            writeback(str(home_dir), asked(**options), everything=everything, as_json=as_json)
        return int(str(end.value.code or 0)), capsys.readouterr().out

    return call


@pytest.fixture
def write_any(home_dir: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    def call(db: Path, uri: Path, *, as_json: bool = True, **options: Any) -> tuple[int, Any]:
        with pytest.raises(SystemExit) as end:
            writeback_lancedb(str(db), str(uri), "memories", asked(**options), as_json=as_json)
        out = capsys.readouterr().out
        return int(str(end.value.code or 0)), json.loads(out) if as_json else out

    return call


def test_what_was_filled_is_told_by_field(write: Command) -> None:
    code, out = write(dry_run=True)
    assert (code, "(dry run)" in out, "undo " in out) == (ExitCode.ANOMALY, True, False)
    code, out = write()
    assert code == ExitCode.ANOMALY
    assert "checked 2 = updated 1 + missing 1" in out
    assert "filled       scope              1" in out
    assert "missing      m-gone" in out
    assert "undo         sunrise undo " in out
    code, out = write(everything=True, as_json=True)
    assert (code, json.loads(out)["receipt"]["counts"]["skipped"]) == (ExitCode.OK, 1)


def test_what_was_overwritten_is_told_with_its_snapshot(write: Command) -> None:
    code, out = write(force_fields=" category, scope ")
    assert code == ExitCode.ANOMALY
    assert "overwritten  category           1" in out
    assert "snapshot     sunrise-" in out


def test_a_field_that_cannot_be_forced_is_refused(write: Command) -> None:
    with pytest.raises(typer.BadParameter, match="no such field: text"):
        write(force_fields="text")


def gateway(path: Path) -> Path:
    uri = path / "gateway"
    rows = [PluginMemory("m-tea", "The user likes green tea", 0.6, "preference", NOW)]
    write_plugin_table(uri, rows, dimension=8)
    return uri


def held(uri: Path) -> dict[str, Any]:
    (row,) = lancedb.connect(str(uri)).open_table("memories").to_arrow().to_pylist()
    return dict(row)


def test_any_table_is_written_and_the_receipt_has_the_known_names(
    write_any: Command, home_dir: Path, tmp_path: Path
) -> None:
    uri = gateway(tmp_path)
    before = held(uri)
    code, told = write_any(home_dir / "ledger.sqlite", uri, dry_run=True)
    assert (code, told["dryRun"], told["updated"], held(uri)["category"]) == (0, True, 1, "preference")
    code, told = write_any(home_dir / "ledger.sqlite", uri)
    wanted = {
        "ok": True, "dryRun": False, "table": "memories", "limit": None, "batch": None,
        "forceOverwrite": False, "forceFields": [], "checked": 2, "updated": 1, "overwritten": 0,
        "overwrittenFields": 0, "skipped": 0, "missing": 1, "missingIds": ["m-gone"],
    }  # fmt: skip
    assert (code, {name: told[name] for name in wanted}) == (0, wanted)
    now = held(uri)
    assert {name: now[name] for name in before} == before
    assert now["scope"] == "me"
    code, told = write_any(home_dir / "ledger.sqlite", uri, force_fields="category")
    assert (told["forceOverwrite"], told["forceFields"], told["overwritten"], told["overwrittenFields"]) == (
        True, ["category"], 1, 1,
    )  # fmt: skip
    assert held(uri)["category"] == "rule"
    # The table of the home itself was not touched.
    with open_home(load_settings(home_dir)) as home:
        assert home.settings.memories_uri != str(home_dir / "lance")


def test_a_wrong_field_is_told_as_openclaw_mem_tells_it(
    write_any: Command, home_dir: Path, tmp_path: Path
) -> None:
    code, told = write_any(home_dir / "ledger.sqlite", gateway(tmp_path), force_fields="scope,text")
    assert (code, told["ok"], told["invalidFields"]) == (ExitCode.FAILED, False, ["text"])
    assert told["allowedFields"] == ["importance", "importance_label", "scope", "category", "trust_tier"]


def test_a_table_that_is_not_there_is_no_success(write_any: Command, home_dir: Path, tmp_path: Path) -> None:
    code, told = write_any(home_dir / "ledger.sqlite", tmp_path / "nowhere")
    assert (code, told["ok"], told["error"]) == (ExitCode.FAILED, False, "no_memories_table")


def test_what_is_no_ledger_is_refused(write_any: Command, home_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(typer.BadParameter, match="there is no ledger"):
        write_any(tmp_path / "absent.sqlite", tmp_path)
    copy = tmp_path / "copy.sqlite"
    shutil.copy(home_dir / "ledger.sqlite", copy)
    with pytest.raises(ConfigurationError, match=r"must be called ledger\.sqlite"):
        write_any(copy, tmp_path)


@pytest.mark.skipif(not LEGACY.is_file(), reason="needs the sample ledger of openclaw-mem beside the project")
def test_a_ledger_of_openclaw_mem_is_imported_and_never_written(write_any: Command, tmp_path: Path) -> None:
    db = tmp_path / "mem.sqlite"
    shutil.copy(LEGACY, db)
    with closing(sqlite3.connect(db)) as raw:
        raw.execute(
            "INSERT INTO observations (ts, kind, summary, tool_name, detail_json) VALUES (?, ?, ?, ?, ?)",
            ("2026-03-01T00:00:00Z", "fact", "likes tea", "memory_store",
             json.dumps({"memory_id": "m-tea", "scope": "home",
                         "importance": {"score": 0.9, "label": "must_remember"}})),
        )  # fmt: skip
        raw.commit()
    whole = db.read_bytes()
    uri = gateway(tmp_path)
    code, told = write_any(db, uri)
    assert (code, told["checked"], told["updated"]) == (0, 1, 1)
    # The plugin scored the memory itself, with 0.6, and its label is that of its own score.
    assert (held(uri)["scope"], held(uri)["importance_label"]) == ("home", "nice_to_have")
    assert db.read_bytes() == whole
    assert (tmp_path / "mem.sqlite.sunrise" / "ledger.sqlite").is_file()
    code, told = write_any(db, uri, as_json=True)
    assert (code, told["updated"], told["skipped"]) == (0, 0, 1)
