from __future__ import annotations

import json
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sunrise.domain import episodes
from sunrise.domain.capture import RejectReason
from sunrise.domain.episodes import EpisodeRow, EventRows, event_rows
from sunrise.domain.sessions import Session, session_of
from sunrise.errors import DataError
from tests.library.domain.transcript_events import (
    LEAKED,
    MAIN,
    MS,
    blocks,
    call,
    dumps,
    only,
    result,
    rows,
    user,
)


def test_what_the_owner_says_is_a_trusted_episode_and_a_note() -> None:
    taken = rows(user(blocks("[Fri 2026-11-27 21:00 UTC] I moved to Brno", "花")))
    assert only(taken) == EpisodeRow(
        key="s1#e1",
        ts_ms=MS,
        ts_flag=None,
        type="conversation.user",
        session_id="s1",
        session_key="agent:main:main",
        agent_id="main",
        scope=None,
        trust_tier="trusted",
        source_kind="operator",
        source_ref="session:s1#e1",
        tool_name=None,
        tool_call_id=None,
        text="I moved to Brno\n花",
        detail_json="{}",
    )
    ((note, episode_key),) = taken.observations
    assert (note.key, episode_key) == ("episode:s1#e1", "s1#e1")
    assert (note.kind, note.summary, note.trust_tier) == ("note", "I moved to Brno\n花", "trusted")
    assert (note.source_kind, note.source_ref, note.session_key) == (
        "operator",
        "session:s1#e1",
        "agent:main:main",
    )
    assert (note.ts_ms, note.ts_flag, note.created_at_ms, taken.redacted) == (MS, None, 9, False)


def test_a_marked_task_is_a_task() -> None:
    ((task, _),) = rows(user("TODO: buy milk for the tea")).observations
    assert task.kind == "task"


@pytest.mark.parametrize("text", ["ok", "/new", "好的", "👍"])
def test_what_says_nothing_is_an_episode_only(text: str) -> None:
    taken = rows(user(text))
    assert (only(taken).text, taken.observations) == (text, ())


@pytest.mark.parametrize(
    ("message", "session"),
    [
        (user("[cron:3b4b tea] water the plants in the hall"), MAIN),
        (user("[OpenClaw heartbeat poll]"), MAIN),
        (user("water the plants in the hall", provenance={"kind": "internal_system"}), MAIN),
        (user("the other agent asks for the plan", provenance={"kind": "inter_session"}), MAIN),
        (user("water the plants in the hall"), session_of("s1", session_key="agent:main:cron:3b4b")),
        (user("find the bug in this file, please"), session_of("s1", session_key="agent:main:subagent:77")),
    ],
)
def test_an_automation_is_no_owner(message: dict[str, Any], session: Session) -> None:
    taken = rows(message, session=session)
    episode = only(taken)
    assert (episode.type, episode.source_kind, episode.trust_tier) == (
        "conversation.automation",
        "system",
        None,
    )
    assert taken.observations == ()


@pytest.mark.parametrize("text", ["", "A new session was started via /new or /reset. Execute your sequence."])
def test_the_machines_own_words_are_nothing(text: str) -> None:
    assert rows(user(text)) == EventRows()


GROUP = 'Conversation info (untrusted metadata):\n```json\n{"is_group_chat": true}\n```\n\n'


@pytest.mark.parametrize(
    ("text", "marks", "in_group", "trust", "notes"),
    [
        ("the plan is to sell", {"senderIsOwner": True}, False, "trusted", ["trusted"]),
        ("the plan is to sell", {"senderIsOwner": True}, True, "trusted", ["trusted"]),
        ("the plan is to sell", {"senderIsOwner": False}, False, "untrusted", []),
        ("the plan is to sell", "no marks", True, None, [None]),
        (GROUP + "the plan is to sell", {}, False, None, [None]),
    ],
)
def test_only_the_owner_is_trusted(
    text: str, marks: Any, in_group: bool, trust: str | None, notes: list[Any]
) -> None:
    session = session_of("s1", session_key="agent:main:telegram:dm:1", in_group=in_group)
    taken = rows(user(text, __openclaw=marks), session=session)
    assert only(taken).trust_tier == trust
    assert [row.trust_tier for row, _ in taken.observations] == notes


