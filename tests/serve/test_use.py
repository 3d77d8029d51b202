"""What counts as use of a memory, whichever way it was asked for, and what keeps it out of the archive."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sunrise
from flows.evaluate import evaluate
from flows.lifecycle import lifecycle
from sunrise.adapters.sqlite_ledger import LEDGER_FILE
from sunrise.bootstrap import open_home
from sunrise.domain.recall import RecallRequest
from sunrise.domain.retention import DAY_MS
from sunrise.domain.text.analysis import terms
from sunrise.domain.turn_request import AutoRecallRequest
from sunrise.serve.service import ServeOptions, Service
from sunrise.settings import load_settings
from tests.commands import typed
from tests.fakes import FrozenClock
from tests.homes import NOW, run_body
from tests.mcp_calls import over_http
from tests.serving import CONFIG, announced, make_home, served

Typed = Callable[..., tuple[int, str, str]]
TEA = "mem:m-tea"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], own_home: Path) -> Typed:
    monkeypatch.setenv("SUNRISE_HOME", str(own_home))
    return partial(typed, monkeypatch, capsys)


def used(home: Path) -> dict[str, int]:
    """Return how often each memory was handed out, as the ledger says."""
    with closing(sqlite3.connect(home / LEDGER_FILE)) as db:
        rows = db.execute("SELECT record_ref, included_count FROM usage WHERE included_count > 0")
        return dict(rows.fetchall())


def everything(home: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(home / LEDGER_FILE)) as db:
        notes = db.execute("SELECT name FROM notes WHERE name LIKE 'recall_%'").fetchall()
        return [*db.execute("SELECT * FROM usage").fetchall(), *notes]


def test_the_library_counts_what_it_hands_out(own_home: Path) -> None:
    with sunrise.open(own_home) as memories:
        found = memories.recall("green tea", limit=1)
        assert [item.ref for item in found.items] == [TEA]
        assert found.receipt.warnings == ()
        usage = memories.get("m-tea").usage
        assert usage.included_count == 1
        assert usage.last_used_ms == found.receipt.at_ms
    assert used(own_home) == {TEA: 1}


def test_a_candidate_that_is_not_handed_out_is_retrieved_and_not_used(own_home: Path) -> None:
    with sunrise.open(own_home) as memories:
        found = memories.recall("backup database 備份 資料庫", limit=1)
        (first,) = [item.ref for item in found.items]
        (other,) = {"mem:m-backup", "mem:m-zh"} - {first}
        usage = memories.get(other.removeprefix("mem:")).usage
    assert used(own_home) == {first: 1}
    assert (usage.last_retrieved_ms, usage.last_used_ms) == (found.receipt.at_ms, None)


def test_the_command_counts_in_its_own_process_and_through_the_service(own_home: Path, run: Typed) -> None:
    assert run("recall", "green tea", "-n", "1")[0] == 0
    assert used(own_home) == {TEA: 1}
    with served(own_home) as running, announced(running):
        code, _, error = run("recall", "green tea", "-n", "1", "-v")
        assert (code, error.strip()) == (0, "sunrise: answered by the service")
        assert used(own_home) == {TEA: 2}


def test_http_and_mcp_count_and_warming_up_does_not(own_home: Path) -> None:
    async def ask(client: Any) -> Any:
        return await client.call_tool("memory_recall", {"query": "green tea", "limit": 1})

    with served(own_home, mcp=True) as running:
        assert everything(own_home) == []
        assert running.recall("green tea", limit=1).json["items"]
        assert used(own_home) == {TEA: 1}
        over_http(running, ask)
        assert used(own_home) == {TEA: 2}
        assert running.ask("POST", "/v1/auto-recall", {"prompt": "Which green tea?"}).status == 200
        assert used(own_home)[TEA] == 3


def test_what_looks_counts_nothing(own_home: Path, run: Typed) -> None:
    with served(own_home) as running, announced(running):
        assert running.recall("green tea", readOnly=True).json["items"]
        asked = {"prompt": "Which green tea?", "readOnly": True}
        assert running.ask("POST", "/v1/auto-recall", asked).json["items"]
        for words in (("list",), ("stats",), ("get", "m-tea"), ("timeline", "--at", "2026-11-18")):
            assert run(*words)[0] == 0
        assert running.ask("GET", "/v1/memories/m-tea").status in (200, 404)
    with sunrise.open(own_home) as memories:
        assert memories.recall("green tea", read_only=True).items
        assert memories.list().total
        assert memories.stats().stats.rows
        assert memories.get("m-tea").memory is not None
        memories.timeline("m-tea")
        memories.export(io.BytesIO())
        assert memories.forget(query="green tea that nobody drinks").refs == ()
    with sunrise.open(own_home, read_only=True) as memories:
        assert memories.recall("green tea").items
    golden = own_home / "golden" / "own.jsonl"
    golden.parent.mkdir(exist_ok=True)
    golden.write_text(f'{{"query": "green tea", "relevant": ["{TEA}"]}}\n', encoding="utf-8")
    measured = run_body(own_home, evaluate, flow="evaluate")
    assert measured.counts["queries"] == 1
    assert everything(own_home) == []


def test_a_question_that_cannot_be_looked_up_starts_no_clock(own_home: Path) -> None:
    with sunrise.open(own_home) as memories:
        assert memories.recall("   ").receipt.reason == "empty_query"
    assert everything(own_home) == []


def test_use_waits_while_a_flow_holds_the_ledger_and_the_service_writes_it_then(own_home: Path) -> None:
    with open_home(load_settings(own_home)) as home:
        service = Service(home, ServeOptions())
        with closing(sqlite3.connect(own_home / LEDGER_FILE, isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            found = service.recall(RecallRequest("green tea", limit=1))
            turn = service.auto_recall(AutoRecallRequest("Which green tea?"))
            assert [item.ref for item in found.items] == [TEA]
            assert found.receipt.warnings == ()
            assert turn.receipt.warnings == ("turn_not_logged",)
            assert TEA in {item.ref for item in turn.items}
            holder.execute("ROLLBACK")
        assert used(own_home) == {}
        assert service.write_use()
        assert used(own_home)[TEA] == 2
        service.close()


def test_a_command_that_cannot_write_use_says_so(own_home: Path, run: Typed) -> None:
    with open_home(load_settings(own_home)):
        pass
    with closing(sqlite3.connect(own_home / LEDGER_FILE, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        code, said, _ = run("recall", "green tea", "-n", "1")
        holder.execute("ROLLBACK")
    assert code == 0
    assert "The user likes green tea" in said
    assert "warning: use_not_recorded" in said


# A quarter of a year, by a clock that the test moves.

FACTS = {
    "wifi": "The guest network password hangs on the fridge",
    "train": "The train to Brno leaves at seven from platform nine",
    "filter": "The water filter wants a new cartridge of type M12",
}


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> FrozenClock:
    clock = FrozenClock(NOW)
    monkeypatch.setattr("sunrise.bootstrap.SystemClock", lambda: clock)
    return clock


@pytest.fixture
def facts_home(tmp_path: Path, moved: FrozenClock) -> Path:
    """A home with three facts that are asked for and three notes that nobody asks for, graded alike."""
    root = make_home(tmp_path / "facts", config=CONFIG)
    notes = {f"idle{n}": f"Bicycle number {n} stands in rack {n}" for n in range(3)}
    rows = [
        {
            "id": name,
            "text": text,
            "terms": terms(text),
            "scope": "global",
            "importance": 0.6,
            "importance_label": "nice_to_have",
            "category": "other",
            "createdAt": float(NOW - 400 * DAY_MS),
        }
        for name, text in {**FACTS, **notes}.items()
    ]
    with open_home(load_settings(root)) as home:
        table = home.memories()
        assert table is not None
        table.add(pa.Table.from_pylist(rows, schema=table.schema()))
    return root


def by_library(home: Path, _: Typed) -> Iterator[Callable[[str], str]]:
    def ask(query: str) -> str:
        with sunrise.open(home) as memories:
            return memories.recall(query).items[0].ref

    yield ask


def by_command(home: Path, run: Typed) -> Iterator[Callable[[str], str]]:
    def ask(query: str) -> str:
        return run("recall", query, "--home", str(home))[1].split()[0]

    yield ask


def by_service(home: Path, run: Typed) -> Iterator[Callable[[str], str]]:
    with served(home) as running, announced(running):
        yield from by_command(home, run)


@pytest.mark.parametrize("asking", [by_library, by_command, by_service])
def test_what_is_asked_for_once_a_month_stays_and_is_found_first_after_a_quarter_of_a_year(
    facts_home: Path, moved: FrozenClock, run: Typed, asking: Callable[..., Iterator[Callable[[str], str]]]
) -> None:
    with sunrise.open(facts_home) as memories:
        memories.recall("bicycle", limit=1, read_only=True)
    for ask in asking(facts_home, run):
        for day in range(94):
            moved.ms = NOW + day * DAY_MS
            if day % 31 == 0:
                assert [ask(text) for text in FACTS.values()] == [f"mem:{name}" for name in FACTS]
            if day % 7 == 0 or day in (30, 61, 92):
                # At night, before the question of the day.
                night = FrozenClock(moved.ms - DAY_MS // 3)
                run_body(facts_home, lifecycle, flow="lifecycle", clock=night)
    with open_home(load_settings(facts_home)) as home:
        table = home.memories()
        assert table is not None
        gone = {row["id"] for row in table.scan(["id", "state"]).to_pylist() if row["state"] == "archived"}
    assert gone == {"idle0", "idle1", "idle2"}
