"""A table, a ledger, and a way to store a text into both."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.store import StorePolicy, StoreRequest, StoreResult
from sunrise.online.store import store
from sunrise.ports import Embedder, MemoryTable
from tests.fakes import FakeMemoryTable, FrozenClock
from tests.store_calls import DIMENSION, EMBEDDER, NOW, Ask


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("template")
    LanceMemories.create(place, dimension=DIMENSION)
    return place


@pytest.fixture(params=["fake", "lance"])
def table(request: pytest.FixtureRequest, template: Path, tmp_path: Path) -> MemoryTable:
    if request.param == "fake":
        return FakeMemoryTable(dimension=DIMENSION)
    return LanceMemories.open(shutil.copytree(template, tmp_path / "lance"))


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    made = SqliteLedger(tmp_path / "ledger.sqlite", clock=FrozenClock(NOW))
    yield made
    made.close()


@pytest.fixture
def ask(table: MemoryTable, ledger: SqliteLedger) -> Ask:
    def asked(
        text: str, *, embedder: Embedder = EMBEDDER, policy: Any = None, now_ms: int = NOW, **more: Any
    ) -> StoreResult:
        return store(
            StoreRequest(text, **more), memories=table, ledger=ledger, embedder=embedder,
            clock=FrozenClock(now_ms), policy=policy or StorePolicy(),
        )  # fmt: skip

    return asked
