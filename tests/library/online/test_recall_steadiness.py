"""Recall over a real table whose rows are held in memory: no scope leaks, nothing asked breaks it."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from sunrise.adapters.embedders import build_embedder
from sunrise.adapters.held_rows import SKETCHED_FROM
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.domain.calibration import Calibration
from sunrise.domain.recall import RecallRequest, RecallResult
from sunrise.domain.text.analysis import terms
from sunrise.errors import ConfigurationError
from sunrise.online.recall import recall
from sunrise.ports import Embedder, MemoryReader
from tasks.calibration import calibrate
from tests.fakes import FakeEmbedder, FakeMemoryTable, FrozenClock

EMBEDDER = FakeEmbedder(8)
WORDS = [f"{first}{second}" for first in ("tea", "port", "node", "key", "bus") for second in "abcdefgh"]
SCOPES = ("alpha", "beta", "gamma", "global")
CANARY = "canary"

STRANGE = {
    "ligature": "\ufdfa" * 20,
    "nul": "green\0tea",
    "surrogates": "\ud800 tea \udfff",
    "emoji": "🫖👨‍👩‍👧‍👦🏳️‍🌈" * 50,
    "bidi": "\u202etea\u202c \u2066port\u2069",
    "megabyte": "green tea " * 105_000,
    "han megabyte": "綠茶" * 170_000,
    "punctuation": "?!… —",
    "one letter": "x",
    "spaces": " \t\n",
}


def stored(folder: Path, texts: list[str], scopes: list[str], embedder: Embedder = EMBEDDER) -> LanceMemories:
    """Return a table with indices, of which each memory holds the canary of its scope."""
    table = LanceMemories.create(folder, dimension=0)
    column = table.prepare_space(embedder.model_id, embedder.dimension)
    flat = pa.array(embedder.embed(texts).ravel())
    table.add(
        pa.table({
            "id": [f"m{at:05d}" for at in range(len(texts))],
            "text": texts,
            "terms": [terms(text) for text in texts],
            "scope": scopes,
            column: pa.FixedSizeListArray.from_arrays(flat, embedder.dimension),
        })
    )  # fmt: skip
    table.activate(column)
    table.optimize(keep=timedelta(days=1))
    table.build_missing_indices()
    return table


def calibrated(table: LanceMemories, embedder: Embedder = EMBEDDER) -> Calibration:
    (space,) = table.spaces()
    found = calibrate(table, space, embedder.model_id, rows=10_000, now_ms=0)
    assert found is not None
    return found


def ask(
    table: MemoryReader,
    query: str,
    scope: str,
    calibration: Calibration | None,
    embedder: Embedder = EMBEDDER,
) -> RecallResult:
    return recall(
        RecallRequest(query, scope=scope, limit=10),
        memories=table,
        embedder=embedder,
        clock=FrozenClock(),
        calibration=calibration,
    )


def told(result: RecallResult) -> str:
    """Return all of an answer but how long it took."""
    receipt = {name: value for name, value in result.receipt.to_dict().items() if name != "latencyMs"}
    items = [(item.ref, item.text, item.scope, item.score) for item in result.items]
    return json.dumps([items, receipt], sort_keys=True)


def hold(table: LanceMemories, calibration: Calibration) -> None:
    """Ask until the rows are in memory."""
    until = time.monotonic() + 20
    while table._holding._held is None and time.monotonic() < until:
        ask(table, "tea", "alpha", calibration)
        time.sleep(0.05)
    assert table._holding._held is not None


def crowd(count: int, seed: int = 1) -> tuple[list[str], list[str]]:
    chance = random.Random(seed)
    scopes = [chance.choice(SCOPES) for _ in range(count)]
    return [" ".join([*chance.sample(WORDS, 5), CANARY, CANARY + scope]) for scope in scopes], scopes


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> tuple[LanceMemories, Calibration]:
    table = stored(tmp_path_factory.mktemp("crowd"), *crowd(SKETCHED_FROM + 100))
    calibration = calibrated(table)
    hold(table, calibration)
    return table, calibration


def leaks(crowded: tuple[LanceMemories, Calibration], queries: int) -> int:
    table, calibration = crowded
    chance, found = random.Random(queries), 0
    for _ in range(queries):
        scope = chance.choice([*SCOPES, "nobody"])
        words = [*chance.sample(WORDS, 3), *chance.sample([CANARY, *(CANARY + one for one in SCOPES)], 2)]
        answer = ask(table, " ".join(words), scope, calibration)
        assert {item.scope for item in answer.items} <= {scope}
        assert all(CANARY + scope in item.text for item in answer.items)
        found += len(answer.items)
    return found


def test_no_canary_of_another_scope_is_ever_heard(crowded: tuple[LanceMemories, Calibration]) -> None:
    assert leaks(crowded, 100) > 500


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_no_canary_of_another_scope_is_heard_in_many_queries(
    crowded: tuple[LanceMemories, Calibration],
) -> None:
    # Five thousand take minutes: SUNRISE_CANARY_QUERIES=5000 asks as many.
    queries = int(os.environ.get("SUNRISE_CANARY_QUERIES", "500"))
    assert leaks(crowded, queries) > 5 * queries


@pytest.mark.parametrize("scored", [True, False])
def test_one_row_of_a_scope_is_found_beside_two_hundred_of_another(tmp_path: Path, *, scored: bool) -> None:
    texts = [f"tea for the guests of day {day}" for day in range(200)] + ["tea for the cat"]
    table = stored(tmp_path, texts, ["alpha"] * 200 + ["beta"])
    answer = ask(table, "tea for the guests", "beta", calibrated(table) if scored else None)
    assert [item.text for item in answer.items] == ["tea for the cat"]


def test_the_order_in_which_memories_came_changes_no_answer(tmp_path: Path) -> None:
    texts = [f"{text} n{at}" for at, text in enumerate(crowd(300, seed=5)[0])]
    answers, calibration = [], None
    for turn in range(3):
        order = random.Random(turn).sample(texts, len(texts))
        table = stored(tmp_path / str(turn), order, ["alpha"] * len(order))
        # Its sample depends on the order: two calibrations are two rankings.
        calibration = calibration or calibrated(table)
        queries = [" ".join(WORDS[at : at + 3]) for at in range(0, 36, 3)]
        answers.append([above_the_last(ask(table, query, "alpha", calibration)) for query in queries])
    assert answers[0] == answers[1] == answers[2]
    assert sum(map(len, answers[0])) > 80


def above_the_last(answer: RecallResult) -> list[tuple[float, str]]:
    """Return scores and texts but of those that the limit may have cut off from their equals."""
    return sorted((-item.score, item.text) for item in answer.items if item.score > answer.items[-1].score)


def test_two_processes_give_the_same_bytes(tmp_path: Path) -> None:
    stored(tmp_path, *crowd(400, seed=9))
    program = (
        "import sys; from pathlib import Path\n"
        "from tests.library.online.test_recall_steadiness import *\n"
        "table = LanceMemories.open(sys.argv[1]); known = calibrated(table)\n"
        "for scope in SCOPES:\n"
        "    for at in range(0, 30, 3): print(told(ask(table, ' '.join(WORDS[at : at + 3]), scope, known)))\n"
    )
    answers = [
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path)],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    ]
    assert answers[0].count(b"\n") == 40
    assert answers[0] == answers[1]


@pytest.fixture(scope="module", params=["use", pytest.param("e5", marks=pytest.mark.slow)])
def asked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[LanceMemories, Calibration, Embedder]:
    """A table of a real embedder that holds the strange texts themselves."""
    try:
        embedder = build_embedder(request.param)
    except ConfigurationError:
        pytest.skip(f"{request.param} is not installed")
    said = [text[:200].encode("utf-8", "replace").decode() for text in STRANGE.values()]
    texts = [*said, *(f"{one} is in the kitchen" for one in WORDS)]
    table = stored(tmp_path_factory.mktemp(request.param), texts, ["global"] * len(texts), embedder)
    return table, calibrated(table, embedder), embedder


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_query_is_answered_the_same_twice(
    asked: tuple[LanceMemories, Calibration, Embedder], name: str
) -> None:
    table, calibration, embedder = asked
    first, second = (ask(table, STRANGE[name], "global", calibration, embedder) for _ in range(2))
    assert told(first) == told(second)
    assert first.receipt.warnings == ()


def test_eight_threads_at_once_hear_what_one_hears(
    asked: tuple[LanceMemories, Calibration, Embedder],
) -> None:
    table, calibration, embedder = asked
    queries = [*WORDS[:8], "green\0tea", "\ufdfa"]
    alone = [told(ask(table, query, "global", calibration, embedder)) for query in queries]
    with ThreadPoolExecutor(8) as threads:
        turns = [
            threads.map(lambda query: told(ask(table, query, "global", calibration, embedder)), queries)
            for _ in range(4)
        ]
        assert [list(turn) for turn in turns] == [alone] * 4


@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_forked_child_hears_what_its_parent_hears(
    asked: tuple[LanceMemories, Calibration, Embedder],
) -> None:
    # lancedb itself answers no forked process for sure; the model, the legs and their threads do.
    table, embedder = FakeMemoryTable(dimension=asked[2].dimension), asked[2]
    texts = [f"{one} is in the kitchen" for one in WORDS]
    rows = {"id": WORDS, "text": texts, "terms": [terms(text) for text in texts]}
    models = [embedder.model_id] * len(WORDS)
    table.add(
        pa.table(rows | {"vector": embedder.embed(texts).tolist(), "embedding_model": models}).cast(
            pa.schema([table.schema().field(name) for name in (*rows, "vector", "embedding_model")])
        )
    )
    table.build_missing_indices()
    mine = told(ask(table, "teaa in the kitchen", "global", None, embedder))
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)

    def child() -> None:
        theirs.send(told(ask(table, "teaa in the kitchen", "global", None, embedder)))

    forked = context.Process(target=child)
    forked.start()
    assert ours.poll(60)
    assert ours.recv() == mine
    forked.join(10)
    assert forked.exitcode == 0
    assert '"denseSkipped": null' in mine
