"""Of rows that share an id, and of those without one, only what is meant is forgotten."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.filters import DEFAULT_SCOPE
from sunrise.domain.forget import ForgetRequest, ForgetResult, ForgetStatus
from sunrise.domain.row_names import row_name
from sunrise.domain.store import StoreRequest, StoreStatus
from sunrise.errors import DataError, StoreError
from sunrise.online.burial import bury_all_returned, finish_burials
from sunrise.online.forget import forget
from sunrise.online.store import store
from sunrise.ports import MemoryTable
from tests.fakes import FakeMemoryTable, FrozenClock
from tests.homes import observation
from tests.ledgers import put, raw
from tests.store_calls import EMBEDDER, NOW

GATE = {"id": "k1", "text": "The gate code is on the fridge", "createdAt": 1785400000000.0}
COPY = {**GATE, "createdAt": 1785400000500.0}
SHED = {"id": "k1", "text": "The ladder is behind the shed"}
WORK = {"id": "k1", "text": "The office closes at six", "scope": "work", "trust_tier": "trusted"}
LONE = {"id": "k2", "text": "Milk is bought on Monday"}


def hold(table: MemoryTable, *rows: dict[str, Any]) -> None:
    table.adopt()
    names = {name for row in rows for name in row}
    schema = pa.schema([table.schema().field(name) for name in sorted(names)])
    table.add(pa.Table.from_pylist(list(rows), schema=schema))


def ask(table: MemoryTable, ledger: SqliteLedger, **asked: Any) -> ForgetResult:
    ports: dict[str, Any] = {"ledger": ledger, "embedder": EMBEDDER, "clock": FrozenClock(NOW)}
    return forget(ForgetRequest(**asked), memories=table, **ports)


def texts(table: MemoryTable) -> list[tuple[str | None, str]]:
    rows = table.scan(["id", "text"]).to_pylist()
    return sorted(((row["id"], row["text"]) for row in rows), key=str)


def said(*rows: dict[str, Any]) -> list[tuple[str | None, str]]:
    return sorted(((row["id"], row["text"]) for row in rows), key=str)


def test_an_id_of_several_rows_is_asked_back_and_one_is_chosen(
    table: MemoryTable, ledger: SqliteLedger
) -> None:
    hold(table, GATE, SHED, WORK, LONE)
    asked = ask(table, ledger, id="k1")
    assert (asked.status, asked.receipt.deleted) == (ForgetStatus.AMBIGUOUS, 0)
    told = {(one.ref, one.text, one.scope) for one in asked.candidates}
    rows = ((GATE, DEFAULT_SCOPE), (SHED, DEFAULT_SCOPE), (WORK, "work"))
    assert told == {(f"mem:{row_name(row)}", row["text"], scope) for row, scope in rows}
    assert texts(table) == said(GATE, SHED, WORK, LONE)
    done = ask(table, ledger, id=f"mem:{row_name(SHED)}")
    assert (done.status, done.refs, done.receipt.deleted) == (
        ForgetStatus.FORGOTTEN, (f"mem:{row_name(SHED)}",), 1,
    )  # fmt: skip
    assert texts(table) == said(GATE, WORK, LONE)
    assert ask(table, ledger, id=row_name(SHED)).status is ForgetStatus.ALREADY
    # What is left of the id is no forgotten memory, and does not go at the next door either.
    assert bury_all_returned(memories=table, ledger=ledger) == []
    assert texts(table) == said(GATE, WORK, LONE)


def test_in_a_scope_only_its_row_is_meant(table: MemoryTable, ledger: SqliteLedger) -> None:
    hold(table, GATE, SHED, WORK)
    here = ask(table, ledger, id="k1", scope=DEFAULT_SCOPE)
    assert [one.scope for one in here.candidates] == [DEFAULT_SCOPE] * 2
    done = ask(table, ledger, id="k1", scope="work")
    assert (done.status, done.receipt.deleted) == (ForgetStatus.FORGOTTEN, 1)
    assert texts(table) == said(GATE, SHED)
    assert ask(table, ledger, id=row_name(GATE), scope="work").status is ForgetStatus.NOT_FOUND
    assert texts(table) == said(GATE, SHED)


def test_of_two_that_say_the_same_a_copy_goes_and_what_it_says_stays(
    table: MemoryTable, ledger: SqliteLedger
) -> None:
    hold(table, GATE, COPY, LONE)
    put(ledger, observation("a", summary=GATE["text"], memory_id="k1"))
    assert ask(table, ledger, id="k1").status is ForgetStatus.AMBIGUOUS
    done = ask(table, ledger, id=row_name(COPY))
    assert (done.receipt.deleted, done.receipt.archived, done.receipt.twins) == (1, 0, ())
    assert texts(table) == said(GATE, LONE)
    # A copy that an older version brings back goes again, and the other row does not.
    hold(table, COPY)
    assert bury_all_returned(memories=table, ledger=ledger) == [row_name(COPY)]
    assert texts(table) == said(GATE, LONE)
    # Now the id is its alone, and all that belongs to it goes.
    last = ask(table, ledger, id="k1")
    assert (last.refs, last.receipt.deleted, last.receipt.archived) == (("mem:k1",), 1, 1)
    assert texts(table) == said(LONE)


def test_observations_of_the_row_that_goes_are_hidden_and_those_of_the_others_are_not(
    table: MemoryTable, ledger: SqliteLedger
) -> None:
    hold(table, GATE, SHED)
    shed, gate = f"Stored: {SHED['text']}", f"Stored: {GATE['text']}"
    put(
        ledger, observation("a", summary=gate, memory_id="k1"), observation("b", summary=shed, memory_id="k1")
    )
    assert ask(table, ledger, id=row_name(SHED)).receipt.archived == 1
    assert raw(ledger, "SELECT summary FROM observations WHERE state = 'archived'") == [(shed,)]


def test_a_query_takes_all_that_say_it_and_no_other_row_of_their_id(
    table: MemoryTable, ledger: SqliteLedger
) -> None:
    hold(table, GATE, COPY, SHED, {**WORK, "text": GATE["text"]})
    done = ask(table, ledger, query=GATE["text"])
    assert (done.status, done.receipt.deleted) == (ForgetStatus.FORGOTTEN, 2)
    assert texts(table) == said(SHED, {**WORK, "text": GATE["text"]})


@pytest.mark.parametrize("name", [None, ""])
def test_a_row_without_an_id_is_forgotten_by_its_name(
    table: MemoryTable, ledger: SqliteLedger, name: str | None
) -> None:
    row = {**SHED, "id": name}
    hold(table, row, {**GATE, "id": name}, LONE)
    done = ask(table, ledger, id=f"mem:{row_name(row)}")
    assert (done.status, done.receipt.deleted) == (ForgetStatus.FORGOTTEN, 1)
    assert texts(table) == said({**GATE, "id": name}, LONE)
    hold(table, {**row, "createdAt": 5.0})
    assert bury_all_returned(memories=table, ledger=ledger) == [row_name({**row, "createdAt": 5.0})]
    assert texts(table) == said({**GATE, "id": name}, LONE)


def test_who_may_not_take_the_trusted_takes_another_row_of_its_id(
    table: MemoryTable, ledger: SqliteLedger
) -> None:
    held = {**SHED, "scope": "work", "trust_tier": "untrusted"}
    hold(table, held, WORK)
    with pytest.raises(DataError, match="trusted"):
        ask(table, ledger, id=row_name(WORK), may_take_trusted=False)
    assert ask(table, ledger, id=row_name(held), may_take_trusted=False).receipt.deleted == 1
    assert texts(table) == said(WORK)


class Stubborn(FakeMemoryTable):
    """It cannot delete."""

    def delete(self, ids: Any) -> int:
        raise StoreError("killed in between")


def test_what_a_killed_forgetting_left_goes_with_the_next(ledger: SqliteLedger) -> None:
    table = Stubborn()
    hold(table, GATE, SHED)
    with pytest.raises(StoreError):
        ask(table, ledger, id=row_name(SHED))
    whole = FakeMemoryTable(table.rows)
    assert finish_burials(memories=whole, ledger=ledger) == 1
    assert texts(whole) == said(GATE)


def test_a_text_that_a_row_of_a_shared_id_holds_already_is_not_written_to_both(
    table: MemoryTable, ledger: SqliteLedger
) -> None:
    hold(table, GATE, WORK)
    request = StoreRequest(str(GATE["text"]), category="fact")
    done = store(request, memories=table, ledger=ledger, embedder=EMBEDDER, clock=FrozenClock(NOW))
    assert done.status is StoreStatus.DUPLICATE
    assert table.scan(["category"]).column("category").to_pylist() == [None, None]


def test_a_text_is_not_taken_for_that_of_another_scope_by_its_id(
    table: MemoryTable, ledger: SqliteLedger
) -> None:
    ports: dict[str, Any] = {"ledger": ledger, "embedder": EMBEDDER, "clock": FrozenClock(NOW)}
    first = store(StoreRequest(str(GATE["text"]), id="k1"), memories=table, **ports)
    hold(table, {**GATE, "text": "The gate code is in the drawer", "scope": "work"})
    again = store(StoreRequest(str(GATE["text"])), memories=table, **ports)
    assert (first.status, again.status, again.ref) == (StoreStatus.CREATED, StoreStatus.DUPLICATE, "mem:k1")
    work = store(StoreRequest(str(GATE["text"]), scope="work"), memories=table, **ports)
    assert work.status is StoreStatus.CREATED
