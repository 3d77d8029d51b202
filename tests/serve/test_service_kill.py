"""The service is killed while it stores: what it acknowledged is there once, all else is absent or whole."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sunrise.adapters.service_client import ask_service
from sunrise.adapters.service_presence import running_service
from sunrise.bootstrap import existing_memories
from sunrise.settings import load_settings

pytestmark = [pytest.mark.slow, pytest.mark.kill]

STORES = 120
WORDS = ("amber", "basil", "cedar", "dune", "ember", "fjord", "grove", "heron", "iris", "jade")


@pytest.mark.parametrize("after", [25])
def test_what_was_acknowledged_survives_a_kill(own_home: Path, after: int) -> None:
    acknowledged: dict[str, str] = {}
    process = _started(own_home)

    def store(number: int) -> None:
        answer = ask_service(own_home, "/v1/store", _said(number))
        if answer is not None:
            acknowledged[str(answer["ref"])] = _text(number)

    with ThreadPoolExecutor(8) as clients:
        for number in range(STORES):
            clients.submit(store, number)
        while len(acknowledged) < after:
            time.sleep(0.005)
        process.kill()
        process.wait()
    survived = dict(acknowledged)
    assert after <= len(survived) < STORES
    process = _started(own_home)
    try:
        # What has no answer is asked again, and so is what has one: each is there once.
        for number in range(STORES):
            store(number)
    finally:
        process.terminate()
        process.wait()
    assert survived.items() <= acknowledged.items()
    memories = existing_memories(load_settings(own_home))
    assert memories is not None
    rows = memories.scan(["id", "text", "terms"]).to_pylist()
    ours = {f"mem:{row['id']}": row["text"] for row in rows if row["text"].startswith("Note ")}
    assert sum(row["text"].startswith("Note ") for row in rows) == STORES
    assert ours == acknowledged
    assert all(row["terms"] for row in rows)


def _text(number: int) -> str:
    # No two that a rule would take for the same: other numbers and other words.
    first, second = WORDS[number % 10], WORDS[number // 10 % 10]
    return f"Note {number} keeps {first} beside {second} in room {number * 7}"


def _said(number: int) -> dict[str, object]:
    return {"text": _text(number), "idempotencyKey": f"k-{number}"}


def _started(home: Path) -> subprocess.Popen[bytes]:
    # The rate of one client is not what is tried here.
    limits = {"SUNRISE_SERVE__RATE_PER_S": "100000", "SUNRISE_SERVE__BURST": "100000"}
    command = [sys.executable, "-m", "sunrise", "serve", "--home", str(home), "--port", "0"]
    process = subprocess.Popen(command, env={**os.environ, **limits}, stderr=subprocess.DEVNULL)
    while running_service(home) is None:
        assert process.poll() is None
        time.sleep(0.02)
    return process
