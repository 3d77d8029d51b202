"""What the tests put into a home and a ledger, and how they run a body in its frame."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from sunrise.adapters.capture_jsonl import CAPTURE_SCHEMA
from sunrise.domain.receipts import RunReceipt
from sunrise.domain.records import SourcePosition
from sunrise.domain.retention import DAY_MS
from tasks.run_frame import Run, run_flow
from tests.fakes import FrozenClock

NOW = 1_795_000_000_000
"""2026-11-18 11:06:40 UTC, 19:06:40 in Taipei."""

CONFIG = """\
[embedder]
name = "none"
"""

OWNERS_SPOOL = """\
[harvest]
spool_highest_origin = "operator"
"""
"""In a config: the owner alone writes the files of the spool, so that its lines may claim to be his."""

# Id, text, importance, category and time of each.
MEMORIES: tuple[tuple[str, str, float, str, int], ...] = (
    ("m-backup", "Backup the database before every deploy", 0.9, "decision", NOW - 200 * DAY_MS),
    ("m-tea", "The user likes green tea", 0.6, "preference", NOW - 100 * DAY_MS),
    ("m-noise", "Ran ls in the home folder", 0.2, "other", NOW - 40 * DAY_MS),
    ("m-fresh", "Looked at the weather", 0.2, "other", NOW - 2 * DAY_MS),
    ("m-zh", "部署前必須備份資料庫", 0.6, "fact", NOW - 10 * DAY_MS),
    ("m-plain", "Port 4242 is the server's", 0.5, "fact", NOW - 5 * DAY_MS),
)

CAPTURES: tuple[dict[str, Any], ...] = (
    {
        "id": 1,
        "ts": NOW - 3000,
        "kind": "decision",
        "summary": "We decided: backups run before a deploy",
        "scope": "ops",
    },
    {
        "id": 2,
        "ts": NOW - 2000,
        "kind": "tool",
        "tool_name": "memory_store",
        "summary": "Stored: Backup the database before every deploy",
        "detail": {"memory_id": "m-backup", "scope": "ops", "trust": "trusted"},
    },
    {"id": 3, "ts": NOW - 1000, "kind": "note", "summary": "備份完成，沒有錯誤"},
)


def write_captures(path: Path, records: Sequence[dict[str, Any] | str], *, append: bool = False) -> None:
    """Write records, or raw lines, as a capture file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in records]
    with path.open("a" if append else "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def observation(key: str, **values: Any) -> dict[str, Any]:
    """Return one row as harvest hands it to the ledger."""
    row: dict[str, Any] = dict.fromkeys(CAPTURE_SCHEMA.names)
    return {
        **row,
        "key": key,
        "ts_ms": NOW - 1000,
        "kind": "note",
        "summary": f"summary of {key}",
        "lang": "en",
        "source_kind": "tool",
        "detail_json": "{}",
        "terms": f"summary {key}",
        "created_at_ms": NOW,
        **values,
    }


def observations(*rows: dict[str, Any]) -> pa.Table:
    """Return rows as one Arrow table."""
    return pa.Table.from_pylist(list(rows), schema=CAPTURE_SCHEMA)


def position(offset: int = 1, *, source: str = "spool") -> SourcePosition:
    """Return a position in a source."""
    return SourcePosition(source, 1, 2, offset, offset, f"{offset}:x")


def run_body(
    home: Path,
    body: Callable[[Run], None],
    *,
    flow: str = "grade",
    dry_run: bool = False,
    clock: FrozenClock | None = None,
) -> RunReceipt:
    """Run a body in the frame of a flow."""
    return run_flow(flow, body, home=str(home), dry_run=dry_run, clock=clock or FrozenClock(NOW))
