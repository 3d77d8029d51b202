from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.forget import ForgetRequest, ForgetResult, ForgetStatus
from sunrise.domain.recall import RecallRequest
from sunrise.domain.store import StoreRequest, StoreResult, StoreStatus
from sunrise.errors import DataError, StoreError
from sunrise.online.burial import bury_all_returned, bury_returned
from sunrise.online.forget import forget
from sunrise.online.recall import recall
from sunrise.online.store import store
from sunrise.ports import MemoryTable
from tests.fakes import FakeMemoryTable, FrozenClock
from tests.homes import observation
from tests.ledgers import put, raw
from tests.store_calls import DIMENSION, EMBEDDER, NOW

TEA = "The user likes green tea at four"


class Door:
    """The doors of one home."""

    def __init__(self, table: MemoryTable, ledger: SqliteLedger) -> None:
        self.ports: dict[str, Any] = {
            "memories": table, "ledger": ledger, "embedder": EMBEDDER, "clock": FrozenClock(NOW),
        }  # fmt: skip

    def keep(self, text: str, **more: Any) -> StoreResult:
        return store(StoreRequest(text, **more), **self.ports)

    def drop(self, **asked: Any) -> ForgetResult:
        return forget(ForgetRequest(**asked), **self.ports)

    def refs(self, query: str, **more: Any) -> list[str]:
        ports = {name: port for name, port in self.ports.items() if name != "ledger"}
        return [item.ref for item in recall(RecallRequest(query, limit=50, **more), **ports).items]


@pytest.fixture
def door(table: MemoryTable, ledger: SqliteLedger) -> Door:
    return Door(table, ledger)


def ids(table: MemoryTable) -> list[str]:
    return sorted(f"mem:{name}" for name in table.scan(["id"]).column("id").to_pylist())


def test_what_is_stored_is_recalled_and_after_forgetting_it_is_not(door: Door, table: MemoryTable) -> None:
    kept, other = door.keep(TEA), door.keep("The cellar has a spare key")
    table.build_missing_indices()
    assert kept.ref in door.refs("green tea")
    result = door.drop(id=kept.ref)
    assert (result.status, result.refs) == (ForgetStatus.FORGOTTEN, (kept.ref,))
    assert (result.receipt.deleted, result.receipt.archived) == (1, 1)
    assert kept.ref not in door.refs("green tea", include_archived=True)
    assert ids(table) == [other.ref]


def test_a_tombstone_holds_no_text_and_the_ledger_tells_what_happened(
    door: Door, ledger: SqliteLedger
) -> None:
    kept = door.keep(TEA, scope="home")
    result = door.drop(id=kept.ref, reason="moved house")
    (tombstone,) = raw(ledger, "SELECT * FROM tombstones")
    assert not any("tea" in str(value).lower() for value in tombstone)
    told = ledger.changes(run_id=str(result.receipt.run_id))
    assert [(one.record_ref, one.before, one.after, one.reason) for one in told] == [
        (kept.ref, '"active"', '"forgotten"', "forget:moved house"),
        ("obs:1", '"active"', '"archived"', "forget"),
    ]
    assert raw(ledger, "SELECT count(*) FROM memory_links") == [(0,)]
    assert raw(ledger, "SELECT is_pending, scope FROM tombstones") == [(0, "home")]


@pytest.mark.parametrize("again", [TEA, "the user likes GREEN tea at four!"])
def test_a_forgotten_text_is_not_stored_again_until_that_is_asked_for(
    door: Door, table: MemoryTable, again: str
) -> None:
    kept = door.keep(TEA)
    door.drop(id=kept.ref)
    refused = door.keep(again)
    assert (refused.status, refused.receipt.reason, ids(table)) == (StoreStatus.REFUSED, "forgotten", [])
    assert door.keep("The user likes green tea at five").status is StoreStatus.CREATED
    assert door.keep(again, scope="work").status is StoreStatus.CREATED
    lifted = door.keep(again, again=True)
    assert lifted.status is StoreStatus.CREATED
    assert door.keep(again).receipt.duplicate_of == lifted.ref


def test_a_forgotten_id_is_not_made_again(door: Door) -> None:
    door.keep("Goal: mend the roof", id="plan")
    door.drop(id="plan")
    assert door.keep("Goal: something else", id="plan").receipt.reason == "forgotten"
    assert door.keep("Goal: something else", id="plan", again=True).status is StoreStatus.CREATED


def test_everywhere_is_in_every_scope(door: Door) -> None:
    kept = door.keep(TEA, scope="home")
    door.drop(id=kept.ref, everywhere=True)
    assert door.keep(TEA, scope="work").receipt.reason == "forgotten"


def test_twins_of_the_same_scope_go_along_and_others_stay(door: Door, table: MemoryTable) -> None:
    owner = door.keep(TEA, source_kind="operator")
    table.build_missing_indices()
    twin = door.keep("first said on a page", source_kind="web", id="twin-of-it")
    door.keep(TEA, id="twin-of-it", source_kind="web")
    other = door.keep(TEA, scope="work")
    result = door.drop(id=owner.ref)
    assert set(result.refs) == {owner.ref, twin.ref}
    assert result.receipt.twins == (twin.ref,)
    assert ids(table) == [other.ref]


