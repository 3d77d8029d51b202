"""The border: each contract's accept and reject table, with the reason code of every refused row."""

from __future__ import annotations

from typing import Any, NamedTuple

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.admission import KEY_CHARS, SAMPLE_CHARS, Contract, admit
from contracts.governance import GovernanceFrame, MemoryGovernanceFrame
from contracts.measurement import DistributionFrame, GoldenFrame
from contracts.observations import MAX_MS, CapturedFrame, EpisodeFrame, GradeFrame, UngradedFrame
from contracts.retention import StandingFrame
from sunrise.errors import DataError
from tasks.evaluate import GOLDEN
from tasks.lifecycle import STANDING
from tests.homes import observation

TEXT, INT, REAL = pl.String, pl.Int64, pl.Float64
Schema = dict[str, Any]


class Case(NamedTuple):
    """A contract, its columns, one row that keeps it, and changes of that row with what comes of them."""

    contract: Contract
    schema: Schema
    key: str
    row: dict[str, Any]
    accepted: list[dict[str, Any]]
    refused: list[tuple[dict[str, Any], str]]


AT_THE_DOOR = ("trust_reason", "entry_rule", "archived_at_ms")
CAPTURED: Schema = {
    **dict.fromkeys((*observation("a"), "episode_key", "state", "trust_reason", "entry_rule"), TEXT),
    "archived_at_ms": INT,
    "ts_ms": INT,
    "created_at_ms": INT,
    "importance_score": REAL,
}
EPISODE: dict[str, Any] = {
    "key": "s#e", "ts_ms": 1, "ts_flag": None, "type": "conversation.user", "session_id": "s",
    "session_key": None, "agent_id": None, "scope": None, "trust_tier": None, "source_kind": "operator",
    "source_ref": "session:s#e", "tool_name": None, "tool_call_id": None, "text": "hi", "detail_json": "{}",
}  # fmt: skip
CASES = {
    "captured": Case(
        CapturedFrame,
        CAPTURED,
        "key",
        {**observation("a"), **dict.fromkeys(("episode_key", "state", *AT_THE_DOOR))},
        [
            {"ts_ms": 0},
            {"ts_ms": MAX_MS},
            {"ts_flag": "missing"},
            {"trust_tier": "quarantined"},
            {"importance_score": 0.0, "importance_label": "ignore"},
            {"importance_score": 1.0, "importance_label": "must_remember"},
            {"scope": "s" * 256},
            {"lang": "zh"},
            {"terms": ""},
            {"summary": "備"},
            {"kind": "k" * 64},
            {"key": "k" * 256},
            {"episode_key": "s#e", "state": "archived", "entry_rule": "heartbeat", "archived_at_ms": 1},
            {"source_kind": "agent", "trust_reason": "payload:role_marker"},
        ],
        [
            ({"key": ""}, "key.bad_length"),
            ({"key": "k" * 257}, "key.bad_length"),
            ({"key": None}, "key.missing"),
            ({"ts_ms": -1}, "ts_ms.out_of_range"),
            ({"ts_ms": MAX_MS + 1}, "ts_ms.out_of_range"),
            ({"ts_ms": None}, "ts_ms.missing"),
            ({"ts_flag": "late"}, "ts_flag.not_allowed"),
            ({"kind": ""}, "kind.bad_length"),
            ({"kind": "k" * 65}, "kind.bad_length"),
            ({"summary": ""}, "summary.bad_length"),
            ({"summary": None}, "summary.missing"),
            ({"lang": "e"}, "lang.bad_length"),
            ({"state": "gone"}, "state.not_allowed"),
            ({"scope": "s" * 257}, "scope.bad_length"),
            ({"trust_tier": "high"}, "trust_tier.not_allowed"),
            ({"source_kind": "rumour"}, "source_kind.not_allowed"),
            ({"importance_score": 1.01}, "importance_score.out_of_range"),
            ({"importance_score": -0.01}, "importance_score.out_of_range"),
            ({"importance_label": "unknown"}, "importance_label.not_allowed"),
            ({"memory_id": "m" * 129}, "memory_id.bad_length"),
            ({"detail_json": ""}, "detail_json.bad_length"),
            ({"terms": None}, "terms.missing"),
            ({"created_at_ms": -5}, "created_at_ms.out_of_range"),
        ],
    ),
    "episodes": Case(
        EpisodeFrame,
        {**dict.fromkeys(EPISODE, TEXT), "ts_ms": INT},
        "key",
        EPISODE,
        [
            {"text": ""},
            {"ts_flag": "invalid", "trust_tier": "trusted", "source_kind": "tool"},
            {"session_id": None, "source_ref": None},
        ],
        [
            ({"key": ""}, "key.bad_length"),
            ({"ts_ms": -1}, "ts_ms.out_of_range"),
            ({"type": ""}, "type.bad_length"),
            ({"trust_tier": "some"}, "trust_tier.not_allowed"),
            ({"source_kind": "owner"}, "source_kind.not_allowed"),
            ({"text": None}, "text.missing"),
            ({"detail_json": ""}, "detail_json.bad_length"),
        ],
    ),
    "ungraded": Case(
        UngradedFrame,
        {"id": INT, "kind": TEXT, "tool_name": TEXT, "summary": TEXT, "importance_label": TEXT},
        "id",
        {"id": 1, "kind": "note", "tool_name": None, "summary": "s", "importance_label": None},
        [{"importance_label": "ignore"}, {"tool_name": "exec"}],
        [
            ({"id": 0}, "id.out_of_range"),
            ({"summary": None}, "summary.missing"),
            ({"importance_label": "unknown"}, "importance_label.not_allowed"),
        ],
    ),
    "grade": Case(
        GradeFrame,
        {"id": INT, "score": REAL, "label": TEXT, "method": TEXT, "version": INT, "rationale": TEXT},
        "id",
        {"id": 1, "score": 0.5, "label": "ignore", "method": "m", "version": 1, "rationale": ""},
        [{"score": 0.0}, {"score": 1.0}],
        [
            ({"score": 1.5}, "score.out_of_range"),
            ({"score": None}, "score.missing"),
            ({"label": "unknown"}, "label.not_allowed"),
            ({"method": ""}, "method.bad_length"),
            ({"version": 0}, "version.out_of_range"),
        ],
    ),
    "governance": Case(
        GovernanceFrame,
        {
            "memory_id": TEXT,
            "observation_id": INT,
            "importance": REAL,
            "importance_label": TEXT,
            "importance_from": TEXT,
            "scope": TEXT,
            "category": TEXT,
            "trust_tier": TEXT,
            **dict.fromkeys(("source_kind", "source_ref", "lang", "state"), TEXT),
        },
        "observation_id",
        {
            "memory_id": "m",
            "observation_id": 1,
            "importance": None,
            "importance_label": None,
            "importance_from": None,
            "scope": None,
            "category": None,
            "trust_tier": None,
            "source_kind": "agent",
            "source_ref": None,
            "lang": "en",
            "state": None,
        },
        [{"importance": 1.0, "importance_label": "must_remember", "scope": "", "trust_tier": "trusted"}],
        [
            ({"memory_id": ""}, "memory_id.bad_length"),
            ({"observation_id": 0}, "observation_id.out_of_range"),
            ({"importance": 2.0}, "importance.out_of_range"),
            ({"importance_label": "high"}, "importance_label.not_allowed"),
            ({"importance_from": "guessed"}, "importance_from.not_allowed"),
            ({"category": "c" * 65}, "category.bad_length"),
            ({"trust_tier": "?"}, "trust_tier.not_allowed"),
            ({"source_kind": "k" * 65}, "source_kind.bad_length"),
            ({"lang": None}, "lang.missing"),
        ],
    ),
    "memory": Case(
        MemoryGovernanceFrame,
        {
            "id": TEXT,
            "importance": REAL,
            "importance_label": TEXT,
            "scope": TEXT,
            "category": TEXT,
            "trust_tier": TEXT,
            **dict.fromkeys(("source_kind", "source_ref", "lang", "state"), TEXT),
        },
        "id",
        {
            "id": "m",
            "importance": None,
            "importance_label": None,
            "scope": None,
            "category": None,
            **dict.fromkeys(("trust_tier", "source_kind", "source_ref", "lang", "state")),
        },
        [{"importance": 17.0, "importance_label": "whatever an agent wrote"}],
        [({"id": ""}, "id.bad_length"), ({"id": None}, "id.missing")],
    ),
    "distribution": Case(
        DistributionFrame,
        {"importance_label": TEXT, "scope": TEXT, "rows": INT},
        "scope",
        {"importance_label": None, "scope": None, "rows": 0},
        [{"rows": 5}],
        [({"rows": -1}, "rows.out_of_range"), ({"rows": None}, "rows.missing")],
    ),
    "golden": Case(
        GoldenFrame,
        GOLDEN,
        "key",
        {"key": "q1", "query": "q", "scope": None, "lang": None, "category": None, "expected": ["mem:a"]},
        [{"expected": ["mem:a", "a text"]}],
        [
            ({"key": ""}, "key.bad_length"),
            ({"query": ""}, "query.bad_length"),
            ({"expected": []}, "names_an_answer"),
            ({"expected": None}, "expected.missing"),
        ],
    ),
    "standing": Case(
        StandingFrame,
        STANDING,
        "record_ref",
        {
            "record_ref": "obs:1",
            "kind": "note",
            "importance_label": None,
            "trust_tier": None,
            "priority": None,
            "state": None,
            "created_ms": 1,
            "archived_at_ms": None,
            "last_used_ms": None,
            "is_recallable": True,
        },
        [{"record_ref": "mem:3f-0c"}, {"archived_at_ms": 0, "last_used_ms": 0}],
        [
            ({"record_ref": "doc:x"}, "record_ref.bad_form"),
            ({"record_ref": "mem:with space"}, "record_ref.bad_form"),
            ({"created_ms": -1}, "created_ms.out_of_range"),
            ({"created_ms": None}, "created_ms.missing"),
            ({"last_used_ms": -1}, "last_used_ms.out_of_range"),
        ],
    ),
}


