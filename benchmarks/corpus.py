"""Writes a capture file for the benchmarks: the same lines for the same number, in English and Chinese."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

SEED = 20260901
FIRST = datetime(2026, 3, 1, tzinfo=UTC)
DAYS = 180

_THINGS = (
    "the print queue", "the greenhouse sensor", "the tax folder", "the photo archive", "the door lock",
    "the mail filter", "the solar inverter", "the family calendar", "the music library", "the water meter",
)  # fmt: skip
_DEEDS = ("was restarted", "was checked", "ran out of space", "was moved", "stopped answering", "was renewed")
_TAILS = (
    "before breakfast",
    "after the update",
    "on the second try",
    "with a warning",
    "by hand",
    "as planned",
)
_CHINESE = (
    "印表機佇列已重新啟動", "温室传感器读数正常", "決定每週日整理相簿", "门锁电池需要更换",
    "使用者希望早上七點收到摘要", "邮件过滤规则已更新", "太陽能逆變器回報警告", "家庭日历同步失败",
)  # fmt: skip
_KINDS = ("tool", "note", "event", "preference", "decision", "fact", "plan", "learning")
_KIND_WEIGHTS = (40, 26, 14, 4, 5, 6, 3, 2)
_TOOLS = ("shell", "calendar.list", "memory_store", "http.get", "files.read", "mail.search")
_SCOPES = ("home", "work", "garden", "family", "global")


def write_capture(path: Path, rows: int) -> int:
    """Write ``rows`` lines to a capture file and return its bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records(rows))
    return path.stat().st_size


def records(rows: int) -> Iterator[dict[str, object]]:
    """Yield captured observations, oldest first; one in a hundred names a memory."""
    rng = random.Random(SEED)
    for number in range(rows):
        at = FIRST + timedelta(seconds=number * DAYS * 86_400 / rows)
        detail: dict[str, object] = {
            "scope": rng.choice(_SCOPES),
            "session": f"evening-{number // 40}",
            "exit_code": int(rng.random() < 0.05),
            "payload": {"bytes": rng.randrange(20_000), "path": f"/srv/house/{number % 97}/{number}.txt"},
        }
        if number % 100 == 0:
            detail["memory_id"] = memory_id(number)
        yield {
            "ts": at.isoformat(),
            "kind": rng.choices(_KINDS, _KIND_WEIGHTS)[0],
            "tool_name": rng.choice(_TOOLS),
            "summary": _summary(rng, number),
            "detail": detail,
        }


def memory_id(number: int) -> str:
    """Return the id of the memory that an observation names."""
    return f"00000000-0000-4000-8000-{number:012d}"


def _summary(rng: random.Random, number: int) -> str:
    if rng.random() < 0.12:
        text = f"{rng.choice(_CHINESE)}，第{number}次"
    else:
        text = f"{rng.choice(_THINGS)} {rng.choice(_DEEDS)} {rng.choice(_TAILS)}; entry {number:06d}"
    chance = rng.random()
    if chance < 0.03:
        return f"TODO: {text}"
    return f"We decided: {text}, and this must never change" if chance < 0.05 else text