def test_the_beginning_of_an_id_is_enough_where_it_is_one_memorys(door: Door, table: MemoryTable) -> None:
    door.keep("one", id="abcdefgh-1")
    door.keep("two", id="abcdefgh-2")
    door.keep("three", id="zzzzzzzz-3")
    several = door.drop(id="abcdefgh")
    assert several.status is ForgetStatus.AMBIGUOUS
    assert [one.ref for one in several.candidates] == ["mem:abcdefgh-1", "mem:abcdefgh-2"]
    assert door.drop(id="mem:zzzzzzzz").refs == ("mem:zzzzzzzz-3",)
    assert door.drop(id="abcdefg").status is ForgetStatus.NOT_FOUND
    assert len(ids(table)) == 2


@pytest.mark.parametrize("name", ["nowhere-at-all", "' OR 1=1 --", "%", "________"])
def test_what_is_not_there_is_told(door: Door, table: MemoryTable, name: str) -> None:
    door.keep(TEA)
    assert door.drop(id=name).status is ForgetStatus.NOT_FOUND
    assert len(ids(table)) == 1


def test_forgetting_twice_says_that_it_was_done(door: Door) -> None:
    kept = door.keep(TEA)
    door.drop(id=kept.ref)
    assert door.drop(id=kept.ref).status is ForgetStatus.ALREADY


def test_a_scope_forgets_its_own_only(door: Door, table: MemoryTable) -> None:
    kept = door.keep(TEA, scope="home")
    assert door.drop(id=kept.ref, scope="work").status is ForgetStatus.NOT_FOUND
    assert ids(table) == [kept.ref]
    assert door.drop(id=kept.ref, scope="home").status is ForgetStatus.FORGOTTEN


def test_a_query_gives_candidates_and_forgets_only_what_says_just_that(
    door: Door, table: MemoryTable
) -> None:
    door.keep("The port is 8080")
    kept = door.keep("The port is 9090")
    table.build_missing_indices()
    asked = door.drop(query="the port")
    assert (asked.status, len(asked.candidates), asked.refs) == (ForgetStatus.CANDIDATES, 2, ())
    assert len(ids(table)) == 2
    sure = door.drop(query="the port is 9090.")
    assert (sure.status, sure.refs) == (ForgetStatus.FORGOTTEN, (kept.ref,))
    assert door.drop(query="nothing like it", scope="work").status is ForgetStatus.NOT_FOUND


def test_candidates_show_no_secret(door: Door, table: MemoryTable) -> None:
    token = "ghp_" + "a1B2" * 9
    door.keep("The mirror has a login", id="mirror-login")
    table.merge(
        table.by_ids(["mirror-login"], ["id", "text"]).set_column(1, "text", [[f"The mirror takes {token}"]])
    )
    table.build_missing_indices()
    (one,) = door.drop(query="mirror login").candidates
    assert token not in one.text


