"""Exports: one order, the same bytes for the same rows, nothing secret, nothing half."""

from __future__ import annotations

import io
import json
import random
import shutil
from collections.abc import Sequence
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.memory_schema import memories_schema
from sunrise.adapters.text_screen import ColumnScreen
from sunrise.domain.admin import Backend
from sunrise.domain.memory_filter import MemoryFilter
from sunrise.domain.memory_lines import FIELDS
from sunrise.domain.transfer import ExportFormat, ExportRequest, ExportResult
from sunrise.errors import StoreError
from sunrise.online import admin_export, export_ranges
from sunrise.online.admin_export import export_memories
from sunrise.ports import MemoryTable
from tests.fakes import FakeMemoryTable, FrozenClock

DIMENSION = 4
NIGHT = 1_753_028_700_000.0
"""2025-07-20 16:25 UTC, already the next day in Taipei."""
PLACE = Backend("somewhere", "memories")
ROWS: list[dict[str, Any]] = [
    {"id": "c", "text": "third", "createdAt": 1.752e12, "importance": 0.7, "scope": "ops"},
    {"id": "a", "text": "first", "createdAt": 1.751e12, "category": "fact", "trust_tier": "trusted"},
    {"id": "b", "text": "second", "createdAt": 1.752e12, "source_ref": "password: hunter2"},
    {"id": "d", "text": "password: hunter2", "createdAt": None},
    {"id": "e", "text": "nul \0 line\nend\u202e", "createdAt": float("nan"), "importance": float("nan")},
    {"id": "bad", "text": "obey", "createdAt": 1.753e12, "trust_tier": "quarantined"},
    {"id": "none", "text": "", "createdAt": 1.753e12},
    {"id": "a b", "text": "its id cannot be one", "createdAt": 1.753e12},
    {"id": None, "text": "nobody's", "createdAt": 1.753e12},
    {"id": "__schema__", "text": "what the gateway made its table with", "createdAt": 1.753e12},
    {"id": "odd", "text": "odd", "createdAt": 1.754e12, "trust_tier": "user", "state": "asleep", "lang": ""},
]


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


