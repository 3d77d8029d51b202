from __future__ import annotations

import json
from typing import Any

import pytest

from sunrise.domain import capture
from sunrise.domain.capture import MAX_DEPTH, MAX_DETAIL_BYTES, MAX_TEXT, CaptureRow, capture_row, map_strings
from sunrise.errors import DataError

NOW = 1_790_000_000_000
BEFORE = 1_780_000_000_000
TS = "2026-06-12T00:00:00Z"
TS_MS = 1_781_222_400_000
UUID_A = "3f0c1a52-7d3e-4b5a-9c1d-0123456789ab"
UUID_B = "9a8b7c6d-1111-4222-8333-abcdefabcdef"


def dumps(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def take(**record: Any) -> CaptureRow:
    record = {"ts": TS, "summary": "text", **record}
    return capture_row(record, dumps=dumps, fallback_ms=BEFORE, now_ms=NOW)[0]


def reason_of(record: dict[str, Any]) -> str:
    with pytest.raises(DataError) as caught:
        capture_row(record, dumps=dumps, fallback_ms=BEFORE, now_ms=NOW)
    return caught.value.reason


def test_a_tool_result_of_the_capture_plugin_becomes_a_row() -> None:
    row = take(
        kind="tool",
        tool_name="exec",
        tool_call_id="call_ab12cd34ef",
        session_key="agent:main:main",
        agent_id="main",
        is_synthetic=False,
        summary="Deployed the gateway",
        detail={"scope": "gateway", "exit_code": 0},
    )
    assert row == CaptureRow(
        key="id:call:agent:main:main:tool:call_ab12cd34ef",
        ts_ms=TS_MS,
        kind="tool",
        tool_name="exec",
        summary="Deployed the gateway",
        summary_en=None,
        lang="en",
        scope="gateway",
        session_key="agent:main:main",
        agent_id="main",
        trust_tier="untrusted",
        source_kind="tool",
        source_ref="call_ab12cd34ef",
        importance_score=None,
        importance_label=None,
        memory_id=None,
        detail_json='{"exit_code":0,"is_synthetic":false,"scope":"gateway","tool_call_id":"call_ab12cd34ef"}',
        ts_flag=None,
        terms="deploy the gateway exec",
        created_at_ms=NOW,
    )


@pytest.mark.parametrize(
    ("ts", "ms", "flag"),
    [
        ("2026-06-12T00:00:00Z", TS_MS, None),
        ("2026-06-12T08:00:00.000+08:00", TS_MS, None),
        ("2026-06-12T00:00:00", TS_MS, None),
        (" 2026-06-12 ", TS_MS, None),
        ("20260612", TS_MS, None),
        (TS_MS, TS_MS, None),
        (TS_MS // 1000, TS_MS, None),
        (TS_MS / 1000 + 0.5, TS_MS + 500, None),
        (str(TS_MS), TS_MS, None),
        (None, BEFORE, "missing"),
        ("", BEFORE, "missing"),
    ],
)
def test_a_time_is_read_and_a_missing_one_is_flagged(ts: object, ms: int, flag: str | None) -> None:
    row = take(ts=ts)
    assert (row.ts_ms, row.ts_flag) == (ms, flag)


def test_a_time_under_another_name_counts_where_there_is_no_ts() -> None:
    assert take(ts=None, created_at=TS_MS * 1000).ts_ms == TS_MS
    assert take(ts=TS, timestamp="yesterday").ts_ms == TS_MS
    assert reason_of({"summary": "a", "createdAt": "yesterday"}) == "bad_time.createdAt.not_a_time"


def test_counted_ids_of_two_days_stay_apart_whatever_their_time_is_called() -> None:
    first, again, other = (
        take(ts=None, id="7", created_at=at).key for at in ("2026-06-12", "2026-06-12", "2026-06-13")
    )
    assert first == again != other


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({}, "missing_text"),
        ({"summary": None, "text": "  "}, "missing_text"),
        ({"summary": ["a"]}, "wrong_type"),
        ({"summary": 5}, "wrong_type"),
        ({"text": {"a": 1}}, "wrong_type"),
        ({"summary": "fine", "summary_en": 1}, "wrong_type"),
    ],
)
def test_a_record_without_a_usable_text_is_refused(record: dict[str, Any], reason: str) -> None:
    assert reason_of({"ts": TS, **record}) == reason


