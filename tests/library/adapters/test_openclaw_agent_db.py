from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sunrise.adapters import openclaw_agent_db
from sunrise.adapters.episode_frames import EPISODE_SCHEMA, OBSERVATION_SCHEMA, TranscriptBatch
from sunrise.adapters.openclaw_agent_db import AgentDatabase
from sunrise.domain.records import SourcePosition
from sunrise.errors import StoreError

NOW = 1_796_000_000_000
MS = 1_795_812_854_069
SAMPLE = Path(__file__).parents[4] / "shared/openclaw/samples/v2026.9.6/openclaw-agent.sqlite"
SCHEMA = """
  CREATE TABLE session_windows (
    session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL, chat_type TEXT);
  CREATE TABLE transcript_events (
    session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL,
    event_zstd BLOB, event_utf8_bytes INTEGER, PRIMARY KEY (session_id, seq));
  INSERT INTO session_windows VALUES
    ('s1', 'agent:main:main', NULL), ('s2', 'agent:main:telegram:group:7', 'group');
"""


def event(event_id: str, text: str, **fields: Any) -> str:
    message = {"role": "user", "content": text, "timestamp": MS, **fields}
    return json.dumps({"type": "message", "id": event_id, "message": message}, ensure_ascii=False)


def add(db: sqlite3.Connection, seq: int, body: str | None, *, session: str = "s1", at: int = MS) -> None:
    db.execute(
        "INSERT INTO transcript_events VALUES (?, ?, ?, ?, NULL, NULL)", (session, seq, body, at + seq)
    )


def add_packed(db: sqlite3.Connection, seq: int, packed: bytes | None, size: int | None) -> None:
    db.execute("INSERT INTO transcript_events VALUES ('s1', ?, NULL, ?, ?, ?)", (seq, MS, packed, size))


def pack(body: str) -> tuple[bytes, int]:
    raw = body.encode()
    return pa.compress(raw, codec="zstd", asbytes=True), len(raw)


def read(path: Path, position: SourcePosition | None = None, *, lines: int = 1000) -> list[TranscriptBatch]:
    return list(AgentDatabase(path).batches(position, now_ms=NOW, batch_lines=lines))


def only(path: Path, position: SourcePosition | None = None) -> TranscriptBatch:
    (batch,) = read(path, position)
    return batch


