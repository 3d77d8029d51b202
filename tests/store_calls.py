"""What the tests of storing share: how a text is stored, and what then stands in the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sunrise.domain.store import StoreResult
from sunrise.ports import MemoryTable
from tests.fakes import FakeEmbedder

DIMENSION = 16
EMBEDDER = FakeEmbedder(DIMENSION)
NOW = 1_795_000_000_000
TOKEN = "ghp_" + "a1B2" * 9
LONG = "The backup of the photo archive and the mail runs on the storage box in the cellar of the house at"

Ask = Callable[..., StoreResult]


def rows(table: MemoryTable, *columns: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = table.scan(columns or ["id", "text"]).to_pylist()
    return found
