"""Composes the demo's capture: the lines that the gateway's capture plugin would have written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

from tasks.demo import remarks as texts
from tasks.demo.texts import MEMORIES

LINES = 240
DAYS = 120
DAY_MS = 86_400_000
Record = dict[str, Any]


def capture_lines(now_ms: int) -> list[str]:
    """Return the lines of the capture, oldest first; the last 120 days end at ``now_ms``."""
    records = list(_records())
    times = [now_ms - DAYS * DAY_MS * (len(records) - place) // len(records) for place in range(len(records))]
    lines = [as_line({"ts": _iso(ts), **record}) for ts, record in zip(times, records, strict=True)]
    middle = len(lines) // 2
    undated = {key: value for key, value in json.loads(lines[middle]).items() if key != "ts"}
    lines[middle] = as_line({**undated, "summary": texts.UNDATED_SENTENCE})
    torn = as_line({"ts": _iso(times[middle]), "kind": "note", "summary": texts.TORN_SENTENCE})[:-2]
    return [*lines[:middle], torn, lines[middle - 1], *lines[middle:]]


def demo_memory_id(index: int) -> str:
    """Return the id of the demo's memory at an index, in the form of a random UUID as the plugin makes it."""
    return str(UUID(bytes=sha256(f"sunrise demo memory {index}".encode()).digest()[:16], version=4))


def as_line(record: Record) -> str:
    """Return a record as one line of JSON."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def _records() -> Iterator[Record]:
    """Yield what was captured, oldest first: kinds, tools, scopes and languages well mixed."""
    special = list(_special_records())
    stored = [_stored_record(index) for index in range(len(MEMORIES))]
    remarks = [_remark(kind, text, scope) for kind, text, scope in texts.REMARKS]
    # Two lines are added later: the torn one and the duplicate.
    fill = LINES - 2 - len(special) - len(stored) - len(remarks)
    groups = (stored, remarks, special, [_tool_record(number) for number in range(fill)])
    placed = [
        ((place + 0.5) / len(group), rank, record)
        for rank, group in enumerate(groups)
        for place, record in enumerate(group)
    ]
    return (record for _, _, record in sorted(placed, key=lambda item: item[:2]))


def _stored_record(index: int) -> Record:
    text, category, importance, scope = MEMORIES[index]
    detail: Record = {"memory_backend": "memory-lancedb", "memory_backend_ready": True, "scope": scope}
    detail |= {"memory_tool": "memory_store", "memory_operation": "store", "category": category}
    # The plugin notes the id by itself; with captureMessage on it stands in the tool's own result.
    if index % 2:
        detail["message"] = {"details": {"action": "created", "id": demo_memory_id(index)}}
    else:
        detail["memory_id"] = demo_memory_id(index)
    if index % 4 == 0:
        detail["importance"] = importance
    return _tool("memory_store", f'Stored: "{text[:100]}"', detail, number=1000 + index)


def _tool_record(number: int) -> Record:
    tool, summary, exit_code = texts.TOOL_RESULTS[number % len(texts.TOOL_RESULTS)]
    scope = ("gateway", "homelab", "billing")[number % 3]
    detail = {
        "scope": scope,
        "exit_code": exit_code,
        "trust": "untrusted" if tool == "web_fetch" else "trusted",
    }
    return _tool(tool, summary.format(n=7 + number * 13), detail, number=number)


def _tool(name: str, summary: str, detail: Record, *, number: int) -> Record:
    digest = sha256(f"call {number}".encode()).hexdigest()[:12]
    head = {"kind": "tool", "tool_name": name, "tool_call_id": f"call_{digest}", "is_synthetic": False}
    return {**head, **_speaker(number), "summary": summary, "detail": detail}


def _remark(kind: str, text: str, scope: str, **more: object) -> Record:
    return {"kind": kind, **_speaker(len(text)), "summary": text, "detail": {"scope": scope}, **more}


def _speaker(number: int) -> Record:
    agent = "research" if number % 5 == 4 else "main"
    return {"session_key": f"agent:{agent}:main", "agent_id": agent}


def _special_records() -> Iterator[Record]:
    # Put together here, so that nothing in the source looks like a secret.
    leaked = "gh" + "p_" + sha256(b"no real token").hexdigest()[:36]
    yield _remark("note", texts.LEAK_SENTENCE.format(leaked=leaked), "gateway")
    grade = {"score": 0.95, "label": "must_remember", "method": "operator"}
    yield _remark("note", texts.GRADED_SENTENCE, "personal", importance=grade, source_kind="operator")
    for sentence in texts.RETRIED_SENTENCES:
        yield _remark("event", sentence, "global", observationId="demo-retry-1")


def _iso(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
