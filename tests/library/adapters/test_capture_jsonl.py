from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sunrise.adapters import capture_jsonl
from sunrise.adapters.capture_jsonl import CAPTURE_SCHEMA, CaptureBatch, CaptureFile, capture_batches
from sunrise.domain.capture import CaptureRow
from sunrise.domain.records import Rejected, SourcePosition
from sunrise.errors import StoreError

NOW = 1_790_000_000_000
TS_MS = 1_781_222_400_000
GOOD = b'{"ts":"2026-06-12T00:00:00Z","summary":"first"}\n'
NEXT = b'{"ts":"2026-06-12T00:01:00Z","summary":"second"}\n'
FIXTURE = Path(__file__).parents[4] / "shared/data/openclaw-mem/ingest-idempotency.jsonl"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "capture.jsonl"


def read(path: Path, position: SourcePosition | None = None, **options: Any) -> list[CaptureBatch]:
    return list(capture_batches(path, source="spool", position=position, now_ms=NOW, **options))


def only(path: Path, position: SourcePosition | None = None) -> CaptureBatch:
    (batch,) = read(path, position)
    return batch


def summaries(batch: CaptureBatch) -> list[str]:
    return batch.rows["summary"].to_pylist()


def test_the_schema_is_the_row() -> None:
    assert tuple(CAPTURE_SCHEMA.names) == CaptureRow._fields


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (GOOD, ["first"]),
        (GOOD[:-1], ["first"]),
        (b"\xef\xbb\xbf" + GOOD, ["first"]),
        (b"\xef\xbb\xbf" + GOOD[:-1], ["first"]),
        (GOOD.replace(b"\n", b"\r\n") + NEXT, ["first", "second"]),
        (b"\n  \n" + GOOD + b"\r\n" + NEXT + b"\n", ["first", "second"]),
        (
            '{"summary":"line\u2028separator\u2029and\x85next"}\n'.encode(),
            ["line\u2028separator\u2029and\x85next"],
        ),
        (b'{"summary":"cut emoji \\ud83d"}\n', ["cut emoji \ufffd"]),
        (b'{"summary":"nul \\u0000 byte"}\n', ["nul   byte"]),
        (b'{"summary":"wild number","detail":{"n":NaN}}\n', ["wild number"]),
        (b'{"summary":"huge number","detail":{"n":123456789012345678901234567890}}\n', ["huge number"]),
        (b'{"summary":"twice","summary":"last wins"}\n', ["last wins"]),
        (b'{"summary":"half in detail","detail":{"a":"\\udc00"}}\n', ["half in detail"]),
    ],
)
def test_a_wild_line_is_read(path: Path, content: bytes, expected: list[str]) -> None:
    path.write_bytes(content)
    batch = only(path)
    assert summaries(batch) == expected
    assert (batch.seen, batch.rejected, batch.bytes) == (len(expected), (), len(content))
    assert batch.rows.schema == CAPTURE_SCHEMA
    assert all(isinstance(json.loads(text), dict) for text in batch.rows["detail_json"].to_pylist())
    assert read(path, batch.position) == []


@pytest.mark.parametrize(
    ("line", "reason", "sample"),
    [
        (b'{"ts":"2026-06-12T00:00:00Z","summary":"to', "malformed_json", '"summary":"to'),
        (b"\x00" * 30, "malformed_json", "   "),
        (b"summary: yaml", "malformed_json", "yaml"),
        (b"[1,2]", "not_an_object", "[1,2]"),
        (b"null", "not_an_object", "null"),
        (b'"text"', "not_an_object", '"text"'),
        (b'{"summary":"\xff\xfe"}', "invalid_utf8", "fffe"),
        (b'{"kind":"note"}', "missing_text", "note"),
        (b'{"summary":"   ","text":""}', "missing_text", "summary"),
        (b'{"summary":[1]}', "wrong_type", "[1]"),
        (b'{"summary":17}', "wrong_type", "17"),
        (b"[" * 5000, "nesting_too_deep", "[[["),
        (b'{"summary":"x","detail":' + b"[" * 300 + b"]" * 300 + b"}", "nesting_too_deep", "[[["),
        (b'{"summary":"x","detail":' + b"[" * 3000 + b"]" * 3000 + b"}", "nesting_too_deep", "[[["),
    ],
)
def test_a_bad_line_is_refused_and_reading_goes_on(path: Path, line: bytes, reason: str, sample: str) -> None:
    path.write_bytes(GOOD + line + b"\n" + NEXT)
    batch = only(path)
    (rejected,) = batch.rejected
    assert summaries(batch) == ["first", "second"]
    assert replace(rejected, sample="") == Rejected("spool", str(len(GOOD)), reason, "", 2)
    assert sample in rejected.sample
    assert len(rejected.sample) <= 500
    assert batch.seen == 3