def frame(case: Case, *rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=case.schema)


@pytest.mark.parametrize("name", CASES)
def test_rows_that_keep_the_contract_are_admitted(name: str) -> None:
    case = CASES[name]
    for change in [{}, *case.accepted]:
        whole = frame(case, {**case.row, **change})
        good, refused = admit(case.contract, whole, source="s", key=case.key)
        assert refused == (), change
        assert good.equals(whole)


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [(name, change, reason) for name, case in CASES.items() for change, reason in case.refused],
)
def test_a_row_that_breaks_it_is_refused_with_its_reason(
    name: str, change: dict[str, Any], reason: str
) -> None:
    case = CASES[name]
    good, (refused,) = admit(case.contract, frame(case, {**case.row, **change}), source="s", key=case.key)
    assert good.height == 0
    assert refused.reason == reason
    assert refused.source == "s"


@pytest.mark.parametrize("name", CASES)
def test_an_empty_frame_is_admitted(name: str) -> None:
    case = CASES[name]
    good, refused = admit(case.contract, frame(case), source="s", key=case.key)
    assert (good.height, refused) == (0, ())


@pytest.mark.parametrize("name", CASES)
def test_a_missing_or_unknown_column_or_another_type_breaks_the_frame(name: str) -> None:
    case = CASES[name]
    whole = frame(case, case.row)
    column = case.key
    for broken in (
        whole.drop(column),
        whole.with_columns(pl.lit(1).alias("unheard_of")),
        whole.with_columns(pl.lit(True).alias(column)),
    ):
        with pytest.raises(DataError) as error:
            admit(case.contract, broken, source="s", key=next(n for n in broken.columns if n != column))
        assert error.value.reason == "contract_broken"


