from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.importance import (
    UNKNOWN_IMPORTANCE,
    Importance,
    ImportanceLabel,
    below_must,
    effective_label,
    label_from_score,
    normalize_label,
    parse_importance,
)
from sunrise.domain.scoring.heuristic_v1 import HEURISTIC_V1
from sunrise.domain.scoring.heuristic_v2 import HEURISTIC_V2
from sunrise.domain.scoring.signals import Scorer

MUST, NICE, IGNORE = ImportanceLabel.MUST_REMEMBER, ImportanceLabel.NICE_TO_HAVE, ImportanceLabel.IGNORE


@pytest.mark.parametrize(
    ("score", "label"),
    [
        (1.0, MUST),
        (0.80, MUST),
        (0.7999, NICE),
        (0.50, NICE),
        (0.4999, IGNORE),
        (0.0, IGNORE),
        (-1.0, IGNORE),
        (math.nan, IGNORE),
        (math.inf, IGNORE),
    ],
)
def test_label_follows_from_the_thresholds(score: float, label: ImportanceLabel) -> None:
    assert label_from_score(score) is label


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("must_remember", MUST),
        ("Must Remember", MUST),
        (" must-remember ", MUST),
        ("ＨＩＧＨ", MUST),
        ("nice to have", NICE),
        ("medium", NICE),
        ("low", IGNORE),
        ("trivial", IGNORE),
        ("ignore", IGNORE),
        ("unknown", ImportanceLabel.UNKNOWN),
        ("none", ImportanceLabel.UNKNOWN),
        ("vital", None),
        ("", None),
        (None, None),
        (1, None),
    ],
)
def test_label_in_any_spelling(value: object, label: ImportanceLabel | None) -> None:
    assert normalize_label(value) is label


@pytest.mark.parametrize(
    ("value", "score"),
    [
        (0.86, 0.86),
        (0, 0.0),
        (1, 1.0),
        (86, 0.86),
        (86.0, 0.86),
        (2, 0.02),
        (100, 1.0),
        (101, 1.0),
        (10**400, 1.0),
        (-(10**400), 0.0),
        (1.5, 1.0),
        (-0.2, 0.0),
        ("0.86", 0.86),
        (".5", 0.5),
        ("86", 0.86),
        ("86%", 0.86),
        (" 86 % ", 0.86),
        ("1%", 0.01),
        ("150%", 1.0),
        ("86/100", 0.86),
        ("８６％", 0.86),
        ("８６／１００", 0.86),
        ("-3", 0.0),
        ("100%", 1.0),
        ("0%", 0.0),
        ("1/100", 0.01),
        ("150/100", 1.0),
        ("-5%", 0.0),
        ("1.5", 1.0),
        ("+0.5", 0.5),
        ("5.", 0.05),
        ("０．８６", 0.86),
        ("８６", 0.86),
        ("86 / 100", 0.86),
        ("86\n", 0.86),
        ({"score": 0.86}, 0.86),
        ({"score": "86%"}, 0.86),
        ({"score": 0.2, "label": "must_remember"}, 0.2),
        ({"score": 0.9, "label": "unknown"}, 0.9),
        ({"score": None, "label": "must_remember"}, 0.8),
        ({"score": True, "label": "nice_to_have"}, 0.5),
        ({"score": math.nan, "label": "low"}, 0.0),
        ({"label": "high"}, 0.8),
        ({"label": "Ｎｉｃｅ　ｔｏ　ｈａｖｅ"}, 0.5),
        ({"label": "0.9", "score": 0.2}, 0.2),
        ({"score": False, "label": "must_remember"}, 0.8),
        ({"score": "must_remember", "label": "ignore"}, 0.0),
        ({"score": "８６％", "label": "low", "method": "heuristic-v1", "version": 1, "rationale": "x"}, 0.86),
        ({"score": [0.9], "label": "medium"}, 0.5),
        ("nice-to-have", 0.5),
    ],
)
def test_score_of_every_shape(value: object, score: float) -> None:
    assert parse_importance(value) == Importance(score, label_from_score(score))


@pytest.mark.parametrize(
    "value", ["unknown", "none", {"label": "unknown"}, {"score": "?", "label": "Unknown"}]
)
def test_unknown_stays_unknown_without_a_score(value: object) -> None:
    assert parse_importance(value) == UNKNOWN_IMPORTANCE


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        math.nan,
        math.inf,
        -math.inf,
        "",
        "vital",
        "nan",
        "1e3",
        "9" * 400,
        "86/10",
        {},
        {"score": "?"},
        {"label": 3},
        {"label": "0.9"},
        {"score": True},
        {"score": math.nan},
        {"score": {"score": 0.5}},
        {"importance": 0.5},
        "1,5",
        "%",
        "86%%",
        "86/1000",
        "0x1",
        "1_0",
        "八十",
        "true",
        0.5 + 0j,
        [],
        [0.5],
        b"0.5",
    ],
)
def test_what_states_no_importance_gives_none(value: object) -> None:
    assert parse_importance(value) is None


def test_an_importance_is_itself() -> None:
    importance = Importance(0.3, IGNORE)
    assert parse_importance(importance) is importance


@given(st.one_of(st.floats(), st.integers(), st.text(max_size=8)))
def test_a_score_is_within_the_unit_and_agrees_with_its_label(value: object) -> None:
    importance = parse_importance({"score": value})
    if importance is not None:
        assert importance.score is not None
        assert 0 <= importance.score <= 1
        assert importance.label is label_from_score(importance.score)


@pytest.mark.parametrize("scorer", [HEURISTIC_V1, HEURISTIC_V2])
def test_an_ignore_without_any_signal_reads_as_unknown_and_any_other_label_as_itself(scorer: Scorer) -> None:
    plain = scorer.grade(kind="note", tool_name=None, summary="Invoices come on the third working day")
    chatter = scorer.grade(kind="note", tool_name=None, summary="ok thanks")
    assert (plain.label, chatter.label) == (IGNORE, IGNORE)
    assert effective_label(plain.label, plain.score) == "unknown"
    assert effective_label(chatter.label, chatter.score) == "ignore"


def test_the_default_score_is_known_in_any_width_of_a_float() -> None:
    as_four_bytes = struct.unpack("f", struct.pack("f", 0.3))[0]
    assert as_four_bytes != 0.3
    assert effective_label("ignore", as_four_bytes) == "unknown"
    assert [effective_label("ignore", score) for score in (0.29, 0.31, None)] == ["ignore"] * 3


def test_what_is_no_must_keeps_as_much_of_its_score_as_it_may() -> None:
    assert below_must(0.95, None) == (0.79, "nice_to_have")
    assert below_must(None, "must_remember") == (0.5, "nice_to_have")
    assert below_must(0.2, "must_remember") == (0.5, "nice_to_have")
    assert below_must(0.6, "nice_to_have") == (0.6, "nice_to_have")
