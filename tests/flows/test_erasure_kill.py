"""An erasure that is killed anywhere and run again ends as one that was not disturbed."""

from __future__ import annotations

import multiprocessing
import shutil
import signal
from functools import partial
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest

from flows.index import index
from flows.snapshot import create_one
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.bootstrap import open_home
from sunrise.domain.erasure import is_complete
from sunrise.domain.receipts import RunStatus
from sunrise.settings import load_settings
from tests.fakes import FrozenClock
from tests.flows.erasure_killing import PRELOAD, erase_until, forget_and_erase, holding, keep_everywhere
from tests.flows.killing import NOW_MS, run_apart
from tests.homes import run_body
from tests.ledgers import WHOLE, raw

POINTS = 14


@pytest.fixture(scope="module")
def template(home_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = shutil.copytree(home_template, tmp_path_factory.mktemp("erasure") / "home")
    run_body(path, index, flow="index")
    with open_home(load_settings(path), clock=FrozenClock(NOW_MS)) as home:
        ports = {
            "memories": home.memories(), "ledger": home.ledger, "embedder": home.embedder(),
            "clock": home.clock,
        }  # fmt: skip
        keep_everywhere(home, ports)
    run_body(path, partial(create_one, name="with-it"), flow="snapshot")
    return path


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    return context


@pytest.fixture(scope="module")
def undisturbed(
    template: Path, processes: ForkServerContext, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Any], int]:
    home = tmp_path_factory.mktemp("undisturbed") / "home"
    moments = run_apart(processes, erase_until, template, home, moment=0)
    assert holding(home) == set()
    return left_by(home), moments


@pytest.mark.kill
@pytest.mark.xdist_group("fork server of the erasure")
@pytest.mark.parametrize("point", range(POINTS))
def test_an_erasure_killed_anywhere_and_run_again_ends_as_if_undisturbed(
    point: int,
    template: Path,
    processes: ForkServerContext,
    undisturbed: tuple[dict[str, Any], int],
    tmp_path: Path,
) -> None:
    expected, moments = undisturbed
    moment = 1 + (moments - 1) * point // (POINTS - 1)
    home = tmp_path / "home"
    assert run_apart(processes, erase_until, template, home, moment=moment) == -signal.SIGKILL
    receipt = forget_and_erase(str(home))
    assert (receipt.status, is_complete(receipt)) == (RunStatus.OK, True), f"killed at {moment} of {moments}"
    assert holding(home) == set(), f"killed at moment {moment} of {moments}"
    left = left_by(home)
    for store in expected:
        assert left[store] == expected[store], f"{store} differs after a kill at moment {moment} of {moments}"


def left_by(home: Path) -> dict[str, Any]:
    table = LanceMemories.open(home / "lance")
    columns = "id, summary, summary_en, terms, detail_json, memory_id, state"
    queries = {
        "observations": f"SELECT {columns} FROM observations ORDER BY id",
        "quarantine": "SELECT sample FROM quarantine ORDER BY id",
        "notes": "SELECT name FROM notes WHERE name <> 'texts.salt' ORDER BY name",
        "stores": "SELECT memory_id, request_hash, pending_json FROM stores ORDER BY id",
        "tombstones": "SELECT memory_id, erasing_since_ms IS NULL, erased_at_ms IS NULL FROM tombstones",
    }
    ledger = SqliteLedger(home / "ledger.sqlite", clock=FrozenClock(NOW_MS))
    rows = {name: raw(ledger, sql) for name, sql in queries.items()}
    check = ledger.check()
    ledger.close()
    assert check == WHOLE
    return {
        **rows,
        "memories": sorted(
            table.scan(["id", "text", "terms", "scope"]).to_pylist(), key=lambda row: row["id"]
        ),
        "tags": sorted(table.state().tags),
        "branches": list(table._table.branches.list()),
        "files": {name: (home / name).read_bytes() for name in ("spool/shed.jsonl", "evals/one.json")},
        "intents": [path.name for path in home.glob("*erasing*")],
        "backups": sorted(path.name for path in (home / "backups").glob("*")),
    }