def keys(batches: list[TranscriptBatch]) -> list[str]:
    return [key for batch in batches for key in batch.episodes["key"].to_pylist()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "openclaw-agent.sqlite"


@pytest.fixture
def gateway(path: Path) -> Iterator[sqlite3.Connection]:
    """The gateway's own connection, which stays open: what it wrote is in the log alone."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(SCHEMA)
        add(db, 0, '{"type":"session","version":4,"id":"s1"}')
        add(db, 1, event("a", "I moved to Brno"))
        add(db, 2, event("b", "and bought a bike"))
        yield db


# Counted by hand from the sample: the owner's own words, in order, and what each session gives.
OWNER_TEXTS = [
    'Hello. CALL memory_recall {"query":"what tea does Dana drink? 花"}',
    'CALL memory_recall {"query":"what tea does Dana drink? 花"}',
    'CALL pymcp__memory_recall {"query":"mcp tea"}',
    'CALL memory_store {"text":"Žofka má ráda sýr","category":"preference"}',
    'CALL memory_recall {"query":"what tea does Dana drink? 花"}',
    'CALL memory_recall {"query":"gateway path"}',
    'CALL pymcp__memory_store {"text":"stored over MCP"}',
    "after new, I always take the 7:40 train",
    'CALL memory_recall {"query":"deferred surface"}',
    'CALL pystdio__memory_recall {"query":"stdio 花"}',
    'CALL memory_recall {"query":"service is down"}',
    'CALL memory_recall {"query":"http chat"}',
]
COUNTED = {
    "agent:main:main": {"user": 10, "assistant": 10, "call": 8, "result": 8},
    "agent:main:test2": {"user": 1, "assistant": 1, "call": 1, "result": 1},
    "agent:main:cron:99868ed6-449a-4324-9140-68551aa2b6f0:run:7d95b5f6-f033-43ba-8263-49421070ff7b": {
        "automation": 1,
        "assistant": 1,
        "call": 1,
        "result": 1,
    },
    "agent:main:openai-user:dana": {"user": 1, "assistant": 1, "call": 1, "result": 1},
}
CALLED = [
    "memory_recall", "pymcp__memory_recall", "memory_store", "memory_recall", "memory_recall",
    "pymcp__memory_store", "memory_recall", "memory_recall", "pystdio__memory_recall", "memory_recall",
    "memory_recall",
]  # fmt: skip


def test_the_sample_gives_what_was_counted_by_hand() -> None:
    if not SAMPLE.exists():
        pytest.skip("the sample database of OpenClaw 2026.9.6 is not here")
    batch = only(SAMPLE)
    episodes = batch.episodes.to_pylist()
    assert (batch.events, batch.rejected) == (99, ())
    assert [row["text"] for row in episodes if row["type"] == "conversation.user"] == OWNER_TEXTS
    counted: dict[str, Counter[str]] = {}
    for row in episodes:
        counted.setdefault(row["session_key"], Counter())[row["type"].rpartition(".")[2]] += 1
    assert counted == COUNTED
    for kind in ("tool.call", "tool.result"):
        assert [row["tool_name"] for row in episodes if row["type"] == kind] == CALLED
    assert [row["text"] for row in episodes if row["type"] == "conversation.automation"] == [
        'CALL memory_recall {"query":"cron tea"}'
    ]
    assert len({row["key"] for row in episodes}) == len(episodes) == 48


def test_the_samples_observations_are_notes_and_results() -> None:
    if not SAMPLE.exists():
        pytest.skip("the sample database of OpenClaw 2026.9.6 is not here")
    rows = only(SAMPLE).rows.to_pylist()
    # All eleven tools that were called are the memory's own, and two of them made a memory.
    assert Counter((row["kind"], row["source_kind"]) for row in rows) == {
        ("note", "operator"): 12,
        ("note", "agent"): 2,
    }
    assert len({row["key"] for row in rows}) == 14
    stored = {row["memory_id"]: row["summary"] for row in rows if row["memory_id"]}
    assert stored == {
        "c74b4bb2-de66-492d-a8a5-3cebb6dd0d6b": "Žofka má ráda sýr",
        "cf9ef0ef-71f8-437b-934c-b01e3c2d53f9": "stored over MCP",
    }
    assert {row["trust_tier"] for row in rows if row["source_kind"] == "operator"} == {"trusted"}


def test_a_writers_open_transaction_is_neither_seen_nor_lost(path: Path, gateway: sqlite3.Connection) -> None:
    gateway.execute("BEGIN IMMEDIATE")
    add(gateway, 3, event("c", "this turn is still being written"))
    first = only(path)
    assert keys([first]) == ["s1#a", "s1#b"]
    assert (first.episodes.schema, first.rows.schema) == (EPISODE_SCHEMA, OBSERVATION_SCHEMA)
    gateway.execute("COMMIT")
    assert keys(read(path, first.position)) == ["s1#c"]


def test_a_database_that_grows_is_read_on(path: Path, gateway: sqlite3.Connection) -> None:
    first = only(path)
    assert (first.events, first.seen, first.position.offset, first.position.line) == (3, 2, 3, 3)
    assert read(path, first.position) == []
    add(gateway, 0, event("x", "another session begins"), session="s3")
    add(gateway, 3, event("c", "and the first goes on"))
    second = only(path, first.position)
    assert keys([second]) == ["s3#x", "s1#c"]
    assert second.episodes["session_key"].to_pylist() == [None, "agent:main:main"]
    assert second.position.line == 5


def test_events_written_while_reading_are_left_for_the_next_time(
    path: Path, gateway: sqlite3.Connection
) -> None:
    batches = AgentDatabase(path).batches(None, now_ms=NOW, batch_lines=2)
    first = next(batches)
    add(gateway, 3, event("c", "the bike was stolen"))
    rest = list(batches)
    assert [batch.events for batch in (first, *rest)] == [2, 1]
    assert keys(read(path, rest[-1].position)) == ["s1#c"]


def test_any_batch_size_gives_the_same_rows(path: Path, gateway: sqlite3.Connection) -> None:
    whole, batches = only(path), read(path, lines=1)
    assert pa.concat_tables([batch.episodes for batch in batches]) == whole.episodes
    assert pa.concat_tables([batch.rows for batch in batches]) == whole.rows
    assert read(path, batches[0].position)[0].episodes == whole.episodes
    assert sum(batch.bytes for batch in batches) == whole.bytes


def test_a_batch_of_big_events_ends_by_its_bytes(
    path: Path, gateway: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openclaw_agent_db, "BATCH_BYTES", 100)
    assert [batch.events for batch in read(path)] == [2, 1]


def test_a_packed_event_is_read_as_a_plain_one(path: Path, gateway: sqlite3.Connection) -> None:
    add_packed(gateway, 3, *pack(event("c", "打包的內容 " * 50)))
    batch = only(path)
    assert keys([batch]) == ["s1#a", "s1#b", "s1#c"]
    assert batch.episodes["text"][2].as_py() == ("打包的內容 " * 50).strip()


def test_what_does_not_parse_is_refused_and_reading_goes_on(path: Path, gateway: sqlite3.Connection) -> None:
    leaked = "gh" + "p_" + "a1B2c3D4e5" * 4
    packed, size = pack(event("x", "never read"))
    add(gateway, 3, f'{{"broken {leaked}')
    add(gateway, 4, "[1]")
    add(gateway, 5, '{"type":"message","message":1}')
    add(gateway, 6, None)
    add_packed(gateway, 7, packed, size - 1)
    add_packed(gateway, 8, b"no zstd", 10)
    add_packed(gateway, 9, packed, None)
    add_packed(gateway, 10, packed, 1 << 40)
    gateway.execute("INSERT INTO transcript_events VALUES ('s1', 11, CAST(x'7bff' AS TEXT), 0, NULL, NULL)")
    add(gateway, 12, event("c", "and this one is whole"))
    batch = only(path)
    assert keys([batch]) == ["s1#a", "s1#b", "s1#c"]
    assert [(item.position, item.reason) for item in batch.rejected] == [
        ("s1:3", "malformed_json"),
        ("s1:4", "not_an_object"),
        ("s1:5", "wrong_type"),
        ("s1:6", "wrong_type"),
        ("s1:7", "malformed_json"),
        ("s1:8", "malformed_json"),
        ("s1:9", "wrong_type"),
        ("s1:10", "line_too_long"),
        ("s1:11", "invalid_utf8"),
    ]
    assert (batch.events, batch.seen) == (13, 3 + 9)
    assert leaked not in str(batch.rejected)
    assert read(path, batch.position) == []


def test_a_huge_event_is_refused(
    path: Path, gateway: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openclaw_agent_db, "MAX_LINE_BYTES", 1000)
    add(gateway, 3, event("c", "x" * 1000))
    (rejected,) = only(path).rejected
    assert (rejected.reason, rejected.line, len(rejected.sample)) == ("line_too_long", 4, 500)


def test_a_secret_is_redacted_and_counted(path: Path, gateway: sqlite3.Connection) -> None:
    leaked = "gh" + "p_" + "a1B2c3D4e5" * 4
    add(gateway, 3, event("c", f"my token is {leaked}"))
    batch = only(path)
    assert batch.redacted == 1
    assert leaked not in str((batch.rows.to_pylist(), batch.episodes.to_pylist()))


def test_a_group_chat_is_not_trusted_as_the_owners(path: Path, gateway: sqlite3.Connection) -> None:
    add(gateway, 0, event("g", "the plan is to sell"), session="s2")
    add(gateway, 1, event("h", "the plan is to keep", __openclaw={"senderIsOwner": True}), session="s2")
    assert only(path).episodes["trust_tier"].to_pylist()[2:] == [None, "trusted"]


def test_an_event_without_a_time_has_the_rows(path: Path, gateway: sqlite3.Connection) -> None:
    add(gateway, 3, event("c", "an undated turn", timestamp=None), at=MS + 1000)
    batch = only(path)
    assert batch.episodes["ts_ms"].to_pylist() == [MS, MS, MS + 1003]
    assert batch.episodes["ts_flag"].to_pylist() == [None, None, "missing"]


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM transcript_events WHERE seq = 2",
        "UPDATE transcript_events SET created_at = 1 WHERE seq = 2",
        "UPDATE transcript_events SET rowid = rowid + 10",
    ],
)
def test_a_rewound_or_renumbered_table_is_read_from_its_start(
    path: Path, gateway: sqlite3.Connection, change: str
) -> None:
    position = only(path).position
    gateway.execute(change)
    add(gateway, 3, event("c", "after the change"))
    assert keys(read(path, position))[0] == "s1#a"
    assert keys(read(path, position))[-1] == "s1#c"


def test_an_event_packed_later_leaves_the_position_good(path: Path, gateway: sqlite3.Connection) -> None:
    position = only(path).position
    packed, size = pack(event("b", "and bought a bike"))
    gateway.execute(
        "UPDATE transcript_events SET event_json = NULL, event_zstd = ?, event_utf8_bytes = ? WHERE seq = 2",
        (packed, size),
    )
    assert read(path, position) == []


def test_another_file_under_the_name_is_read_from_its_start(path: Path, gateway: sqlite3.Connection) -> None:
    position = only(path).position
    copy = path.with_suffix(".copy")
    with closing(sqlite3.connect(copy)) as target:
        gateway.backup(target)
    gateway.close()
    for left in path.parent.glob("openclaw-agent.sqlite-*"):
        left.unlink()
    shutil.move(copy, path)
    assert keys(read(path, position)) == ["s1#a", "s1#b"]
    assert keys(read(path, replace(position, inode=path.stat().st_ino))) == []


def test_an_older_database_without_packed_events_or_chats_is_read(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(
            "CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INT)"
        )
        db.execute(
            "INSERT INTO transcript_events VALUES ('s1', 1, ?, ?)", (event("a", "I moved to Brno"), MS)
        )
        db.commit()
        assert only(path).episodes["session_key"].to_pylist() == [None]
        db.execute("CREATE TABLE session_windows (session_id TEXT, session_key TEXT)")
        db.execute("INSERT INTO session_windows VALUES ('s1', 'agent:main:main')")
        db.commit()
    assert only(path).episodes["session_key"].to_pylist() == ["agent:main:main"]
    (batch,) = AgentDatabase(path, "home").batches(None, now_ms=NOW, batch_lines=10)
    assert batch.episodes["agent_id"].to_pylist() == ["main"]


def test_an_empty_table_gives_nothing(path: Path, gateway: sqlite3.Connection) -> None:
    position = only(path).position
    gateway.execute("DELETE FROM transcript_events")
    assert read(path) == read(path, position) == []


def test_a_database_that_is_not_there_yet_gives_nothing(path: Path) -> None:
    assert read(path) == []
    assert not path.exists()


def test_what_is_no_transcript_database_is_an_error(path: Path) -> None:
    path.write_bytes(b"no database at all, but long enough to be looked at" * 100)
    with pytest.raises(StoreError, match="cannot read the transcripts"):
        read(path)
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE other (id INTEGER)")
    with pytest.raises(StoreError, match="no such table"):
        read(path)


def test_a_reading_that_finds_its_rows_gone_ends(path: Path, gateway: sqlite3.Connection) -> None:
    batches = AgentDatabase(path).batches(None, now_ms=NOW, batch_lines=1)
    next(batches)
    gateway.execute("DELETE FROM transcript_events")
    assert list(batches) == []


def test_a_database_is_called_by_its_path_whatever_is_in_it(tmp_path: Path) -> None:
    odd = tmp_path / "50% of #1?.sqlite"
    with closing(sqlite3.connect(odd)) as db:
        db.executescript(SCHEMA)
        add(db, 1, event("a", "I moved to Brno"))
        db.commit()
    batch = only(odd)
    assert {AgentDatabase(odd).name, batch.position.source} == {str(odd)}
