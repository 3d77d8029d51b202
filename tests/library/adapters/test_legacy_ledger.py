from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sunrise.adapters.capture_jsonl import CAPTURE_SCHEMA, CaptureBatch
from sunrise.adapters.legacy_ledger import LegacyLedger
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.records import SourcePosition
from sunrise.errors import StoreError
from tests.fakes import FrozenClock

NOW = 1_795_900_000_000
FIXTURE = Path(__file__).parents[4] / "shared/data/openclaw-mem/v1.9.26.sqlite"
SCHEMA = """
CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, ts TEXT NOT NULL, kind TEXT, summary TEXT,
  summary_en TEXT, lang TEXT, tool_name TEXT, detail_json TEXT);
CREATE TABLE episodic_events (id INTEGER PRIMARY KEY, summary TEXT);
"""
INSERT = (
    "INSERT INTO observations (ts, kind, summary, summary_en, lang, tool_name, detail_json)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
Row = tuple[Any, ...]


def row(
    summary: object, detail: object = None, *, ts: str = "2026-01-01T00:00:00Z", kind: str = "fact"
) -> Row:
    text = detail if detail is None or isinstance(detail, str | bytes) else json.dumps(detail)
    return (ts, kind, summary, None, None, None, text)


def write(path: Path, rows: Sequence[Row]) -> LegacyLedger:
    with contextlib.closing(sqlite3.connect(path)) as db:
        if not db.execute("SELECT 1 FROM sqlite_master").fetchone():
            db.executescript(SCHEMA)
        with db:
            db.executemany(INSERT, rows)
    return LegacyLedger(path)


def read(
    ledger: LegacyLedger, position: SourcePosition | None = None, lines: int = 100
) -> list[CaptureBatch]:
    return list(ledger.batches(position, now_ms=NOW, batch_lines=lines))


def rows_of(ledger: LegacyLedger) -> list[dict[str, Any]]:
    (batch,) = read(ledger)
    assert batch.rows.schema == CAPTURE_SCHEMA.append(pa.field("state", pa.string()))
    assert batch.seen == batch.rows.num_rows + len(batch.rejected)
    found: list[dict[str, Any]] = batch.rows.to_pylist()
    return found


def harvest(ledger: SqliteLedger, source: LegacyLedger, lines: int = 100) -> int:
    return sum(
        ledger.commit_harvest(batch.rows, rejected=batch.rejected, position=batch.position).observations
        for batch in read(source, ledger.source_position(source.name), lines)
    )


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.skipif(not FIXTURE.is_file(), reason=f"the ledger of version 1.9.26 is not at {FIXTURE}")
def test_a_real_ledger_arrives_whole_and_stays_as_it_is(tmp_path: Path, ledger: SqliteLedger) -> None:
    source = LegacyLedger(Path(shutil.copy(FIXTURE, tmp_path / "old.sqlite")))
    before = digest(source.path)
    assert harvest(ledger, source, lines=5) == 16
    assert harvest(ledger, source) == 0
    assert source.count_left_out() == {"episodic_events": 4, "docs_chunks": 0}
    assert digest(source.path) == before
    assert not list(tmp_path.glob("old.sqlite-*"))
    found = rows_of(source)
    assert [row["lang"] for row in found] == ["en"] * 8 + ["zh"] * 8
    assert {row["scope"] for row in found} == {"fixture"}
    assert found[8]["summary_en"] == "legacy translated memory 0"
    assert found[0]["ts_ms"] == 1_767_225_600_000


def test_governance_is_read_out_of_the_detail(tmp_path: Path) -> None:
    detail = {
        "importance": {"score": "86%", "label": "ignore", "method": "heuristic-v1"},
        "scope": "ops",
        "lifecycle": {
            "priority": "P0",
            "state": "active",
            "used_count": 3,
            "last_used_at": "2026-02-01T00:00:00Z",
        },
        "provenance": {
            "trust_tier": "quarantine",
            "source_kind": "web",
            "source_ref": "https://example.org/a",
        },
        "sessionKey": "agent:main:main",
        "memory_id": "3f0c",
    }
    (found,) = rows_of(write(tmp_path / "a.sqlite", [row("rotate the keys", detail)]))
    assert (found["importance_score"], found["importance_label"]) == (0.86, "must_remember")
    assert (found["scope"], found["trust_tier"], found["memory_id"]) == ("ops", "quarantined", "3f0c")
    assert (found["source_kind"], found["source_ref"]) == ("web", "https://example.org/a")
    assert found["session_key"] == "agent:main:main"
    kept = json.loads(found["detail_json"])
    assert kept == {**detail, "provenance": kept["provenance"]}
    assert kept["lifecycle"] == detail["lifecycle"]


@pytest.mark.parametrize(
    ("lifecycle", "state"),
    [
        ({"state": "soft-archived"}, "archived"),
        ({"state": "categorized"}, "active"),
        ({"state": "stale"}, "stale"),
        ({"state": 5}, None),
        ({"state": "elsewhere"}, None),
        ("soft-archived", None),
    ],
)
def test_what_was_archived_arrives_archived(tmp_path: Path, lifecycle: object, state: str | None) -> None:
    (found,) = rows_of(write(tmp_path / "a.sqlite", [row("rotate the keys", {"lifecycle": lifecycle})]))
    assert found["state"] == state


@pytest.mark.parametrize(
    ("importance", "score", "label"),
    [
        (0.86, 0.86, "must_remember"),
        (86, 0.86, "must_remember"),
        ("must-remember", 0.8, "must_remember"),
        ({"label": "low"}, 0.0, "ignore"),
        ({"score": None, "label": "unknown"}, None, None),
        (True, None, None),
        ("none of these", None, None),
    ],
)
def test_importance_is_read_in_every_shape(
    tmp_path: Path, importance: object, score: float | None, label: str | None
) -> None:
    (found,) = rows_of(write(tmp_path / "a.sqlite", [row("x", {"importance": importance})]))
    assert (found["importance_score"], found["importance_label"]) == (score, label)


def test_new_rows_are_added_later(tmp_path: Path, ledger: SqliteLedger) -> None:
    source = write(tmp_path / "a.sqlite", [row("a"), row("b"), row("c")])
    assert harvest(ledger, source, lines=2) == 3
    write(source.path, [row("d")])
    (batch,) = read(source, ledger.source_position(source.name))
    assert batch.rows["summary"].to_pylist() == ["d"]
    assert harvest(ledger, source) == 1


def test_a_moved_ledger_adds_nothing_and_another_one_all(tmp_path: Path, ledger: SqliteLedger) -> None:
    source = write(tmp_path / "a.sqlite", [row("a"), row("b"), row("b")])
    assert harvest(ledger, source) == 3
    moved = LegacyLedger(source.path.rename(tmp_path / "moved.sqlite"))
    assert harvest(ledger, moved) == 0
    # Under the name of the first, with as many rows.
    assert harvest(ledger, write(tmp_path / "a.sqlite", [row("x"), row("y"), row("z")])) == 3


def test_grades_and_uses_do_not_make_a_row_another(tmp_path: Path, ledger: SqliteLedger) -> None:
    source = write(tmp_path / "a.sqlite", [row("a"), row(None, {"text": "only here"})])
    assert harvest(ledger, source) == 2
    position = ledger.source_position(source.name)
    with contextlib.closing(sqlite3.connect(source.path)) as db, db:
        db.execute(
            "UPDATE observations SET detail_json = json_set(coalesce(detail_json, '{}'), '$.used_count', 1)"
        )
    assert read(source, position) == []
    (again,) = read(source)
    assert ledger.new_keys(again.rows["key"].to_pylist()) == 0


def test_a_cut_ledger_is_read_again_and_doubles_nothing(tmp_path: Path, ledger: SqliteLedger) -> None:
    source = write(tmp_path / "a.sqlite", [row("a"), row("b")])
    assert harvest(ledger, source) == 2
    with contextlib.closing(sqlite3.connect(source.path)) as db, db:
        db.execute("DELETE FROM observations WHERE id = 2")
    assert harvest(ledger, source) == 0
    write(source.path, [row("c")])
    assert harvest(ledger, source) == 1


def test_wild_rows_are_kept_or_refused_with_a_reason(tmp_path: Path) -> None:
    deep = "[" * 300 + "]" * 300
    source = write(
        tmp_path / "a.sqlite",
        [
            row("good"),
            row(None),
            row("  ", {"text": 7}),
            row("bad time", ts="not a date"),
            row("list", [1, 2], ts="", kind="x" * 5000),
            row("broken", "{"),
            row("bytes", b"\xff{}"),
            row(b"caf\xe9", {"nan": float("nan")}),
            row("deep", '{"a":' + deep + "}"),
            row("key token=abcd1234efgh", {"password": "swordfish"}),
            row(None, {"text": "only in the detail"}),
        ],
    )
    (batch,) = read(source)
    assert batch.rows["summary"].to_pylist() == [
        "good",
        "list",
        "broken",
        "bytes",
        "caf\ufffd",
        "key token=[redacted:token]",
        "only in the detail",
    ]
    assert [(refused.position, refused.reason) for refused in batch.rejected] == [
        ("2", "missing_text"),
        ("3", "wrong_type"),
        ("4", "bad_time.ts.not_a_time"),
        ("9", "nesting_too_deep"),
    ]
    assert (batch.seen, batch.redacted) == (11, 1)
    assert "swordfish" not in "".join(batch.rows["detail_json"].to_pylist())
    wild = batch.rows.slice(1, 1).to_pylist()[0]
    assert (wild["ts_ms"], wild["ts_flag"], len(wild["kind"])) == (1_767_225_600_000, "missing", 64)


def test_a_resumed_reading_dates_as_an_undisturbed_one(tmp_path: Path) -> None:
    source = write(tmp_path / "a.sqlite", [row("a"), row("b", ts=""), row("c", ts=""), row("d", ts="")])
    first = read(source, lines=2)[0]
    assert [row["ts_ms"] for batch in read(source, first.position) for row in batch.rows.to_pylist()] == [
        1_767_225_600_000
    ] * 2


def test_an_older_schema_without_some_columns_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE observations (id INTEGER PRIMARY KEY, ts TEXT, kind TEXT, summary TEXT)")
        db.execute("INSERT INTO observations VALUES (7, '2026-01-01', 'note', 'old')")
    (found,) = rows_of(LegacyLedger(path))
    assert (found["summary"], found["detail_json"], found["lang"]) == ("old", "{}", "en")
    assert found["key"].startswith("legacy:7:")


def test_a_ledger_with_a_log_is_read_through_it(tmp_path: Path) -> None:
    source = write(tmp_path / "a.sqlite", [row("a")])
    with contextlib.closing(sqlite3.connect(source.path)) as live:
        live.execute("PRAGMA journal_mode = WAL")
        with live:
            live.execute(INSERT, row("in the log"))
        before = digest(source.path)
        assert [found["summary"] for found in rows_of(source)] == ["a", "in the log"]
        assert digest(source.path) == before
    # The last to close took the log away: reading must not bring it back.
    assert [found["summary"] for found in rows_of(source)] == ["a", "in the log"]
    assert [path.name for path in tmp_path.iterdir()] == ["a.sqlite"]


def test_a_ledger_that_is_written_unlocked_meanwhile_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "a.sqlite", [row("a")])
    with contextlib.closing(sqlite3.connect(source.path)) as db:
        db.execute("PRAGMA journal_mode = WAL")
    connected = LegacyLedger._connected

    @contextlib.contextmanager
    def meddled(self: LegacyLedger, how: str) -> Iterator[sqlite3.Connection]:
        write(source.path, [row("b" * 100_000)])
        with connected(self, how) as db:
            yield db

    monkeypatch.setattr(LegacyLedger, "_connected", meddled)
    with pytest.raises(StoreError, match="written while"):
        source.count_left_out()


@pytest.mark.parametrize("content", [b"no database at all", b"", None])
def test_what_is_no_ledger_is_an_error(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "a.sqlite"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StoreError):
        read(LegacyLedger(path))
    assert path.exists() == (content is not None)


def test_the_ledger_keeps_the_state_of_an_old_row(tmp_path: Path) -> None:
    archived = row("rotate the keys", {"lifecycle": {"state": "soft-archived"}})
    ledger = SqliteLedger(tmp_path / "ledger.sqlite", clock=FrozenClock())
    harvest(ledger, write(tmp_path / "a.sqlite", [archived, row("water the plants", {})]))
    with ledger.reading() as db:
        states = db.execute("SELECT summary, state FROM observations ORDER BY id").fetchall()
    ledger.close()
    assert states == [("rotate the keys", "archived"), ("water the plants", "captured")]
