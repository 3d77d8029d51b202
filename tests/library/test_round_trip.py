"""Memories carried to another home: the bytes are the same, of few and of many, and after a kill."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

import sunrise
from tests.homes import CONFIG

SAID = (
    "the backup database deploy server port user likes green tea config index memory agent note decision we"
    " always use before after every release 部署 資料庫 備份 必須 完成 ünïcode naïve 👩‍👩‍👧"
)
WORDS = SAID.split()


def a_home(place: Path) -> Path:
    place.mkdir()
    (place / "sunrise.toml").write_text(CONFIG, encoding="utf-8")
    return place


def write_rows(path: Path, rows: int) -> None:
    source = random.Random(rows)
    with path.open("w", encoding="utf-8") as file:
        for at in range(rows):
            file.write(json.dumps(row_of(source, at), ensure_ascii=at % 2 == 0) + "\n")


def row_of(source: random.Random, at: int) -> dict[str, Any]:
    return {
        "id": str(uuid.UUID(int=source.getrandbits(128))),
        "text": " ".join(source.choices(WORDS, k=source.randint(3, 40))) + f" {at}\n\tend",
        "createdAt": source.choice(
            [None, source.randrange(1_700_000_000_000, 1_790_000_000_000), 10**12 + 5]
        ),
        "importance": source.choice([None, source.random()]),
        "scope": source.choice([None, "ops", "home:1"]),
        "category": source.choice(["fact", "decision", None]),
        "trust_tier": source.choice([None, "trusted", "untrusted", "quarantined"]),
        "source_kind": source.choice(["operator", "agent", None]),
        "state": source.choice([None, "active", "archived"]),
        "expires_at_ms": source.choice([None, 1_999_999_999_999]),
    }


def carried(tmp_path: Path, rows: int) -> None:
    given = tmp_path / "given.jsonl"
    write_rows(given, rows)
    exports = []
    for name, source in (("first", given), ("second", tmp_path / "first.jsonl")):
        with sunrise.open(a_home(tmp_path / name)) as memories:
            assert memories.import_(source, trust=True).counts["imported"] == rows
            out = tmp_path / f"{name}.jsonl"
            assert memories.export(out, with_quarantined=True).exported == rows
            exports.append(out.read_bytes())
    assert exports[0] == exports[1]
    assert len(exports[0].splitlines()) == rows


def test_an_export_of_an_import_has_the_same_bytes(tmp_path: Path) -> None:
    carried(tmp_path, 2_000)


@pytest.mark.slow
def test_an_export_of_an_import_of_many_has_the_same_bytes(tmp_path: Path) -> None:
    # SUNRISE_CARRIED_ROWS=100000 takes minutes.
    carried(tmp_path, int(os.environ.get("SUNRISE_CARRIED_ROWS", "20000")))


KILLED = """
import os, signal, sys
import sunrise
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.sqlite_ledger import SqliteLedger

home, file, moment = sys.argv[1], sys.argv[2], int(sys.argv[3])
passed = 0

def counted(kind, name):
    real = getattr(kind, name)
    def call(self, *args, **more):
        global passed
        for step in (0, 1):
            passed += 1
            if passed == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            if step == 0:
                done = real(self, *args, **more)
        return done
    setattr(kind, name, call)

counted(LanceMemories, "add")
counted(SqliteLedger, "quarantine")
counted(SqliteLedger, "save_run")
with sunrise.open(home) as memories:
    memories.import_(file, dedupe="id", batch=40)
"""


@pytest.mark.kill
@pytest.mark.parametrize("moment", [2, 4, 5, 6, 7, 9, 13, 14])
def test_an_import_that_is_killed_is_finished_by_the_next(tmp_path: Path, moment: int) -> None:
    given = tmp_path / "given.jsonl"
    write_rows(given, 100)
    with given.open("a", encoding="utf-8") as file:
        file.write("{\n")
    whole, killed = a_home(tmp_path / "whole"), a_home(tmp_path / "killed")
    command = [sys.executable, "-c", KILLED, str(killed), str(given), str(moment)]
    ended = subprocess.run(command, check=False, capture_output=True, timeout=60)
    assert ended.returncode == -signal.SIGKILL
    exports = []
    for home in (whole, killed):
        with sunrise.open(home) as memories:
            memories.import_(given, dedupe="id")
            out = home / "out.jsonl"
            memories.export(out, with_quarantined=True)
            exports.append(out.read_bytes())
            assert memories.home.ledger.count("quarantine") == 1
    assert exports[0] == exports[1]
    assert len(exports[0].splitlines()) == 100
