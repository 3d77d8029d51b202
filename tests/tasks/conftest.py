"""A home after its first day, for the tests of the doctor."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from flows.day import day
from sunrise.domain.receipts import RunStatus
from sunrise.domain.schedule import DAY
from tasks.run_frame import run_flow


@pytest.fixture(scope="session")
def healthy_template(home_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home after its first day. No server listens at its port."""
    root = shutil.copytree(home_template, tmp_path_factory.mktemp("doctor") / "home")
    with (root / "sunrise.toml").open("a") as file:
        file.write("[prefect]\nport = 9\n")
    assert run_flow(DAY, day, home=str(root)).status is RunStatus.OK
    return root


@pytest.fixture
def healthy(healthy_template: Path, tmp_path: Path) -> Path:
    # Times of files count: a copy keeps them.
    return shutil.copytree(healthy_template, tmp_path / "home")
