"""While the flows write, the agent's plugin writes too and somebody reads: nobody loses anything."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from flows.index import index
from flows.writeback import writeback
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.bootstrap import open_home
from sunrise.domain.recall import RecallRequest
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.text.analysis import terms
from sunrise.domain.text.dated_terms import text_terms
from sunrise.online.recall import recall
from sunrise.settings import load_settings
from tasks.run_frame import run_flow
from tasks.writeback import Writeback
from tests.flows.plugin_writer import DELETED_OF, DIMENSION, FIRST_ROWS, JAVASCRIPT
from tests.homes import CONFIG, observation, observations

SECONDS = float(os.environ.get("SUNRISE_TWO_WRITERS_S", "60"))
SHORT = min(6.0, SECONDS)
LINKED_AT_ONCE = 6
FIRST: dict[str, str | None] = {
    **{f"m{number}": "first" for number in range(FIRST_ROWS)},
    **{f"x{number}": None for number in range(FIRST_ROWS)},
}
"""The memories that are there before, and their categories."""

STARTS_WITHIN_S = 20
CHECKOUT = Path(__file__).parents[2]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@dataclass
class Seen:
    """What went wrong for who read meanwhile, and how often all was well."""

    answers: int = 0
    errors: list[str] = field(default_factory=list)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with memories of the agent."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "sunrise.toml").write_text(CONFIG, encoding="utf-8")
    with open_home(load_settings(home)) as place:
        table = place.memories()
        assert table is not None
    rows = LanceMemories.create(home / "small", dimension=DIMENSION)
    shutil.rmtree(home / "lance")
    rows.add(
        pa.table(
            {
                "id": list(FIRST),
                "text": [_text(name) for name in FIRST],
                "vector": pa.array([[1.0, *[0.5] * (DIMENSION - 1)]] * len(FIRST)),
                "category": list(FIRST.values()),
            }
        )
    )
    (home / "small").rename(home / "lance")
    return home


@pytest.mark.parametrize("seconds", [SHORT, SECONDS])
def test_neither_the_flows_nor_another_process_lose_an_update(home: Path, seconds: float) -> None:
    command = [sys.executable, "-m", "tests.flows.plugin_writer"]
    _write_side_by_side(home, command, seconds=seconds)


@pytest.mark.node
def test_neither_the_flows_nor_javascript_lose_an_update(home: Path) -> None:
    node, directory = shutil.which("node"), os.environ.get("SUNRISE_LANCEDB_JS")
    if node is None or directory is None:
        pytest.skip("needs Node.js, and SUNRISE_LANCEDB_JS naming a directory with @lancedb/lancedb")
    command = [node, "--input-type=module", "-e", JAVASCRIPT, directory]
    _write_side_by_side(home, command, seconds=SECONDS)


def _write_side_by_side(home: Path, command: Sequence[str], *, seconds: float) -> None:
    assert _run("index", index, home).status is RunStatus.OK
    linked: dict[str, str] = {}
    overwriting = partial(writeback, asked=Writeback.asked(force_fields=["scope"]))
    runs: list[RunReceipt] = []
    with _plugin(command, home) as log, _reader(home) as seen:
        deadline = time.monotonic() + seconds
        # A busy machine may need longer for two rounds of everything.
        while time.monotonic() < deadline or (_is_scarce(runs) and time.monotonic() < deadline + 60):
            linked |= _link_more(home, known=linked, turn=len(runs))
            runs += [_run("writeback", overwriting, home), _run("index", index, home)]
    assert seen.errors == []
    assert seen.answers > 3 * seconds
    assert [one.anomalies for one in runs if one.status is not RunStatus.OK] == []
    assert not _is_scarce(runs)

    _run("index", index, home)
    _check_rows(home, linked, [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()])
    # What is looked at once more is as the ledger knows it: no update of ours was lost and then repaired.
    everything = partial(writeback, asked=Writeback.asked(everything=True))
    last = _run("writeback", everything, home)
    assert (last.counts["checked"], last.counts["updated"]) == (len(linked), 0)


def _is_scarce(runs: Sequence[RunReceipt]) -> bool:
    updated = sum(one.counts.get("updated", 0) for one in runs)
    return updated <= LINKED_AT_ONCE or sum(one.counts.get("optimized", 0) for one in runs) <= 1


def _check_rows(home: Path, linked: dict[str, str], notes: list[dict[str, Any]]) -> None:
    done = Counter(note["did"] for note in notes)
    assert min(done["add"], done["update"], done["delete"]) > 3, done
    categories = dict(FIRST)
    for note in notes:
        if note["did"] == "delete":
            del categories[note["id"]]
        else:
            categories[note["id"]] = note["category"]
    # What nobody had given a category got that of the ledger.
    expected = {
        name: category or ("ours" if name in linked else None) for name, category in categories.items()
    }
    table = LanceMemories.open(home / "lance")
    rows = table.scan(["id", "text", "vector", "category", "scope", "terms"]).to_pylist()
    held = {row["id"]: row for row in rows}
    assert len(rows) == len(held) == len(FIRST) + done["add"] - done["delete"]
    assert {name: row["category"] for name, row in held.items()} == expected
    assert {name: held[name]["scope"] for name in linked} == linked
    for name, row in held.items():
        assert (row["text"], text_terms(row["terms"])) == (_text(name), terms(_text(name)))
        if name.startswith("j"):
            assert row["vector"].index(1.0) == int(name[1:]) % DIMENSION
    assert not any(one.unindexed_rows for one in table.state().indices)


def _run(flow: str, body: Any, home: Path) -> RunReceipt:
    return run_flow(flow, body, home=str(home))


def _link_more(home: Path, *, known: dict[str, str], turn: int) -> dict[str, str]:
    """Let the ledger learn of more memories, and of other scopes of some; return the scopes."""
    there = LanceMemories.open(home / "lance").scan(["id"]).column("id").to_pylist()
    theirs = [name for name in there if name.startswith("j") and int(name[1:]) % DELETED_OF]
    empty = [name for name, category in FIRST.items() if category is None]
    fresh = [[name for name in names if name not in known] for names in (theirs, empty)]
    chosen = {name: "ours" for names in fresh for name in names[:LINKED_AT_ONCE]}
    # The agent gives these new categories, we new scopes; those without one make us write categories too.
    chosen |= {name: f"turn {turn}" for name, category in FIRST.items() if category is not None}
    rows = [
        observation(f"{name} {turn}", memory_id=name, scope=scope, detail_json='{"category": "ours"}')
        for name, scope in chosen.items()
    ]
    with open_home(load_settings(home)) as place:
        place.ledger.commit_harvest(observations(*rows), rejected=(), position=None)
    return chosen


@contextmanager
def _plugin(command: Sequence[str], home: Path) -> Iterator[Path]:
    """Let another process write for the time of a block; yield its notes."""
    log, stop = home / "notes.jsonl", home / "stop"
    process = subprocess.Popen(
        [*command, str(home / "lance"), str(log), str(stop)],
        cwd=CHECKOUT,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + STARTS_WITHIN_S
        while not (log.exists() and log.stat().st_size):
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < deadline, "the other writer does not start"
            time.sleep(0.05)
        yield log
        stop.touch()
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said
    finally:
        process.kill()
        process.communicate()


@contextmanager
def _reader(home: Path) -> Iterator[Seen]:
    """Let a thread recall and read by id for the time of a block; yield what it saw."""
    seen, over = Seen(), threading.Event()
    thread = threading.Thread(target=_read, args=(home, seen, over))
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join(timeout=60)


def _read(home: Path, seen: Seen, over: threading.Event) -> None:
    asked = [f"m{number}" for number in range(0, FIRST_ROWS, 20)]
    with open_home(load_settings(home)) as place:
        table = place.memories()
        assert table is not None
        while not over.is_set():
            try:
                request = RecallRequest("violin lesson", scope="ours", limit=5)
                found = recall(request, memories=table, embedder=place.embedder(), clock=place.clock)
                if found.receipt.lexical_skipped is not None:
                    seen.errors.append(found.receipt.lexical_skipped)
                rows = table.by_ids(asked, ["id", "text"]).num_rows
                if rows != len(asked):
                    seen.errors.append(f"{rows} of {len(asked)} rows")
            except Exception as error:
                seen.errors.append(f"{type(error).__name__}: {error}")
            seen.answers += 1
            time.sleep(0.005)


def _text(name: str) -> str:
    return f"note {name[1:]}" if name.startswith("j") else f"Violin lesson {name[1:]}"
