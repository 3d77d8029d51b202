"""Files of memories: lines, arrays, and everything that can be wrong with either."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from sunrise.adapters import memory_file
from sunrise.adapters.memory_file import MemoryFile, opened_memories
from sunrise.errors import ConfigurationError, StoreError


def read(raw: bytes, *, rows: int = 100) -> list[tuple[str, int, Any]]:
    batches = MemoryFile(io.BytesIO(raw), name="import:x").batches(rows=rows)
    return [
        (one.position, one.line, one.reason if one.record is None else one.record)
        for batch in batches
        for one in batch
    ]


def test_lines_are_read_with_their_places() -> None:
    raw = b'\xef\xbb\xbf{"id":"a"}\n\n{"id":"b"}\r\n[1]\n{"id":"c"}'
    assert read(raw) == [
        ("0", 1, {"id": "a"}),
        ("15", 3, {"id": "b"}),
        ("27", 4, "not_an_object"),
        ("31", 5, {"id": "c"}),
    ]


def test_bad_lines_are_told_apart() -> None:
    deep = b'{"a":' * 5000 + b"1" + b"}" * 5000
    raw = b"\n".join([b'{"a": 1,}', b'{"a": "\xff"}', deep, b'{"text": "\\ud83d"}', b'{"id": "to'])
    assert [reason for _, _, reason in read(raw)] == [
        "malformed_json", "invalid_utf8", "nesting_too_deep", {"text": "\ud83d"}, "torn_line",
    ]  # fmt: skip


def test_a_line_that_is_too_long_is_passed_over_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_file, "MAX_LINE_BYTES", 20)
    raw = b'{"a":1}\n' + b"x" * 64 + b'\n{"b":2}\n' + b"y" * 30
    assert read(raw) == [
        ("0", 1, {"a": 1}),
        ("8", 2, "line_too_long"),
        ("73", 3, {"b": 2}),
        ("81", 4, "line_too_long"),
    ]


def test_an_array_is_read_item_by_item() -> None:
    raw = json.dumps([{"id": "a"}, 5, {"text": "half \ud83d"}], indent=2).encode()
    assert read(raw) == [
        ("item:0", 1, {"id": "a"}),
        ("item:1", 2, "not_an_object"),
        ("item:2", 3, {"text": "half \ud83d"}),
    ]
    assert read(b"[]") == []
    assert read(b'\xef\xbb\xbf [{"id": "a"}]') == [("item:0", 1, {"id": "a"})]


@pytest.mark.parametrize("raw", [b"[1,", b'[{"id":"a"}', b"[\xff]", b'[1], "items": 2'])
def test_a_broken_array_is_one_refusal(raw: bytes) -> None:
    found = read(raw)
    assert len(found) == 1
    assert isinstance(found[0][2], str)


def test_an_array_inside_an_object_is_read_too() -> None:
    assert read(b'{"count": 1, "memories": [{"id": "a"}]}\n') == [("0:0", 1, {"id": "a"})]
    # A memory of its own may have a field of that name.
    assert read(b'{"text": "tea", "items": []}\n') == [("0", 1, {"text": "tea", "items": []})]


def test_an_array_that_is_too_large_has_to_come_in_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_file, "MAX_ARRAY_BYTES", 20)
    with pytest.raises(ConfigurationError, match="JSON lines"):
        read(b"[\n" + b" " * 30 + b"]")


def test_batches_end_by_rows_and_by_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = b'{"id":"a"}\n' * 5
    source = MemoryFile(io.BytesIO(raw), name="x")
    assert [len(batch) for batch in source.batches(rows=2)] == [2, 2, 1]
    monkeypatch.setattr(memory_file, "_BATCH_BYTES", 25)
    assert [len(batch) for batch in MemoryFile(io.BytesIO(raw), name="x").batches(rows=100)] == [3, 2]
    assert read(b"") == read(b"\n \n") == []


def test_a_file_that_cannot_be_opened_is_a_matter_of_setup(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(ConfigurationError, match="cannot read"):
            opened_memories(path)


def test_a_file_that_fails_half_way_fails_as_a_store() -> None:
    class Failing(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            raise OSError("disk gone")

    with pytest.raises(StoreError, match="disk gone"):
        list(MemoryFile(Failing(), name="x").batches(rows=5))
