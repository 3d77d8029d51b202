"""What is erased stands nowhere any more, and the receipt says where it still does: held to a search by bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
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
from tests.homes import NOW, run_body, write_captures
from tests.ledgers import WHOLE, raw

TEXT = "The key of the garden shed\nis under the third stone"
SAID = "the KEY of the  garden shed is under the third stone"
NAME = "shed-key"


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

    def holding(self, text: str = TEXT) -> set[str]:
        """Return the files whose bytes hold the text, as it is or as JSON has it."""
        forms = {text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1], SAID}
        return {
            str(path.relative_to(self.path))
            for path in self.path.rglob("*")
            if path.is_file() and any(form.encode() in path.read_bytes() for form in forms)
        }

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
        place.keep("The shed has two windows", id="shed-windows")
        place.keep(TEXT, id=NAME, idempotency_key="k")
        write_captures(
            home.spool / "shed.jsonl",
            [
                {"id": 21, "ts": NOW, "kind": "note", "summary": f"Noted: {TEXT}, says the owner"},
                {"id": 22, "ts": NOW, "kind": "tool", "tool_name": "memory_store", "summary": "Stored it",
                 "detail": {"memory_id": NAME, "result": json.dumps({"text": TEXT})}},
                {"id": 23, "ts": NOW, "kind": "note", "summary": f"{SAID}: twice said"},
                {"id": 24, "ts": NOW, "kind": "note", "summary": "The weather is fine"},
                f'not json "{SAID}',
            ],
        )  # fmt: skip
        place.flow(harvest, name="harvest")
        home.ledger.put_note("working_set:global", json.dumps({"items": [{"ref": f"mem:{NAME}", "text": TEXT}]}))
        (home.path / "evals").mkdir()
        (home.path / "evals" / "one.json").write_text(json.dumps({"query": TEXT}), encoding="utf-8")
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
    assert "The weather is fine" in {row[0] for row in raw(place.home.ledger, "SELECT summary FROM observations")}  # type: ignore[arg-type]
    assert place.table.by_ids(["shed-windows"], ["text"]).column("text").to_pylist() == ["The shed has two windows"]


def test_snapshots_that_hold_it_are_listed_and_removed_on_demand(place: Place) -> None:
    place.flow(partial(create_one, name="with-it"), name="snapshot")
    place.forget(id=NAME)
    place.flow(partial(create_one, name="after-it"), name="snapshot")
    receipt = place.erase()
    assert receipt.status is RunStatus.ANOMALY
    assert [one.code for one in receipt.anomalies] == ["text_remains"]
    assert not is_complete(receipt)
    assert left_in(receipt, *FILES) == place.holding()
    assert left_in(receipt, HolderKind.SNAPSHOT) == place.tags_holding() | {"after-it"}
    assert place.tags_holding() == {"with-it"}
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
