"""Golden files of each shape become memories and queries; what is none of them is refused by line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sunrise.domain.retention import DAY_MS
from sunrise.errors import DataError
from tasks.golden import OFF_TOPIC, GoldenQuery, GoldenSet
from tasks.golden_sets import own_golden_file, read_golden_set, read_golden_sets, thinned
from tasks.golden_shapes import UNDATED_MS

MEMORY: dict[str, Any] = {"kind": "memory", "id": "a", "text": "The user likes green tea"}
QUERY: dict[str, Any] = {"kind": "query", "id": "q", "query": "which tea", "relevant": ["a"]}


def write(path: Path, *lines: Any) -> Path:
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines), encoding="utf-8")
    return path


def test_a_line_says_by_its_kind_what_it_is(tmp_path: Path) -> None:
    dated = {**MEMORY, "scope": "home", "created": "2026-03-01T08:00:00+08:00"}
    asked = {**QUERY, "scope": "home", "category": "date", "lang": "de", "now": "2026-03-02"}
    other = {**MEMORY, "id": "b", "scope": "home"}
    golden, refused = read_golden_set(
        write(tmp_path / "g.jsonl", dated, other, {**asked, "forbidden": ["b"]})
    )
    assert refused == []
    first, second = golden.memories
    assert (first.id, first.scope, first.created_ms) == ("a", "home", 1_772_323_200_000)
    assert second.created_ms == UNDATED_MS - DAY_MS
    (query,) = golden.queries
    assert query == GoldenQuery(
        key="q",
        query="which tea",
        relevant=("mem:a",),
        forbidden=("mem:b",),
        scope="home",
        lang="de",
        category="date",
        now_ms=1_772_409_600_000,
    )


def test_a_lone_answer_and_a_group_stand_for_the_longer_names(tmp_path: Path) -> None:
    asked = {"kind": "query", "id": "q", "group": "zh>en", "query": "用戶喜歡什麼茶", "answer": "a"}
    golden, _ = read_golden_set(write(tmp_path / "g.jsonl", MEMORY, asked))
    (query,) = golden.queries
    assert (query.category, query.lang, query.relevant) == ("zh>en", "zh", ("mem:a",))


def test_a_pair_is_a_memory_and_its_query(tmp_path: Path) -> None:
    line = {"key": "zh-01", "category": "zh", "query": "偏好", "summary": "採用深色介面"}
    golden, _ = read_golden_set(write(tmp_path / "g.jsonl", line))
    assert [(one.id, one.text) for one in golden.memories] == [("zh-01", "採用深色介面")]
    assert [(one.key, one.relevant) for one in golden.queries] == [("zh-01", ("mem:zh-01",))]


def test_a_life_cycle_is_a_scope_with_its_candidates(tmp_path: Path) -> None:
    old = {"key": "x-old", "answer": "us", "age_days": 9, "state": "soft-archived", "importance": "ignore"}
    new = {"key": "x-new", "answer": "eu", "age_days": 1, "state": "active", "importance": "must_remember"}
    line = {
        "case_id": "x",
        "category": "superseded",
        "query": "region",
        "kind": "fact",
        "expected_key": "x-new",
    }
    golden, refused = read_golden_set(write(tmp_path / "g.jsonl", {**line, "records": [old, new]}))
    assert refused == []
    first, second = golden.memories
    assert (first.text, first.state, first.importance, first.label) == (
        "region: us",
        "archived",
        0.2,
        "ignore",
    )
    assert (second.scope, second.state, second.created_ms) == ("x", "active", UNDATED_MS - DAY_MS)
    (query,) = golden.queries
    assert query.relevant == (f"mem:{second.id}",)
    assert query.forbidden == (f"mem:{first.id}",)
    assert second.id.endswith("-x-new")
    assert not second.id.startswith("x")


def test_conversations_become_dated_turns_with_their_questions(tmp_path: Path) -> None:
    sample = {
        "sample_id": "c1",
        "conversation": {
            "speaker_a": "Ann",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "Hello"},
                {"speaker": "Bob", "dia_id": "D1:2", "text": "Look", "blip_caption": "a dog"},
            ],
        },
        "qa": [
            {"question": "What did Bob show?", "category": 4, "evidence": ["D1:2; D1:1", "D1:2", "D9:9"]},
            {"question": "What is not there?", "category": 1, "evidence": ["D"]},
            {"question": "What was never said?", "category": 5, "evidence": ["D1:1"]},
        ],
    }
    path = tmp_path / "talks.json"
    path.write_text(json.dumps([sample]), encoding="utf-8")
    golden, refused = read_golden_set(path)
    assert (golden.name, refused, golden.unresolved, golden.zone) == ("talks", [], 1, "UTC")
    assert [(one.id, one.text, one.scope) for one in golden.memories] == [
        ("c1/D1:1", "[1:56 pm on 8 May, 2023] Ann: Hello", "c1"),
        ("c1/D1:2", "[1:56 pm on 8 May, 2023] Bob: Look [a dog]", "c1"),
    ]
    assert golden.memories[0].created_ms == 1_683_554_160_000
    (query,) = golden.queries
    assert (query.key, query.category) == ("c1/0", "single-hop")
    assert query.relevant == ("mem:c1/D1:2", "mem:c1/D1:1")
    assert query.now_ms == 1_683_554_161_000 + DAY_MS


@pytest.mark.parametrize("text", ["{", "5", '[{"qa": []}]', '["a"]'])
def test_another_json_file_is_no_golden_set(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as refused:
        read_golden_set(path)
    assert refused.value.reason == "golden_malformed"


def test_queries_that_name_an_unknown_memory_are_refused(tmp_path: Path) -> None:
    lines = [
        MEMORY,
        QUERY,
        {**QUERY, "id": "q2", "relevant": ["b"]},
        {**QUERY, "id": "q3", "forbidden": ["c"]},
    ]
    golden, refused = read_golden_set(write(tmp_path / "g.jsonl", *lines))
    assert [one.key for one in golden.queries] == ["q"]
    assert [(one.position, one.reason) for one in refused] == [
        ("q2", "malformed_golden.unknown_memory"),
        ("q3", "malformed_golden.unknown_memory"),
    ]


@pytest.mark.parametrize(
    "broken",
    [
        {**QUERY, "relevant": []},
        {**QUERY, "category": OFF_TOPIC},
        {**QUERY, "relevant": "a"},
        {**QUERY, "now": "yesterday"},
        {**MEMORY, "text": None},
        {"kind": "event", "query": "q"},
        {"key": "p", "query": "q", "summary": 5},
        "text",
        5,
    ],
)
def test_broken_lines_are_refused_and_the_others_stay(tmp_path: Path, broken: Any) -> None:
    golden, refused = read_golden_set(write(tmp_path / "g.jsonl", MEMORY, broken, QUERY))
    assert ([one.line for one in refused], len(golden.queries)) == ([2], 1)


def test_a_missing_file_and_a_name_that_stands_twice_are_errors(tmp_path: Path) -> None:
    with pytest.raises(DataError) as unreadable:
        read_golden_sets([tmp_path / "none.jsonl"])
    (tmp_path / "deep").mkdir()
    twice = [write(tmp_path / "g.jsonl", MEMORY), write(tmp_path / "deep" / "g.jsonl", MEMORY)]
    with pytest.raises(DataError) as named:
        read_golden_sets(twice)
    assert (unreadable.value.reason, named.value.reason) == ("golden_unreadable", "golden_name_twice")


def test_thinning_goes_from_first_to_last() -> None:
    queries = tuple(GoldenQuery(key=str(n), query="q", relevant=("mem:a",)) for n in range(10))
    golden = GoldenSet("g", "0", queries=queries)
    assert [one.key for one in thinned(golden, 4).queries] == ["0", "2", "5", "7"]
    assert thinned(golden, 10) is golden
    assert thinned(golden, None) is golden


def test_the_digest_is_that_of_the_file(tmp_path: Path) -> None:
    first, _ = read_golden_set(write(tmp_path / "g.jsonl", MEMORY))
    again, _ = read_golden_set(write(tmp_path / "g.jsonl", MEMORY))
    other, _ = read_golden_set(write(tmp_path / "g.jsonl", MEMORY, QUERY))
    assert first.digest == again.digest != other.digest


def test_our_own_set_is_where_it_is_looked_for() -> None:
    assert own_golden_file().is_file()
