"""Episodes and observations of tools: what they were called with, and what they answered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sunrise.domain.capture import capture_row
from sunrise.domain.episodes import EventRows
from sunrise.domain.sessions import session_of
from tests.library.domain.transcript_events import (
    MS,
    blocks,
    call,
    dumps,
    only,
    result,
    rows,
)


def test_a_tools_result_is_an_untrusted_episode_and_an_observation() -> None:
    taken = rows(result("done " * 100, details={"exit": 0}))
    episode = only(taken)
    assert (episode.type, episode.trust_tier, episode.source_kind) == ("tool.result", "untrusted", "tool")
    assert json.loads(episode.detail_json) == {"details": {"exit": 0}, "is_error": False}
    ((row, episode_key),) = taken.observations
    assert (row.kind, row.tool_name, row.trust_tier, episode_key) == (
        "tool",
        "exec",
        "untrusted",
        episode.key,
    )
    assert row.summary == ("done " * 100)[:200]
    assert json.loads(row.detail_json) == {"tool_call_id": "call_a1"}


@pytest.mark.parametrize("session_key", ["agent:main:main", "agent:main:cron:3b4b"])
def test_the_capture_plugins_row_of_the_same_call_has_the_same_key(session_key: str) -> None:
    session = session_of("s1", session_key=session_key)
    ((row, _),) = rows(result("No relevant memories found."), session=session).observations
    plugin = {
        "ts": "2026-11-27T20:57:42.001Z",
        "kind": "tool",
        "tool_name": "exec",
        "tool_call_id": "call_a1",
        "session_key": session.session_key,
        "agent_id": "main",
        "summary": "another wording",
    }
    captured, _ = capture_row(plugin, dumps=dumps, fallback_ms=1, now_ms=2)
    assert captured.key == row.key


def test_a_call_counter_needs_the_time_beside_it() -> None:
    message = result("done")
    keys = {
        rows({**message, "toolCallId": "call_0", "timestamp": MS + n}).observations[0][0].key
        for n in range(3)
    }
    assert len(keys) == 3
    nameless = session_of("s1", session_key=None)
    assert rows(message, session=nameless).observations[0][0].key == f"id:call::tool:call_a1@{MS}"


MEMORY = "ca65d35a-75a3-4f24-8967-3dbc9857e59c"


def test_storing_names_the_memory_and_says_nothing_of_its_trust() -> None:
    taken = rows(result("Stored: tea", tool="memory_store", details={"action": "created", "id": MEMORY}))
    ((row, _),) = taken.observations
    assert (row.memory_id, row.trust_tier, only(taken).trust_tier) == (MEMORY, None, "untrusted")
    assert (row.source_kind, row.tool_name, row.kind, row.summary) == ("agent", None, "note", "Stored: tea")


def test_what_was_stored_is_observed_in_the_words_of_the_call_under_the_key_of_its_result() -> None:
    texts: dict[str, str] = {}
    asked = {"role": "assistant", "content": [call("home__memory_store", {"text": "Dana likes sencha"})]}
    rows(asked, stored_texts=texts)
    answer = json.dumps({"ref": f"mem:{MEMORY}", "status": "created", "receipt": {"decision": "kept"}})
    taken = rows(result(answer, tool="home__memory_store"), stored_texts=texts)
    ((row, _),) = taken.observations
    assert (row.summary, row.memory_id, row.source_kind) == ("Dana likes sencha", MEMORY, "agent")
    ((other, _),) = rows(result("x", tool="exec")).observations
    assert row.key == other.key
    assert texts == {}
    # Read again without the call, an answer for programs is no observation.
    assert rows(result(answer, tool="home__memory_store")).observations == ()


@pytest.mark.parametrize(
    "message",
    [
        result("1. tea", tool="memory_recall", details={"memories": [{"memory_id": MEMORY}]}),
        result('{"items": []}', tool="home__memory_recall"),
        result("MEMORY.md#3", tool="memory_search"),
        result("failed", tool="memory_store", details={"id": MEMORY}, isError=True),
        result("exists", tool="memory_store", details=None),
    ],
)
def test_what_a_memory_tool_answers_is_an_episode_and_no_observation(message: dict[str, Any]) -> None:
    taken = rows(message)
    assert (only(taken).source_kind, taken.observations) == ("tool", ())


def test_a_result_without_text_is_an_episode_only() -> None:
    taken = rows({**result(""), "content": [{"type": "image", "data": "x"}]})
    assert (only(taken).text, taken.observations) == ("", ())


def test_a_nested_call_is_told_once_by_the_outer_one_unwrapped() -> None:
    assistant = rows({"role": "assistant", "content": [
        call("tool_call", {"id": "openclaw:pymem:memory_recall", "args": {"query": "tea"}})]})  # fmt: skip
    nested = {"role": "custom", "customType": "openclaw.nested-tool.v1", "content": "",
              "details": {"toolName": "memory_recall", "parentToolCallId": "call_a1"}}  # fmt: skip
    inner = {"content": blocks("Dana drinks sencha"), "details": {"count": 1}}
    outer = result(
        "{wrapped}", tool="tool_call", details={"tool": {"name": "memory_recall"}, "result": inner}
    )
    assert rows(nested) == EventRows()
    asked, answered = only(assistant), only(rows(outer))
    assert (asked.tool_name, asked.text) == ("memory_recall", 'memory_recall {"query":"tea"}')
    assert (answered.tool_name, answered.text) == ("memory_recall", "Dana drinks sencha")
    assert json.loads(answered.detail_json)["details"] == {"count": 1}


@pytest.mark.parametrize("details", [None, {"tool": "x", "result": {}}, {"tool": {}, "result": "x"}])
def test_a_wrapper_of_another_shape_stays_as_it_is(details: Any) -> None:
    episode = only(rows(result("whole", tool="tool_call", details=details)))
    assert (episode.tool_name, episode.text) == ("tool_call", "whole")
    asked = only(rows({"role": "assistant", "content": [call("tool_call", None)]}))
    assert (asked.tool_name, asked.text) == ("tool_call", "tool_call")
