from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sunrise.adapters.capture_jsonl import CAPTURE_SCHEMA, CaptureBatch
from sunrise.adapters.markdown_memories import MAX_FILE_BYTES, MarkdownMemory, markdown_files
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.records import SourcePosition
from sunrise.errors import StoreError

NOW = 1_795_900_000_000
MTIME = 1_795_800_000
SAMPLES = Path(__file__).parents[4] / "shared/openclaw/samples"
SESSION = (
    "# Session: 2026-11-28 05:04:22 GMT+8\n\n- **Session Key**: {key}\n- **Session ID**: 83d2\n\n"
    "## Conversation Summary\n\n{turns}\n"
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    return tmp_path


def write(path: Path, text: str | bytes) -> MarkdownMemory:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    os.utime(path, (MTIME, MTIME))
    return MarkdownMemory(path, zone=ZoneInfo("Asia/Taipei"))


def read(memory: MarkdownMemory, position: SourcePosition | None = None) -> list[CaptureBatch]:
    return list(memory.batches(position, now_ms=NOW, batch_lines=1000))


def rows(memory: MarkdownMemory) -> list[dict[str, Any]]:
    (batch,) = read(memory)
    assert batch.rows.schema == CAPTURE_SCHEMA
    assert batch.seen == batch.rows.num_rows + len(batch.rejected)
    found: list[dict[str, Any]] = batch.rows.to_pylist()
    return found


def harvest(ledger: SqliteLedger, memory: MarkdownMemory, lines: int = 1000) -> int:
    position = ledger.source_position(memory.name)
    return sum(
        ledger.commit_harvest(batch.rows, rejected=batch.rejected, position=batch.position).observations
        for batch in memory.batches(position, now_ms=NOW, batch_lines=lines)
    )


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1000)


def test_a_lasting_memory_is_a_trusted_fact_of_the_owner(workspace: Path) -> None:
    memory = write(
        workspace / "MEMORY.md",
        "# Trips\n## Brno\n- train at 7:40 <!-- trigger: train, brno --> <!-- importance: 8 -->"
        " <!-- project: github.com/o/r -->\n",
    )
    (row,) = rows(memory)
    assert row["summary"] == "train at 7:40"
    assert (row["kind"], row["trust_tier"], row["source_kind"]) == ("fact", "trusted", "operator")
    assert (row["importance_score"], row["importance_label"]) == (0.8, "must_remember")
    assert (row["scope"], row["source_ref"]) == ("github.com/o/r", "MEMORY.md#L3")
    assert (row["ts_ms"], row["ts_flag"]) == (MTIME * 1000, "missing")
    assert json.loads(row["detail_json"]) == {
        "file": "MEMORY.md",
        "heading": ["Trips", "Brno"],
        "importance": {"score": 0.8, "method": "operator"},
        "project": "github.com/o/r",
        "trigger": ["train", "brno"],
        "trust": "trusted",
    }


def test_a_project_that_is_no_scope_stays_in_the_detail(workspace: Path) -> None:
    (row,) = rows(write(workspace / "MEMORY.md", "- a <!-- project: My Project; other -->"))
    assert (row["scope"], json.loads(row["detail_json"])["project"]) == (None, "My Project; other")


def test_a_daily_note_is_the_agents_own_and_dated_by_its_name(workspace: Path) -> None:
    (row,) = rows(write(workspace / "memory/2026-11-28.md", "- bought tea"))
    assert (row["kind"], row["trust_tier"], row["source_kind"]) == ("note", None, "agent")
    assert (row["ts_ms"], row["ts_flag"]) == (ms("2026-11-28T00:00:00+08:00"), None)
    assert row["source_ref"] == "memory/2026-11-28.md#L1"


def test_a_date_that_cannot_be_gives_way_to_the_files_time(workspace: Path) -> None:
    (old,) = rows(write(workspace / "memory/1899-01-01.md", "- a"))
    (wrong,) = rows(write(workspace / "memory/2026-02-31.md", "- a"))
    assert (old["ts_ms"], old["ts_flag"]) == (MTIME * 1000, "missing")
    assert (wrong["ts_ms"], wrong["ts_flag"]) == (MTIME * 1000, "missing")