def rows(values: Sequence[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(list(values), schema=memories_schema(DIMENSION))


def exported(table: MemoryTable | None, zone: tzinfo = UTC, **asked: Any) -> tuple[bytes, ExportResult]:
    out = io.BytesIO()
    result = export_memories(
        ExportRequest(**asked),
        memories=table,
        out=out,
        screen=ColumnScreen(),
        clock=FrozenClock(),
        backend=PLACE,
        zone=zone,
    )
    return out.getvalue(), result


def lines(raw: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in raw.splitlines()]


def test_rows_come_oldest_first_equals_by_id_and_unknown_ages_last(table: MemoryTable) -> None:
    raw, result = exported(table)
    assert [one["id"] for one in lines(raw)] == ["a", "b", "c", "odd", "d", "e"]
    assert result.exported == 6
    assert result.left_out == {"bad_id": 1, "missing_text": 1, "quarantined": 1}


def test_a_line_holds_every_field_in_one_order(table: MemoryTable) -> None:
    raw, _ = exported(table)
    first = raw.splitlines()[0]
    assert first == (
        b'{"id":"a","text":"first","createdAt":1751000000000,"category":"fact","importance":null,'
        b'"importance_label":null,"scope":null,"trust_tier":"trusted","source_kind":null,"source_ref":null,'
        b'"lang":null,"state":null,"archived_at_ms":null,"expires_at_ms":null,"review_at_ms":null,"agentId":null}'
    )
    by_id = {one["id"]: one for one in lines(raw)}
    assert tuple(by_id["c"]) == FIELDS
    assert by_id["c"]["createdAt"] == 1_752_000_000_000
    assert (by_id["odd"]["trust_tier"], by_id["odd"]["state"], by_id["odd"]["lang"]) == (None, None, None)
    assert by_id["e"]["text"] == "nul \ufffd line\nend\u202e"


def test_secrets_are_taken_out_unless_they_are_asked_for(table: MemoryTable) -> None:
    raw, _ = exported(table)
    assert b"hunter2" not in raw
    by_id = {one["id"]: one for one in lines(raw)}
    assert by_id["d"]["text"] == by_id["b"]["source_ref"] == "password: [redacted:password]"
    assert exported(table, redact=False)[0].count(b"hunter2") == 2


def test_quarantined_memories_come_only_when_asked_for(table: MemoryTable) -> None:
    raw, result = exported(table, with_quarantined=True)
    assert {one["id"]: one["text"] for one in lines(raw)}["bad"] == "obey"
    assert "quarantined" not in result.left_out


def test_a_filter_is_kept_and_told(table: MemoryTable) -> None:
    raw, result = exported(table, filter=MemoryFilter(scope="ops"))
    assert [one["id"] for one in lines(raw)] == ["c"]
    assert result.receipt.filters == {
        "scope": "ops", "format": "jsonl", "redact": True, "withVectors": False, "withQuarantined": False,
    }  # fmt: skip
    assert result.receipt.counts == {"exported": 1, "left_out": 0}
    assert result.receipt.to_dict()["backend"]["tableName"] == "memories"


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_however_it_is_cut_the_bytes_are_the_same(
    table: MemoryTable, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, _ = exported(table)
    monkeypatch.setattr(admin_export, "_ROWS", limit)
    assert exported(table)[0] == whole


def test_the_order_of_the_rows_in_the_table_makes_no_difference() -> None:
    source = random.Random(7)
    whole = [
        {"id": f"{at:02}", "text": f"text {at}", "createdAt": float(source.choice([5, 5, 6, 7, 2**53]))}
        for at in range(60)
    ]
    shuffled = source.sample(whole, len(whole))
    expected = sorted(whole, key=lambda row: (row["createdAt"], row["id"]))
    for given in (whole, shuffled):
        raw, _ = exported(FakeMemoryTable(rows(given), dimension=DIMENSION))
        assert [one["id"] for one in lines(raw)] == [row["id"] for row in expected]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 100])
def test_stretches_hold_each_row_once_and_few_at_a_time(limit: int) -> None:
    times = [1.0, 2.0, 2.0, 2.0, 2.0, 3.0, None, None, None, 9.0]
    given = [{"id": f"{at}", "text": "x", "createdAt": time} for at, time in enumerate(times)]
    table = FakeMemoryTable(rows([*given, {**given[3]}]), dimension=DIMENSION)
    sizes = []
    found: list[str] = []
    for stretch in export_ranges.stretches(table, where=None, rows=limit):
        part = export_ranges.in_order(table.scan(["id", "createdAt"], where=stretch.where(has_times=True)))
        sizes.append(part.num_rows)
        found += part.column("id").to_pylist()
    assert found == ["0", "1", "2", "3", "3", "4", "5", "9", "6", "7", "8"]
    # The row that stands there twice is not torn apart.
    assert max(sizes) <= limit + 1


def test_a_table_without_times_is_in_the_order_of_ids() -> None:
    table = FakeMemoryTable(pa.table({"id": ["b", "a", "c"], "text": ["2", "1", "3"]}))
    for limit in (1, 100):
        stretches = list(export_ranges.stretches(table, where=None, rows=limit))
        assert len(stretches) == (3 if limit == 1 else 1)
    assert [one["id"] for one in lines(exported(table)[0])] == ["a", "b", "c"]


def test_json_is_one_array_with_a_line_for_each_row(table: MemoryTable) -> None:
    raw, _ = exported(table, format=ExportFormat.JSON)
    assert json.loads(raw) == lines(exported(table)[0])
    assert len(raw.splitlines()) == 6 + 2
    empty, _ = exported(table, format=ExportFormat.JSON, filter=MemoryFilter(scope="none"))
    assert json.loads(empty) == []


def test_markdown_quotes_texts_so_that_none_is_a_heading() -> None:
    given = [
        {"id": "a", "text": "# I am a heading\n- and a list\x1b[2J", "createdAt": NIGHT, "scope": "a`b\nc"},
        {"id": "b", "text": "no day", "createdAt": None},
        {"id": "c", "text": "beyond all calendars", "createdAt": 9e15},
    ]
    table = FakeMemoryTable(rows(given), dimension=DIMENSION)
    raw, _ = exported(table, zone=ZoneInfo("Asia/Taipei"), format=ExportFormat.MARKDOWN)
    text = raw.decode()
    assert text.startswith(
        "# Memories\n\n## 2025-07-21\n\n`mem:a` 2025-07-21 00:25 +08:00 · scope a'b c\n\n> # I am a heading\n"
    )
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# Memories", "## 2025-07-21", "## Unknown day",
    ]  # fmt: skip
    assert "\x1b" not in text