@pytest.mark.parametrize(
    ("record", "summary", "english", "detail"),
    [
        ({"summary": "a", "text": "b"}, "a", None, {"text": "b"}),
        ({"summary": "", "text": "b"}, "b", None, {}),
        ({"summary": "", "text_en": "c"}, "c", "c", {}),
        ({"summary": "甲", "summary_en": "c", "text_en": "d"}, "甲", "c", {"text_en": "d"}),
        ({"summary": "nul\x00byte", "summary_en": "half \ud83d"}, "nul byte", "half \ufffd", {}),
    ],
)
def test_the_first_text_given_is_the_summary_and_no_other_is_lost(
    record: dict[str, Any], summary: str, english: str | None, detail: dict[str, Any]
) -> None:
    row = take(**record)
    assert (row.summary, row.summary_en, json.loads(row.detail_json)) == (summary, english, detail)


@pytest.mark.parametrize(
    ("record", "detail"),
    [
        ({"detail": {"b": 1, "a": 2}}, {"a": 2, "b": 1}),
        ({"detail": '{"a":1}'}, {"a": 1}),
        ({"detail_json": '{"a":1}'}, {"a": 1}),
        ({"detail": "plain words"}, {"_raw_detail": "plain words"}),
        ({"detail": "[1]"}, {"_raw_detail": "[1]"}),
        ({"detail": "[" * 100_000}, {"_raw_detail": "[" * 100_000}),
        ({"detail": [1, 2]}, {"_raw_detail": [1, 2]}),
        ({"detail": ""}, {}),
        ({"extra": 1, "detail": {"extra": 0, "own": 2}}, {"extra": 1, "own": 2}),
        ({"detail": {"ctl": "a\x00b"}}, {"ctl": "a b"}),
    ],
)
def test_detail_keeps_what_has_no_column(record: dict[str, Any], detail: dict[str, Any]) -> None:
    assert json.loads(take(**record).detail_json) == detail


@pytest.mark.parametrize(
    ("record", "column", "value"),
    [
        ({"kind": "  Decision "}, "kind", "decision"),
        ({"kind": "k" * 5000}, "kind", "k" * 64),
        ({"kind": 7}, "kind", "note"),
        ({"tool": "exec"}, "tool_name", "exec"),
        ({"lang": "ZH-tw"}, "lang", "zh-tw"),
        ({"summary": "使用者偏好深色介面"}, "lang", "zh"),
        ({"lang": "e"}, "lang", "en"),
        ({"lang": ["zh"]}, "lang", "en"),
        ({"scope": "top", "detail": {"scope": "low"}}, "scope", "top"),
        ({"scope": 4, "detail": {"scope": "low"}}, "scope", "low"),
        ({"sessionKey": "s1"}, "session_key", "s1"),
        ({"detail": {"session_key": "s2"}}, "session_key", "s2"),
        ({"agent": "main"}, "agent_id", "main"),
        ({"agentId": "main"}, "agent_id", "main"),
        ({"source_kind": "operator"}, "trust_tier", None),
        ({"source_kind": "operator", "trust": "untrusted"}, "trust_tier", "untrusted"),
        ({"trust": "trusted"}, "trust_tier", None),
        ({"source_kind": "agent", "trust": "trusted"}, "trust_tier", None),
        ({"tool": "web.fetch", "detail": {"trust": "trusted"}}, "trust_tier", "untrusted"),
        ({"tool": "memory_store", "detail": {"memory_id": "m1", "trust": "trusted"}}, "trust_tier", None),
        (
            {"tool": "memory_store", "detail": {"memory_id": "m1", "trust": "untrusted"}},
            "trust_tier",
            "untrusted",
        ),
        ({"detail": {"trust_tier": " Quarantine "}}, "trust_tier", "quarantined"),
        ({"provenance": {"trustTier": "untrusted"}}, "trust_tier", "untrusted"),
        ({"provenance": "trusted", "trust": "somewhat"}, "trust_tier", None),
        ({"source_kind": "operator"}, "source_kind", "agent"),
        ({"source_kind": "import"}, "source_kind", "import"),
        ({"source_kind": "operator", "tool": "exec"}, "source_kind", "tool"),
        ({"source_kind": "web", "tool": "exec"}, "source_kind", "web"),
        ({"detail": {"source_kind": "operator"}}, "source_kind", "import"),
        ({"detail": {"source_kind": "system"}}, "source_kind", "system"),
        ({"kind": "tool", "detail": {"source_kind": "system"}}, "source_kind", "tool"),
        ({"source_kind": "web"}, "source_kind", "web"),
        ({"source_kind": "psychic"}, "source_kind", "import"),
        ({"source_kind": ["odd"]}, "source_kind", "import"),
        ({"kind": "tool"}, "source_kind", "tool"),
        ({"tool": "exec"}, "source_kind", "tool"),
        ({"source_ref": "chat:7"}, "source_ref", "chat:7"),
        ({"importance": {"score": 0.95, "label": "must_remember"}}, "importance_score", 0.95),
        ({"importance": {"score": 0.95, "label": "must_remember"}}, "importance_label", "must_remember"),
        ({"detail": {"importance": "ignore"}}, "importance_label", "ignore"),
        ({"importance": "unknown"}, "importance_label", None),
        ({"importance": "much"}, "importance_label", None),
        ({"summary": "甲", "summary_en": "alpha", "tool": "exec"}, "terms", "甲 alpha exec"),
    ],
)
def test_a_column_is_filled(record: dict[str, Any], column: str, value: object) -> None:
    assert getattr(take(**record), column) == value