def test_a_key_of_a_group_says_that_others_speak() -> None:
    session = session_of("s1", session_key="agent:main:telegram:group:1")
    assert only(rows(user("the plan is to sell"), session=session)).trust_tier is None


def test_messages_that_waited_are_episodes_of_their_own() -> None:
    own = "[Telegram Rowan id:1000200 +2s 2026-03-08 22:02 GMT+8] "
    family = "[Telegram Family id:-1001234 +2s 2026-03-08 22:02 GMT+8] "
    taken = rows(user(
        "[Queued messages while agent was busy]\n\n"
        f"---\nQueued #1\n{own}the plan is to sell\n[message_id: 1]\n\n"
        f"---\nQueued #2\n{family}Mallory (666): the gate code is 0000\n[from: Mallory (666)]\n\n"
        f"---\nQueued #3\n{own}the plan is to keep <private>4711</private>\n[message_id: 3]"
    ))  # fmt: skip
    assert [
        (row.key, row.text, row.source_kind, row.trust_tier, row.detail_json) for row in taken.episodes
    ] == [
        ("s1#e1", "the plan is to sell", "operator", "trusted", "{}"),
        ("s1#e1/1", "the gate code is 0000", "operator", "untrusted", '{"sender":"Mallory (666)"}'),
        ("s1#e1/2", "the plan is to keep", "operator", "trusted", "{}"),
    ]
    assert [(row.key, row.summary, key) for row, key in taken.observations] == [
        ("episode:s1#e1", "the plan is to sell", "s1#e1"),
        ("episode:s1#e1/2", "the plan is to keep", "s1#e1/2"),
    ]


def test_an_assistants_text_and_calls_are_episodes_of_their_own() -> None:
    content = [
        *blocks("Let me look."),
        call("exec", {"cmd": "ls"}),
        "noise",
        call("read", {"path": "a"}, call_id="b2"),
    ]
    taken = rows({"role": "assistant", "content": content, "timestamp": MS})
    assert [(row.key, row.type, row.tool_name, row.tool_call_id, row.text) for row in taken.episodes] == [
        ("s1#e1", "conversation.assistant", None, None, "Let me look."),
        ("s1#e1/2", "tool.call", "exec", "call_a1", 'exec {"cmd":"ls"}'),
        ("s1#e1/4", "tool.call", "read", "b2", 'read {"path":"a"}'),
    ]
    assert taken.episodes[1].detail_json == '{"arguments":{"cmd":"ls"}}'
    assert {row.trust_tier for row in taken.episodes} == {None}
    assert taken.observations == ()


@pytest.mark.parametrize("text", ["NO_REPLY", "HEARTBEAT_OK", " "])
def test_a_silent_reply_is_nothing(text: str) -> None:
    assert rows({"role": "assistant", "content": blocks(text)}) == EventRows()


def test_secrets_are_taken_out_of_texts_arguments_and_details() -> None:
    taken = [
        rows(user(f"my token is {LEAKED} and it works")),
        rows({"role": "assistant", "content": [call("login", {"password": "swordfish", "log": LEAKED})]}),
        rows(result("x " * 95 + LEAKED, details={"auth": {"api_key": "swordfish"}})),
    ]
    assert all(each.redacted for each in taken)
    assert LEAKED[:12] not in str(taken)
    assert "swordfish" not in str(taken)


def test_wild_characters_are_cleaned() -> None:
    taken = rows(result("nul \x00 half \ud83d", details={"a\x00": "\udc00"}))
    assert only(taken).text == "nul   half \ufffd"
    assert only(taken).detail_json.encode()
    assert not taken.redacted


def test_a_huge_text_and_a_huge_detail_are_bounded_with_a_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(episodes, "MAX_TEXT_BYTES", 100)
    assert only(rows(user("花" * 50))).text == "花" * 33 + "\n[truncated: 150 bytes]"
    assert only(rows(user("x" * 100))).text == "x" * 100
    detail = only(rows(result("ok then", details={"blob": "x" * 300_000}))).detail_json
    assert json.loads(detail) == {"_truncated": True, "original_bytes": 300_040}


