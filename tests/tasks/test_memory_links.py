"""A row speaks of a memory of its own scope only; the memories are asked for once for each batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.harvest import harvest
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.bootstrap import Home
from sunrise.errors import StoreError
from sunrise.ports import MemoryTable
from tasks.memory_links import links_to_refuse, without_links
from tests.fakes import FakeMemoryTable
from tests.homes import NOW, run_body, write_captures

HELD = {"m-none": None, "m-blank": " ", "m-global": "global", "m-one": "agent:1", "m-two": "agent:2"}
NAMES = [*HELD, "m-twice", "m-unknown"]
SCOPES = ["agent:1", "agent:2", "global", None]


class Asked(FakeMemoryTable):
    """Counts how often it is asked for rows."""

    times = 0

    def by_ids(self, ids: Sequence[str], columns: Sequence[str]) -> pa.Table:
        self.times += 1
        return super().by_ids(ids, columns)


def rows_of(*named: tuple[str | None, str | None]) -> pl.DataFrame:
    rows = [(str(number), *one) for number, one in enumerate(named)]
    schema = {"key": pl.String, "memory_id": pl.String, "scope": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def held() -> pa.Table:
    ids, scopes = [*HELD, "m-twice", "m-twice"], [*HELD.values(), "agent:1", "agent:2"]
    return pa.table({
        "id": ids, "text": ids, "createdAt": [float(NOW)] * len(ids), "scope": pa.array(scopes, pa.string()),
    })  # fmt: skip


@pytest.fixture(params=["fake", "lance"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> MemoryTable:
    if request.param == "fake":
        return FakeMemoryTable(held())
    made = LanceMemories.create(tmp_path / "lance", dimension=2)
    made.add(held())
    return made


@pytest.mark.parametrize(
    ("scope", "by_token", "kept"),
    [
        ("agent:1", True, ["m-one"]),
        ("global", True, ["m-none", "m-blank", "m-global"]),
        (None, True, []),
        ("agent:1", False, ["m-none", "m-blank", "m-one", "m-unknown"]),
        ("global", False, ["m-none", "m-blank", "m-global", "m-unknown"]),
        (None, False, NAMES),
    ],
)
def test_a_row_may_name_what_is_of_its_scope(
    table: MemoryTable, scope: str | None, by_token: bool, kept: list[str]
) -> None:
    rows = rows_of(*((name, scope) for name in NAMES), (None, scope))
    refused = links_to_refuse(rows, lambda: table, by_token=by_token)
    after = without_links(rows, refused)
    assert after["memory_id"].drop_nulls().to_list() == kept
    assert refused.height == len(NAMES) - len(kept)
    assert after.drop("memory_id").equals(rows.drop("memory_id"))


def _fails() -> MemoryTable | None:
    raise StoreError("it cannot be opened")


@pytest.mark.parametrize("table", [_fails, lambda: None])
def test_without_the_memories_a_token_names_none_and_a_file_what_it_named(
    table: Callable[[], MemoryTable | None],
) -> None:
    rows = rows_of(("m-one", "agent:1"), ("m-two", None), (None, "agent:1"))
    assert links_to_refuse(rows, table, by_token=True)["key"].to_list() == ["0", "1"]
    assert links_to_refuse(rows, table, by_token=False).is_empty()


def test_nothing_is_opened_where_no_row_names_a_memory() -> None:
    assert links_to_refuse(rows_of((None, "agent:1")), _fails, by_token=True).is_empty()


@given(st.lists(st.tuples(st.sampled_from([*NAMES, None]), st.sampled_from(SCOPES))), st.booleans())
def test_no_link_that_is_kept_leads_into_another_scope(
    named: list[tuple[str | None, str | None]], by_token: bool
) -> None:
    asked = Asked(held())
    rows = rows_of(*named)
    kept = without_links(rows, links_to_refuse(rows, lambda: asked, by_token=by_token))
    assert asked.times <= 1
    for memory_id, scope in kept.select("memory_id", "scope").iter_rows():
        if memory_id is None or (not by_token and scope is None):
            continue
        own = (HELD.get(memory_id) or "").strip()
        assert memory_id != "m-twice"
        assert scope == (own or ("global" if by_token else scope))


def test_a_batch_of_many_links_asks_once(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty thousand lines, each naming a memory: one look at the memories."""
    table = pa.table({"id": ["m-0"], "text": ["x"], "createdAt": [float(NOW)], "scope": ["personal"]})
    asked = Asked(table)
    monkeypatch.setattr("tasks.keeping.existing_memories", lambda _: asked)
    lines = [
        {"id": f"i{number}", "ts": NOW - number, "kind": "tool", "tool_name": "meter", "scope": "ops",
         "summary": f"meter {number} counts {number * 7}", "detail": {"memory_id": f"m-{number % 500}"}}
        for number in range(20_000)
    ]  # fmt: skip
    write_captures(home.spool / "agent.jsonl", lines)
    receipt = run_body(home.path, harvest, flow="harvest", dry_run=True)
    assert (receipt.counts["seen"], receipt.counts["links_refused"]) == (20_000, 40)
    assert asked.times == 1