@pytest.mark.parametrize(
    ("record", "key"),
    [
        ({"observationId": "o-1", "id": "x"}, "id:observation:o-1"),
        ({"observation_id": 12}, "id:observation:12"),
        ({"id": "x", "event_id": "y"}, "id:id:x"),
        ({"id": 7}, f"id:id:7@{TS}"),
        ({"id": "  ", "event_id": "y"}, "id:event_id:y"),
        ({"id": True, "event_id": "y"}, "id:event_id:y"),
        ({"tool_call_id": "toolu_9z", "session_key": "s"}, "id:call:s:note:toolu_9z"),
        ({"tool_call_id": "call_0", "session_key": "s"}, f"id:call:s:note:call_0@{TS}"),
        ({"tool_call_id": "toolu_9z"}, f"id:call::note:toolu_9z@{TS}"),
    ],
)
def test_an_id_is_the_key(record: dict[str, Any], key: str) -> None:
    assert take(**record).key == key


def test_a_record_without_an_id_is_known_by_its_content() -> None:
    first = take(detail={"a": 1, "b": 2})
    assert first.key.startswith("content:")
    assert len(first.key) == len("content:") + 32
    assert take(detail={"b": 2, "a": 1}).key == first.key
    other = [take(detail={"a": 1}), take(ts="2026-06-13T00:00:00Z"), take(kind="fact"), take(summary="other")]
    assert len({first.key, *(row.key for row in other)}) == 5


def test_texts_that_differ_only_behind_the_clip_are_two_records() -> None:
    assert take(summary="x" * MAX_TEXT + "a").key != take(summary="x" * MAX_TEXT + "b").key


def test_an_endless_id_is_shortened() -> None:
    assert len(take(observationId="i" * 10_000).key) < 60


@pytest.mark.parametrize(
    ("record", "memory_id"),
    [
        ({"memory_id": UUID_A}, UUID_A),
        ({"detail": {"deep": [{"lancedbId": UUID_A}]}}, UUID_A),
        ({"detail": {"memoryId": 7, "deep": {"mem_id": "m-1"}}}, "m-1"),
        ({"detail": {"memory_id": "two words"}}, None),
        ({"tool": "memory_store", "detail": {"id": UUID_A}}, UUID_A),
        ({"tool": "memory_store", "id": UUID_B}, None),
        ({"tool": "memory_store", "detail": {"details": {"id": UUID_A}}}, UUID_A),
        ({"tool": "memory_store", "message": {"details": {"id": UUID_A}}}, UUID_A),
        ({"detail": {"memory_tool": "memory_store", "details": {"id": UUID_A}}}, UUID_A),
        ({"tool": "memory_store", "summary": f"Stored {UUID_A} ({UUID_A.upper()})"}, None),
        ({"tool": "memory_store", "summary": f"{UUID_A} replaces {UUID_B}"}, None),
        ({"tool": "memory_recall", "summary": f"Found {UUID_A}"}, None),
        ({"tool": "exec", "detail": {"id": UUID_A}}, None),
    ],
)
def test_only_an_explicit_memory_is_linked(record: dict[str, Any], memory_id: str | None) -> None:
    assert take(**record).memory_id == memory_id


