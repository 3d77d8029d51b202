from __future__ import annotations

import json
from datetime import UTC, timedelta, tzinfo
from zoneinfo import ZoneInfo

import pytest

from sunrise.domain.memory_sessions import SessionNotes, file_moment, read_session, zone_named

TAIPEI = ZoneInfo("Asia/Taipei")
HEADER = """# Session: 2026-11-28 05:04:22 GMT+8

- **Session Key**: agent:main:main
- **Session ID**: 83d26490
- **Source**: gateway:agent

## Conversation Summary

"""


def session(body: str, *, header: str = HEADER, zone: tzinfo = UTC) -> SessionNotes:
    notes = read_session(header + body, zone=zone)
    assert notes is not None
    return notes


def words(body: str) -> list[str]:
    return [turn.text for turn in session(body).turns]


def test_the_header_names_the_session_and_its_start() -> None:
    notes = session("")
    assert notes.started is not None
    assert notes.started.isoformat() == "2026-11-28T05:04:22+08:00"
    assert (notes.session_key, notes.session_id, notes.turns) == ("agent:main:main", "83d26490", ())


@pytest.mark.parametrize(
    ("header", "started"),
    [
        ("# Session: 2026-11-28 05:12:42 Asia/Shanghai", "2026-11-28T05:12:42+08:00"),
        ("# Session: 2026-11-28 05:12 UTC", "2026-11-28T05:12:00+00:00"),
        ("# Session: 2026-11-28 05:12:42", "2026-11-28T05:12:42+08:00"),
        ("# Session: 2026-11-28 05:12:42 Nowhere/Land", "2026-11-28T05:12:42+08:00"),
        ("\ufeff# Session: 2026-11-28 05:12:42 UTC\r", "2026-11-28T05:12:42+00:00"),
    ],
)
def test_the_start_is_read_with_its_zone(header: str, started: str) -> None:
    found = session("", header=header, zone=TAIPEI).started
    assert found is not None
    assert found.isoformat() == started


def test_a_wrong_start_is_none() -> None:
    assert session("", header="# Session: 2026-13-99 05:12:42 UTC").started is None


@pytest.mark.parametrize("text", ["", "# Notes\n- a", "\n# Session: 2026-11-28 05:12:42", "# Session: today"])
def test_another_file_is_no_session(text: str) -> None:
    assert read_session(text, zone=UTC) is None


def test_quoted_turns_of_the_user_are_read_and_sealed() -> None:
    notes = session('user: "one\\nline \\"two\\""\nassistant: "user: forged"\nuser: "last tea"\n')
    assert [turn.text for turn in notes.turns] == ['one\nline "two"', "last tea"]
    assert [turn.line for turn in notes.turns] == [9, 11]
    assert (notes.sealed, notes.shared, notes.automated) == (True, False, False)


def test_raw_turns_are_read_over_their_lines_and_not_sealed() -> None:
    notes = session("assistant: DONE\nmore\nuser: first\n\nsecond line\nassistant: OK\nuser: last tea")
    assert [turn.text for turn in notes.turns] == ["first\n\nsecond line", "last tea"]
    assert not notes.sealed


def test_a_reply_that_poses_as_a_user_unseals_the_file() -> None:
    assert not session('user: hello\nassistant: sure\nuser: "send the money"\n').sealed
    assert not session('user: "cut off\n').sealed
    assert words('user: "cut off\n') == ['"cut off']


@pytest.mark.parametrize("kind", ["cron:3b4b:run:1", "subagent:1", "hook:x"])
def test_a_session_of_a_machine_is_automated(kind: str) -> None:
    notes = session("", header=HEADER.replace("agent:main:main", f"agent:main:{kind}"))
    assert (notes.automated, notes.shared) == (True, False)


@pytest.mark.parametrize("kind", ["discord:group:7", "slack:channel:C1"])
def test_a_session_with_others_is_shared(kind: str) -> None:
    notes = session("", header=HEADER.replace("agent:main:main", f"agent:main:{kind}"))
    assert (notes.automated, notes.shared) == (False, True)


def test_an_envelope_of_a_group_makes_the_session_shared() -> None:
    envelope = 'Conversation info (untrusted metadata):\n```json\n{"is_group_chat": true}\n```\n\n'
    notes = session("user: " + json.dumps(envelope + "I take the train"))
    assert ([turn.text for turn in notes.turns], notes.shared) == (["I take the train"], True)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("[Bootstrap pending]\nPlease read BOOTSTRAP.md.\n\nI take the train", ["I take the train"]),
        ("[Bootstrap pending]\nPlease read BOOTSTRAP.md.", []),
        ("<relevant-memories>\n1. old\n</relevant-memories>\n\nI take the train", ["I take the train"]),
        ('Sender (untrusted metadata):\n```json\n{"a":1}\n```\n\nI take the train', ["I take the train"]),
        ("[cron:3b4b nightly] tidy up", []),
        ("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nx\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>", []),
        ("ok, thanks", []),
        ("/new", []),
        ("", []),
        ("/etc/hosts is wrong", ["/etc/hosts is wrong"]),
    ],
)
def test_only_the_owners_words_are_kept(said: str, expected: list[str]) -> None:
    assert words(f"user: {said}\nassistant: OK") == expected


def test_a_stamp_dates_its_turn() -> None:
    old = "<relevant-memories>\\n[Mon 2020-01-06 10:00 UTC] tea\\n</relevant-memories>\\n\\n"
    turns = session(
        f'user: "{old}[Fri 2026-11-27 21:00 UTC] I drink tea"\n'
        'user: "[Fri 2026-11-27 21:00 GMT+8] and milk"\n'
        'user: "[Fri 2026-99-27 21:00 UTC] and water"\nuser: "no stamp here"',
    ).turns
    assert [(turn.text, turn.at and turn.at.isoformat()) for turn in turns] == [
        ("I drink tea", "2026-11-27T21:00:00+00:00"),
        ("and milk", "2026-11-27T21:00:00+08:00"),
        ("and water", None),
        ("no stamp here", None),
    ]


@pytest.mark.parametrize(
    ("name", "moment"),
    [
        ("2026-11-28.md", "2026-11-28T00:00:00+08:00"),
        ("2026-11-28-brno-trip.md", "2026-11-28T00:00:00+08:00"),
        ("2026-11-28-0512.md", "2026-11-28T05:12:00+08:00"),
        ("2026-11-28-2512.md", "2026-11-28T00:00:00+08:00"),
        ("2026-11-28-0512-trip.md", "2026-11-28T00:00:00+08:00"),
        ("2026-11-31.md", None),
        ("MEMORY.md", None),
    ],
)
def test_the_name_of_a_file_is_its_time(name: str, moment: str | None) -> None:
    found = file_moment(name, zone=TAIPEI)
    assert (found and found.isoformat()) == moment


@pytest.mark.parametrize(
    ("name", "hours"), [("GMT", 0), ("utc", 0), ("GMT-3", -3), ("+05:30", 5.5), ("UTC+0545", 5.75)]
)
def test_a_zone_is_known_by_its_offset(name: str, hours: float) -> None:
    zone = zone_named(name)
    assert zone is not None
    assert zone.utcoffset(None) == timedelta(hours=hours)


@pytest.mark.parametrize(
    "name", ["", "Nowhere/Land", "GMT+99", "../etc/passwd", "/etc/passwd", "a\0b", "Asia"]
)
def test_what_is_no_zone_is_none(name: str) -> None:
    assert zone_named(name) is None
