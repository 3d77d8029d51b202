"""A flow costs no Prefect until somebody wants one."""

from __future__ import annotations

import subprocess
import sys

import prefect
import pytest

from tasks.lazy_flow import LazyFlow, flow


def _double(number: int) -> int:
    """Twice as much."""
    return 2 * number


def test_where_prefect_is_loaded_a_flow_is_prefects_at_once() -> None:
    declared = flow(name="double")(_double)

    assert isinstance(declared, prefect.Flow)
    assert declared.name == "double"


def test_a_lazy_flow_runs_its_function_and_becomes_prefects_when_asked() -> None:
    lazy = LazyFlow(_double, name="double")

    assert lazy.fn(4) == 8
    assert lazy.__doc__ == "Twice as much."
    assert isinstance(lazy.real, prefect.Flow)
    assert lazy.real is lazy.real
    assert lazy.version == lazy.real.version


@pytest.mark.parametrize(
    "program",
    [
        "import flows.grade, sys; assert 'prefect' not in sys.modules",
        "import flows.grade, prefect; assert isinstance(flows.grade.grade_importance, prefect.Flow)",
    ],
)
def test_importing_a_flow_loads_prefect_only_where_it_was_loaded_before(program: str) -> None:
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
