"""What each call answers while a part is down, as the table of the manual has it, cell by cell."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from docs.generate import REFERENCE
from tests.serving import CONFIG, Answer, Served, make_home, served

MANUAL = REFERENCE.parent / "how-to" / "run-the-service.md"
DOWN = '[embedder]\nname = "openai"\nbase_url = "http://127.0.0.1:9"\nmodel = "m"\ndimension = 2\n'
SAID = [{"role": "user", "content": "Remember that I prefer tea over coffee in the morning."}]
CALLS: dict[str, dict[str, Any]] = {
    "recall": {"query": "green tea"},
    "auto-recall": {"prompt": "what tea does the user like"},
    "list": {},
    "stats": {},
    "store": {"text": "A thing that nobody said before"},
    "forget": {"id": "m-backup"},
    "capture": {"messages": SAID},
    "event": {"events": [{"summary": "a"}]},
}
WRITES = ("store", "forget", "capture")
AS_EVER: dict[str, str] = {
    "recall": "200", "auto-recall": "200", "list": "200", "stats": "200",
    "store": "200 created", "forget": "200 forgotten", "capture": "200", "event": "202",
}  # fmt: skip
TABLE: Mapping[str, Mapping[str, str]] = {
    "the embedder": AS_EVER
    | {
        "recall": "200 dense_skipped:embedder_failed",
        "auto-recall": "200 dense_skipped:embedder_failed",
        "store": "200 created embedding_skipped:no_vectors_of_model",
    },
    "the folder of the indices": AS_EVER
    | {
        "recall": "200 lexical_skipped:store_failed no_leg",
        "auto-recall": "200 working_set_failed lexical_skipped:store_failed",
        "list": "200 store_failed",
        "stats": "200 store_failed",
        "forget": "503 store_failed",
        "capture": "200 store_failed:2",
    },
    "the ledger, held for 10 s": AS_EVER | {"auto-recall": "200 turn_not_logged"},
    "room on the disk": AS_EVER
    | {
        "auto-recall": "200 turn_not_logged",
        "store": "503 store_failed",
        "forget": "503 store_failed",
        "capture": "200 store_failed:1",
        "event": "503 store_failed",
    },
}


def told(answer: Answer) -> str:
    """Return the status of an answer, what became of what was asked, and each warning."""
    said = answer.json
    receipt = said.get("receipt", {})
    codes = [said.get("status") if answer.status < 400 else said["reason"], *receipt.get("warnings", ())]
    return " ".join([str(answer.status), *(one for one in (*codes, receipt.get("reason")) if one)])


def ask(running: Served, call: str) -> str:
    return told(running.ask("POST", f"/v1/{call}", CALLS[call]))


def row(running: Served) -> dict[str, str]:
    return {call: ask(running, call) for call in CALLS}


def test_nothing_is_down(own_home: Path) -> None:
    with served(own_home) as running:
        assert row(running) == AS_EVER


def test_the_embedder_is_down(tmp_path: Path) -> None:
    with served(make_home(tmp_path / "home", config=DOWN)) as running:
        assert row(running) == TABLE["the embedder"]


def test_the_indices_are_deleted(own_home: Path) -> None:
    with served(own_home) as running:
        shutil.rmtree(own_home / "lance/memories.lance/_indices")
        assert row(running) == TABLE["the folder of the indices"]


HOLDER = """
import sqlite3, sys, time
ledger = sqlite3.connect(sys.argv[1], isolation_level=None)
ledger.execute("BEGIN EXCLUSIVE")
ledger.execute("INSERT INTO notes VALUES ('held', 'by another process', 1)")
begin = time.monotonic()
print("held", flush=True)
sys.stdin.readline()
time.sleep(max(0.0, begin + 10 - time.monotonic()))
print("free", flush=True)
ledger.execute("ROLLBACK")
"""


@contextmanager
def held(home: Path) -> Iterator[subprocess.Popen[str]]:
    """Let another process hold the ledger for 10 s at least, and until it is told to let go."""
    command = [sys.executable, "-c", HOLDER, str(home / "ledger.sqlite")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.slow
def test_another_process_holds_the_ledger_for_ten_seconds(own_home: Path) -> None:
    found: dict[str, str] = {}
    more: list[str] = []

    def write(call: str) -> None:
        found[call] = ask(running, call)

    def store(number: int) -> None:
        answer = running.ask("POST", "/v1/store", {"text": f"Fact {number} that nobody knows"})
        more.append(told(answer))

    with served(own_home, workers=2) as running, held(own_home) as process:
        threads = [threading.Thread(target=write, args=(call,)) for call in WRITES]
        # More of them than there are workers: none of those may be left without one who only asks.
        threads += [threading.Thread(target=store, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for call in CALLS.keys() - {*WRITES}:
            found[call] = ask(running, call)
        # All that was answered while it was held: nothing waited for the ledger, and no write is done yet.
        assert process.poll() is None
        assert not {*WRITES} & set(found)
        assert running.ask("GET", "/readyz").status == 200
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        assert process.stdout.readline() == "free\n"
        for thread in threads:
            thread.join(60)
    assert found == TABLE["the ledger, held for 10 s"]
    assert more == ["200 created"] * 3


@contextmanager
def full_disk(home: Path) -> Iterator[Callable[[], None]]:
    """Make a home on a small disk of its own; lend what fills it."""
    home.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "none", str(home)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("this user may not mount")

    def fill() -> None:
        with (home / "filler").open("wb", buffering=0) as file:
            size = 1 << 20
            while size:
                try:
                    file.write(b"x" * size)
                except OSError:
                    size //= 2

    try:
        yield fill
    finally:
        subprocess.run(["umount", "-l", str(home)], check=True)


def test_there_is_no_room_on_the_disk(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with full_disk(home) as fill:
        make_home(home, config=CONFIG)
        with served(home) as running:
            fill()
            assert row(running) == TABLE["room on the disk"]
            (home / "filler").unlink()
            # What failed is asked again, and nothing of the first try is in its way.
            assert {call: ask(running, call) for call in WRITES} == {call: AS_EVER[call] for call in WRITES}
            assert running.ask("POST", "/v1/recall", {"query": "nobody said before"}).json["items"]


def test_the_manual_has_the_same_table() -> None:
    lines = MANUAL.read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    header = ["down", *CALLS]
    at = rows.index(header)
    cells = {one[0]: dict(zip(CALLS, one[1:], strict=True)) for one in rows[at + 2 : at + 2 + len(TABLE)]}
    assert {
        name: {call: cell.replace("`", "") for call, cell in one.items()} for name, one in cells.items()
    } == {name: dict(one) for name, one in TABLE.items()}
