from __future__ import annotations

import pytest

from sunrise.domain.admission.machinery import lists_settings, tick_of
from sunrise.domain.admission.rule_names import RuleName


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Heartbeat ran at 08:30, nothing to report", RuleName.HEARTBEAT),
        ("beat 2 of 9: no mail, no alerts", RuleName.HEARTBEAT),
        ("心跳完成，沒有告警", RuleName.HEARTBEAT),
        ("cron finished: tea status ok, delivered=false, 12 s", RuleName.CRON_CHATTER),
        ("A scheduled job was triggered at 09:00", RuleName.CRON_CHATTER),
        ("定时任务已触发", RuleName.CRON_CHATTER),
        ("The session started, no task yet", RuleName.TRANSIENT_STATE),
    ],
)
def test_the_works_tick(text: str, kind: RuleName) -> None:
    assert tick_of(text, 0) is kind


@pytest.mark.parametrize(
    "text",
    [
        "Heartbeat found 3 alerts",
        "Heartbeat failed, nothing was sent",
        "The cron job was moved to noon, no mail is sent before",
        "Decided: no beat at night",
        "The heartbeat must not run tests",
        "The cron of the clinic",
        "Dana has no car",
        "Heartbeat " + "quiet " * 60,
    ],
)
def test_a_figure_a_fault_and_a_change_are_no_ticks(text: str) -> None:
    assert tick_of(text, 0) is None


@pytest.mark.parametrize(
    "text",
    [
        "Hooks: boot-md on, command-logger on, session-memory off",
        "memorySearch: provider local, chunk 400 tokens, overlap 80",
        "The gateway, the sandbox and the plugins, as well as the hooks, are there",
        "compaction: safeguard, thinking: low, elevated: off",
        "閘道、技能、外掛",
    ],
)
def test_an_inventory_of_the_works_is_known(text: str) -> None:
    assert lists_settings(text)


@pytest.mark.parametrize(
    "text",
    [
        "Bread, milk, tea",
        "Router: lease .20, printer .31, laptop .44",
        "Removed the hooks, the plugins and the sandbox, because they leaked",
        "The gateway crashed, the sandbox too, and the plugins",
        "gateway, sandbox",
        "Car: model: T, color: black, doors: 4",
        "gateway, sandbox, plugins " * 30,
    ],
)
def test_other_lists_and_what_happened_to_the_works_are_spared(text: str) -> None:
    assert not lists_settings(text)
