from __future__ import annotations

import re

import pytest

from sunrise.domain.admission.bare_records import (
    EMPTY_GATE,
    LISTING_GATE,
    RECORD_GATE,
    is_bare_record,
    is_empty_answer,
    is_listing,
    is_state_write,
)
from sunrise.domain.admission.boot_files import BootFiles
from sunrise.domain.admission.rule_names import RuleName
from sunrise.domain.admission.rules import RULES, Surroundings
from tests.library.domain.admission.kept import candidate

RECORDS = (
    '{"ok": true, "ran": true, "jobId": "2257c483"}',
    '{"status": "running", "sessionId": "1d06", "pid": 10249}',
    '{"events":[{"type":"join","source":{"type":"user","userId":"U4c"}}],"destination":"U6d"}',
)
LISTINGS = (
    "$ openclaw status\ngateway ok",
    "ls -la ~/.openclaw\ndrwx agents",
    "workspace/\n├── AGENTS.md\n├── SOUL.md\n└── USER.md",
    "gateway.bind: loopback, gateway.port: 18789, gateway.auth.mode: token",
    "USER PID COMMAND\nann 12 node",
)
EMPTY = ("(no output)", "[file content truncated]", "Read 200 lines", "ok")


@pytest.mark.parametrize("text", RECORDS)
def test_a_record_of_states_and_ids_is_bare(text: str) -> None:
    assert is_bare_record(text)
    assert re.search(RECORD_GATE, text)


@pytest.mark.parametrize(
    "text",
    [
        '{"order": 10512, "status": "paid", "amount": 8160, "customer": "Lin"}',
        '{"ok": true, "summary": "the disk of attic is full"}',
        '{"ok": false, "reason": "磁碟已經滿了"}',
        '{"ok": true}',
        '{"ok": true',
        "ok",
        '{"ok": ' + "[" * 2000,
    ],
)
def test_a_record_that_tells_something_is_not(text: str) -> None:
    assert not is_bare_record(text)


@pytest.mark.parametrize("text", LISTINGS)
def test_a_listing_is_of_the_gateway_itself(text: str) -> None:
    assert is_listing(text)
    assert re.search(LISTING_GATE, text)


@pytest.mark.parametrize(
    "text",
    [
        "openclaw gateway restarted at 14:22 with swap",
        "$ openclaw doctor\n1 check failed",
        "src/\n├── main.py\n└── test.py",
        "stock: butter 11, tea 4",
    ],
)
def test_what_is_listed_of_other_things_or_went_wrong_is_none(text: str) -> None:
    assert not is_listing(text)


@pytest.mark.parametrize("text", EMPTY)
def test_an_answer_may_be_empty(text: str) -> None:
    assert is_empty_answer(text)
    assert re.search(EMPTY_GATE, text)


def test_what_reads_a_meter_or_writes_more_than_a_time_is_heard() -> None:
    assert not is_empty_answer("Read the meter: 200")
    assert is_state_write('heartbeat-state.json updated: "mail": 1775')
    assert not is_state_write("heartbeat-state.json updated, then lost: disk error")


def test_a_bare_record_of_a_tool_is_a_dump() -> None:
    rule = next(one for one in RULES if one.name is RuleName.SYSTEM_DUMP)
    around = Surroundings(BootFiles(()), lambda _: False)
    assert rule.fires(candidate(RECORDS[0], "tool"), around)
    assert not rule.fires(candidate("df -h: 9 MB free", "tool"), around)
