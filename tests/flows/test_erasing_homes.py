"""What is erased stands nowhere any more, and what still holds it is told: held to a search by bytes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from flows.erase import erase
from flows.harvest import harvest
from flows.index import index
from flows.restore import restore
from flows.snapshot import create_one
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.bootstrap import Home, open_home
from sunrise.domain.erasure import HolderKind, is_complete, still_holding
from sunrise.domain.forget import ForgetRequest, ForgetStatus
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.store import StoreRequest
from sunrise.online.forget import forget
from sunrise.online.store import store
from sunrise.ports import MemoryTable
from sunrise.settings import load_settings
from tests.fakes import FrozenClock
from tests.flows.erasure_killing import NAME, SAID, TEXT, holding, keep_everywhere
from tests.homes import NOW, run_body, write_captures
from tests.ledgers import WHOLE, raw


class Place:
    """An open home, its doors, and a search through it that knows nothing of ours."""

    def __init__(self, home: Home) -> None:
        self.home, self.path = home, home.path
        table = home.memories()
        assert table is not None
        self.table: MemoryTable = table
        self.ports: dict[str, Any] = {
            "memories": table, "ledger": home.ledger, "embedder": home.embedder(), "clock": home.clock,
        }  # fmt: skip

    def keep(self, text: str, **more: Any) -> None:
        store(StoreRequest(text, **more), **self.ports)

    def forget(self, **asked: Any) -> ForgetStatus:
        return forget(ForgetRequest(**asked), **self.ports).status

    def flow(self, body: Any, *, name: str) -> RunReceipt:
        return run_body(self.path, body, flow=name, clock=FrozenClock(NOW + 5000))

    def erase(self, *names: str, **options: Any) -> RunReceipt:
        return self.flow(partial(erase, memory_ids=names or (NAME,), **options), name="erase")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return raw(self.home.ledger, sql)  # type: ignore[arg-type]

    def holding(self, text: str = TEXT) -> set[str]:
        """Return the files whose bytes hold the text, as it is or as JSON has it."""
        return holding(self.path, text)

    def tags_holding(self, text: str = TEXT) -> set[str]:
        """Return the tags of the memories table whose version holds the text."""
        table = LanceMemories.open(self.path / "lance")._table
        found = set()
        for tag in table.tags.list():
            table.checkout(tag)
            if text in table.to_arrow().column("text").to_pylist():
                found.add(tag)
            table.checkout_latest()
        return found


@pytest.fixture
def place(home_path: Path) -> Iterator[Place]:
    with open_home(load_settings(home_path), clock=FrozenClock(NOW)) as home:
        place = Place(home)
        place.flow(index, name="index")
        keep_everywhere(home, place.ports)
        yield place


def found_in(receipt: RunReceipt) -> set[str]:
    return set(receipt.refs.get("found_in", ()))


def left_in(receipt: RunReceipt, *kinds: HolderKind) -> set[str]:
    return {one.name for one in still_holding(receipt) if one.kind in kinds}


FILES = (HolderKind.TABLE, HolderKind.BACKUP, HolderKind.GOLDEN, HolderKind.LEDGER, HolderKind.FILE)


def test_after_an_erasure_no_file_and_no_version_holds_the_text(place: Place) -> None:
    before = place.holding()
    assert {"spool/shed.jsonl", "evals/one.json"} < before
    assert any(name.startswith("lance/") for name in before)
    place.forget(id=NAME)
    before = place.holding()
    receipt = place.erase()
    assert (receipt.status, receipt.anomalies) == (RunStatus.OK, ())
    assert found_in(receipt) == before
    assert place.holding() == set()
    assert is_complete(receipt)
    assert still_holding(receipt) == ()
    assert receipt.adds_up
    assert place.home.ledger.check() == WHOLE
    assert not (place.path / "erasing.json").exists()
    assert "The weather is fine" in {row[0] for row in place.rows("SELECT summary FROM observations")}
    assert place.table.by_ids(["shed-windows"], ["text"]).column("text").to_pylist() == [
        "The shed has two windows"
    ]


def test_snapshots_that_hold_it_are_listed_and_removed_on_demand(place: Place) -> None:
    place.flow(partial(create_one, name="with-it"), name="snapshot")
    place.forget(id=NAME)
    place.flow(partial(create_one, name="after-it"), name="snapshot")
    receipt = place.erase()
    assert receipt.status is RunStatus.ANOMALY
    assert [one.code for one in receipt.anomalies] == ["text_remains"]
    assert not is_complete(receipt)
    assert left_in(receipt, *FILES) == place.holding()
    assert left_in(receipt, HolderKind.SNAPSHOT) == place.tags_holding() == {"with-it"}
    assert {name.split("/")[0] for name in place.holding()} == {"backups", "lance"}
    again = place.erase(backups=True)
    assert (again.status, again.anomalies) == (RunStatus.OK, ())
    assert is_complete(again)
    assert place.holding() == place.tags_holding() == set()


def test_erasing_again_what_is_erased_finds_nothing_and_says_it_is_complete(place: Place) -> None:
    place.forget(id=NAME)
    place.erase()
    receipt = place.erase()
    assert (receipt.status, receipt.counts["found"], is_complete(receipt)) == (RunStatus.OK, 0, True)


def test_a_tag_that_shows_a_memory_no_more_and_reads_its_file_is_told_too(place: Place) -> None:
    place.flow(partial(create_one, name="with-it"), name="snapshot")
    place.forget(id="m-backup")
    place.flow(partial(create_one, name="after-it"), name="snapshot")
    text = "Backup the database before every deploy"
    receipt = place.erase("m-backup")
    assert place.tags_holding(text) == {"with-it"}
    assert left_in(receipt, HolderKind.SNAPSHOT) == {"with-it", "after-it"}
    assert left_in(receipt, *FILES) == place.holding(text)
    assert is_complete(place.erase("m-backup", backups=True))
    assert place.holding(text) == set()
    assert list((place.path / "backups").iterdir()) == []


def test_rows_that_speak_of_it_are_emptied_and_others_lose_only_the_text(place: Place) -> None:
    place.forget(id=NAME)
    place.erase()
    rows = place.rows("SELECT summary, detail_json, memory_id FROM observations ORDER BY id")
    assert ("[redacted:erased]", "{}", NAME) in rows
    summaries = [summary for summary, *_ in rows]
    assert "Noted: [redacted:erased], says the owner" in summaries
    assert "[redacted:erased]: twice said" in summaries
    assert place.rows("SELECT sample FROM quarantine") == [('not json "[redacted:erased]',)]
    assert place.home.ledger.get_note("working_set:global") is None
    assert {row[0] for row in place.rows("SELECT request_hash FROM stores WHERE memory_id = 'shed-key'")} == {
        "erased"
    }
    lines = (place.path / "spool" / "shed.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0])["summary"].startswith("Noted: [*")
    assert place.flow(harvest, name="harvest").counts["inserted"] == 0


def test_a_live_memory_that_says_it_too_is_named_and_stays(place: Place) -> None:
    place.keep(f"{SAID}, behind the oak", id="longer")
    place.keep(TEXT, id="elsewhere", scope="garden")
    place.forget(id=NAME)
    receipt = place.erase()
    assert left_in(receipt, HolderKind.MEMORY) == {"mem:elsewhere", "mem:longer"}
    assert not is_complete(receipt)
    assert left_in(receipt, *FILES) == place.holding()
    for name in ("longer", "elsewhere"):
        place.forget(id=name)
        receipt = place.erase(name)
    assert is_complete(receipt)
    assert place.holding() == set()


def test_a_short_text_is_erased_by_rows_and_the_receipt_says_why(place: Place) -> None:
    place.keep("Tea at four", id="tea-time")
    place.keep("We have tea at four, in the shed", id="long-tea")
    place.forget(id="tea-time")
    receipt = place.erase("tea-time")
    assert receipt.facts["by_text"] == "no: a text under 12 characters is everywhere"
    assert not is_complete(receipt)
    assert place.table.by_ids(["long-tea"], ["text"]).num_rows == 1
    told = {row[0] for row in place.rows("SELECT summary FROM observations")}
    assert ("Tea at four" in told, "We have tea at four, in the shed" in told) == (False, True)
    assert place.tags_holding("Tea at four") == set()


def test_what_is_forgotten_with_it_or_said_before_is_erased_too(place: Place) -> None:
    place.keep("The key of the shed was in the kitchen once", id=NAME)
    place.forget(id=NAME)
    receipt = place.erase()
    assert is_complete(receipt)
    assert receipt.counts["texts"] == 2
    assert place.holding() == place.holding("The key of the shed was in the kitchen once") == set()


def test_nothing_is_erased_that_was_not_forgotten(place: Place) -> None:
    receipt = place.erase()
    assert (receipt.status, receipt.reason) == (RunStatus.FAILED, "not_forgotten")
    assert "spool/shed.jsonl" in place.holding()


def test_a_dry_run_tells_and_changes_nothing(place: Place) -> None:
    place.forget(id=NAME)
    before = place.holding()
    dry = run_body(place.path, partial(erase, memory_ids=(NAME,)), flow="erase", dry_run=True)
    assert (dry.status, dry.counts["erased"], is_complete(dry)) == (RunStatus.OK, 0, False)
    assert dry.counts["found"] == dry.counts["left"] > 8
    assert found_in(dry) == left_in(dry, *FILES) == place.holding() == before
    assert place.home.ledger.erased() == frozenset()
    assert not (place.path / "erasing.json").exists()


def test_a_restored_snapshot_brings_neither_the_row_nor_its_records_back(place: Place) -> None:
    place.flow(partial(create_one, name="with-it"), name="snapshot")
    place.forget(id=NAME)
    place.erase()
    receipt = place.flow(partial(restore, name="with-it"), name="restore")
    assert receipt.status is RunStatus.OK, receipt.anomalies
    assert receipt.counts["forgotten_again"] == 1
    assert receipt.counts["erased_again"] >= 4
    assert "shed" not in " ".join(place.table.by_ids([NAME], ["text"]).column("text").to_pylist())
    for table, column in (("observations", "summary"), ("episodes", "text"), ("notes", "text")):
        told = [row[0] for row in place.rows(f"SELECT {column} FROM {table}")]
        assert not [text for text in told if "third stone" in text], table
    assert {name.split("/")[0] for name in place.holding()} == {"backups", "lance"}
    assert is_complete(place.erase(backups=True))
    assert place.holding() == set()


def test_an_undo_shows_nothing_of_it_again(place: Place) -> None:
    from flows.undo import undo

    result = forget(ForgetRequest(id=NAME), **place.ports)
    receipt = place.erase()
    back = place.flow(partial(undo, run_id=str(result.receipt.run_id), over_later=False), name="undo")
    assert (back.status, back.reason) == (RunStatus.FAILED, "erased")
    back = place.flow(partial(undo, run_id=receipt.run_id, over_later=False), name="undo")
    assert back.reason == "redaction_keeps_no_before_image"


def test_it_waits_for_no_flow_and_says_so(place: Place) -> None:
    place.forget(id=NAME)
    place.home.ledger.acquire_lease("harvest", run_id="at-work")
    receipt = place.erase()
    assert (receipt.status, receipt.reason) == (RunStatus.BUSY, "lease_taken")
    place.home.ledger.release_lease("harvest", run_id="at-work")
    assert is_complete(place.erase())


def test_files_that_nobody_scrubs_are_named_with_their_kind(place: Place) -> None:
    for name in ("golden/mine.jsonl", "prefect/log.txt", "backups/half/ledger.sqlite.partial"):
        path = place.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"query": TEXT}) + "\n", encoding="utf-8")
    place.forget(id=NAME)
    receipt = place.erase()
    assert {(one.name, one.kind.value) for one in still_holding(receipt)} == {
        ("golden/mine.jsonl", "golden"),
        ("prefect/log.txt", "file"),
        ("backups/half/ledger.sqlite.partial", "backup"),
    }
    assert left_in(receipt, *FILES) == place.holding()


def test_no_receipt_page_or_command_tells_the_text(place: Place) -> None:
    place.forget(id=NAME)
    receipt = place.erase()
    assert "third stone" not in json.dumps(receipt.to_dict())
    page = (place.path / "reports" / "runs" / f"{receipt.run_id}.html").read_text(encoding="utf-8")
    assert ("third stone" in page, "complete" in page) == (False, True)


def test_what_was_made_of_it_is_named_and_goes_only_on_demand(place: Place) -> None:
    made = f"The owner hides keys below stones, as in {NAME}"
    place.keep("Keys lie below stones in general", id="lesson")
    write_captures(
        place.home.spool / "made.jsonl",
        [
            {"id": 31, "ts": NOW, "kind": "lesson", "summary": made,
             "detail": {"memory_id": "lesson", "provenance": {"parents": [f"mem:{NAME}"]}}},
        ],
    )  # fmt: skip
    place.flow(harvest, name="harvest")
    place.forget(id=NAME)
    receipt = place.erase()
    assert "mem:lesson" in receipt.refs["derived"]
    assert place.table.by_ids(["lesson"], ["id"]).num_rows == 1
    assert made in [row[0] for row in place.rows("SELECT summary FROM observations")]
    again = place.erase(with_derived=True)
    assert place.table.by_ids(["lesson"], ["id"]).num_rows == 0
    assert made not in [row[0] for row in place.rows("SELECT summary FROM observations")]
    assert "mem:lesson" in again.refs["memories"]
    assert place.holding("Keys lie below stones in general") == set()


def test_a_reader_in_the_way_is_named_and_the_next_erasure_finishes(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    patience = SqliteLedger.finish_redaction
    monkeypatch.setattr(SqliteLedger, "finish_redaction", lambda self: patience(self, patience_s=0.1))
    place.forget(id=NAME)
    with closing(sqlite3.connect(place.path / "ledger.sqlite", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM observations").fetchone()
        held = place.erase()
    assert {"ledger_is_being_read", "text_remains"} <= {one.code for one in held.anomalies}
    assert left_in(held, HolderKind.INTENT) == {"erasing.json"}
    assert (place.path / "erasing.json").stat().st_mode & 0o777 == 0o600
    assert is_complete(place.erase())
    assert place.holding() == set()


def test_a_backup_that_nobody_can_read_is_told(place: Place) -> None:
    torn = place.path / "backups" / "torn" / "ledger.sqlite"
    torn.parent.mkdir(parents=True)
    torn.write_bytes(b"no database at all" * 100)
    place.forget(id=NAME)
    receipt = place.erase()
    assert [one.code for one in receipt.anomalies] == ["backup_unreadable", "text_remains"]
    assert not is_complete(receipt)
