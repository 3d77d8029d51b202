"""Fixtures for all rooms: a frozen clock, a ledger, and a home as an agent leaves it."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import settings

from sunrise.adapters.plugin_table import PluginMemory, write_plugin_table
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.bootstrap import Home, open_home
from sunrise.settings import load_settings
from tests.fakes import FrozenClock
from tests.homes import CAPTURES, CONFIG, MEMORIES, NOW, write_captures

# Before anything imports it: Prefect makes folders and phones out when it is loaded.
os.environ.setdefault("PREFECT_HOME", mkdtemp(prefix="prefect-"))
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
os.environ.setdefault("DO_NOT_TRACK", "1")

# How long an example takes says more of the machine than of the code.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def home_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home before its first day: captures in the spool, a plugin's table. Tests get copies."""
    root = tmp_path_factory.mktemp("template")
    (root / "sunrise.toml").write_text(CONFIG, encoding="utf-8")
    write_captures(root / "spool" / "agent.jsonl", CAPTURES)
    write_plugin_table(root / "lance", [PluginMemory(*row) for row in MEMORIES], dimension=8)
    return root


@pytest.fixture
def home_path(home_template: Path, tmp_path: Path) -> Path:
    """The path of a home of the test's own."""
    return shutil.copytree(home_template, tmp_path / "home")


@pytest.fixture
def clock() -> FrozenClock:
    """The clock of the test's home."""
    return FrozenClock(NOW)


@pytest.fixture
def home(home_path: Path, clock: FrozenClock) -> Iterator[Home]:
    """The home, open."""
    with open_home(load_settings(home_path), clock=clock) as opened:
        yield opened


@pytest.fixture
def ledger(tmp_path: Path, clock: FrozenClock) -> Iterator[SqliteLedger]:
    """An empty ledger on a file."""
    made = SqliteLedger(tmp_path / "ledger.sqlite", clock=clock)
    yield made
    made.close()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # The long ones begin first, so that no worker is left alone with one at the end.
    items.sort(key=lambda item: not any(item.get_closest_marker(name) for name in ("server", "slow", "kill")))
    names = Counter(item.nodeid for item in items)
    doubled = sorted(name for name, times in names.items() if times > 1)
    if hasattr(config, "workerinput") and doubled:
        # xdist would run one of them, and say nothing of the others.
        msg = f"tests that share a name cannot be shared out: {', '.join(doubled)}"
        raise pytest.UsageError(msg)
