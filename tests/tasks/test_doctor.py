"""The doctor: a home in good order has nothing ill, each broken part gives its finding and its cure."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from sunrise.adapters.clock import SystemClock
from sunrise.adapters.migrations import MIGRATIONS
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.records import Rejected
from sunrise.serve.tokens import Right, bind_token, grant_rights, hash_of
from sunrise.settings import Settings, load_settings
from tasks import doctor
from tasks.doctor import LITTLE_ROOM, NO_ROOM, Finding, examine, room_finding
from tasks.doctor_findings import detail_of, guarded, well
from tasks.memories import change
from tests.fakes import FakeEmbedder
from tests.patients import command_of, look_at, opened, tree, verdicts


def test_a_home_in_good_order_is_well_but_for_the_server(healthy: Path) -> None:
    before = tree(healthy)
    found = look_at(healthy)
    assert {name for name, one in found.items() if one.verdict != "well"} == {"prefect"}
    cure = f"Start it with `sunrise up --home {healthy}`, unless timers of systemd run the flows."
    assert found["prefect"].cure == cure
    assert set(found) == {
        "home", "disk", "settings", "ledger", "quarantine", "runs", "snapshots", "memories",
        "memories probes", "memories files", "memories indices", "tags", "embedder", "prefect",
    }  # fmt: skip
    assert tree(healthy) == before


def test_a_home_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    home = tmp_path / "no home"
    found = {one.check: one for one in examine(Settings(home=home))}
    assert found["home"].verdict == "ill"
    assert command_of(found["home"]) == ["sunrise", "init", "--home", str(home)]
    assert not home.exists()


def test_a_fresh_home_lacks_ledger_runs_and_snapshots(home_path: Path) -> None:
    before = tree(home_path)
    found = look_at(home_path)
    assert found["ledger"].verdict == "ill"
    assert found["snapshots"].verdict == "look"
    assert found["memories schema"].message.startswith("the table has not been adopted")
    assert found["memories indices"].verdict == "look"
    assert tree(home_path) == before
    opened(home_path).close()
    found = look_at(home_path)
    assert (found["ledger"].verdict, found["runs"].message) == ("well", "no flow ever ran")
    shutil.rmtree(home_path / "lance")
    found = look_at(home_path)
    assert (found["memories"].verdict, "run index" in str(found["memories"].cure)) == ("look", True)
    # Nothing is said of the files and tags of a table that is not there.
    assert {"memories files", "tags"}.isdisjoint(found)
    assert not (home_path / "lance").exists()


def test_a_gateway_that_has_no_table_yet(healthy: Path, tmp_path: Path) -> None:
    with (healthy / "sunrise.toml").open("a") as file:
        file.write(f'[memories]\nuri = "{tmp_path / "gateway"}"\n')
    found = look_at(healthy)
    assert found["memories"].verdict == "look"
    assert "The agent makes it" in str(found["memories"].cure)
    assert not (tmp_path / "gateway").exists()


def test_tokens_of_before_the_right_of_the_owner_are_named_until_that_is_settled(healthy: Path) -> None:
    older = "".join(
        f"[{name}]\nhash = '{hash_of(name)}'\nscopes = ['*']\nrights = ['{right}']\n"
        for name, right in (("gateway", "write"), ("agent", "write"), ("reader", "read"))
    )
    path = healthy / "serve.tokens.toml"
    path.write_text(older)
    path.chmod(0o600)

    def named() -> dict[str, Finding]:
        found = [one for one in examine(load_settings(healthy)) if one.check == "tokens"]
        return {one.message.partition(" ")[0]: one for one in found}

    assert set(named()) == {"gateway", "agent"}
    cure = str(named()["gateway"].cure)
    assert named()["gateway"].verdict == "look"
    assert f"`sunrise token gateway --grant owner --home {healthy}`" in cure
    assert f"`sunrise token gateway --grant write --home {healthy}`" in cure
    grant_rights(healthy, "gateway", [Right.OWNER])
    bind_token(healthy, "second-agent", scopes=["*"], rights=[Right.WRITE])
    assert set(named()) == {"agent"}
    grant_rights(healthy, "agent", [Right.WRITE])
    assert named() == {}


def test_a_folder_that_is_none_and_settings_that_broke(healthy: Path) -> None:
    shutil.rmtree(healthy / "reports")
    (healthy / "reports").write_text("a file")
    settings = load_settings(healthy)
    (healthy / "sunrise.toml").write_text("[schedules]\ndream = '* * * * *'\n")
    found = {one.check: one for one in examine(settings)}
    assert (found["home"].verdict, str(healthy / "reports") in found["home"].message) == ("ill", True)
    assert (found["settings"].verdict, "dream" in found["settings"].message) == ("ill", True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_home_that_cannot_be_written(healthy: Path) -> None:
    healthy.chmod(0o500)
    try:
        assert look_at(healthy)["home"].verdict == "ill"
    finally:
        healthy.chmod(0o700)


def test_how_much_room_is_enough(tmp_path: Path) -> None:
    assert room_finding(tmp_path, LITTLE_ROOM).verdict == "well"
    assert room_finding(tmp_path, LITTLE_ROOM - 1).verdict == "look"
    assert room_finding(tmp_path, NO_ROOM - 1).verdict == "ill"


def test_a_home_without_a_file_of_settings_has_those_that_are_built_in(healthy: Path) -> None:
    assert look_at(healthy)["settings"].message == f"{healthy}/sunrise.toml and the environment are valid"
    (healthy / "sunrise.toml").unlink()
    found = next(one for one in examine(load_settings(healthy)) if one.check == "settings")
    assert (found.verdict, found.message) == (
        "well", f"there is no {healthy}/sunrise.toml: all settings are built in or of the environment",
    )  # fmt: skip


# Ledger


def test_a_damaged_page_is_found_and_the_other_checks_are_made(healthy: Path) -> None:
    path = healthy / "ledger.sqlite"
    whole = bytearray(path.read_bytes())
    for start in range(4096, len(whole), 4096):
        whole[start : start + 100] = b"\xff" * 100
    path.write_bytes(whole)
    found = look_at(healthy)
    ill = {name for name, one in found.items() if one.verdict == "ill"}
    assert any(name.startswith("ledger") for name in ill)
    assert found["memories probes"].verdict == "well"
    assert found["snapshots"].verdict == "well"
    (cure,) = {one.cure for one in found.values() if one.check.startswith("ledger")}
    command = str(cure).split("`")[1]
    assert os.waitstatus_to_exitcode(os.system(command)) == 0
    assert look_at(healthy)["ledger"].verdict == "well"


def test_a_file_that_is_no_ledger(home_path: Path) -> None:
    (home_path / "ledger.sqlite").write_bytes(b"nothing" * 1000)
    found = look_at(home_path)
    assert found["ledger"].verdict == "ill"
    assert ".recover" in str(found["ledger"].cure)


@pytest.mark.parametrize(
    ("version", "verdict"), [(len(MIGRATIONS) + 1, "ill"), (len(MIGRATIONS) - 1, "look")]
)
def test_a_ledger_of_another_version_is_left_as_it_is(version: int, verdict: str, healthy: Path) -> None:
    path = healthy / "ledger.sqlite"
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {version}")
    db.close()
    before = path.read_bytes()
    assert look_at(healthy)["ledger"].verdict == verdict
    assert path.read_bytes() == before


def test_a_full_text_index_out_of_step_is_found_and_its_cure_cures(healthy: Path) -> None:
    ledger = opened(healthy)
    with ledger.writing() as db:
        db.execute("INSERT INTO observations_fts (rowid, terms) VALUES (99, 'ghost')")
    ledger.close()
    finding = look_at(healthy)["ledger full_text"]
    assert finding.verdict == "ill"
    program, path, statement = command_of(finding)
    assert program == "sqlite3"
    db = sqlite3.connect(path)
    db.execute(statement)
    db.commit()
    db.close()
    assert verdicts(healthy)["ledger"] == "well"


def test_what_waits_and_what_was_refused(healthy: Path) -> None:
    ledger = opened(healthy)
    ledger.record_changes([change("m-tea", "scope", before=None, after="x", reason="r")], run_id="killed")
    ledger.quarantine([Rejected("s", str(n), reason, "x") for n, reason in enumerate("aab")])
    ledger.close()
    found = look_at(healthy)
    assert (found["outbox"].verdict, found["outbox"].message[:1]) == ("look", "1")
    assert (found["quarantine"].verdict, found["quarantine"].message) == (
        "look", "refused rows, by reason: a 2, b 1",
    )  # fmt: skip
    assert command_of(found["quarantine"])[:3] == ["sunrise", "quarantine", "list"]


def test_runs_that_need_a_look(healthy: Path) -> None:
    ledger = opened(healthy)
    now = SystemClock().now_ms()
    for flow, status in (
        ("grade", RunStatus.FAILED),
        ("harvest", RunStatus.CRASHED),
        ("drift", RunStatus.ANOMALY),
        ("index", RunStatus.OK),
    ):
        ledger.save_run(RunReceipt(run_id=f"x-{flow}", flow=flow, status=status, started_ms=now + 1))
    ledger.close()
    found = look_at(healthy)
    assert (found["run grade"].verdict, "x-grade.html" in str(found["run grade"].cure)) == ("ill", True)
    assert (found["run harvest"].verdict, found["run drift"].verdict) == ("look", "look")
    assert "run index" not in found
    late = look_at(healthy, later_days=2)
    assert (late["run index"].message, command_of(late["run index"])[:2]) == (
        "it is overdue", ["sunrise", "up"],
    )  # fmt: skip


def test_a_flow_that_never_ran_is_named_but_not_the_day(home_path: Path) -> None:
    ledger = opened(home_path)
    now = SystemClock().now_ms()
    ledger.save_run(RunReceipt(run_id="x", flow="grade", status=RunStatus.OK, started_ms=now))
    ledger.close()
    found = look_at(home_path)
    assert found["runs"].message == (
        "never ran: harvest, writeback, lifecycle, index, drift, snapshot, evaluate, report"
    )
    assert command_of(found["runs"])[:3] == ["sunrise", "run", "sunrise"]


# Snapshots


def manifest(home: Path) -> Path:
    """The newest one: the lifecycle took a snapshot too, before it changed anything."""
    return max((home / "backups").glob("*/manifest.json"))


def test_an_old_snapshot_is_fine_while_nothing_changed(healthy: Path) -> None:
    assert look_at(healthy, later_days=30)["snapshots"].verdict == "well"
    ledger = opened(healthy)
    ledger.record_changes([change("m-tea", "scope", before=None, after="x", reason="r")], run_id="r")
    ledger.close()
    assert look_at(healthy, later_days=1)["snapshots"].verdict == "well"
    late = look_at(healthy, later_days=30)["snapshots"]
    assert (late.verdict, "30 days old" in late.message) == ("look", True)
    (healthy / "ledger.sqlite").unlink()
    assert look_at(healthy, later_days=30)["snapshots"].verdict == "look"
    assert not (healthy / "ledger.sqlite").exists()


def test_a_copy_that_is_damaged_missing_or_another_is_of_no_use(healthy: Path) -> None:
    copy = manifest(healthy).parent / "ledger.sqlite"
    data = json.loads(manifest(healthy).read_text())
    manifest(healthy).write_text(json.dumps({**data, "ledger_sha256": "0" * 64}))
    finding = look_at(healthy)["snapshots"]
    assert (finding.verdict, "not what was written" in finding.message) == ("ill", True)
    assert command_of(finding) == ["rm", "-r", str(copy.parent)]
    copy.write_bytes(b"nothing")
    assert look_at(healthy)["snapshots"].verdict == "ill"
    copy.unlink()
    assert look_at(healthy)["snapshots"].verdict == "ill"
    assert not copy.exists()
    shutil.rmtree(copy.parent.parent)
    assert look_at(healthy)["snapshots"].message == "there is none"


# Embedder and Prefect


def test_an_embedder_that_gives_no_unit_vectors_or_breaks_is_ill(
    healthy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Zeros(FakeEmbedder):
        def embed(self, texts: object) -> np.ndarray:
            return np.zeros((2, self.dimension), dtype=np.float32)

    monkeypatch.setattr(doctor, "embedder_of", lambda settings: Zeros())
    finding = look_at(healthy)["embedder"]
    assert finding.message == "fake/1 gives no unit vectors"
    # The advice must not be to switch search by meaning off.
    assert command_of(finding)[:3] == ["sunrise", "embedder", "list"]
    assert "=none" not in str(finding.cure)

    monkeypatch.setattr(doctor, "embedder_of", lambda settings: FakeEmbedder())
    assert look_at(healthy)["embedder"].verdict == "well"
    shutil.rmtree(healthy / "lance" / "memories.lance" / "_versions")
    assert look_at(healthy)["embedder"].verdict == "well"

    class Broken(FakeEmbedder):
        def embed(self, texts: object) -> np.ndarray:
            raise MemoryError

    monkeypatch.setattr(doctor, "embedder_of", lambda settings: Broken())
    found = look_at(healthy)
    assert (found["embedder"].verdict, found["embedder"].message) == ("ill", "MemoryError")
    assert found["prefect"].verdict == "look"


@pytest.fixture
def server() -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/api/health" else 404)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class's name
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever, args=(0.02,))
    thread.start()
    yield running.server_port
    running.shutdown()
    thread.join()
    running.server_close()


def test_a_server_that_answers_is_well(healthy: Path, server: int) -> None:
    toml = healthy / "sunrise.toml"
    toml.write_text(toml.read_text().replace("port = 9", f"port = {server}"))
    assert look_at(healthy)["prefect"].verdict == "well"


def test_without_prefect_the_cure_is_to_install_it(healthy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "find_spec", lambda name: None)
    finding = look_at(healthy)["prefect"]
    assert (finding.verdict, command_of(finding)[:2]) == ("ill", ["pip", "install"])


def test_what_was_found_before_a_check_broke_counts() -> None:
    def find() -> Iterator[Finding]:
        yield well("a", "fine")
        raise ValueError("x" * 500 + "\nsecond line")

    first, second = guarded("a", find, cure="Type `this`.")
    assert (first.verdict, second.verdict, len(second.message)) == ("well", "ill", 200)
    assert detail_of(KeyError()) == "KeyError"