@pytest.mark.parametrize(
    ("key", "turns", "trust", "kind", "agent"),
    [
        ("agent:main:main", 'user: "I like tea"\nassistant: "user: no"', "trusted", "operator", "main"),
        ("agent:ada:main", "user: I like tea\nassistant: fine", None, "operator", "ada"),
        ("agent:main:cron:1:run:2", 'user: "I like tea"', None, "system", "main"),
        ("agent:main:discord:group:7", 'user: "I like tea"', None, "operator", "main"),
        ("elsewhere", 'user: "I like tea"', "trusted", "operator", None),
    ],
)
def test_a_session_gives_the_users_turns(
    workspace: Path, key: str, turns: str, trust: str | None, kind: str, agent: str | None
) -> None:
    memory = write(workspace / "memory/2026-11-28-0504.md", SESSION.format(key=key, turns=turns))
    (row,) = rows(memory)
    assert (row["summary"], row["trust_tier"], row["source_kind"]) == ("I like tea", trust, kind)
    assert (row["session_key"], row["agent_id"]) == (key, agent)
    assert row["ts_ms"] == ms("2026-11-28T05:04:22+08:00")


def test_unchanged_files_give_nothing(workspace: Path) -> None:
    memory = write(workspace / "MEMORY.md", "- a\n")
    (batch,) = read(memory)
    assert (batch.bytes, batch.position.offset, batch.position.line) == (4, 4, 1)
    assert read(memory, batch.position) == []
    # Editors write a new file in the place of the old one: that alone is no change.
    (workspace / "new").write_text("- a\n", encoding="utf-8")
    (workspace / "new").replace(memory.path)
    assert read(memory, batch.position) == []


@pytest.mark.parametrize("text", ["", "\n", "# Only a heading\n"])
def test_a_file_without_notes_keeps_its_position(workspace: Path, text: str) -> None:
    memory = write(workspace / "MEMORY.md", text)
    (batch,) = read(memory)
    assert (batch.seen, batch.rows.num_rows) == (0, 0)
    assert read(memory, batch.position) == []


def test_one_edit_adds_one_row_and_a_move_none(workspace: Path, ledger: SqliteLedger) -> None:
    path = workspace / "MEMORY.md"
    assert harvest(ledger, write(path, "# T\n- a\n- b\n- c\n")) == 3
    assert harvest(ledger, write(path, "# T\n- c\n- a\n- b\n")) == 0
    assert harvest(ledger, write(path, "# T\n- c\n- a, edited\n- b\n")) == 1
    assert ledger.count("observations") == 4


def test_a_stop_between_batches_loses_nothing(workspace: Path, ledger: SqliteLedger) -> None:
    memory = write(workspace / "MEMORY.md", "- a\n- b\n- c\n- d\n- e\n")
    first, *others = memory.batches(None, now_ms=NOW, batch_lines=2)
    assert [batch.seen for batch in (first, *others)] == [2, 2, 1]
    assert sum(batch.bytes for batch in (first, *others)) == 20
    ledger.commit_harvest(first.rows, rejected=(), position=first.position)
    assert harvest(ledger, memory, lines=2) == 3
    assert harvest(ledger, memory, lines=2) == 0


def test_agents_with_the_same_note_both_keep_it(workspace: Path, ledger: SqliteLedger) -> None:
    path = write(workspace / "MEMORY.md", "- a").path
    (ada,) = read(MarkdownMemory(path, agent_id="ada"))
    (bob,) = read(MarkdownMemory(path, agent_id="bob"))
    assert ada.rows["key"][0] != bob.rows["key"][0]
    assert ada.rows["agent_id"].to_pylist() == ["ada"]


def test_secrets_are_taken_out(workspace: Path) -> None:
    (batch,) = read(write(workspace / "MEMORY.md", "## token=abcd1234efgh\n- the password: hunter2\n"))
    (row,) = batch.rows.to_pylist()
    assert batch.redacted == 1
    assert row["summary"] == "the password: [redacted:password]"
    assert "abcd1234efgh" not in row["detail_json"]


