"""Stores and burials, killed anywhere: what was acknowledged is there once, all else is absent or whole."""

from __future__ import annotations

import multiprocessing
import shutil
import signal
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest

from flows.index import index
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.bootstrap import open_home
from sunrise.domain.forget import ForgetRequest
from sunrise.domain.receipts import RunStatus
from sunrise.domain.store import StoreRequest
from sunrise.online.forget import forget
from sunrise.online.store import store
from sunrise.settings import load_settings
from tests.fakes import FakeEmbedder, FrozenClock
from tests.flows.killing import NOW_MS, _around, _freeze_the_clock, _Moments, run_apart
from tests.homes import run_body
from tests.ledgers import raw

POINTS = 10
PRELOAD = ["lancedb", "sunrise.online.forget", "sunrise.bootstrap", "sunrise.adapters.lance_memories"]
EMBEDDER = FakeEmbedder(8)
STORES: tuple[dict[str, Any], ...] = (
    {"text": "Tea is served at four", "idempotency_key": "turn-1"},
    {"text": "The gate code is on the fridge", "scope": "home"},
    {"text": "Goal: mend the roof", "id": "working_set:home", "scope": "home"},
    {"text": "Goal: paint the fence", "id": "working_set:home", "scope": "home"},
    {"text": "Tea is served at four", "category": "fact", "review_at_ms": NOW_MS + 5},
    {"text": "The cellar has a spare key", "id": "spare-key-in-the-cellar"},
)
FORGOTTEN = "spare-key-in-the-cellar"


def work(home: str, acknowledged: Path | None) -> None:
    """Store and forget as an agent does, and write down each thing that was acknowledged."""
    with open_home(load_settings(home), clock=FrozenClock(NOW_MS)) as place:
        table = place.memories()
        assert table is not None
        ports: dict[str, Any] = {
            "memories": table, "ledger": place.ledger, "embedder": EMBEDDER, "clock": place.clock,
        }  # fmt: skip
        for number, asked in enumerate(STORES):
            result = store(StoreRequest(**asked), **ports)
            _say(acknowledged, f"{number} {result.ref}")
        forget(ForgetRequest(id=FORGOTTEN), **ports)
        _say(acknowledged, "forgotten")


def work_until(home: str, moment: int, report: str) -> None:
    """Work; at the given moment (counted from 1) the process kills itself. 0 never comes."""
    from sunrise.adapters.sqlite_connection import SqliteConnection

    passed = _Moments(moment)
    _freeze_the_clock()
    _around(SqliteConnection, "commit", passed)
    for name in ("add", "overwrite", "write_vectors", "delete", "prepare_space", "activate"):
        _around(LanceMemories, name, passed)
    work(home, Path(home) / "acknowledged")
    Path(report).write_text(str(passed.count), encoding="utf-8")


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    return context


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("template") / "home"
    home.mkdir()
    (home / "sunrise.toml").write_text('[embedder]\nname = "none"\n', encoding="utf-8")
    with open_home(load_settings(home), clock=FrozenClock(NOW_MS)) as place:
        assert place.memories() is not None
    return home


@pytest.mark.kill
@pytest.mark.xdist_group("fork server")
@pytest.mark.parametrize("by", ["retry", "index"])
def test_what_was_acknowledged_is_there_once_and_the_rest_is_absent_or_whole(
    template: Path, processes: ForkServerContext, tmp_path: Path, by: str
) -> None:
    undisturbed = tmp_path / "undisturbed"
    moments = run_apart(processes, work_until, template, undisturbed, moment=0)
    expected = left_by(undisturbed)
    assert len(expected) == 3
    for point in range(POINTS):
        home = tmp_path / f"killed{point}"
        moment = 1 + (moments - 1) * point // (POINTS - 1)
        assert run_apart(processes, work_until, template, home, moment=moment) == -signal.SIGKILL
        if by == "retry":
            work(str(home), None)
            assert left_by(home) == expected, f"differs after a kill at moment {moment} of {moments}"
        receipt = run_body(home, index, flow="index", clock=FrozenClock(NOW_MS + 1000))
        assert receipt.status is RunStatus.OK
        check_acknowledged(home)
        check_both_agree(home)
        if by == "retry":
            assert left_by(home) == expected, f"differs after a kill at moment {moment} of {moments}"
        shutil.rmtree(home)


def left_by(home: Path) -> list[tuple[Any, ...]]:
    """Return what the table holds, but for ids that are made up."""
    table = LanceMemories.open(home / "lance")
    columns = ["text", "scope", "category", "state", "trust_tier", "review_at_ms", "terms"]
    return sorted(tuple(row.values()) for row in table.scan(columns).to_pylist())


def check_acknowledged(home: Path) -> None:
    said = (
        (home / "acknowledged").read_text(encoding="utf-8").splitlines()
        if (home / "acknowledged").exists()
        else []
    )
    held = [
        f"mem:{name}" for name in LanceMemories.open(home / "lance").scan(["id"]).column("id").to_pylist()
    ]
    for line in said:
        ref = line.split()[-1]
        if ref.startswith("mem:") and not ref.endswith(FORGOTTEN):
            assert held.count(ref) == 1, line
    if "forgotten" in said:
        assert f"mem:{FORGOTTEN}" not in held


def check_both_agree(home: Path) -> None:
    """Each memory is linked to what the ledger knows of it, and nothing waits."""
    table = LanceMemories.open(home / "lance")
    held = sorted(table.scan(["id"]).column("id").to_pylist())
    ledger = SqliteLedger(home / "ledger.sqlite", clock=FrozenClock(NOW_MS))
    linked = [name for (name,) in raw(ledger, "SELECT DISTINCT memory_id FROM memory_links ORDER BY 1")]
    assert held == linked
    assert (ledger.pending_stores(), ledger.count("outbox"), ledger.unfinished_burials()) == (0, 0, ())
    ledger.close()


def _say(acknowledged: Path | None, line: str) -> None:
    if acknowledged is not None:
        with acknowledged.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
