"""What was forgotten does not come back: by a harvest, a store, another writer, the index, a restore."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from flows.harvest import harvest
from flows.index import index
from flows.restore import restore
from flows.snapshot import create_one
from flows.writeback import writeback
from sunrise.bootstrap import Home, open_home
from sunrise.domain.forget import ForgetRequest, ForgetStatus
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.store import StoreRequest, StoreStatus
from sunrise.domain.text.dated_terms import text_terms
from sunrise.online.forget import forget
from sunrise.online.store import store
from sunrise.ports import MemoryTable
from sunrise.settings import load_settings
from tests.fakes import FrozenClock
from tests.homes import NOW, run_body, write_captures
from tests.ledgers import raw

TEA = "The user likes green tea"


class Doors:
    """The doors of an open home."""

    def __init__(self, home: Home) -> None:
        self.home = home
        table = home.memories()
        assert table is not None
        self.table: MemoryTable = table
        self.ports: dict[str, Any] = {
            "memories": table, "ledger": home.ledger, "embedder": home.embedder(), "clock": home.clock,
        }  # fmt: skip

    def forget(self, **asked: Any) -> ForgetStatus:
        return forget(ForgetRequest(**asked), **self.ports).status

    def keep(self, text: str, **more: Any) -> StoreStatus:
        return store(StoreRequest(text, **more), **self.ports).status

    def texts(self) -> list[str]:
        return sorted(self.table.scan(["text"]).column("text").to_pylist())

    def flow(self, body: Any, *, name: str) -> RunReceipt:
        return run_body(self.home.path, body, flow=name, clock=FrozenClock(NOW + 5000))


@pytest.fixture
def doors(home_path: Path) -> Iterator[Doors]:
    with open_home(load_settings(home_path), clock=FrozenClock(NOW)) as home:
        doors = Doors(home)
        doors.flow(index, name="index")
        yield doors


def test_a_harvest_leaves_it_out_and_counts_it(doors: Doors) -> None:
    doors.forget(query=TEA)
    write_captures(
        doors.home.spool / "later.jsonl",
        [
            {"id": 11, "ts": NOW, "kind": "note", "summary": "the user likes GREEN tea."},
            {"id": 12, "ts": NOW, "kind": "tool", "tool_name": "chat", "summary": TEA, "scope": "global"},
            {"id": 13, "ts": NOW, "kind": "note", "summary": TEA, "scope": "elsewhere"},
            {"id": 14, "ts": NOW, "kind": "note", "summary": "The user likes green tea at four"},
        ],
    )
    receipt = doors.flow(harvest, name="harvest")
    assert receipt.status is RunStatus.OK
    assert (receipt.counts["seen"], receipt.counts["inserted"], receipt.counts["collapsed"]) == (7, 5, 2)
    assert receipt.groups["collapsed_by_rule"] == {"forgotten": 2}
    kept = raw(doors.home.ledger, "SELECT key FROM observations WHERE ts_ms = 1795000000000 ORDER BY id")  # type: ignore[arg-type]
    assert len(kept) == 2
    again = doors.flow(harvest, name="harvest")
    assert again.counts["seen"] == 0


def test_a_memory_that_another_writer_brings_back_goes_with_the_next_index(doors: Doors) -> None:
    row = doors.table.by_ids(["m-tea"], doors.table.schema().names)
    assert doors.forget(id="m-tea") is ForgetStatus.FORGOTTEN
    doors.table.add(row)
    doors.table.add(pa.table({"id": ["copied"], "text": [TEA]}))
    doors.table.add(pa.table({"id": ["other"], "text": ["The user likes green tea at four"]}))
    receipt = doors.flow(index, name="index")
    assert (receipt.status, receipt.counts["forgotten_again"]) == (RunStatus.OK, 2)
    assert receipt.refs["forgotten_again"] == ("mem:copied", "mem:m-tea")
    assert TEA not in doors.texts()
    assert "The user likes green tea at four" in doors.texts()
    assert doors.flow(index, name="index").counts["forgotten_again"] == 0


def test_an_older_snapshot_does_not_bring_it_back(doors: Doors) -> None:
    doors.keep("The gate code is forty-two", id="gate-code")
    doors.flow(partial(create_one, name="first"), name="snapshot")
    doors.forget(id="m-tea")
    doors.forget(id="gate-code")
    doors.keep("Said after the snapshot")
    receipt = doors.flow(partial(restore, name="first"), name="restore")
    assert receipt.status is RunStatus.OK, receipt.anomalies
    assert receipt.counts["forgotten_again"] == 2
    assert not {TEA, "The gate code is forty-two", "Said after the snapshot"} & set(doors.texts())
    assert doors.keep(TEA) is StoreStatus.REFUSED
    assert doors.keep("The gate code is forty-two") is StoreStatus.REFUSED
    assert doors.flow(index, name="index").status is RunStatus.OK
    assert TEA not in doors.texts()


def test_nobody_is_told_that_a_forgotten_memory_is_missing(doors: Doors) -> None:
    doors.flow(harvest, name="harvest")
    assert doors.forget(id="m-backup") is ForgetStatus.FORGOTTEN
    write_captures(
        doors.home.spool / "later.jsonl",
        [{"id": 15, "ts": NOW, "kind": "tool", "tool_name": "memory_store", "summary": "Stored it once more",
          "detail": {"memory_id": "m-backup"}}],
    )  # fmt: skip
    doors.flow(harvest, name="harvest")
    receipt = doors.flow(writeback, name="writeback")
    assert (receipt.status, receipt.counts["missing"]) == (RunStatus.OK, 0)


def test_what_is_stored_goes_through_the_flows_of_a_day(doors: Doors) -> None:
    doors.keep("Rule: never deploy on Fridays", scope="ops", source_kind="operator", id="friday-rule")
    for name, body in (("harvest", harvest), ("writeback", writeback), ("index", index)):
        assert doors.flow(body, name=name).status is RunStatus.OK
    (row,) = doors.table.by_ids(
        ["friday-rule"], ["scope", "trust_tier", "importance_label", "state"]
    ).to_pylist()
    assert row == {
        "scope": "ops",
        "trust_tier": "trusted",
        "importance_label": "nice_to_have",
        "state": "active",
    }
    note = raw(doors.home.ledger, "SELECT run_id FROM changes WHERE record_ref = 'mem:friday-rule'")  # type: ignore[arg-type]
    assert len(note) == 1


def test_a_store_is_taken_back_by_an_undo_and_that_by_another(doors: Doors) -> None:
    from flows.undo import undo

    result = store(StoreRequest("Tea at four", id="tea-at-four"), **doors.ports)
    back = doors.flow(partial(undo, run_id=str(result.receipt.run_id), over_later=False), name="undo")
    assert (back.status, back.counts["restored"]) == (RunStatus.OK, 1)
    assert _state(doors.table) == "archived"
    again = doors.flow(partial(undo, run_id=back.run_id, over_later=False), name="undo")
    assert (again.status, _state(doors.table)) == (RunStatus.OK, "active")
    store(StoreRequest("Tea at five", id="tea-at-four"), **doors.ports)
    newest = store(StoreRequest("Tea at six", id="tea-at-four"), **doors.ports)
    doors.flow(partial(undo, run_id=str(newest.receipt.run_id), over_later=False), name="undo")
    (row,) = doors.table.by_ids(["tea-at-four"], ["text", "terms"]).to_pylist()
    assert (row["text"], text_terms(row["terms"])) == ("Tea at five", "tea at five")


def _state(table: MemoryTable) -> str:
    return str(table.by_ids(["tea-at-four"], ["state"]).column("state")[0].as_py())
