"""One home and one open server for the tests that change neither."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serving import Served, make_home, served


@pytest.fixture(scope="session")
def served_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a few memories."""
    return make_home(tmp_path_factory.mktemp("serve") / "home")


@pytest.fixture(scope="session")
def door(served_home: Path) -> Iterator[Served]:
    """A server that wants no token."""
    with served(served_home, mcp=True, rate_per_s=10_000, burst=10_000) as running:
        yield running


@pytest.fixture
def own_home(tmp_path: Path) -> Path:
    """A home of the test's own."""
    return make_home(tmp_path / "home")