def test_ids_that_stand_there_twice_are_all_refused() -> None:
    case = CASES["ungraded"]
    rows = frame(case, case.row, {**case.row, "id": 2}, case.row)
    good, refused = admit(case.contract, rows, source="s", key="id")
    assert good["id"].to_list() == [2]
    assert [one.reason for one in refused] == ["id.not_unique", "id.not_unique"]


def test_a_row_is_refused_once_however_much_is_wrong_and_the_sample_is_short() -> None:
    case = CASES["captured"]
    bad = {**case.row, "key": "k" * 300, "kind": "", "summary": "x" * 2000}
    good, (refused,) = admit(
        case.contract, frame(case, bad, case.row), source="s", key="key", sample="summary"
    )
    assert good["key"].to_list() == ["a"]
    assert len(refused.position) == KEY_CHARS
    assert len(refused.sample) == SAMPLE_CHARS
    assert " | xxx" in refused.sample


ROW = st.fixed_dictionaries(
    {
        "id": st.integers(-2, 4),
        "score": st.none() | st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0]),
        "label": st.sampled_from(["ignore", "unknown", None]),
        "method": st.sampled_from(["", "m"]),
        "version": st.integers(0, 1),
        "rationale": st.none() | st.text(max_size=3),
    }
)


@settings(max_examples=20, deadline=None)
@given(rows=st.lists(ROW, max_size=8))
def test_every_row_is_either_admitted_or_refused(rows: list[dict[str, Any]]) -> None:
    case = CASES["grade"]
    whole = frame(case, *rows)
    good, refused = admit(case.contract, whole, source="s", key="id")
    assert good.height + len(refused) == whole.height
    keys = [str(one) for one in good["id"].to_list()] + [one.position for one in refused]
    assert sorted(keys) == sorted(str(row["id"]) for row in rows)
    again, none = admit(case.contract, good, source="s", key="id")
    assert (again.equals(good), none) == (True, ())