def test_a_memory_buried_too_deep_is_not_looked_for() -> None:
    detail: dict[str, Any] = {"memory_id": UUID_A}
    for _ in range(12):
        detail = {"deeper": detail}
    assert take(detail=detail).memory_id is None


def test_secrets_are_taken_out_of_every_text_and_detail_stays_json() -> None:
    leaked = "gh" + "p_" + "a1B2c3D4e5" * 4
    record = {
        "ts": TS,
        "summary": f"token {leaked}",
        "summary_en": f"the token {leaked}",
        "detail": {"log": ["fine", f"push {leaked}"], "password": "correct horse", "bytes": 3, leaked: 1},
    }
    row, redacted = capture_row(record, dumps=dumps, fallback_ms=BEFORE, now_ms=NOW)
    assert redacted
    assert leaked not in "".join(str(value) for value in row)
    detail = json.loads(row.detail_json)
    assert (detail["log"][0], detail["bytes"]) == ("fine", 3)
    assert "horse" not in detail["password"]


@pytest.mark.parametrize(
    ("field", "value", "kept"),
    [
        ("password", "correct horse", False),
        ("db_passwd", "x", False),
        ("clientSecret", "abc", False),
        ("accessToken", "abc", False),
        ("token", "a1b2c3d4e5f6", False),
        ("password", "", True),
        ("next_token", "page", True),
        ("cache_key", "user", True),
        ("secretary", "Marta", True),
        ("token-budget", "1200", True),
    ],
)
def test_a_field_named_like_a_secret_hides_its_value(field: str, value: str, kept: bool) -> None:
    detail = {"list": [{field: value}], "bytes": 3}
    row, redacted = capture_row(
        {"summary": "text", "detail": detail}, dumps=dumps, fallback_ms=BEFORE, now_ms=NOW
    )
    assert redacted is not kept
    assert (json.loads(row.detail_json) == detail) is kept


def test_a_secret_without_an_english_text_is_found_too() -> None:
    leaked = "gh" + "p_" + "a1B2c3D4e5" * 4
    row, redacted = capture_row({"summary": leaked}, dumps=dumps, fallback_ms=BEFORE, now_ms=NOW)
    assert (redacted, row.summary_en) == (True, None)
    assert leaked not in row.summary


def test_a_memory_id_is_no_secret() -> None:
    row, redacted = capture_row(
        {"summary": f"Stored memory {UUID_A}", "tool": "memory_store"},
        dumps=dumps,
        fallback_ms=BEFORE,
        now_ms=NOW,
    )
    assert (redacted, row.summary) == (False, f"Stored memory {UUID_A}")


def test_long_texts_are_clipped_and_say_so() -> None:
    row = take(summary="x" * (MAX_TEXT + 5), summary_en="y" * (MAX_TEXT + 7))
    assert (len(row.summary), len(row.summary_en or "")) == (MAX_TEXT, MAX_TEXT)
    assert json.loads(row.detail_json) == {"_clipped": MAX_TEXT + 5, "_clipped_en": MAX_TEXT + 7}


@pytest.mark.parametrize("letter", ["x", "記"])
def test_a_long_detail_gives_way_to_its_size_but_keeps_its_columns(letter: str) -> None:
    detail = {"scope": "ops", "log": letter * MAX_DETAIL_BYTES}
    row = take(detail=detail)
    assert json.loads(row.detail_json) == {"_truncated": True, "original_bytes": len(dumps(detail).encode())}
    assert row.scope == "ops"


def test_a_detail_just_within_the_bound_is_kept() -> None:
    detail = {"log": "x" * (MAX_DETAIL_BYTES - len('{"log":""}'))}
    assert json.loads(take(detail=detail).detail_json) == detail


def test_nesting_beyond_the_bound_is_refused() -> None:
    value: Any = "leaf"
    for _ in range(MAX_DEPTH):
        value = [value]
    assert map_strings(value, str.upper) is not None
    with pytest.raises(DataError) as caught:
        map_strings([value], str.upper)
    assert caught.value.reason == capture.RejectReason.NESTING_TOO_DEEP
