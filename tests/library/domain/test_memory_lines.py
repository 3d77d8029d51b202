"""One memory as a line: every shape is brought to one form, and what cannot be kept is told why."""

from __future__ import annotations

import json
import math
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.memory_lines import (
    FIELDS,
    LONGEST_FIELD,
    LONGEST_TEXT,
    imported_row,
    new_id,
    normal_row,
    sample_of,
)
from sunrise.errors import DataError

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
VALUES = SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(st.text(max_size=5), SCALARS, max_size=3)
TIERS = st.sampled_from(["trusted", "untrusted", "quarantined", "user", ""])
RECORDS = st.fixed_dictionaries(
    {"text": VALUES},
    optional={name: VALUES | TIERS for name in FIELDS if name != "text"},
)


def row(**values: Any) -> dict[str, Any]:
    return normal_row({"id": "a", "text": "tea", **values})


def reason(**values: Any) -> str:
    with pytest.raises(DataError) as error:
        row(**values)
    return str(error.value.reason)


@given(RECORDS)
def test_the_form_is_reached_at_once_or_not_at_all(record: dict[str, Any]) -> None:
    try:
        once = normal_row(record)
    except DataError:
        return
    assert tuple(once) == FIELDS
    assert normal_row(once) == once
    assert normal_row(json.loads(json.dumps(once))) == once


def test_a_row_of_the_gateways_plugin_reads_as_it_is() -> None:
    plugin = {
        "id": "3f0c", "text": "I like tea", "vector": [0.1], "importance": 0.7, "category": "preference",
        "createdAt": 1_790_000_000_000, "importance_label": "nice_to_have", "scope": "global",
        "trust_tier": "user",
    }  # fmt: skip
    assert {name: value for name, value in normal_row(plugin).items() if value is not None} == {
        "id": "3f0c", "text": "I like tea", "importance": 0.7, "category": "preference",
        "createdAt": 1_790_000_000_000, "importance_label": "nice_to_have", "scope": "global",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("said", "score", "label"),
    [
        (None, None, None),
        (0.55, 0.55, "nice_to_have"),
        (86, 0.86, "must_remember"),
        ("86%", 0.86, "must_remember"),
        ("high", 0.8, "must_remember"),
        ({"score": 0.2, "label": "must_remember"}, 0.2, "ignore"),
        (math.nan, None, "unknown"),
        ("whatever", None, "unknown"),
    ],
)
def test_importance_has_any_shape(said: object, score: float | None, label: str | None) -> None:
    found = row(importance=said)
    assert (found["importance"], found["importance_label"]) == (score, label)


def test_a_label_of_its_own_stands_and_an_empty_one_stays_empty() -> None:
    assert row(importance=0.2, importance_label="Must-Remember")["importance_label"] == "must_remember"
    assert row(importance=0.9, importance_label=None)["importance_label"] is None
    assert row(importance=0.9, importance_label="great")["importance_label"] is None


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (1_752_960_000_000, 1_752_960_000_000),
        (1_752_960_000_000.0, 1_752_960_000_000),
        ("2025-07-20 05:20", 1_752_960_000_000),
        ("", None),
        (None, None),
    ],
)
def test_a_time_is_whole_milliseconds_in_the_zone_of_the_home(said: object, kept: object) -> None:
    found = normal_row({"text": "tea", "createdAt": said}, zone=ZoneInfo("Asia/Taipei"))["createdAt"]
    assert found == kept
    assert type(found) is type(kept)


def test_times_of_the_archive_are_whole() -> None:
    assert row(archived_at_ms=5.9)["archived_at_ms"] == 5
    assert row(archived_at_ms=-1)["archived_at_ms"] is None


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"text": None}, "missing_text"),
        ({"text": " \n "}, "missing_text"),
        ({"text": 5}, "wrong_type"),
        ({"text": "a\0b"}, "nul"),
        ({"text": "half \ud83d"}, "lone_surrogate"),
        ({"text": "a" * (LONGEST_TEXT + 1)}, "text_too_long"),
        ({"scope": 5}, "wrong_type"),
        ({"scope": "a" * (LONGEST_FIELD + 1)}, "field_too_long"),
        ({"category": "a\0"}, "nul"),
        ({"createdAt": "yesterday"}, "bad_time.createdAt.not_a_time"),
        ({"createdAt": True}, "bad_time.createdAt.boolean"),
        ({"createdAt": 5}, "bad_time.createdAt.too_early"),
        ({"createdAt": None, "timestamp": -1}, "bad_time.timestamp.negative"),
        ({"importance": []}, "wrong_type"),
        ({"importance": False}, "wrong_type"),
        ({"importance_label": 5}, "wrong_type"),
        ({"trust_tier": 5}, "wrong_type"),
        ({"state": ["active"]}, "wrong_type"),
        ({"archived_at_ms": "x"}, "wrong_type"),
        ({"id": 5}, "wrong_type"),
        ({"id": "a b"}, "bad_id"),
        ({"id": "a\0"}, "bad_id"),
        ({"id": "\udc00"}, "lone_surrogate"),
        ({"id": "a" * 257}, "bad_id"),
        ({"id": "__schema__"}, "bad_id"),
    ],
)
def test_what_cannot_be_kept_is_told_why(values: dict[str, Any], fault: str) -> None:
    assert reason(**values) == fault


def test_a_source_ref_may_be_longer_than_other_fields() -> None:
    assert row(source_ref="a" * 1000)["source_ref"] == "a" * 1000
    assert reason(source_ref="a" * 1001) == "field_too_long"


def test_a_row_without_an_id_gets_the_same_one_each_time_and_no_others() -> None:
    made = normal_row({"text": "tea"})["id"]
    assert made == normal_row({"text": "tea", "id": ""})["id"]
    others = [{"text": "tea", "scope": "ops"}, {"text": "tea", "createdAt": 10**12}, {"text": "coffee"}]
    assert len({made, *(normal_row(other)["id"] for other in others)}) == 4
    assert new_id("a", "bc") != new_id("ab", "c")


def test_a_sample_shows_no_secret_and_is_short() -> None:
    assert sample_of(b'{"text": "password: hunter2"') == '{"text": "password: [redacted:password]"'
    assert sample_of(b"\xff\x00" + b"a" * 100_000) == "\ufffd " + "a" * 498


@pytest.mark.parametrize("importance", [7, 86, -1, 1.5, "7", {"score": 7}])
def test_an_imported_importance_that_may_mean_two_things_is_refused(importance: object) -> None:
    with pytest.raises(DataError) as caught:
        imported_row({"text": "tea", "importance": importance})
    assert caught.value.reason == "ambiguous_importance"


@pytest.mark.parametrize(("importance", "score"), [(0.7, 0.7), ("70%", 0.7), (1, 1.0), ("nice_to_have", 0.5)])
def test_an_imported_importance_of_one_meaning_is_taken(importance: object, score: float) -> None:
    assert imported_row({"text": "tea", "importance": importance})["importance"] == score
