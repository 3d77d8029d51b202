"""A store that replaces a memory, killed at any moment: both are true in the end, or neither is yet."""

from __future__ import annotations

import multiprocessing
import shutil
import signal
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest

from flows.index import index
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.bootstrap import open_home
from sunrise.domain.receipts import RunStatus
from sunrise.domain.store import StoreRequest, StoreResult
from sunrise.online.store import store
from sunrise.settings import load_settings
from tests.fakes import FakeEmbedder, FrozenClock
from tests.flows.killing import NOW_MS, _around, _freeze_the_clock, _Moments, run_apart
from tests.homes import run_body
from tests.ledgers import raw

PRELOAD = ["lancedb", "sunrise.online.store", "sunrise.bootstrap", "sunrise.adapters.lance_memories"]
OLD = StoreRequest("The proxy listens on port 8080", id="old")
NEW = StoreRequest(
    "The proxy listens on port 9090", id="new", idempotency_key="turn-1", replaces=("mem:old",)
)
BOTH = {"old": "superseded", "new": "active"}
NEITHER = {"old": "active"}


def asked(home: str, request: StoreRequest) -> StoreResult:
    with open_home(load_settings(home), clock=FrozenClock(NOW_MS)) as place:
        table = place.memories()
        assert table is not None
        return store(
            request, memories=table, ledger=place.ledger, embedder=FakeEmbedder(8), clock=place.clock
        )


def replace_until(home: str, moment: int, report: str) -> None:
    """Store; at the given moment (counted from 1) the process kills itself. 0 never comes."""
    from sunrise.adapters.sqlite_connection import SqliteConnection

    passed = _Moments(moment)
    _freeze_the_clock()
    _around(SqliteConnection, "commit", passed)
    for name in ("add", "overwrite"):
        _around(LanceMemories, name, passed)
    asked(home, NEW)
    Path(report).write_text(str(passed.count), encoding="utf-8")


@pytest.mark.kill
@pytest.mark.xdist_group("fork server")
@pytest.mark.parametrize("by", ["retry", "another store", "index"])
def test_a_memory_is_replaced_with_the_store_of_its_successor_or_not_at_all(tmp_path: Path, by: str) -> None:
    template, processes = _template(tmp_path), _processes()
    undisturbed = tmp_path / "undisturbed"
    moments = run_apart(processes, replace_until, template, undisturbed, moment=0)
    assert states(undisturbed) == BOTH
    # Noted, added, finished, marked, cleared: each with a moment before and after it.
    assert moments == 10
    seen = []
    for moment in range(1, moments + 1):
        home = tmp_path / f"killed{moment}"
        assert run_apart(processes, replace_until, template, home, moment=moment) == -signal.SIGKILL
        if by == "retry":
            result = asked(str(home), NEW)
            assert result.receipt.replaced == ("mem:old",)
        elif by == "another store":
            asked(str(home), StoreRequest("Tea is served at four", id="tea"))
        else:
            done = run_body(home, index, flow="index", clock=FrozenClock(NOW_MS + 1000))
            assert done.status is RunStatus.OK
        held = states(home)
        held.pop("tea", None)
        assert held == BOTH if by == "retry" else held in (BOTH, NEITHER), f"killed at moment {moment}"
        assert marks(home) == (1 if held == BOTH else 0), f"killed at moment {moment}"
        seen.append(held == BOTH)
        shutil.rmtree(home)
    # Whatever was noted is finished; only before the ledger has it nothing is.
    assert seen == ([True] * 10 if by == "retry" else [False] + [True] * 9)


def states(home: Path) -> dict[str, str | None]:
    rows = LanceMemories.open(home / "lance").scan(["id", "state"]).to_pylist()
    assert len(rows) == len({row["id"] for row in rows})
    return {row["id"]: row["state"] for row in rows}


def marks(home: Path) -> int:
    """Return how often the audit trail says that the memory was replaced; nothing waits for the table."""
    with open_home(load_settings(home), clock=FrozenClock(NOW_MS)) as place:
        assert (place.ledger.pending_stores(), place.ledger.count("outbox")) == (0, 0)
        found = raw(place.ledger, "SELECT count(*) FROM changes WHERE reason = 'replaced_by:mem:new'")  # type: ignore[arg-type]
        return int(found[0][0])


def _processes() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    return context


def _template(tmp_path: Path) -> Path:
    home = tmp_path / "template"
    home.mkdir()
    (home / "sunrise.toml").write_text('[embedder]\nname = "none"\n', encoding="utf-8")
    asked(str(home), OLD)
    return home