def test_a_broken_byte_costs_its_own_note(workspace: Path) -> None:
    (batch,) = read(write(workspace / "MEMORY.md", b"- caf\xe9\n- tea\n"))
    assert batch.rows["summary"].to_pylist() == ["tea"]
    (refused,) = batch.rejected
    assert (refused.reason, refused.line, refused.sample) == ("invalid_utf8", 1, "caf\ufffd")
    assert batch.seen == 2


@pytest.mark.parametrize(
    "raw", ["- 茶\r\n- b\r\n".encode("utf-16"), "\ufeff- 茶\n- b".encode(), "- 茶\r\n- b".encode()]
)
def test_what_editors_of_windows_write_is_read(workspace: Path, raw: bytes) -> None:
    assert [row["summary"] for row in rows(write(workspace / "MEMORY.md", raw))] == ["茶", "b"]


def test_a_file_that_is_gone_gives_nothing(workspace: Path) -> None:
    assert read(MarkdownMemory(workspace / "MEMORY.md")) == []


def test_what_cannot_be_a_memory_file_is_an_error(workspace: Path) -> None:
    with pytest.raises(StoreError, match="cannot read"):
        read(MarkdownMemory(workspace / "memory"))
    large = workspace / "MEMORY.md"
    with large.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(StoreError, match="larger"):
        read(MarkdownMemory(large))


def test_the_memory_files_of_a_workspace_are_found(workspace: Path) -> None:
    names = [
        "MEMORY.md",
        "USER.md",
        "memory/2026-11-27.md",
        "memory/2026-11-28-0512.md",
        "memory/2026-11-28-brno-trip.md",
    ]
    others = ["DREAMS.md", "SOUL.md", "memory/notes.md", "memory/2026-11-27.md.bak", "memory/2026-1-7.md"]
    (workspace / "memory/imports").mkdir()
    (workspace / "memory/2026-11-30.md").mkdir()
    for name in [*names, *others, "memory/imports/2026-11-27.md"]:
        (workspace / name).write_text("- a", encoding="utf-8")
    assert [path.relative_to(workspace).as_posix() for path in markdown_files(workspace)] == names
    assert markdown_files(workspace / "nowhere") == ()


def test_files_that_an_index_links_to_are_memories_too(workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text(
        "- [Role](user_role.md) — keeps a lab\n- [Rules](AGENTS.md), [again](user_role.md)\n"
        "- [plain](plain.md), [gone](gone.md), [above](../above.md), [folder](more.md)\n"
    )
    front = "---\nname: user-role\ndescription: What Ines does\ntype: user\n---\n\n"
    for name in ("user_role.md", "AGENTS.md", "not_linked.md"):
        (workspace / name).write_text(f"{front}Ines keeps a small lab.")
    (workspace / "plain.md").write_text("A page without front matter.")
    (workspace / "more.md").mkdir()
    assert [path.name for path in markdown_files(workspace)] == ["MEMORY.md", "user_role.md"]
    (row,) = rows(MarkdownMemory(workspace / "user_role.md"))
    assert (row["summary"], row["source_kind"], row["trust_tier"], row["source_ref"]) == (
        "Ines keeps a small lab.", "agent", None, "user_role.md#L7",
    )  # fmt: skip


@pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"the sample files are not at {SAMPLES}")
def test_the_files_of_real_gateways_are_read() -> None:
    raw, quoted = (
        rows(
            MarkdownMemory(next((SAMPLES / version / "memory").glob("*.md")), zone=ZoneInfo("Asia/Shanghai"))
        )
        for version in ("v2026.4.27", "v2026.9.6")
    )
    assert len(raw) == 7
    assert raw[3]["summary"] == "Remember that I always take the 7:40 train to Brno 花"
    assert raw[3]["ts_ms"] == ms("2026-11-27T21:00:00+00:00")
    assert {row["trust_tier"] for row in raw} == {None}
    assert [row["summary"] for row in quoted][:2] == [
        "after new, I always take the 7:40 train",
        'CALL memory_recall {"query":"deferred surface"}',
    ]
    assert {row["ts_ms"] for row in quoted} == {ms("2026-11-28T05:12:42+08:00")}
    assert {row["trust_tier"] for row in quoted} == {"trusted"}
