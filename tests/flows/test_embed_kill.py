"""A change of the model, killed anywhere and run again, ends as if undisturbed, and answers always."""

from __future__ import annotations

import multiprocessing
import shutil
import signal
from collections.abc import Iterator
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest

from reports import charts
from sunrise import bootstrap
from sunrise.adapters import embedders
from sunrise.adapters.clock import SystemClock
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.plugin_table import PluginMemory, write_plugin_table
from sunrise.bootstrap import open_home, recall_embedder
from sunrise.domain.recall import RecallRequest
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.online.recall import recall
from sunrise.settings import load_settings
from tasks import embedding
from tests.fakes import FakeEmbedder, FrozenClock
from tests.flows.killing import NOW_MS, _around, _draw_no_charts, _freeze_the_clock, _Moments, run_apart

POINTS = 8
ROWS = 90
PRELOAD = ["flows.embed", "lancedb", "contracts.observations"]
OLD, NEW = FakeEmbedder(6, model_id="fake/old"), FakeEmbedder(4, model_id="fake/new")


def set_up(wanted: FakeEmbedder) -> None:
    """Let the settings name an embedder, and make batches and merges so small that a kill falls between."""
    built = {"use": lambda: wanted, "old": lambda: OLD}
    embedders._BUILT_IN = built  # type: ignore[misc]
    bootstrap._embedder.cache_clear()
    embedding.BATCH, embedding.MERGE_NUMBERS = 16, 32 * NEW.dimension


def embed_all(home: str) -> RunReceipt:
    from flows.embed import embed_memories

    receipt: RunReceipt = embed_memories.fn(home=home)
    return receipt


def embed_until(home: str, moment: int, report: str) -> None:
    """Run the flow; at the given moment (counted from 1) the process kills itself. 0 never comes."""
    from tasks import embedding_stage, receipt_files, run_frame

    passed = _Moments(moment)
    set_up(NEW)
    _freeze_the_clock()
    _draw_no_charts()
    _around(run_frame.Run, "step", passed)
    for name in ("prepare_space", "write_vectors", "activate", "optimize"):
        _around(LanceMemories, name, passed)
    for name in ("put", "drop"):
        _around(embedding_stage.Stage, name, passed)
    _around(receipt_files, "write_whole", passed)
    embed_all(home)
    Path(report).write_text(str(passed.count), encoding="utf-8")


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    return context


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(embedders, "_BUILT_IN", embedders._BUILT_IN)
    monkeypatch.setattr(embedding, "BATCH", embedding.BATCH)
    monkeypatch.setattr(embedding, "MERGE_NUMBERS", embedding.MERGE_NUMBERS)
    monkeypatch.setattr(SystemClock, "now_ms", lambda _self: NOW_MS)
    monkeypatch.setattr(charts, "_svg", lambda _chart, *, label: charts.Svg("<svg></svg>"))
    yield
    bootstrap._embedder.cache_clear()


@pytest.fixture
def template(tmp_path: Path, in_this_process: None) -> Path:
    """A home whose memories have vectors of the old model; the settings name the new one."""
    home = tmp_path / "template"
    home.mkdir()
    memories = [
        PluginMemory(f"m{number:02}", f"note number{number} about tea", 0.5, "fact", NOW_MS - number)
        for number in range(ROWS)
    ]
    write_plugin_table(home / "lance", memories, dimension=8)
    set_up(OLD)
    assert embed_all(str(home)).status is RunStatus.OK
    return home


@pytest.mark.kill
@pytest.mark.xdist_group("fork server")
def test_a_change_of_the_model_that_was_killed_is_finished_and_answers_meanwhile(
    template: Path, processes: ForkServerContext, tmp_path: Path
) -> None:
    undisturbed = tmp_path / "undisturbed"
    moments = run_apart(processes, embed_until, template, undisturbed, moment=0)
    expected = _left_by(undisturbed)
    assert expected != _left_by(template)
    answered = set()
    for point in range(POINTS):
        home = tmp_path / f"killed{point}"
        moment = 1 + (moments - 1) * point // (POINTS - 1)
        assert run_apart(processes, embed_until, template, home, moment=moment) == -signal.SIGKILL
        set_up(NEW)
        answered.add(_asked(home))
        receipt = embed_all(str(home))
        assert receipt.status is RunStatus.OK
        assert receipt.counts["seen"] == receipt.counts["embedded"] + receipt.counts["kept"] == ROWS
        assert _left_by(home) == expected, f"differs after a kill at moment {moment} of {moments}"
        assert _asked(home) == NEW.model_id
        shutil.rmtree(home)
    assert answered == {OLD.model_id, NEW.model_id}


def _asked(home: Path) -> str:
    """Ask recall, which must find by vectors, and return the model of these."""
    settings, table = load_settings(home), LanceMemories.open(home / "lance")
    embedder = recall_embedder(settings, table)
    request = RecallRequest("note number7 about tea", limit=3)
    receipt = recall(request, memories=table, embedder=embedder, clock=FrozenClock(NOW_MS)).receipt
    assert receipt.dense_skipped is None
    assert receipt.vec_top[0] == "mem:m07"
    return receipt.model_id


def _left_by(home: Path) -> dict[str, Any]:
    """Return all columns of all rows, the spaces, and what lies beside the table."""
    table = LanceMemories.open(home / "lance")
    with open_home(load_settings(home)) as place:
        note = place.ledger.get_note("vectors_checked_ms")
    return {
        "rows": sorted(table.scan(table.schema().names).to_pylist(), key=lambda row: str(row["id"])),
        "spaces": table.spaces(),
        "unindexed": [one.unindexed_rows for one in table.state().indices],
        "staged": sorted(path.name for path in (home / "embedding").rglob("*")),
        "note": note,
    }