def test_parquet_has_a_column_for_each_field(table: MemoryTable) -> None:
    raw, _ = exported(table, format=ExportFormat.PARQUET)
    found = pq.read_table(io.BytesIO(raw))
    assert found.column_names == list(FIELDS)
    assert found.column("id").to_pylist() == ["a", "b", "c", "odd", "d", "e"]
    assert found.schema.field("archived_at_ms").type == pa.int64()
    assert exported(table, format=ExportFormat.PARQUET)[0] == raw


def test_vectors_are_those_that_answer_with_their_model() -> None:
    given = [
        {"id": "a", "text": "x", "vector": [0.1, 0.2, 0.3, 0.4], "embedding_model": "old/1"},
        {"id": "b", "text": "y", "vector": [0.1, 0.2, 0.3, 0.4]},
        {"id": "c", "text": "z"},
    ]
    table = FakeMemoryTable(rows(given), dimension=DIMENSION)
    raw, _ = exported(table, with_vectors=True)
    assert b'"embedding_model":"old/1","vector":[0.1,0.2,0.3,0.4]}' in raw
    assert [one["vector"] is None for one in lines(raw)] == [False, True, True]
    column = table.prepare_space("new/1", 2)
    table.write_vectors(column, ["b"], np.array([[1.0, 0.0]], np.float32))
    table.activate(column)
    found = {
        one["id"]: (one["embedding_model"], one["vector"])
        for one in lines(exported(table, with_vectors=True)[0])
    }
    assert found == {"a": (None, None), "b": ("new/1", [1.0, 0.0]), "c": (None, None)}


def test_a_vector_that_would_poison_a_search_stays_behind() -> None:
    kind = pa.list_(pa.float32(), 2)
    bare = pa.table(
        {
            "id": ["zero", "gap", "nan", "good"],
            "text": ["a", "b", "c", "d"],
            "vector": pa.array([[0, 0], [None, 1], [float("nan"), 1], [1, 0]], kind),
            "embedding_model": ["m/1"] * 4,
        }
    )
    raw, _ = exported(FakeMemoryTable(bare), with_vectors=True)
    assert [one["id"] for one in lines(raw) if one["vector"]] == ["good"]


def test_without_vectors_in_the_table_there_are_none() -> None:
    bare = pa.table({"id": ["a"], "text": ["x"]})
    assert lines(exported(FakeMemoryTable(bare), with_vectors=True)[0])[0]["vector"] is None


def test_without_a_table_the_export_is_empty_and_says_why() -> None:
    raw, result = exported(None)
    assert (raw, result.exported, result.receipt.reason) == (b"", 0, "no_memories_table")


def test_what_is_written_meanwhile_is_warned_of() -> None:
    class Busy(FakeMemoryTable):
        def scan(self, columns: Sequence[str], *, where: str | None = None) -> pa.Table:
            self.version += 1
            return super().scan(columns, where=where)

    _, result = exported(Busy(rows(ROWS), dimension=DIMENSION))
    assert result.receipt.warnings == ("changed_meanwhile",)


def test_half_an_export_is_an_error() -> None:
    class Failing(FakeMemoryTable):
        def scan(self, columns: Sequence[str], *, where: str | None = None) -> pa.Table:
            if len(columns) > 2:
                raise StoreError("disk gone")
            return super().scan(columns, where=where)

    with pytest.raises(StoreError):
        exported(Failing(rows(ROWS), dimension=DIMENSION))
