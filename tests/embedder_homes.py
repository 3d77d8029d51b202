"""Homes whose embedder is chosen by a test, and what their runs and recalls leave."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flows.embed import embed
from flows.index import index
from sunrise import bootstrap
from sunrise.adapters import embedders
from sunrise.bootstrap import existing_memories, recall_embedder
from sunrise.domain.recall import RecallRequest, RecallResult
from sunrise.domain.receipts import RunReceipt
from sunrise.domain.vector_space import column_of
from sunrise.online.recall import recall
from sunrise.ports import Embedder, MemoryTable
from sunrise.settings import load_settings
from tasks.run_frame import Run
from tests.fakes import FakeEmbedder, FrozenClock
from tests.homes import MEMORIES, NOW, run_body

OLD, NEW = "fake/old", "fake/new"
OLD_COLUMN, NEW_COLUMN = column_of(OLD), column_of(NEW)
NAMES = sorted(row[0] for row in MEMORIES)
PARTS = ("seen", "embedded", "kept", "empty", "failed", "gone")
Configure = Callable[..., None]


class FussyEmbedder(FakeEmbedder):
    """Refuses every list that holds one of these texts, all of them when it is down; counts its calls."""

    def __init__(self, dimension: int, *, model_id: str, refuses: Sequence[str] = ()) -> None:
        super().__init__(dimension, model_id=model_id)
        self.refuses = list(refuses)
        self.is_down = False
        self.asked: list[int] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.asked.append(len(texts))
        if self.is_down or set(texts) & set(self.refuses):
            raise RuntimeError("no")
        return super().embed(texts)


@contextmanager
def embedders_to_choose(home_path: Path) -> Iterator[Configure]:
    """Let the settings of a home name one embedder; the others can still be built by their model."""
    (home_path / "sunrise.toml").write_text("", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:

        def configure(wanted: Embedder, *others: Embedder) -> None:
            built = {"use": wanted, "none": embedders.NoEmbedder()}
            built |= {f"other{number}": one for number, one in enumerate(others)}
            makers = {name: partial(_same, one) for name, one in built.items()}
            patch.setattr(embedders, "_BUILT_IN", makers)
            bootstrap._embedder.cache_clear()

        yield configure
    bootstrap._embedder.cache_clear()


def table_of(path: Path) -> MemoryTable:
    table = existing_memories(load_settings(path))
    assert table is not None
    return table


def run_index(path: Path, *, dry_run: bool = False, clock: FrozenClock | None = None) -> RunReceipt:
    return run_body(path, index, flow="index", dry_run=dry_run, clock=clock)


def run_embed(path: Path, *, dry_run: bool = False, body: Callable[[Run], None] = embed) -> RunReceipt:
    return run_body(path, body, flow="embed", dry_run=dry_run)


def parts(receipt: RunReceipt) -> list[int]:
    return [receipt.counts[name] for name in PARTS]


def codes(receipt: RunReceipt) -> list[str]:
    return [one.code for one in receipt.anomalies]


def embedded(path: Path, column: str) -> dict[str, list[float]]:
    rows = table_of(path).scan(["id", column], where=f"{column} IS NOT NULL").to_pylist()
    return {row["id"]: row[column] for row in rows}


def made_by(embedder: Embedder) -> dict[str, Any]:
    return {row[0]: pytest.approx(embedder.embed([row[1]])[0].tolist(), abs=1e-6) for row in MEMORIES}


def ask(path: Path, query: str) -> RecallResult:
    settings, table = load_settings(path), table_of(path)
    return recall(
        RecallRequest(query, limit=9),
        memories=table,
        embedder=recall_embedder(settings, table),
        clock=FrozenClock(NOW),
    )


def _same(embedder: Embedder) -> Embedder:
    return embedder
