from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sunrise.adapters import openclaw_transcripts
from sunrise.adapters.openclaw_transcripts import (
    EPISODE_SCHEMA,
    OBSERVATION_SCHEMA,
    TranscriptBatch,
    TranscriptFile,
    transcript_files,
)
from sunrise.domain.episodes import EpisodeRow
from sunrise.domain.records import SourcePosition
from sunrise.errors import StoreError

NOW = 1_796_000_000_000
MS = 1_795_812_854_069
SAMPLES = Path(__file__).parents[4] / "shared/openclaw/samples/v2026.4.27/sessions"
FIRST_SESSION = "83d26490-5af3-4c50-9e76-c247bf0939a0"
CRON_SESSION = "ff5da33c-6923-47bb-8b7a-2c9d0ad75ed6"
CRON_KEY = "agent:main:cron:3b4b611d-8441-4103-95d3-e374ae4fbeb8"


def header(session_id: str = "s1") -> str:
    return json.dumps(
        {"type": "session", "version": 3, "id": session_id, "timestamp": "2026-11-27T20:54:06Z"}
    )


def said(event_id: str, text: str) -> str:
    message = {"role": "user", "content": [{"type": "text", "text": text}], "timestamp": MS}
    return json.dumps({"type": "message", "id": event_id, "message": message}, ensure_ascii=False)


def answered(event_id: str, call_id: str) -> str:
    message = {"role": "toolResult", "toolCallId": call_id, "toolName": "exec", "timestamp": MS,
               "content": [{"type": "text", "text": "done"}]}  # fmt: skip
    return json.dumps({"type": "message", "id": event_id, "message": message})


