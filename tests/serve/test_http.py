"""The HTTP door: what is asked and what comes back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sunrise.bootstrap import open_home
from sunrise.domain.answers import answer_of
from sunrise.domain.recall import RecallRequest
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.serve.problems import REASONS
from sunrise.settings import load_settings
from tests.serving import Served, make_home, served


def test_a_recall_answers_as_the_library_does(door: Served) -> None:
    answer = door.recall("green tea", limit=3)
    with open_home(load_settings(door.home)) as home:
        expected = answer_of(home.recall(RecallRequest("green tea", limit=3)))
    assert answer.status == 200
    assert [_unscored(item) for item in answer.json["items"]] == [_unscored(i) for i in expected["items"]]
    assert answer.json["items"][0]["score"] == pytest.approx(expected["items"][0]["score"], rel=1e-3)
    assert {"ref": "mem:m-tea", "text": "The user likes green tea"}.items() <= answer.json["items"][0].items()
    varying = ("latencyMs", "atMs", "whyTheseIds")
    found, wanted = answer.json["receipt"], json.loads(json.dumps(expected["receipt"]))
    assert {**found, **dict.fromkeys(varying)} == {**wanted, **dict.fromkeys(varying)}


def test_the_service_ranks_as_the_settings_say(own_home: Path) -> None:
    with served(own_home) as running:
        before = running.recall("green tea").json["items"][0]["score"]
    config = (own_home / "sunrise.toml").read_text()
    (own_home / "sunrise.toml").write_text(config + "[recall]\nrecency_floor = 0.2\nhalf_life_days = 1\n")
    with served(own_home) as running:
        assert running.recall("green tea").json["items"][0]["score"] < before


def test_a_text_in_another_script_goes_both_ways(door: Served) -> None:
    assert door.recall("備份資料庫").json["items"][0]["text"] == "部署前必須備份資料庫"


def test_half_a_surrogate_pair_in_a_query_is_no_reason_to_fail(door: Served) -> None:
    answer = door.ask("POST", "/v1/recall", b'{"query": "green tea \\ud83d"}')
    assert answer.status == 200
    assert answer.json["items"]


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({}, {"field": "query", "code": "missing"}),
        ({"query": 1}, {"field": "query", "code": "string_type"}),
        ({"query": "a", "limit": 0}, {"field": "limit", "code": "greater_than_equal"}),
        ({"query": "a", "limit": 101}, {"field": "limit", "code": "less_than_equal"}),
        ({"query": "a", "limit": "5"}, {"field": "limit", "code": "int_type"}),
        ({"query": "a", "extra": 1}, {"field": "extra", "code": "extra_forbidden"}),
        ({"query": "a", "scope": "a\x00b"}, {"field": "scope", "code": "string_pattern_mismatch"}),
    ],
)
def test_a_request_that_is_not_valid_is_told_where(
    door: Served, body: dict[str, object], fault: dict[str, str]
) -> None:
    answer = door.ask("POST", "/v1/recall", body)
    assert (answer.status, answer.reason) == (422, "not_valid")
    (told,) = answer.json["faults"]
    # What a field takes is said too, where that repeats nothing of what was sent.
    assert ("expected" in told) == (fault["code"] != "string_pattern_mismatch")
    assert {name: told[name] for name in fault} == fault


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("/v1/recall", {"query": "a", "limit": 101}, "Input should be less than or equal to 100"),
        ("/v1/recall", {"query": "a", "verbosity": "all"}, "Input should be 'low' or 'high'"),
        (
            "/v1/list",
            {"label": "important"},
            "Input should be 'must_remember', 'nice_to_have', 'ignore' or 'unknown'",
        ),
        ("/v1/list", {"trust": "high"}, "Input should be 'trusted', 'untrusted', 'quarantined' or 'unknown'"),
        ("/v1/export", {"format": "xml"}, "Input should be 'jsonl', 'json', 'markdown' or 'parquet'"),
        ("/v1/store", {"text": "a", "importance": 7}, "Input should be less than or equal to 1"),
    ],
)
def test_a_wrong_value_is_refused_with_the_right_ones(
    door: Served, path: str, body: dict[str, object], expected: str
) -> None:
    answer = door.ask("POST", path, body)
    assert (answer.status, answer.reason) == (422, "not_valid")
    assert answer.json["faults"][0]["expected"] == expected


@pytest.mark.parametrize("body", [b"{", b"nothing", b"\xff\xfe", b'{"query": "a"} x', b"[" * 20])
def test_what_is_no_json_is_a_bad_request(door: Served, body: bytes) -> None:
    answer = door.ask("POST", "/v1/recall", body)
    assert (answer.status, answer.reason) == (400, "bad_request")


def test_a_problem_has_the_form_of_its_standard(door: Served) -> None:
    answer = door.ask("GET", "/v1/nothing", x_request_id="my-id_1")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-request-id"] == "my-id_1"
    assert answer.json == {
        "type": "about:blank",
        "title": REASONS["not_found"].title,
        "status": 404,
        "reason": "not_found",
        "requestId": "my-id_1",
    }


def test_a_method_that_an_address_does_not_take_is_named(door: Served) -> None:
    answer = door.ask("GET", "/v1/recall")
    assert (answer.status, answer.reason, answer.headers["allow"]) == (405, "method_not_allowed", "POST")


def test_events_are_where_the_harvest_reads_them(own_home: Path) -> None:
    events = [
        {"event_id": "e-1", "kind": "note", "summary": "first", "sessionKey": "s"},
        {"summary": "second, with the key sk-" + "a1B2c3D4" * 6},
    ]
    with served(own_home) as running:
        answer = running.ask("POST", "/v1/event", {"events": events})
    assert answer.status == 202
    lines = [json.loads(line) for line in (own_home / "spool/http/events.jsonl").read_text().splitlines()]
    assert {tuple(line) for line in lines} == {("event", "stamp")}
    assert {line["stamp"]["caller"] for line in lines} == {"operator"}
    lines = [line["event"] for line in lines]
    assert [line["event_id"] for line in lines] == answer.json["eventIds"]
    assert answer.json["eventIds"][0] == "e-1"
    assert lines[0]["sessionKey"] == "s"
    assert "a1B2c3D4" not in lines[1]["summary"]


@pytest.mark.parametrize("events", [[], [{}] * 501, [{"scope": "a\nb"}], [1]])
def test_events_that_are_none_leave_nothing(own_home: Path, events: list[object]) -> None:
    with served(own_home) as running:
        assert running.ask("POST", "/v1/event", {"events": events}).status == 422
    assert not (own_home / "spool/http").exists()


def test_a_receipt_is_had_by_its_run(own_home: Path) -> None:
    receipt = RunReceipt(
        run_id="20261118T110640Z-grade-123456", flow="grade", status=RunStatus.OK, started_ms=1
    )
    with open_home(load_settings(own_home)) as home:
        home.ledger.save_run(receipt)
    with served(own_home) as running:
        answer = running.ask("GET", f"/v1/receipts/{receipt.run_id}")
        assert answer.json == json.loads(json.dumps(receipt.to_dict()))
        assert running.ask("GET", "/v1/receipts/none").reason == "not_found"


def test_the_service_says_that_it_lives_and_is_ready(door: Served) -> None:
    assert door.ask("GET", "/healthz").json == {"status": "alive"}
    ready = {"status": "ready", "ledger": "ok", "memories": "ok", "embedder": "ok"}
    assert door.ask("GET", "/readyz").json == ready


def test_what_was_asked_is_counted(own_home: Path) -> None:
    with served(own_home) as running:
        running.recall("green tea")
        running.recall("green tea", limit=0)
        running.ask("GET", "/v1/../../etc/passwd")
        text = running.ask("GET", "/metrics").body.decode()
    lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert lines['sunrise_requests_total{route="/v1/recall",status="200"}'] == "1.0"
    assert lines['sunrise_problems_total{reason="not_valid",route="/v1/recall"}'] == "1.0"
    assert lines['sunrise_problems_total{reason="not_found",route="other"}'] == "1.0"
    assert lines['sunrise_items_total{route="/v1/recall"}'] == "1.0"
    assert lines['sunrise_request_seconds_count{route="/v1/recall"}'] == "2.0"
    assert "passwd" not in text


def test_an_empty_home_answers_with_nothing(tmp_path: Path) -> None:
    home = tmp_path / "empty"
    home.mkdir()
    (home / "sunrise.toml").write_text('[embedder]\nname = "none"\n[memories]\nuri = "elsewhere"\n')
    with served(home) as running:
        answer = running.recall()
        assert (answer.status, answer.json["items"]) == (200, [])
        assert answer.json["receipt"]["reason"] == "no_memories_table"
        assert running.ask("GET", "/readyz").json["memories"] == "missing"
        # The agent makes its table while the service runs.
        make_home(home / "made")
        (home / "made/lance").rename(home / "elsewhere")
        assert running.recall("green tea").json["items"]


def test_a_turn_gets_a_block_of_text(own_home: Path) -> None:
    with served(own_home) as running:
        turn = {"prompt": "Which green tea does the user like?", "sessionKey": "s", "turnKey": "t"}
        answer = running.ask("POST", "/v1/auto-recall", turn)
        again = running.ask("POST", "/v1/auto-recall", {**turn, "readOnly": True})
    assert answer.status == 200
    assert [item["ref"] for item in answer.json["items"]] == ["mem:m-tea"]
    assert "The user likes green tea" in answer.json["text"]
    assert "green tea" not in json.dumps(answer.json["receipt"])
    assert again.json["text"] == answer.json["text"]


def _unscored(item: dict[str, object]) -> dict[str, object]:
    return {**item, "score": None}
