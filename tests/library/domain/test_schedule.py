from __future__ import annotations

import importlib

import pytest

from sunrise.domain.schedule import DAY, DAY_ENTRYPOINT, FLOW_NAMES, SCHEDULED_FLOWS, cron_lines


def test_names_are_unique_and_the_day_comes_last() -> None:
    assert len(set(FLOW_NAMES)) == len(FLOW_NAMES)
    assert FLOW_NAMES[-1] == DAY
    assert DAY not in cron_lines({})


def test_the_two_times_that_are_fixed() -> None:
    lines = cron_lines({})
    assert (lines["harvest"], lines["grade"]) == ("*/15 * * * *", "0 */4 * * *")


def test_each_flow_reads_what_those_before_it_left() -> None:
    names = [flow.name for flow in SCHEDULED_FLOWS]
    order = ["harvest", "grade", "writeback", "lifecycle", "index", "evaluate", "report"]
    assert [name for name in names if name in order] == order


def test_an_operators_line_stands_in_place_of_ours() -> None:
    lines = cron_lines({"drift": "1 2 * * *"})
    assert lines["drift"] == "1 2 * * *"
    assert {name: line for name, line in lines.items() if name != "drift"} == {
        flow.name: flow.cron for flow in SCHEDULED_FLOWS if flow.name != "drift"
    }


def test_a_line_for_no_flow_is_refused() -> None:
    with pytest.raises(ValueError, match="no such scheduled flow: dream, sunrise"):
        cron_lines({"sunrise": "* * * * *", "dream": "* * * * *"})


def test_every_entrypoint_is_there() -> None:
    for entrypoint in (*(flow.entrypoint for flow in SCHEDULED_FLOWS), DAY_ENTRYPOINT):
        module, _, name = entrypoint.rpartition(".")
        assert callable(getattr(importlib.import_module(module), name))