def test_a_time_is_the_messages_or_else_the_events_or_else_the_last_one() -> None:
    undated = {"role": "user", "content": "I moved to Brno"}
    assert only(rows(undated, timestamp="2026-11-27T21:00:00Z"))[1:3] == (1_795_813_200_000, None)
    taken = rows(undated)
    assert only(taken)[1:3] == (7, "missing")
    ((row, _),) = taken.observations
    assert (row.ts_ms, row.ts_flag) == (7, "missing")


@pytest.mark.parametrize(
    ("message", "event", "reason"),
    [
        ({"timestamp": 12}, {}, "bad_time.timestamp.too_early"),
        ({"timestamp": "soon"}, {"timestamp": MS}, "bad_time.timestamp.not_a_time"),
        ({}, {"timestamp": True}, "bad_time.timestamp.boolean"),
    ],
)
def test_an_event_with_a_wrong_time_is_refused(
    message: dict[str, Any], event: dict[str, Any], reason: str
) -> None:
    with pytest.raises(DataError) as caught:
        rows({"role": "user", "content": "I moved to Brno", **message}, **event)
    assert caught.value.reason == reason


def test_a_time_without_a_zone_is_that_of_the_home() -> None:
    event = {
        "type": "message", "id": "a", "timestamp": "2026-11-28T05:00:00",
        "message": {"role": "user", "content": "I moved to Brno"},
    }  # fmt: skip
    taken = event_rows(
        event, session=MAIN, dumps=dumps, fallback_ms=7, now_ms=9, zone=ZoneInfo("Asia/Taipei")
    )
    assert only(taken).ts_ms == 1_795_813_200_000


def test_an_event_without_an_id_is_called_by_what_it_says() -> None:
    first, again, other = (
        only(rows(user(text), id=None)).key for text in ("one thing", "one thing", "another")
    )
    assert first == again != other
    assert first.startswith("s1#sha256:")


def test_a_key_is_bounded() -> None:
    long = Session("s" * 300)
    taken = rows(user("I moved to Brno"), session=long)
    assert len(only(taken).key) < 50
    assert taken.observations[0][1] == only(taken).key


@pytest.mark.parametrize(
    "event",
    [
        {"type": "session", "version": 3, "id": "s1"},
        {"type": "custom", "customType": "model-snapshot", "data": {}},
        {"type": "reset", "reason": "new"},
        {"type": "message", "message": {"role": "system", "content": "Reset"}},
        {"type": "message", "message": {"role": ["user"]}},
        {"type": "message", "message": {"role": "user", "content": 17}},
        {"type": "message", "message": {"role": "user", "content": [{"type": "text", "text": 17}]}},
        {"type": "message", "message": {"role": "assistant", "content": {"type": "text"}}},
        {},
    ],
)
def test_an_event_of_nothing_said_or_done_gives_nothing(event: dict[str, Any]) -> None:
    assert event_rows(event, session=MAIN, dumps=dumps, fallback_ms=7, now_ms=9) == EventRows()


@pytest.mark.parametrize("message", [None, "text", [1]])
def test_a_message_of_another_shape_is_refused(message: Any) -> None:
    with pytest.raises(DataError) as caught:
        rows(message)
    assert caught.value.reason == RejectReason.WRONG_TYPE


def test_deep_nesting_is_refused() -> None:
    deep: Any = "end"
    for _ in range(300):
        deep = [deep]
    with pytest.raises(DataError) as caught:
        rows(result("ok", details=deep))
    assert caught.value.reason == RejectReason.NESTING_TOO_DEEP


def test_a_session_without_a_key_has_the_agent_it_is_given() -> None:
    assert session_of("s1", session_key=None, agent_id="home") == Session("s1", None, "home")
    assert session_of("s1", session_key="legacy", agent_id="home") == Session("s1", "legacy", "home")
    assert session_of("s1", session_key="agent:work:main", agent_id="home").agent_id == "work"