def test_what_was_made_of_a_memory_is_told_and_goes_only_when_asked(
    door: Door, table: MemoryTable, ledger: SqliteLedger
) -> None:
    kept = door.keep(TEA, id="source-memory")
    child = door.keep("Buy green tea before four", id="child-memory")
    detail = json.dumps({"provenance": {"derivedFrom": ["mem:source-memory"]}})
    put(ledger, observation("a", memory_id="child-memory", detail_json=detail))
    put(
        ledger,
        observation("b", detail_json=json.dumps({"provenance": {"derivedFrom": ["mem:child-memory"]}})),
    )
    put(ledger, observation("c", detail_json=json.dumps({"provenance": {"derivedFrom": ["mem:source"]}})))
    told = door.drop(id=kept.ref)
    assert set(told.receipt.derived) == {"obs:3", "mem:child-memory", "obs:4"}
    assert ids(table) == [child.ref]
    door.keep(TEA, id="source-memory", again=True)
    gone = door.drop(id="source-memory", with_derived=True)
    assert set(gone.refs) == {"mem:source-memory", "mem:child-memory"}
    assert ids(table) == []


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({}, "bad_target"),
        ({"id": "a", "query": "b"}, "bad_target"),
        ({"id": " mem: "}, "bad_prefix"),
        ({"query": "tea", "limit": 0}, "bad_limit"),
        ({"query": "tea", "reason": " "}, "bad_reason"),
        ({"query": "half \ud83d"}, "bad_text"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(asked: dict[str, Any], reason: str) -> None:
    with pytest.raises(DataError) as error:
        ForgetRequest(**asked)
    assert error.value.reason == reason


def test_what_another_writer_brings_back_goes_again(
    door: Door, table: MemoryTable, ledger: SqliteLedger
) -> None:
    kept = door.keep(TEA)
    row = table.by_ids([str(kept.ref)[4:]], ["id", "text", "scope", "terms"])
    door.drop(id=kept.ref)
    table.add(row)
    copy = row.select(["id", "text"]).to_pylist()[0]
    table.add(row.select(["text"]).append_column("id", [["other-id"]]))
    table.add(row.slice(0, 1).set_column(0, "id", [["elsewhere"]]).set_column(2, "scope", [["work"]]))
    returned = [copy, {"id": "other-id", "text": TEA}, {"id": "elsewhere", "text": TEA, "scope": "work"}]
    assert bury_returned([], memories=table, ledger=ledger) == []
    assert bury_returned(returned, memories=table, ledger=ledger) == sorted([copy["id"], "other-id"])
    assert ids(table) == ["mem:elsewhere"]
    table.add(row)
    assert bury_all_returned(memories=table, ledger=ledger) == [copy["id"]]


class Stubborn(FakeMemoryTable):
    """A table that cannot delete until it can."""

    is_stubborn = True

    def delete(self, ids: Any) -> int:
        if self.is_stubborn:
            raise StoreError("another writer was quicker")
        return super().delete(ids)


def test_a_burial_that_failed_is_finished_by_whoever_comes_next(ledger: SqliteLedger) -> None:
    table = Stubborn(dimension=DIMENSION)
    door = Door(table, ledger)
    kept = door.keep(TEA)
    with pytest.raises(StoreError):
        door.drop(id=kept.ref)
    assert ledger.unfinished_burials() == (str(kept.ref)[4:],)
    table.is_stubborn = False
    door.keep("The cellar has a spare key")
    assert (ledger.unfinished_burials(), kept.ref in ids(table)) == ((), False)


def test_the_receipt_goes_into_json_and_holds_no_text(door: Door) -> None:
    kept = door.keep(TEA)
    told = json.dumps(door.drop(id=kept.ref).receipt.to_dict())
    assert "tea" not in told
    assert json.loads(told)["refs"] == [kept.ref]


def crowd(scope: str, number: int, beginning: str = "homelab-") -> pa.Table:
    rows = [
        {"id": f"{beginning}{scope}-{one:04}", "text": f"Box {one} of {scope}", "scope": scope}
        for one in range(number)
    ]
    return pa.Table.from_pylist(rows)


def test_a_beginning_is_looked_for_in_the_scope_alone_however_many_others_begin_so(
    door: Door, table: MemoryTable
) -> None:
    table.add(crowd("a", 1000))
    table.add(crowd("b", 1))
    assert door.drop(id="homelab-", scope="c").status is ForgetStatus.NOT_FOUND
    done = door.drop(id="homelab-", scope="b")
    assert (done.status, done.refs) == (ForgetStatus.FORGOTTEN, ("mem:homelab-b-0000",))
    assert len(ids(table)) == 1000
    # Forgotten in its scope; the other scopes are told nothing of it.
    assert door.drop(id="homelab-", scope="b").status is ForgetStatus.ALREADY
    for name in ("homelab-b-0000", "homelab-"):
        told = door.drop(id=name, scope="c")
        assert (told.status, told.refs, told.candidates) == (ForgetStatus.NOT_FOUND, (), ())


def test_where_several_are_meant_the_first_are_named_and_that_there_are_more(
    door: Door, table: MemoryTable
) -> None:
    table.add(crowd("b", 6))
    table.add(crowd("a", 3))
    told = door.drop(id="homelab-", scope="b", limit=5)
    assert told.status is ForgetStatus.AMBIGUOUS
    assert [one.ref for one in told.candidates] == [f"mem:homelab-b-{one:04}" for one in range(5)]
    assert told.receipt.to_dict()["moreCandidates"] is True
    assert door.drop(id="homelab-", scope="b", limit=6).receipt.has_more is False
    assert len(ids(table)) == 9


def test_what_is_forgotten_everywhere_tells_no_other_scope_of_its_id(door: Door, table: MemoryTable) -> None:
    table.add(crowd("b", 1))
    door.drop(id="homelab-b-0000", everywhere=True)
    assert door.drop(id="homelab-b-0000", scope="c").status is ForgetStatus.NOT_FOUND
    assert door.drop(id="homelab-b-0000").status is ForgetStatus.ALREADY


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("it's_a_note", "itXs_a_note-"),
        ("x' OR '1'='1", "xx-anything"),
        ("a%b_c-and-more", "aXXbYc-and-more"),
        ("back\\slash", "back/slash"),
        ("日記/2026-02-15#1", "日語/2026-02-15#1"),
    ],
)
def test_an_id_is_no_pattern(door: Door, table: MemoryTable, name: str, others: str) -> None:
    rows = [{"id": name, "text": "The kettle"}, {"id": others, "text": "The ladder"}]
    table.add(pa.Table.from_pylist(rows))
    done = door.drop(id=name[:8])
    assert (done.status, done.refs) == (ForgetStatus.FORGOTTEN, (f"mem:{name}",))
    assert door.drop(id=name[:8]).refs == (f"mem:{name}",)
    assert ids(table) == [f"mem:{others}"]
