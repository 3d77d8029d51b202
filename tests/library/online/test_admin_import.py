"""Imports: each good row once, each bad one counted, no trust for what a file says of itself."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from datetime import UTC
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.memory_file import MemoryFile
from sunrise.adapters.plugin_table import PluginMemory, write_plugin_table
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.adapters.text_screen import ColumnScreen
from sunrise.domain.forget import Tombstone
from sunrise.domain.receipts import RunStatus
from sunrise.domain.text.dated_terms import dated_terms
from sunrise.domain.transfer import Dedupe, ImportRequest
from sunrise.errors import BusyError, ConfigurationError, StoreError
from sunrise.online.admin_import import import_memories
from sunrise.ports import MemoryTable
from tests.fakes import FakeMemoryTable, FrozenClock
from tests.importing import DIMENSION, NOW, PLACE, POISON, exported, held, imported, lines


@pytest.fixture(params=["fake", "lance"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> MemoryTable:
    if request.param == "fake":
        return FakeMemoryTable(dimension=DIMENSION)
    return LanceMemories.create(tmp_path / "lance", dimension=DIMENSION)


@pytest.fixture
def fake() -> FakeMemoryTable:
    return FakeMemoryTable(dimension=DIMENSION)


def test_a_row_enters_with_all_its_fields(table: MemoryTable, ledger: SqliteLedger) -> None:
    record = {
        "id": "a", "text": "The backups go to the NAS", "createdAt": 1_752_960_000_000, "category": "fact",
        "importance": 0.7, "importance_label": "nice_to_have", "scope": "ops", "source_ref": "x:1",
        "lang": "en", "state": "archived", "archived_at_ms": 7, "expires_at_ms": 8, "review_at_ms": 9,
        "agentId": "main",
    }  # fmt: skip
    result = imported(table, ledger, lines(record))
    assert result.counts["imported"] == 1
    (row,) = table.scan([*record, "trust_tier", "source_kind", "terms", "vector"]).to_pylist()
    assert {name: row[name] for name in record} == record
    assert (row["trust_tier"], row["source_kind"], row["vector"]) == (None, "import", None)
    assert row["terms"] == dated_terms(record["text"], 1_752_960_000_000, UTC)


@pytest.mark.parametrize("text", ["The backups go to the NAS", "🍵 🍵"])
def test_the_same_text_of_another_day_is_no_other(
    table: MemoryTable, ledger: SqliteLedger, text: str
) -> None:
    imported(table, ledger, lines({"id": "a", "text": text, "createdAt": 1e12}, {"id": "b", "text": "🥐"}))
    again = imported(table, ledger, lines({"id": "c", "text": text, "createdAt": 1.1e12}))
    assert (again.counts["duplicate"], again.counts["imported"]) == (1, 0)
    other = imported(table, ledger, lines({"id": "d", "text": "🍺"}))
    assert other.counts["imported"] == 1


def test_what_was_brought_in_is_found_at_once(table: MemoryTable, ledger: SqliteLedger) -> None:
    imported(table, ledger, lines({"id": "a", "text": "green tea"}))
    found = table.search_terms("tea", columns=["id"], where=None, limit=5)
    assert found.column("id").to_pylist() == ["a"]


@pytest.mark.parametrize(
    ("claimed", "trust", "tier", "origin"),
    [
        ("trusted", False, "untrusted", "import"),
        ("untrusted", False, "untrusted", "import"),
        ("quarantined", False, "quarantined", "import"),
        (None, False, None, "import"),
        ("user", False, None, "import"),
        ("trusted", True, "trusted", "operator"),
        (None, True, None, "operator"),
    ],
)
def test_a_file_is_trusted_for_nothing_unless_the_operator_vouches(
    fake: FakeMemoryTable,
    ledger: SqliteLedger,
    claimed: str | None,
    trust: bool,
    tier: str | None,
    origin: str,
) -> None:
    record = {"id": "a", "text": "tea", "trust_tier": claimed, "source_kind": "operator"}
    result = imported(fake, ledger, lines(record), trust=trust)
    assert held(fake, "trust_tier", "source_kind") == {"a": (tier, origin)}
    assert result.counts["trusted_less"] == (claimed == "trusted" and not trust)


@pytest.mark.parametrize("where", ["text", "category", "scope", "source_ref"])
@pytest.mark.parametrize("trust", [True, False])
def test_what_looks_like_an_order_is_quarantined_wherever_it_stands(
    fake: FakeMemoryTable, ledger: SqliteLedger, where: str, trust: bool
) -> None:
    result = imported(fake, ledger, lines({"id": "a", "text": "tea", where: POISON}), trust=trust)
    assert held(fake, "trust_tier") == {"a": "quarantined"}
    assert result.groups["quarantined_by_reason"] == {"payload:instruction_override": 1}
    assert result.run is not None
    assert [one.code for one in result.run.anomalies] == ["poisoned_memories"]


def test_a_row_that_was_quarantined_before_is_no_news(fake: FakeMemoryTable, ledger: SqliteLedger) -> None:
    result = imported(fake, ledger, lines({"id": "a", "text": POISON, "trust_tier": "quarantined"}))
    assert (result.counts["quarantined"], held(fake, "trust_tier")) == (0, {"a": "quarantined"})


def test_no_secret_goes_in(table: MemoryTable, ledger: SqliteLedger) -> None:
    raw = lines(
        {"id": "a", "text": "password: hunter2", "source_ref": "password: hunter2"},
        '{"text": "password: hunter2',
    )
    result = imported(table, ledger, raw)
    assert result.counts["redacted"] == 1
    assert held(table, "text") == {"a": "password: [redacted:password]"}
    assert "hunter2" not in str(table.scan(table.schema().names).to_pylist())
    assert "hunter2" not in ledger.quarantined()[0].sample


def test_bad_lines_are_counted_by_reason_and_kept_in_quarantine(
    table: MemoryTable, ledger: SqliteLedger
) -> None:
    raw = lines(
        {"id": "good", "text": "tea"}, '{"a": 1,}', "[1]", {"text": ""}, {"id": 5, "text": "x"},
        {"id": "a b", "text": "x"}, '{"id": "n", "text": "nul \\u0000"}', '{"id": "s", "text": "\\ud83d"}',
        {"id": "f", "text": "x", "scope": "s" * 201},
    ) + b'{"id": "torn", "te'  # fmt: skip
    result = imported(table, ledger, raw)
    assert result.counts["imported"] == 1
    assert result.groups["refused_by_reason"] == {
        "bad_id": 1, "field_too_long": 1, "lone_surrogate": 1, "malformed_json": 1, "missing_text": 1,
        "not_an_object": 1, "nul": 1, "torn_line": 1, "wrong_type": 1,
    }  # fmt: skip
    kept = ledger.quarantined()
    assert [(one.source, one.line) for one in kept] == [("import:file", at) for at in range(2, 11)]
    assert kept[0].sample == '{"a": 1,}'
    imported(table, ledger, raw)
    assert len(ledger.quarantined()) == 9


def test_a_file_with_one_bad_line_in_a_hundred_gives_all_the_others(
    table: MemoryTable, ledger: SqliteLedger
) -> None:
    raw = lines(
        *('{"id": ' if at % 100 == 50 else {"id": f"{at}", "text": f"note {at}"} for at in range(2000))
    )
    result = imported(table, ledger, raw, batch=300)
    assert (result.counts["imported"], result.counts["refused"]) == (1980, 20)
    assert len(held(table, "text")) == 1980
    assert result.run is not None
    assert result.run.status is RunStatus.ANOMALY


def test_the_same_file_twice_adds_nothing(table: MemoryTable, ledger: SqliteLedger) -> None:
    raw = lines({"id": "a", "text": "tea"}, {"text": "coffee"}, {"id": "a", "text": "tea at five"})
    for dedupe in (Dedupe.ID, Dedupe.ID_TEXT):
        imported(table, ledger, raw, dedupe=dedupe)
    result = imported(table, ledger, raw, dedupe="id")
    assert (result.counts["imported"], result.groups["duplicates_by"]) == (0, {"id": 3})
    assert sorted(held(table, "text").values()) == ["coffee", "tea"]


def test_a_text_that_is_there_is_a_duplicate_in_its_scope_alone(
    table: MemoryTable, ledger: SqliteLedger
) -> None:
    table.add(pa.table({"id": ["new"], "text": ["Nobody took me in!"], "scope": [""]}))
    imported(table, ledger, lines({"id": "a", "text": "The cache lives in RAM.", "scope": "ops"}))
    result = imported(
        table,
        ledger,
        lines(
            {"id": "b", "text": "the CACHE  lives in RAM!", "scope": "ops"},
            {"id": "c", "text": "the cache lives in RAM"},
            {"id": "d", "text": "The cache lives in RAM", "scope": "global"},
            {"id": "e", "text": "nobody took me in"},
            {"id": "f", "text": "!!!"},
            {"id": "g", "text": "???"},
            {"id": "h", "text": " !!! "},
        ),
    )
    assert result.groups["duplicates_by"] == {"text": 4}
    assert sorted(held(table, "text")) == ["a", "c", "f", "g", "new"]


def test_numbers_keep_near_duplicates_apart(fake: FakeMemoryTable, ledger: SqliteLedger) -> None:
    raw = lines({"id": "a", "text": "port 8080"}, {"id": "b", "text": "port 9090"})
    assert imported(fake, ledger, raw).counts["imported"] == 2


def test_without_comparing_a_taken_id_is_replaced(table: MemoryTable, ledger: SqliteLedger) -> None:
    raw = lines({"id": "a", "text": "tea"}, {"id": "a", "text": "tea"})
    result = imported(table, ledger, raw, dedupe="none")
    assert (result.counts["imported"], result.counts["renamed"]) == (2, 1)
    imported(table, ledger, raw, dedupe="none")
    assert (len(held(table, "text")), table.state().rows) == (4, 4)


def test_what_was_forgotten_stays_so(table: MemoryTable, ledger: SqliteLedger) -> None:
    graves = [
        Tombstone("gone", "The secret plan", "ops", "asked"),
        Tombstone("b", "Everywhere", None, "asked"),
    ]
    ledger.bury(graves, run_id="r")
    raw = lines(
        {"id": "gone", "text": "x"},
        {"id": "c", "text": " the SECRET plan! ", "scope": "ops"},
        {"id": "d", "text": "The secret plan", "scope": "home"},
        {"id": "e", "text": "everywhere", "scope": "home"},
    )
    result = imported(table, ledger, raw)
    assert result.counts["forgotten"] == 3
    assert held(table, "text") == {"d": "The secret plan"}
    assert imported(table, ledger, raw, scope="ops", dedupe="none").counts["forgotten"] == 4


def test_a_scope_can_be_given_to_all(fake: FakeMemoryTable, ledger: SqliteLedger) -> None:
    imported(
        fake, ledger, lines({"id": "a", "text": "tea", "scope": "x"}, {"id": "b", "text": "c"}), scope="ops"
    )
    assert held(fake, "scope") == {"a": "ops", "b": "ops"}


def test_a_dry_run_tells_all_and_writes_nothing(table: MemoryTable, ledger: SqliteLedger) -> None:
    raw = lines({"id": "a", "text": "tea"}, {"id": "a", "text": "tea"}, "{", {"id": "b", "text": POISON})
    version = table.newest_version()
    dry = imported(table, ledger, raw, dry_run=True)
    assert dry.run is None
    assert (table.newest_version(), ledger.runs(), ledger.quarantined()) == (version, (), ())
    wet = imported(table, ledger, raw)
    assert (dry.counts, dry.groups) == (wet.counts, wet.groups)
    assert imported(None, ledger, raw, dry_run=True).counts == dry.counts


def test_without_a_table_nothing_can_enter(ledger: SqliteLedger) -> None:
    with pytest.raises(ConfigurationError, match="no memories table"):
        imported(None, ledger, lines({"text": "tea"}))


def vector(numbers: Any = (1, 0, 0, 0), model: Any = "m/1") -> dict[str, Any]:
    return {"vector": None if numbers is None else list(numbers), "embedding_model": model}


def test_vectors_enter_where_they_fit_and_else_the_row_alone(
    table: MemoryTable, ledger: SqliteLedger
) -> None:
    given = {
        "good": vector(), "short": vector((1, 0)), "zero": vector((0, 0, 0, 0)),
        "gap": vector((1, None, 0, 0)), "huge": vector((1e300, 0, 0, 0)), "text": vector("abcd"),
        "bool": vector((True, 0, 0, 0)),
        "unknown": vector(model=None), "none": vector(None), "scalar": {"vector": 5},
    }  # fmt: skip
    raw = lines(*({"id": name, "text": f"note {name}", **more} for name, more in given.items()))
    result = imported(table, ledger, raw.replace(b"1e+300", b"1e999"))
    assert (result.counts["imported"], result.counts["vectors_kept"]) == (10, 1)
    assert result.groups["vectors_left_by_reason"] == {
        "gap": 1, "not_finite": 1, "unknown_model": 1, "wrong_dimension": 1, "wrong_type": 3, "zero": 1,
    }  # fmt: skip
    kept = {
        name: (model, row) for name, (model, row) in held(table, "embedding_model", "vector").items() if row
    }
    assert kept == {"good": ("m/1", [1, 0, 0, 0])}


def test_vectors_enter_the_column_that_answers(table: MemoryTable, ledger: SqliteLedger) -> None:
    column = table.prepare_space("m/1", 2)
    table.activate(column)
    raw = lines(
        {"id": "a", "text": "one", **vector((0.6, 0.8))},
        {"id": "b", "text": "two", **vector((0.6, 0.8), "m/2")},
        {"id": "c", "text": "three", **vector()},
    )
    result = imported(table, ledger, raw)
    assert result.groups["vectors_left_by_reason"] == {"other_model": 1, "wrong_dimension": 1}
    assert {name: row is not None for name, row in held(table, column).items()} == {
        "a": True, "b": False, "c": False,
    }  # fmt: skip


def test_a_table_without_vectors_takes_the_rows(ledger: SqliteLedger) -> None:
    bare = FakeMemoryTable(dimension=0)
    result = imported(bare, ledger, lines({"id": "a", "text": "tea", **vector()}))
    assert result.groups["vectors_left_by_reason"] == {"no_vectors_in_table": 1}
    assert held(bare, "text") == {"a": "tea"}


def test_the_table_of_a_gateway_takes_rows_too(ledger: SqliteLedger, tmp_path: Path) -> None:
    write_plugin_table(tmp_path, [PluginMemory("m", "tea", 0.5, "fact", NOW)], dimension=DIMENSION)
    table = LanceMemories.open(tmp_path)
    imported(table, ledger, lines({"id": "a", "text": "coffee", "agentId": "main", **vector()}))
    assert held(table, "text", "source_kind") == {"m": ("tea", None), "a": ("coffee", "import")}


def test_the_run_is_seen_in_the_ledger(fake: FakeMemoryTable, ledger: SqliteLedger) -> None:
    result = imported(fake, ledger, lines({"id": "a", "text": "tea"}))
    (run,) = ledger.runs(flow="import")
    assert run == result.run
    assert (run.status, run.adds_up, run.counts["imported"]) == (RunStatus.OK, True, 1)
    assert "tea" not in json.dumps(run.to_dict())
    assert result.to_dict()["runId"] == run.run_id


def test_two_imports_take_turns(fake: FakeMemoryTable, ledger: SqliteLedger) -> None:
    ledger.acquire_lease("import", run_id="other")
    with pytest.raises(BusyError):
        imported(fake, ledger, lines({"id": "a", "text": "tea"}))
    ledger.release_lease("import", run_id="other")
    assert imported(fake, ledger, lines({"id": "a", "text": "tea"})).counts["imported"] == 1


class Failing(FakeMemoryTable):
    """A table whose disk is full after some batches."""

    room = 2

    def add(self, rows: pa.Table) -> None:
        if self.room == 0:
            raise StoreError("disk full")
        self.room -= 1
        super().add(rows)


def test_what_breaks_off_leaves_whole_batches_and_a_failed_run_and_can_be_begun_again(
    ledger: SqliteLedger,
) -> None:
    table = Failing(dimension=DIMENSION)
    raw = lines(*({"id": f"{at}", "text": f"note {at}"} for at in range(10)), "{")
    with pytest.raises(StoreError):
        imported(table, ledger, raw, batch=3)
    assert len(held(table, "text")) == 6
    assert [(run.status, run.reason) for run in ledger.runs()] == [(RunStatus.FAILED, "store")]
    table.room = 9
    result = imported(table, ledger, raw, batch=3, dedupe="id")
    assert (result.counts["imported"], result.counts["duplicate"]) == (4, 6)
    whole = FakeMemoryTable(dimension=DIMENSION)
    imported(whole, ledger, raw)
    assert exported(table) == exported(whole)


def test_a_lost_lease_stops_the_import(fake: FakeMemoryTable, ledger: SqliteLedger) -> None:
    class Robbed(MemoryFile):
        def batches(self, *, rows: int) -> Iterator[Sequence[Any]]:
            for batch in super().batches(rows=rows):
                yield batch
                (run,) = ledger.runs(flow="import")
                ledger.release_lease("import", run_id=run.run_id)

    raw = lines(*({"id": f"{at}", "text": f"note {at}"} for at in range(3)))
    with pytest.raises(StoreError, match="lease"):
        import_memories(
            ImportRequest(batch=1),
            source=Robbed(io.BytesIO(raw), name="import:file"),
            memories=fake,
            ledger=ledger,
            screen=ColumnScreen(),
            clock=FrozenClock(NOW),
            backend=PLACE,
        )
    assert len(held(fake, "text")) == 2


def test_an_export_with_vectors_comes_back_byte_for_byte(table: MemoryTable, ledger: SqliteLedger) -> None:
    source = FakeMemoryTable(dimension=DIMENSION)
    numbers = np.random.default_rng(3).standard_normal((5, DIMENSION)).astype(np.float32)
    source.add(
        pa.table(
            {
                "id": [f"{at}" for at in range(5)],
                "text": [f"note {at}" for at in range(5)],
                "vector": pa.array(numbers.tolist(), pa.list_(pa.float32(), DIMENSION)),
                "embedding_model": ["m/1"] * 5,
            }
        )
    )
    raw = exported(source, with_vectors=True)
    assert imported(table, ledger, raw, trust=True).counts["vectors_kept"] == 5
    assert exported(table, with_vectors=True) == raw


@pytest.mark.parametrize(
    ("vouched", "score", "label", "lowered"),
    [(False, 0.79, "nice_to_have", 1), (True, 0.95, "must_remember", 0)],
)
def test_only_a_file_that_is_vouched_for_brings_a_must(
    table: MemoryTable, ledger: SqliteLedger, *, vouched: bool, score: float, label: str, lowered: int
) -> None:
    record = {"id": "a", "text": "The backups go to the NAS", "importance": 0.95}
    result = imported(table, ledger, lines(record), trust=vouched)
    assert result.counts["must_lowered"] == lowered
    assert table.scan(["importance", "importance_label"]).to_pylist() == [
        {"importance": score, "importance_label": label}
    ]