def test_the_sample_of_a_bad_line_holds_no_secret(path: Path) -> None:
    leaked = "gh" + "p_" + "a1B2c3D4e5" * 4
    path.write_bytes(f'{{"summary":"{leaked}\n'.encode())
    (rejected,) = only(path).rejected
    assert leaked not in rejected.sample


def test_a_secret_is_redacted_and_counted(path: Path) -> None:
    leaked = "gh" + "p_" + "a1B2c3D4e5" * 4
    path.write_bytes(GOOD + f'{{"summary":"see detail","detail":{{"log":"{leaked}"}}}}\n'.encode())
    batch = only(path)
    assert batch.redacted == 1
    assert leaked not in str(batch.rows.to_pylist())


def test_a_line_beyond_the_bound_is_passed_over(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture_jsonl, "MAX_LINE_BYTES", 1000)
    long_line = b'{"summary":"' + b"x" * 3_000_000 + b'"}'
    path.write_bytes(GOOD + long_line + b"\n" + NEXT)
    batch = only(path)
    assert summaries(batch) == ["first", "second"]
    assert [(item.reason, item.position, item.line) for item in batch.rejected] == [
        ("line_too_long", str(len(GOOD)), 2)
    ]
    path.write_bytes(GOOD + long_line)
    assert only(path).bytes == len(GOOD), "a long line without an end may still be growing"


def test_a_torn_tail_waits_until_it_is_whole(path: Path) -> None:
    path.write_bytes(GOOD + NEXT[:20])
    first = only(path)
    assert (summaries(first), first.seen, first.position.offset) == (["first"], 1, len(GOOD))
    assert read(path, first.position) == []
    path.write_bytes(GOOD + NEXT + NEXT[:5])
    second = only(path, first.position)
    assert (summaries(second), second.rejected) == (["second"], ())
    assert second.position.line == 2


def test_a_tail_torn_within_a_character_waits_too(path: Path) -> None:
    path.write_bytes(GOOD + '{"summary":"記'.encode()[:-1])
    assert only(path).seen == 1


def test_a_whole_line_without_a_newline_is_taken_once(path: Path) -> None:
    path.write_bytes(GOOD[:-1])
    first = only(path)
    assert (summaries(first), first.position.line) == (["first"], 0)
    path.write_bytes(GOOD + NEXT)
    second = only(path, first.position)
    assert (summaries(second), second.seen, second.position.line) == (["second"], 1, 2)


def test_a_tail_that_is_no_object_yet_waits(path: Path) -> None:
    path.write_bytes(b"12")
    assert read(path) == []


def test_a_file_moved_away_and_begun_anew_is_read_from_its_start(path: Path) -> None:
    path.write_bytes(GOOD * 3)
    position = only(path).position
    path.rename(path.with_suffix(".1"))
    path.write_bytes(NEXT * 9)
    assert only(path, position).seen == 9


def test_a_file_overwritten_in_place_is_read_from_its_start(path: Path) -> None:
    path.write_bytes(GOOD * 3)
    position = only(path).position
    with path.open("r+b") as file:
        file.write(NEXT * 9)
    assert path.stat().st_ino == position.inode
    assert only(path, position).seen == 9


def test_a_truncated_file_is_read_from_its_start(path: Path) -> None:
    path.write_bytes(GOOD * 200)
    position = only(path).position
    os.truncate(path, len(GOOD) * 100)
    assert only(path, position).seen == 100
    os.truncate(path, 0)
    assert read(path, position) == []


def test_a_short_file_that_grows_is_still_the_same(path: Path) -> None:
    path.write_bytes(GOOD)
    position = only(path).position
    path.write_bytes(GOOD + NEXT * 400)
    batch = only(path, position)
    assert (batch.seen, batch.position.line) == (400, 401)


def test_a_position_that_makes_no_sense_starts_over(path: Path) -> None:
    path.write_bytes(GOOD)
    position = replace(only(path).position, fingerprint="?")
    assert only(path, position).seen == 1


def test_batches_end_after_so_many_lines_and_cover_the_file(path: Path) -> None:
    path.write_bytes(GOOD * 10 + b"torn\n" + NEXT * 10)
    batches = read(path, batch_lines=4)
    assert [batch.seen for batch in batches] == [4, 4, 4, 4, 4, 1]
    assert sum(batch.bytes for batch in batches) == path.stat().st_size
    assert [batch.position.offset for batch in batches][-1] == path.stat().st_size
    assert all(batch.seen == batch.rows.num_rows + len(batch.rejected) for batch in batches)
    resumed = read(path, batches[2].position, batch_lines=4)
    assert [batch.rows for batch in resumed] == [batch.rows for batch in batches[3:]]


