"""Terms of an older analysis are made anew, once, and not those that are right."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.memory_schema import terms_made_as
from sunrise.bootstrap import open_home
from sunrise.domain.text.dated_terms import dated_terms
from sunrise.ports import MemoryTable
from sunrise.settings import load_settings
from tasks.memories import open_memories
from tasks.run_frame import Run
from tasks.term_renewal import read_stale, renew_terms, write_terms
from tests.fakes import FakeMemoryTable
from tests.homes import run_body

ZONE = "Asia/Taipei"
CREATED = 1_777_766_400_000.0
TEA = dated_terms("green tea", CREATED, ZoneInfo(ZONE))


@pytest.fixture(params=["fake", "lance"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> MemoryTable:
    made = FakeMemoryTable() if request.param == "fake" else LanceMemories.create(tmp_path, dimension=8)
    made.add(
        pa.table(
            {
                "id": ["plain", "dated", "undated", "new", "twin", "twin"],
                "text": ["green tea", "green tea", "green tea", "green tea", "a", "b"],
                "terms": ["green tea", TEA, "green tea", None, "a", "b"],
                "createdAt": [CREATED, CREATED, None, CREATED, CREATED, CREATED],
            }
        )
    )
    return made


def test_only_what_is_not_as_today_is_written(table: MemoryTable) -> None:
    stale = read_stale(table, ZONE)
    assert stale.rows() == [("plain", "green tea", TEA)]
    assert write_terms(table, stale, version=table.newest_version(), made_as="2 there") == 1
    rows = table.scan(["id", "terms"], where="id <> 'twin'").to_pylist()
    held = {row["id"]: row["terms"] for row in rows}
    assert held == {"plain": TEA, "dated": TEA, "undated": "green tea", "new": None}
    assert terms_made_as(table.schema()) == "2 there"
    assert read_stale(table, ZONE).is_empty()
    assert read_stale(table, "UTC").is_empty()
    assert sorted(read_stale(table, "America/New_York")["id"]) == ["dated", "plain"]


def test_what_another_writer_wrote_meanwhile_stays(table: MemoryTable) -> None:
    version, stale = table.newest_version(), read_stale(table, ZONE)
    table.merge(pa.table({"id": ["plain"], "text": ["black tea"], "terms": ["black tea"]}))
    write_terms(table, stale, version=version, made_as="2")
    assert table.by_ids(["plain"], ["terms"]).to_pylist() == [{"terms": "black tea"}]


def test_the_note_stays_with_the_column(table: MemoryTable) -> None:
    table.note_terms("1")
    table.note_terms("2")
    table.merge(pa.table({"id": ["plain"], "terms": ["tea"]}))
    assert terms_made_as(table.schema()) == "2"
    assert terms_made_as(pa.schema([("id", pa.string())])) is None


def test_a_flow_renews_once_and_says_so(home_path: Path) -> None:
    def body(run: Run) -> None:
        renew_terms(run, open_memories(run))

    def of_tea() -> tuple[int, str]:
        with open_home(load_settings(home_path)) as home:
            table = home.memories()
            assert table is not None
            (row,) = table.by_ids(["tea"], ["terms"]).to_pylist()
            return table.newest_version(), row["terms"]

    with open_home(load_settings(home_path)) as home:
        table = home.memories()
        assert table is not None
        row = {"id": ["tea"], "text": ["green tea"], "terms": ["green tea"], "createdAt": [CREATED]}
        table.adopt()
        table.add(pa.table(row))
    dry = run_body(home_path, body, dry_run=True)
    assert (dry.counts["terms_renewed"], of_tea()[1]) == (1, "green tea")
    assert run_body(home_path, body).counts["terms_renewed"] == 1
    version, held = of_tea()
    assert held == TEA
    assert "terms_renewed" not in run_body(home_path, body).counts
    assert of_tea()[0] == version
