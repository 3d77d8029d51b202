"""What an agent waits for reads no big table of the ledger whole, with and without SQLite's statistics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from sunrise.adapters.capture_jsonl import CAPTURE_SCHEMA
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.forget import ForgetRequest
from sunrise.domain.store import StoreRequest, StoreResult
from sunrise.domain.turn_request import AutoRecallRequest, TurnPolicy
from sunrise.online.auto_recall import TurnPorts, auto_recall
from sunrise.online.backbone_lane import Backbones
from sunrise.online.forget import forget
from sunrise.online.store import store
from tests.fakes import FakeEmbedder, FrozenClock

BIG = (
    "changes",
    "observations",
    "episodes",
    "sightings",
    "stores",
    "memory_links",
    "usage",
    "turns",
    "injections",
)
PARTIAL = ("stores_pending", "tombstones_pending", "observations_with_provenance")
ROWS = 500
EMBEDDER, CLOCK = FakeEmbedder(8), FrozenClock()


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    """A ledger with a past: observations, and changes that the table has taken."""
    made = SqliteLedger(tmp_path / "ledger.sqlite", clock=CLOCK)
    same = {"kind": "note", "source_kind": "tool", "trust_tier": "trusted", "created_at_ms": 1, "lang": "en"}
    each = {
        "key": [f"k{number}" for number in range(ROWS)],
        "ts_ms": list(range(ROWS)),
        "summary": [f"tea {number}" for number in range(ROWS)],
        "terms": [f"tea {number}" for number in range(ROWS)],
        "scope": ["global"] * ROWS,
        "memory_id": [f"m{number}" for number in range(ROWS)],
    }
    columns = [pa.array(each.get(one.name, [same.get(one.name)] * ROWS), one.type) for one in CAPTURE_SCHEMA]
    made.commit_harvest(pa.Table.from_arrays(columns, schema=CAPTURE_SCHEMA), rejected=(), position=None)
    changes = {
        "record_ref": [f"mem:m{number}" for number in range(ROWS)],
        "field": ["scope"] * ROWS,
        "before": ["null"] * ROWS,
        "after": ['"global"'] * ROWS,
        "reason": ["writeback"] * ROWS,
    }
    made.clear_outbox(made.record_change_frame(pa.table(changes), run_id="past"))
    yield made
    made.close()


@pytest.fixture
def memories(tmp_path: Path) -> LanceMemories:
    return LanceMemories.create(tmp_path / "lance", dimension=0)


def said(text: str, memories: LanceMemories, ledger: SqliteLedger, **wanted: object) -> StoreResult:
    request = StoreRequest(text, **wanted)  # type: ignore[arg-type]
    return store(request, memories=memories, ledger=ledger, embedder=EMBEDDER, clock=CLOCK)


def a_day_of_an_agent(memories: LanceMemories, ledger: SqliteLedger) -> None:
    """Store, store again, replace, recall and forget."""
    first = said("The tea is in the kitchen", memories, ledger, idempotency_key="one")
    assert said("The tea is in the kitchen", memories, ledger, idempotency_key="one").receipt.replayed
    assert said("The tea is in the kitchen", memories, ledger).ref == first.ref
    assert first.ref is not None
    named = (first.ref.partition(":")[2],)
    second = said("The tea is in the cellar", memories, ledger, replaces=named)
    assert second.receipt.replaced == (first.ref,)
    ports = TurnPorts(
        memories=memories,
        turns=ledger,
        backbones=Backbones(),
        embedder=EMBEDDER,
        clock=CLOCK,
        calibration=None,
    )
    for turn in ("a", "a", "b"):
        asked = AutoRecallRequest("Where is the tea of the house?", session_key="s", turn_key=turn)
        assert auto_recall(asked, ports=ports, policy=TurnPolicy()).receipt.warnings == ()
    assert second.ref is not None
    forgotten = forget(
        ForgetRequest(id=second.ref), memories=memories, ledger=ledger, embedder=EMBEDDER, clock=CLOCK
    )
    assert forgotten.receipt.status == "forgotten"


def plans(ledger: SqliteLedger, statements: set[str]) -> Iterator[tuple[str, str]]:
    for statement in statements:
        for row in ledger._db.execute(f"EXPLAIN QUERY PLAN {statement}"):
            yield statement, row[3]


@pytest.mark.parametrize("has_statistics", [False, True])
def test_no_online_statement_reads_a_big_table_whole(
    ledger: SqliteLedger, memories: LanceMemories, *, has_statistics: bool
) -> None:
    if has_statistics:
        ledger._db.execute("ANALYZE")
    statements = set[str]()
    ledger._db.set_trace_callback(statements.add)
    a_day_of_an_agent(memories, ledger)
    ledger._db.set_trace_callback(None)
    read = re.compile(r"\s*(SELECT|UPDATE|DELETE|WITH|INSERT\b.*\bSELECT)\b", re.DOTALL)
    asked = {one for one in statements if read.match(one)}
    assert len(asked) > 25
    scanned = {(plan, statement) for statement, plan in plans(ledger, asked) if is_whole(plan, statement)}
    assert scanned == set()


def is_whole(plan: str, statement: str) -> bool:
    """Return whether a step of a plan reads all of a big table; a partial index holds few rows of one."""
    found = re.match(r"SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?", plan)
    if found is None or found[2] in PARTIAL:
        return False
    named = re.search(rf"\b(\w+) (?:AS )?{found[1]}\b", statement)
    return found[1] in BIG or (named is not None and named[1] in BIG)


def test_the_order_of_the_join_is_what_keeps_an_empty_outbox_cheap(ledger: SqliteLedger) -> None:
    """Without it SQLite reads the whole trail, as the statement of before shows here."""
    before = "SELECT c.id FROM outbox o JOIN changes c ON c.id = o.change_id ORDER BY c.id"
    ledger._db.execute("ANALYZE")
    assert any(plan.startswith("SCAN c") for _, plan in plans(ledger, {before}))
    statements = list[str]()
    ledger._db.set_trace_callback(statements.append)
    assert ledger.outbox() == ()
    ledger._db.set_trace_callback(None)
    told = [plan for _, plan in plans(ledger, set(statements))]
    assert told == ["SCAN o", "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)"]