def write(path: Path, *lines: str, end: str = "\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(("\n".join(lines) + end).encode())
    return path


def read(
    source: TranscriptFile, position: SourcePosition | None = None, *, lines: int = 1000
) -> list[TranscriptBatch]:
    return list(source.batches(position, now_ms=NOW, batch_lines=lines))


def only(path: Path, position: SourcePosition | None = None) -> TranscriptBatch:
    (batch,) = read(TranscriptFile(path), position)
    return batch


def column(batches: list[TranscriptBatch], name: str) -> list[Any]:
    return [value for batch in batches for value in batch.episodes[name].to_pylist()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(
        tmp_path / "s1.jsonl", header(), said("a", "I moved to Brno"), said("b", "and bought a bike")
    )


# Counted by hand from the sample: per file its lines, what they give, and the owner's own words.
# Of the tools that were called three hand back memories, and one made a memory.
STORED = {f"{FIRST_SESSION}.jsonl.reset.2026-11-27T21-05-34.306Z": ["Žofka má ráda sýr 花"]}
COUNTED: dict[str, tuple[int, dict[str, int], list[str]]] = {
    f"{FIRST_SESSION}.jsonl.reset.2026-11-27T21-05-34.306Z": (
        32,
        {"conversation.user": 8, "conversation.assistant": 8, "tool.call": 4, "tool.result": 4},
        [
            'CALL memory_store {"text":"Žofka má ráda sýr 花","category":"preference"}',
            "Remember that I always take the 7:40 train and my email is dana@example.org",
            'CALL memory_recall {"query":"sýr 花"}',
            'CALL pymcp__memory_recall {"query":"via mcp"}',
            "Remember that I always take the 7:40 train to Brno 花",
            "My email is dana@example.org and I prefer short answers",
            'CALL memory_recall {"query":"I always take the 7:40 train to Brno"}',
            "when does my train go? I always take the 7:40 train to Brno, right?",
        ],
    ),
    # The only user turn is the machine's prompt to start a session.
    f"{FIRST_SESSION}.jsonl": (6, {"conversation.assistant": 1}, []),
    f"{CRON_SESSION}.jsonl": (
        8,
        {"conversation.automation": 1, "conversation.assistant": 1, "tool.call": 1, "tool.result": 1},
        [],
    ),
}


@pytest.fixture(scope="module")
def sample() -> dict[str, TranscriptBatch]:
    if not SAMPLES.exists():
        pytest.skip("the sample sessions of OpenClaw 2026.4.27 are not here")
    batches = {}
    for source in transcript_files(SAMPLES, agent_id="main"):
        (batches[source.path.name],) = read(source)
    return batches


def test_the_sample_gives_what_was_counted_by_hand(sample: dict[str, TranscriptBatch]) -> None:
    assert list(sample) == list(COUNTED)
    for name, (events, types, owner_texts) in COUNTED.items():
        batch = sample[name]
        episodes = batch.episodes.to_pylist()
        assert batch.events == events
        assert Counter(row["type"] for row in episodes) == types
        assert [row["text"] for row in episodes if row["type"] == "conversation.user"] == owner_texts
        assert batch.rejected == ()
        observed = batch.rows.to_pylist()
        assert batch.seen == len(observed)
        assert [one["summary"] for one in observed if one["source_kind"] == "operator"] == owner_texts
        assert [one["summary"] for one in observed if one["source_kind"] != "operator"] == STORED.get(
            name, []
        )


def test_the_samples_calls_sessions_and_memory_are_named(sample: dict[str, TranscriptBatch]) -> None:
    rotated, current, cron = (sample[name] for name in COUNTED)
    assert [row["tool_name"] for row in rotated.episodes.to_pylist() if row["type"] == "tool.call"] == [
        "memory_store",
        "memory_recall",
        "pymcp__memory_recall",
        "memory_recall",
    ]
    assert [memory for memory in rotated.rows["memory_id"].to_pylist() if memory] == [
        "ca65d35a-75a3-4f24-8967-3dbc9857e59c"
    ]
    assert set(rotated.episodes["session_key"].to_pylist()) == {"agent:main:main"}
    assert set(rotated.episodes["session_id"].to_pylist()) == {FIRST_SESSION}
    assert current.episodes["session_id"].to_pylist() == ["9a23a044-6914-4fa0-b53e-fd3ceee3ccc9"]
    assert current.episodes["session_key"].to_pylist() == ["agent:main:main"]
    assert set(cron.episodes["session_key"].to_pylist()) == {f"{CRON_KEY}:run:{CRON_SESSION}"}
    assert cron.episodes["text"][0].as_py() == 'CALL memory_recall {"query":"train"}'
    keys = [key for batch in sample.values() for key in batch.episodes["key"].to_pylist()]
    assert len(keys) == len(set(keys)) == 29


def test_the_schemas_are_the_rows(path: Path) -> None:
    assert tuple(EPISODE_SCHEMA.names) == EpisodeRow._fields
    batch = only(path)
    assert (batch.episodes.schema, batch.rows.schema) == (EPISODE_SCHEMA, OBSERVATION_SCHEMA)
    assert batch.rows["episode_key"].to_pylist() == batch.episodes["key"].to_pylist() == ["s1#a", "s1#b"]


def test_a_file_that_grows_is_read_on(path: Path) -> None:
    first = only(path)
    assert (first.events, first.seen, first.bytes) == (3, 2, path.stat().st_size)
    assert read(TranscriptFile(path), first.position) == []
    with path.open("a", encoding="utf-8") as file:
        file.write(said("c", "the bike was stolen") + "\n")
    second = only(path, first.position)
    assert second.episodes["key"].to_pylist() == ["s1#c"]


def test_lines_appended_while_reading_are_left_for_the_next_time(path: Path) -> None:
    batches = TranscriptFile(path).batches(None, now_ms=NOW, batch_lines=1)
    first = next(batches)
    with path.open("a", encoding="utf-8") as file:
        file.write(said("c", "the bike was stolen") + "\n")
    rest = list(batches)
    assert column([first, *rest], "key") == ["s1#a", "s1#b"]
    assert only(path, rest[-1].position).episodes["key"].to_pylist() == ["s1#c"]


def test_any_batch_size_gives_the_same_rows(path: Path) -> None:
    undated = json.dumps(
        {"type": "message", "id": "d", "message": {"role": "user", "content": "an undated turn"}}
    )
    with path.open("a", encoding="utf-8") as file:
        file.write("torn\n" + undated + "\n")
    whole = only(path)
    batches = read(TranscriptFile(path), lines=1)
    assert [batch.events for batch in batches] == [1] * 5
    assert pa.concat_tables([batch.episodes for batch in batches]) == whole.episodes
    assert pa.concat_tables([batch.rows for batch in batches]) == whole.rows
    resumed = only(path, batches[1].position)
    assert resumed.episodes == whole.episodes.slice(1)
    assert whole.episodes["ts_ms"].to_pylist() == [MS] * 3


def test_a_reset_gives_nothing_twice_and_loses_nothing(path: Path) -> None:
    before = only(path)
    with path.open("a", encoding="utf-8") as file:
        file.write(said("c", "one more before the reset") + "\n")
    path.rename(path.with_name("s1.jsonl.reset.2026-11-27T21-05-34.306Z"))
    write(path, header(), said("d", "and one after it, in the same session"))
    rotated, current = transcript_files(path.parent)
    assert rotated.name.endswith(".306Z")
    keys = [
        *before.episodes["key"].to_pylist(),
        *column(read(rotated), "key"),
        *column(read(current, before.position), "key"),
    ]
    assert sorted(set(keys)) == ["s1#a", "s1#b", "s1#c", "s1#d"]
    assert Counter(keys)["s1#d"] == 1


def test_a_torn_line_waits_and_a_broken_one_is_refused(path: Path) -> None:
    whole, torn = said("c", "花"), said("d", "the end is missing")
    write(path, header(), '{"type":"message","partialJson":"{\n"}', whole, torn[:40], end="")
    first = only(path)
    assert first.episodes["key"].to_pylist() == ["s1#c"]
    assert [item.reason for item in first.rejected] == ["malformed_json", "malformed_json"]
    assert first.events == 4
    write(path, header(), '{"type":"message","partialJson":"{\n"}', whole, torn)
    assert only(path, first.position).episodes["key"].to_pylist() == ["s1#d"]


def test_a_message_of_another_shape_is_refused(path: Path) -> None:
    write(path, header(), '{"type":"message","id":"x","message":"text"}', said("c", "I moved to Brno"))
    batch = only(path)
    assert [(item.reason, item.line) for item in batch.rejected] == [("wrong_type", 2)]
    assert (batch.seen, batch.rows.num_rows) == (2, 1)


def test_a_secret_is_redacted_and_counted(path: Path) -> None:
    leaked = "gh" + "p_" + "a1B2c3D4e5" * 4
    write(
        path,
        header(),
        said("c", f"my token is {leaked}"),
        said("d", "no secret here at all"),
        f'{{"broken {leaked}',
    )
    batch = only(path)
    assert batch.redacted == 1
    assert leaked not in str((batch.rows.to_pylist(), batch.episodes.to_pylist(), batch.rejected))


def test_the_session_is_the_first_lines_or_else_the_files(path: Path) -> None:
    write(path, header("s2"), said("a", "I moved to Brno"))
    assert column(read(TranscriptFile(path)), "key") == ["s2#a"]
    for first_line in ("torn", '{"type":"session"}', '{"type":"model_change","id":"m"}'):
        write(path, first_line, said("a", "I moved to Brno"))
        assert column(read(TranscriptFile(path)), "key") == ["s1#a"]
    oddly_named = write(path.with_name("odd.txt"), "torn", said("a", "I moved to Brno"))
    assert column(read(TranscriptFile(oddly_named)), "key") == ["odd#a"]


def test_the_key_and_the_agent_come_from_the_store_and_the_folder(tmp_path: Path) -> None:
    path = write(tmp_path / "agents/kitchen/sessions/s1.jsonl", header(), answered("a", "call_x1"))
    source = TranscriptFile(path)
    assert column(read(source), "agent_id") == ["kitchen"]
    assert column(read(TranscriptFile(path, "home")), "agent_id") == ["home"]
    store = path.with_name("sessions.json")
    write(
        store,
        json.dumps({"agent:main:main": {"sessionId": "s1"}, "agent:x:y": {"sessionFile": "/far/s1.jsonl"}}),
    )
    assert column(read(source), "session_key") == ["agent:main:main"]
    assert column(read(source), "agent_id") == ["main"]
    assert read(source)[0].rows["key"].to_pylist() == ["id:call:agent:main:main:tool:call_x1"]
    write(
        store, json.dumps({"agent:main:other": {"sessionId": "s9", "sessionFile": "/far/s1.jsonl"}, "v": 1})
    )
    assert column(read(source), "session_key") == ["agent:main:other"]
    write(store, "half written")
    assert column(read(source), "session_key") == [None]


def test_only_transcripts_are_taken_and_the_rotated_ones_first(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", "a.jsonl.reset.2026-02", "a.jsonl.reset.2026-01", "a.trajectory.jsonl",
                 "a.trajectory-path.json", "sessions.json", "a.jsonl.deleted.1", "a.jsonl.lock"):  # fmt: skip
        write(tmp_path / name, header())
    (tmp_path / "folder.jsonl").mkdir()
    assert [source.path.name for source in transcript_files(tmp_path)] == [
        "a.jsonl.reset.2026-01",
        "a.jsonl.reset.2026-02",
        "a.jsonl",
        "b.jsonl",
    ]
    assert transcript_files(tmp_path / "nowhere") == ()


def test_a_transcript_is_a_source_called_by_its_path(path: Path) -> None:
    (batch,) = read(TranscriptFile(path))
    assert {TranscriptFile(path).name, batch.position.source} == {str(path)}
    assert read(TranscriptFile(path.with_name("gone.jsonl"))) == []
    with pytest.raises(StoreError, match="cannot read the transcript"):
        read(TranscriptFile(path.parent))


def test_an_agents_folder_is_told_from_any_other() -> None:
    agent_of = openclaw_transcripts._agent_of
    assert agent_of(Path("/home/claw/.openclaw/agents/main/sessions/s1.jsonl")) == "main"
    assert agent_of(Path("/s1.jsonl")) is None
