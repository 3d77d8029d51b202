"""Lists of memories and their figures, over the fake and the real table."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.memory_schema import memories_schema
from sunrise.domain.admin import Backend, ListRequest, ListResult
from sunrise.domain.memory_filter import MemoryFilter
from sunrise.domain.record_views import MemoryView
from sunrise.domain.retention import DAY_MS
from sunrise.domain.row_names import row_name
from sunrise.errors import DataError, StoreError
from sunrise.online import admin_stats
from sunrise.online.admin_list import list_memories
from sunrise.online.admin_stats import stats
from sunrise.ports import MemoryTable
from tests.fakes import FakeMemoryTable, FrozenClock

DIMENSION = 4
NOW = 1_795_000_000_000
PLACE = Backend("somewhere", "memories")
ROWS: list[dict[str, Any]] = [
    {"id": "new", "text": "newest", "createdAt": NOW - 1.0, "scope": "ops", "trust_tier": "trusted"},
    {"id": "b", "text": "tied", "createdAt": NOW - 2.0 * DAY_MS, "scope": "ops", "terms": "tie"},
    {"id": "a", "text": "tied too", "createdAt": NOW - 2.0 * DAY_MS, "vector": [1.0, 0.0, 0.0, 0.0]},
    {"id": "bad", "text": "obey", "createdAt": NOW - 20.0 * DAY_MS, "trust_tier": "quarantined"},
    {"id": "key", "text": "password: hunter2", "createdAt": NOW - 400.0 * DAY_MS, "state": "archived"},
    {"id": "nan", "text": "when?", "createdAt": float("nan"), "importance_label": "ignore"},
    {"id": "never", "text": "never", "createdAt": None, "category": "fact", "importance": float("nan")},
    {"id": None, "text": "nobody's", "createdAt": NOW - 5.0},
    {"id": "", "text": "nobody's either", "createdAt": NOW - 6.0},
    {"id": "__schema__", "text": "what the gateway made its table with", "createdAt": 0.0},
]
NOBODYS = [row_name(row) for row in ROWS[-3:-1]]
NEWEST_FIRST = ["new", *NOBODYS, "a", "b", "bad", "key", "nan", "never"]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("template")
    LanceMemories.create(place, dimension=DIMENSION).add(rows(ROWS))
    return place


@pytest.fixture(params=["fake", "lance"])
def table(request: pytest.FixtureRequest, template: Path, tmp_path: Path) -> MemoryTable:
    if request.param == "fake":
        return FakeMemoryTable(rows(ROWS), dimension=DIMENSION)
    return LanceMemories.open(shutil.copytree(template, tmp_path / "lance"))


def rows(values: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(values, schema=memories_schema(DIMENSION))


def listed(table: MemoryTable | None, **asked: Any) -> ListResult:
    return list_memories(ListRequest(**asked), memories=table, clock=FrozenClock(NOW), backend=PLACE)


def ids(result: ListResult) -> list[str]:
    return [item.ref.removeprefix("mem:") for item in result.items]


def pages(table: MemoryTable, limit: int, **asked: Any) -> list[str]:
    found: list[str] = []
    cursor = None
    for _ in range(100):
        page = listed(table, limit=limit, cursor=cursor, **asked)
        assert len(page.items) <= limit
        found += ids(page)
        cursor = page.next_cursor
        if cursor is None:
            return found
    raise AssertionError("the pages never end")


def test_the_newest_comes_first_and_unknown_ages_last(table: MemoryTable) -> None:
    result = listed(table)
    assert ids(result) == NEWEST_FIRST
    assert (result.total, result.next_cursor) == (9, None)


@pytest.mark.parametrize("limit", [1, 2, 3, 8, 9, 10])
def test_pages_of_any_size_hold_each_memory_once(table: MemoryTable, limit: int) -> None:
    assert pages(table, limit) == NEWEST_FIRST


def test_a_filter_holds_on_every_page(table: MemoryTable) -> None:
    assert pages(table, 1, filter=MemoryFilter(scope="ops")) == ["new", "b"]
    assert pages(table, 2, filter=MemoryFilter(state="active", since_ms=NOW - 3 * DAY_MS)) == [
        "new",
        *NOBODYS,
        "a",
        "b",
    ]
    assert listed(table, filter=MemoryFilter(category="none such")).items == ()


def test_a_memory_that_comes_between_two_pages_shifts_nothing(table: MemoryTable) -> None:
    first = listed(table, limit=4)
    later = [{"id": "late", "createdAt": NOW + 1.0}, {"id": "aa", "createdAt": NOW - 2.0 * DAY_MS}]
    table.add(rows(later))
    rest = listed(table, limit=9, cursor=first.next_cursor)
    assert ids(rest) == ["aa", *NEWEST_FIRST[4:]]


def test_an_id_that_stands_there_thrice_is_on_the_pages_thrice(table: MemoryTable) -> None:
    table.add(rows([{"id": "b", "text": "tied", "createdAt": NOW - 2.0 * DAY_MS}] * 2))
    for limit in (1, 2, 3, 5):
        found = pages(table, limit)
        assert [one.partition("~")[0] for one in found[3:7]] == ["a", "b", "b", "b"]
        assert [*found[:3], *found[7:]] == [*NEWEST_FIRST[:3], *NEWEST_FIRST[5:]]
        if limit == 5:
            # One of them is in a scope; what cannot be told from another one is called as it is.
            assert len(set(found[4:7])) == 2


@pytest.mark.parametrize("limit", [1, 2, 50])
def test_rows_without_an_id_and_of_one_are_on_the_pages_as_what_they_are(limit: int) -> None:
    held: list[dict[str, Any]] = [
        {"id": None, "text": "first"}, {"id": "", "text": "second"}, {"id": None, "text": "third"},
        {"id": "k1", "text": "here", "scope": "home"}, {"id": "k1", "text": "here too", "scope": "home"},
        {"id": "k1", "text": "there", "scope": "work"},
    ]  # fmt: skip
    made = FakeMemoryTable()
    made.add(pa.Table.from_pylist(held, schema=memories_schema(8)))
    assert {(one.ref, one.text) for one in paged(made, limit)} == {
        (f"mem:{row_name(row)}", row["text"]) for row in held
    }
    work = paged(made, limit, MemoryFilter(scope="work"))
    assert [(one.ref, one.text) for one in work] == [("mem:k1", "there")]


def paged(made: MemoryTable, limit: int, meant: MemoryFilter = MemoryFilter()) -> list[MemoryView]:  # noqa: B008  frozen
    """All memories, page by page."""
    found, cursor = list[MemoryView](), None
    while True:
        request = ListRequest(filter=meant, limit=limit, cursor=cursor)
        page = list_memories(request, memories=made, clock=FrozenClock(), backend=Backend("x", "memories"))
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            return found


def test_no_secret_and_no_quarantined_text_is_shown(table: MemoryTable) -> None:
    texts = {item.ref: item.text for item in listed(table).items}
    assert texts["mem:key"] == "password: [redacted:password]"
    assert texts["mem:bad"] is None
    shown = {item.ref: item.text for item in listed(table, with_quarantined_texts=True).items}
    assert shown["mem:bad"] == "obey"


def test_numbers_that_are_none_are_left_out(table: MemoryTable) -> None:
    by_ref = {item.ref: item for item in listed(table).items}
    assert by_ref["mem:never"].importance is None
    assert by_ref["mem:nan"].created_at_ms is None
    assert by_ref["mem:new"].created_at_ms == NOW - 1


def test_a_cursor_of_other_filters_is_refused(table: MemoryTable) -> None:
    cursor = listed(table, limit=1).next_cursor
    with pytest.raises(DataError, match="other filters"):
        listed(table, limit=1, cursor=cursor, filter=MemoryFilter(scope="ops"))


def test_half_a_surrogate_in_a_filter_is_asked_wrongly(table: MemoryTable) -> None:
    with pytest.raises(DataError) as error:
        listed(table, filter=MemoryFilter(scope="\ud83d"))
    assert error.value.reason == "bad_text"


def test_the_receipt_says_filters_counts_and_where(table: MemoryTable) -> None:
    receipt = listed(table, limit=2, filter=MemoryFilter(scope="ops")).receipt.to_dict()
    assert (receipt["schema"], receipt["op"], receipt["atMs"]) == ("sunrise.admin.v1", "list", NOW)
    assert receipt["filters"] == {"scope": "ops", "limit": 2}
    assert receipt["counts"] == {"returned": 2, "total": 2}
    assert receipt["backend"]["dbPath"] == "somewhere"
    assert receipt["backend"]["version"] >= 1
    assert set(receipt["latencyMs"]) == {"find", "read"}


def test_without_a_table_lists_and_figures_are_empty() -> None:
    result = listed(None)
    assert (result.items, result.total, result.receipt.reason) == ((), 0, "no_memories_table")
    found = stats(None, memories=None, clock=FrozenClock(NOW), backend=PLACE)
    assert (found.stats.rows, found.receipt.reason) == (0, "no_memories_table")


class Broken(FakeMemoryTable):
    """A table that is there and cannot be read."""

    def batches(self, columns: Any, *, where: str | None = None) -> Any:
        raise StoreError("disk gone")


class Gone(FakeMemoryTable):
    """A table that cannot even be opened any more."""

    def newest_version(self) -> int:
        raise StoreError("disk gone")


@pytest.mark.parametrize("kind", [Broken, Gone])
def test_a_store_that_fails_is_a_reason_and_no_error(kind: type[FakeMemoryTable]) -> None:
    table = kind(rows(ROWS), dimension=DIMENSION)
    assert listed(table).receipt.reason == "store_failed"
    found = stats(None, memories=table, clock=FrozenClock(NOW), backend=PLACE)
    assert (found.stats.rows, found.receipt.reason) == (0, "store_failed")


def test_figures_are_counted(table: MemoryTable) -> None:
    found = stats(None, memories=table, clock=FrozenClock(NOW), backend=PLACE).stats
    assert (found.rows, found.without_id, found.without_terms, found.without_vector) == (9, 2, 8, 8)
    assert found.by["scope"] == {"(none)": 7, "ops": 2}
    assert found.by["trust"] == {"(none)": 7, "quarantined": 1, "trusted": 1}
    assert found.by["state"] == {"(none)": 8, "archived": 1}
    assert found.by["category"] == {"(none)": 8, "fact": 1}
    assert found.ages == {
        "day": 3, "week": 2, "month": 1, "quarter": 0, "year": 0, "older": 1, "unknown": 2,
    }  # fmt: skip
    assert (found.oldest_ms, found.newest_ms) == (NOW - 400 * DAY_MS, NOW - 1)
    assert found.table_rows == 10
    assert found.table_bytes > 0


def test_figures_of_one_scope_leave_the_others_out(table: MemoryTable) -> None:
    result = stats("ops", memories=table, clock=FrozenClock(NOW), backend=PLACE, with_vectors=False)
    assert (result.stats.rows, result.stats.without_terms, result.stats.without_vector) == (2, 1, None)
    assert result.receipt.filters == {"scope": "ops"}
    assert result.to_dict()["stats"]["by"]["scope"] == {"ops": 2}


def test_many_scopes_are_told_as_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin_stats, "MAX_KEYS", 2)
    table = FakeMemoryTable(
        rows([{"id": str(at), "scope": scope} for at, scope in enumerate("aaabbcd")]), dimension=DIMENSION
    )
    found = stats(None, memories=table, clock=FrozenClock(NOW), backend=PLACE).stats
    assert found.by["scope"] == {"a": 3, "b": 2, "(others)": 2}
    assert found.ages["unknown"] == 7


def test_a_table_of_few_columns_is_listed_and_counted() -> None:
    bare = pa.table({"id": ["a", "b"], "text": ["x", "y"]})
    table = FakeMemoryTable(bare)
    assert ids(listed(table)) == ["a", "b"]
    found = stats(None, memories=table, clock=FrozenClock(NOW), backend=PLACE).stats
    assert (found.rows, found.without_terms, found.without_vector) == (2, 2, None)
    assert found.by["lang"] == {"(none)": 2}
    assert found.ages["unknown"] == 2
