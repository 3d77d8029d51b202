"""Writes a home with input for a demo, in the formats that OpenClaw and its memory plugin write."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sunrise.adapters.plugin_table import PluginMemory, write_plugin_table
from sunrise.settings import CONFIG_FILE, machine_zone
from tasks.demo.capture import DAY_MS, DAYS, LINES, Record, as_line, capture_lines, demo_memory_id
from tasks.demo.texts import MEMORIES, QUESTIONS


@dataclass(frozen=True, slots=True)
class DemoHome:
    """Where the demo's input stands, and what a harvest of it must find."""

    home: Path
    spool: Path
    table_uri: Path
    golden: Path
    lines: int
    inserted: int
    duplicates: int
    collapsed: int
    quarantined: int
    redacted: int
    memories: int
    questions: int


def write_demo_home(home: Path, *, now_ms: int) -> DemoHome:
    """
    Write a capture, a table ``memories`` and a golden set under ``home``; the same for the same time.

    Raises:
        ConfigurationError: The home already holds memories; nothing is overwritten.
    """
    write_plugin_table(home / "lance", _memories(now_ms))
    spool = home / "spool" / "openclaw-mem-observations.jsonl"
    golden = home / "golden" / "demo.jsonl"
    _write_lines(spool, capture_lines(now_ms))
    _write_lines(golden, map(as_line, _questions()))
    # A remark of the capture is the owner's, who alone wrote it.
    settings = f'timezone = "{machine_zone()}"\n\n[harvest]\nspool_highest_origin = "operator"\n'
    (home / CONFIG_FILE).write_text(settings, encoding="utf-8")
    # Of the lines one is torn, one stands twice, one repeats the id of another, and four only say thanks.
    return DemoHome(
        home=home,
        spool=spool,
        table_uri=home / "lance",
        golden=golden,
        lines=LINES,
        inserted=LINES - 5,
        duplicates=2,
        collapsed=2,
        quarantined=1,
        redacted=1,
        memories=len(MEMORIES),
        questions=len(QUESTIONS),
    )


def renew_demo_home(home: Path, *, mark: str) -> DemoHome:
    """
    Write a demo home anew, with the present as its now.

    What stood there goes only where the file ``mark`` says that it was a demo home.
    """
    if (home / mark).is_file():
        shutil.rmtree(home)
    home.mkdir(parents=True, exist_ok=True)
    (home / mark).write_text("A demo home: made anew by each `sunrise demo`.\n", encoding="utf-8")
    return write_demo_home(home, now_ms=time.time_ns() // 1_000_000)


def _memories(now_ms: int) -> list[PluginMemory]:
    step = (DAYS - 1) * DAY_MS // len(MEMORIES)
    return [
        PluginMemory(
            demo_memory_id(index), text, importance, category, now_ms - DAYS * DAY_MS + index * step, scope
        )
        for index, (text, category, importance, scope) in enumerate(MEMORIES)
    ]


def _questions() -> Iterator[Record]:
    for number, (query, memory, lang, category) in enumerate(QUESTIONS, start=1):
        expected = [f"mem:{demo_memory_id(memory)}"]
        question = {"id": f"demo-{number:02d}", "query": query, "expected": expected}
        scope = MEMORIES[memory][3]
        yield {**question, "scope": scope, "lang": lang, "category": category}


def _write_lines(path: Path, lines: Iterator[str] | list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
