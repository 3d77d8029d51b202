"""The sweep on a home that older rules filled: real stores, real files, real kills."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import shutil
import signal
import sqlite3
import time
from contextlib import closing
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest

from flows.sweep import sweep_secrets
from sunrise.adapters.clock import SystemClock
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.cli.sweep_commands import sweep_home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.text.analysis import terms
from tests.fakes import FrozenClock
from tests.flows.killing import NOW_MS
from tests.flows.secret_home import PLACES, all_values, planted, position_at_end, write_secret_home
from tests.flows.sweep_killing import PRELOAD, add_memories, sweep_until
from tests.homes import NOW
from tests.ledgers import WHOLE, raw

pytestmark = pytest.mark.slow

LISTED = "sunrise-old"
"""The backup that holds secrets, and the tag of that name."""

POINTS = 16


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("secrets") / "home"
    write_secret_home(home)
    return home


@pytest.fixture
def swept(template: Path, tmp_path: Path) -> Path:
    return shutil.copytree(template, tmp_path / "home")


def sweep(home: Path, **options: bool) -> RunReceipt:
    receipt = sweep_secrets.fn(home=str(home), **options)
    assert isinstance(receipt, RunReceipt)
    return receipt


def holding(home: Path, *, but: str = "backups/sunrise-old") -> dict[str, list[str]]:
    """Return which file still holds a secret of which place."""
    found: dict[str, list[str]] = {}
    for path in sorted(path for path in home.rglob("*") if path.is_file()):
        name, data = str(path.relative_to(home)), path.read_bytes()
        if name.startswith(but):
            continue
        places = [place for place in PLACES if any(one.value.encode() in data for one in planted(place))]
        if places:
            found[name] = places
    return found


def opened(home: Path) -> closing[SqliteLedger]:
    return closing(SqliteLedger(home / "ledger.sqlite", clock=FrozenClock(NOW)))


def test_the_home_holds_every_secret_before(template: Path) -> None:
    data = b"".join(path.read_bytes() for path in template.rglob("*") if path.is_file())
    escaped = {one.value.encode() for place in PLACES for one in planted(place) if "escaped" in place}
    assert len(all_values()) == 240
    assert {value for value in all_values() if value not in data} == escaped


def test_after_a_sweep_no_file_of_the_home_holds_a_secret(swept: Path) -> None:
    receipt = sweep(swept)
    assert (receipt.status, receipt.anomalies) == (RunStatus.OK, ())
    assert holding(swept) == {}
    assert receipt.adds_up
    assert receipt.counts["still_holds"] == 0
    # Four ledger tables of sixteen, and three more sixteens of observations; the run whose receipt told all.
    stores = receipt.groups["redacted_by_store"]
    assert {name: stores[name] for name in ("observations", "episodes", "changes", "quarantine", "runs")} == {
        "observations": 64, "episodes": 16, "changes": 16, "quarantine": 16, "runs": 1,
    }  # fmt: skip
    assert (stores["memories"], stores["spool"], stores["receipts"]) == (17, 32, 1)
    assert receipt.facts["undo"] == "refused: a redaction keeps no before-image"
    assert receipt.refs["backups_holding"] == (LISTED,)


def test_a_sweep_loses_no_record_and_leaves_the_ledger_whole(template: Path, swept: Path) -> None:
    sweep(swept)
    tables = ("observations", "episodes", "changes", "quarantine", "observations_fts")
    with opened(template) as before, opened(swept) as after:
        for table in tables:
            assert raw(after, f"SELECT count(*) FROM {table}") == raw(before, f"SELECT count(*) FROM {table}")
        assert after.check() == WHOLE
        assert after.needs_finishing() is False
        assert raw(after, "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'") == raw(
            before, "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'"
        )
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            after._db.execute("UPDATE episodes SET text = 'x'")


def test_the_index_follows_the_redacted_texts(swept: Path) -> None:
    sweep(swept)
    with opened(swept) as ledger:
        rows = raw(ledger, "SELECT id, summary, summary_en, tool_name, terms FROM observations WHERE id > 40")
        for _, summary, english, tool, analysed in rows:
            if "redacted" in f"{summary}{tool}":
                assert analysed == terms(" ".join(filter(None, (summary, english, tool))))
        # Each of the 32 rows whose text changed is found by the word of its mark.
        matching = f"SELECT count(*) FROM observations_fts WHERE observations_fts MATCH '{terms('redacted')}'"
        assert raw(ledger, matching) == [(32,)]


def test_what_was_taken_out_is_noted_by_record_field_and_kind(swept: Path) -> None:
    receipt = sweep(swept)
    with opened(swept) as ledger:
        noted = raw(ledger, "SELECT DISTINCT run_id, record_ref, field, kind FROM redactions")
    assert {row[0] for row in noted} == {receipt.run_id}
    assert ("obs:41", "summary", "anthropic-key") in {row[1:] for row in noted}
    assert ("ep:1", "text", "anthropic-key") in {row[1:] for row in noted}
    assert ("mem:m-secret-0", "text", "anthropic-key") in {row[1:] for row in noted}
    assert ("file:spool/agent.jsonl", "text", "anthropic-key") in {row[1:] for row in noted}


def test_memories_still_answer_and_clean_tags_stay(swept: Path) -> None:
    receipt = sweep(swept)
    table = LanceMemories.open(swept / "lance")
    state = table.state()
    assert set(state.tags) == {"sunrise-clean"}
    assert set(receipt.refs["snapshots_given_up"]) == {"sunrise-newest", "sunrise-old"}
    assert table.scan(["id"]).num_rows == 2 + 1 + 16 + 1
    hits = table.search_terms(terms("backup deploy"), columns=["id"], where=None, limit=3)
    assert hits.column("id").to_pylist() == ["m-plain-0"]
    gone = table.search_terms(terms(planted("memory")[0].value), columns=["id"], where=None, limit=3)
    assert gone.num_rows == 0
    raw_table = table._table
    raw_table.checkout("sunrise-clean")
    assert sorted(raw_table.to_arrow().column("id").to_pylist()) == ["m-plain-0", "m-plain-1"]


def test_a_manifest_promises_no_version_whose_tag_was_given_up(swept: Path) -> None:
    sweep(swept)
    versions = {
        path.parent.name: json.loads(path.read_text(encoding="utf-8"))["version"]
        for path in swept.glob("backups/*/manifest.json")
    }
    assert versions["sunrise-old"] is versions["sunrise-newest"] is None
    assert versions["sunrise-clean"] is not None


def test_a_second_sweep_changes_nothing(swept: Path) -> None:
    sweep(swept)
    before = _hashes(swept)
    receipt = sweep(swept)
    assert (receipt.status, receipt.counts["redacted"], receipt.groups.get("redacted_by_kind")) == (
        RunStatus.OK, 0, None,
    )  # fmt: skip
    assert _hashes(swept) == before


def test_a_dry_run_says_what_would_be_and_writes_nothing(swept: Path) -> None:
    before, tables = _hashes(swept), _tables(swept)
    dry = sweep(swept, dry_run=True)
    assert (dry.status, dry.dry_run) == (RunStatus.OK, True)
    assert _hashes(swept) == before
    assert _tables(swept) == tables
    wet = sweep(swept)
    # The page of the quarantine, which the dry run's frame drew anew, shows the samples once more.
    stores = {name: rows for name, rows in wet.groups["redacted_by_store"].items() if name != "reports"}
    assert {name: dry.groups["redacted_by_store"][name] for name in stores} == stores
    assert dry.refs["snapshots_given_up"] == ("sunrise-newest", "sunrise-old")


def test_backups_are_removed_on_demand_with_their_tags(swept: Path) -> None:
    receipt = sweep(swept, backups=True)
    assert receipt.counts["backups_removed"] == 1
    assert not (swept / "backups" / LISTED).exists()
    assert (swept / "backups" / "sunrise-clean").exists()
    assert holding(swept, but="nothing") == {}


def test_a_harvest_goes_on_where_it_was(swept: Path) -> None:
    spool = swept / "spool" / "agent.jsonl"
    size, inode = spool.stat().st_size, spool.stat().st_ino
    with opened(swept) as ledger, ledger.transaction():
        ledger._move(ledger._db, position_at_end(spool))
    sweep(swept)
    assert (spool.stat().st_size, spool.stat().st_ino) == (size, inode)
    with opened(swept) as ledger:
        assert ledger.source_position(str(spool)) == position_at_end(spool)


def test_a_file_that_nobody_sweeps_is_named(swept: Path) -> None:
    value = planted("summary")[0].value
    (swept / "prefect").mkdir()
    (swept / "prefect" / "prefect.log").write_bytes(b"x" * (5 << 20) + f"told {value}".encode())
    receipt = sweep(swept)
    assert receipt.status is RunStatus.ANOMALY
    assert [one.code for one in receipt.anomalies] == ["secrets_remain"]
    assert receipt.refs["still_holds"] == ("prefect/prefect.log",)


def test_a_reader_in_the_way_is_named_and_the_next_sweep_finishes(
    swept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patience = SqliteLedger.finish_redaction
    monkeypatch.setattr(SqliteLedger, "finish_redaction", lambda self: patience(self, patience_s=0.1))
    with closing(sqlite3.connect(swept / "ledger.sqlite", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM observations").fetchone()
        held = sweep(swept)
        assert "ledger_is_being_read" in {one.code for one in held.anomalies}
    assert sweep(swept).status is RunStatus.OK
    assert holding(swept) == {}
    with opened(swept) as ledger:
        assert ledger.needs_finishing() is False


def test_the_command_prints_what_was_found_and_no_secret(
    swept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        sweep_home(str(swept), dry_run=False, backups=False, as_json=False)
    assert left.value.code == 0
    said = capsys.readouterr().out
    assert "anthropic-key" in said
    assert f"holds        {LISTED}" in said
    assert not [value for value in all_values() if value.decode() in said]


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    return context


def test_memories_that_another_process_adds_meanwhile_are_all_there(swept: Path, tmp_path: Path) -> None:
    ready, done = tmp_path / "ready", tmp_path / "done"
    # Spawned, as a gateway is: what a fork inherits of lancedb may stand still.
    spawning = multiprocessing.get_context("spawn")
    writer = spawning.Process(target=add_memories, args=(str(swept), str(ready), str(done)))
    writer.start()
    deadline = time.monotonic() + 60
    while not ready.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    receipt = sweep(swept)
    done.touch()
    writer.join(timeout=60)
    assert writer.exitcode == 0
    assert receipt.status is RunStatus.OK
    table = LanceMemories.open(swept / "lance")
    added = table.scan(["id"], where="id LIKE 'w-%'").num_rows
    assert added == int(ready.read_text(encoding="utf-8")) > 1
    assert table.scan(["id"]).num_rows == 20 + added
    assert holding(swept) == {}


@pytest.fixture(scope="module")
def undisturbed(
    template: Path, processes: ForkServerContext, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Any], int]:
    home = shutil.copytree(template, tmp_path_factory.mktemp("undisturbed") / "home")
    report = home.parent / "moments"
    assert _killed(processes, home, 0, report) == 0
    return _left_by(home), int(report.read_text(encoding="utf-8"))


@pytest.mark.kill
@pytest.mark.xdist_group("fork server of the sweep")
@pytest.mark.parametrize("point", range(POINTS))
def test_a_sweep_killed_anywhere_and_run_again_ends_as_if_undisturbed(
    point: int,
    swept: Path,
    processes: ForkServerContext,
    undisturbed: tuple[dict[str, Any], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected, moments = undisturbed
    moment = 1 + (moments - 1) * point // (POINTS - 1)
    assert _killed(processes, swept, moment, swept.parent / "moments") == -signal.SIGKILL
    monkeypatch.setattr(SystemClock, "now_ms", lambda _self: NOW_MS)
    assert sweep(swept).status is RunStatus.OK
    assert holding(swept) == {}, f"killed at moment {moment} of {moments}"
    left = _left_by(swept)
    for store in expected:
        assert left[store] == expected[store], f"{store} differs after a kill at moment {moment} of {moments}"


def _killed(processes: ForkServerContext, home: Path, moment: int, report: Path) -> int | None:
    process = processes.Process(target=sweep_until, args=(str(home), moment, str(report)))
    process.start()
    process.join(timeout=60)
    if process.exitcode is None:
        process.kill()
    return process.exitcode


def _hashes(home: Path) -> dict[str, str]:
    """Return the hash of every file, but for what each run writes of itself."""
    own = ("ledger.sqlite", "receipts", "reports")
    return {
        name: hashlib.sha256((home / name).read_bytes()).hexdigest()
        for folder, _, names in os.walk(home)
        for name in (str((Path(folder) / one).relative_to(home)) for one in names)
        if not name.startswith(own) or "old-run" in name
    }


def _tables(home: Path) -> dict[str, list[tuple[Any, ...]]]:
    queries = {
        "observations": "SELECT * FROM observations ORDER BY id",
        "episodes": "SELECT * FROM episodes ORDER BY id",
        "changes": "SELECT * FROM changes ORDER BY id",
        "quarantine": "SELECT * FROM quarantine ORDER BY id",
        "notes": "SELECT * FROM notes ORDER BY name",
        "redactions": "SELECT DISTINCT record_ref, field, kind FROM redactions ORDER BY 1, 2, 3",
    }
    with opened(home) as ledger:
        return {name: raw(ledger, sql) for name, sql in queries.items()}


def _left_by(home: Path) -> dict[str, Any]:
    table = LanceMemories.open(home / "lance")
    rows = sorted(table.scan(table.schema().names).to_pylist(), key=lambda row: str(row["id"]))
    files = {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file()
        and (path.match("spool/*") or path.match("*/old-run*") or path.name == "manifest.json")
    }
    return {
        **_tables(home),
        "memories": rows,
        "tags": sorted(table.state().tags),
        "branches": list(table._table.branches.list()),
        "files": files,
    }