def test_a_batch_of_big_lines_ends_by_its_bytes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture_jsonl, "BATCH_BYTES", 100)
    path.write_bytes(GOOD * 6)
    assert [batch.seen for batch in read(path)] == [3, 3]


def test_a_line_without_a_time_takes_the_one_before_even_after_a_restart(path: Path) -> None:
    undated = b'{"summary":"undated"}\n'
    path.write_bytes(GOOD + b"torn\n" + undated + b'{"ts":"soon","summary":"ill-dated"}\n' + undated)
    taken = only(path)
    whole = taken.rows
    assert whole["ts_ms"].to_pylist() == [TS_MS] * 3
    assert whole["ts_flag"].to_pylist() == [None, "missing", "missing"]
    assert [one.reason for one in taken.rejected] == ["malformed_json", "bad_time.ts.not_a_time"]
    first, *rest = read(path, batch_lines=2)
    resumed = read(path, first.position)
    assert pa.concat_tables([first.rows, *(batch.rows for batch in resumed)]) == whole
    assert len(rest) == 2


def test_a_file_without_any_time_is_as_old_as_its_last_change(path: Path) -> None:
    path.write_bytes(b'{"summary":"undated"}\n')
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert only(path).rows["ts_ms"].to_pylist() == [1_700_000_000_000]


def test_blank_lines_move_the_position_and_nothing_else(path: Path) -> None:
    path.write_bytes(b"\n\n")
    batch = only(path)
    assert (batch.seen, batch.rows.num_rows, batch.bytes, batch.position.line) == (0, 0, 2, 2)


def test_lines_appended_while_reading_are_left_for_the_next_time(path: Path) -> None:
    path.write_bytes(GOOD * 2)
    batches = capture_batches(path, source="spool", position=None, now_ms=NOW, batch_lines=1)
    first = next(batches)
    with path.open("ab") as file:
        file.write(NEXT * 5)
    (last,) = batches
    assert (first.seen, last.seen) == (1, 1)
    assert only(path, last.position).seen == 5


@pytest.mark.parametrize(
    ("lines", "keys"),
    [
        (GOOD + GOOD, 1),
        (GOOD + NEXT, 2),
        (b'{"id":"a","summary":"x"}\n{"id":"a","summary":"y"}\n', 1),
    ],
)
def test_the_same_record_has_the_same_key(path: Path, lines: bytes, keys: int) -> None:
    path.write_bytes(lines)
    batch = only(path)
    assert batch.seen == 2
    assert len(set(batch.rows["key"].to_pylist())) == keys


def test_openclaw_mems_own_idempotency_set_gives_two_rows(path: Path) -> None:
    if not FIXTURE.exists():
        pytest.skip(f"the data file {FIXTURE.name} is not here")
    rows = only(FIXTURE).rows.to_pylist()
    first_by_key: dict[str, dict[str, Any]] = {}
    for row in rows:
        first_by_key.setdefault(row["key"], row)
    assert len(rows) == 3
    assert [row["summary"] for row in first_by_key.values()] == [
        "ContextPack v1 schema id remains openclaw-mem.context-pack.v1.",
        "ContextPack v1 field casing remains compatible with the shipped contract.",
    ]
    assert {row["agent_id"] for row in rows} == {"main"}


def test_a_capture_file_is_a_source_called_by_its_path(path: Path) -> None:
    path.write_bytes(GOOD * 3 + b"torn\n")
    source = CaptureFile(path)
    first, last = source.batches(None, now_ms=NOW, batch_lines=3)
    assert (first.seen, last.seen) == (3, 1)
    assert {source.name, last.position.source, last.rejected[0].source} == {str(path)}


def test_a_capture_that_is_not_there_yet_gives_nothing(path: Path) -> None:
    assert read(path) == []


def test_a_capture_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot read the capture"):
        read(tmp_path)


@pytest.mark.parametrize("cut", [None, 1, 7])
def test_any_batch_size_gives_the_same_rows(path: Path, cut: int | None, sample: Callable[[], bytes]) -> None:
    path.write_bytes(sample())
    batches = read(path, batch_lines=cut or 20_000)
    assert pa.concat_tables([batch.rows for batch in batches]) == only(path).rows


@pytest.fixture
def sample() -> Callable[[], bytes]:
    lines = [
        json.dumps({"ts": TS_MS + n, "summary": f"行 {n}", "detail": {"n": n}}, ensure_ascii=False)
        for n in range(20)
    ]
    lines.insert(5, "torn")
    return lambda: "\n".join(lines).encode() + b"\n"
