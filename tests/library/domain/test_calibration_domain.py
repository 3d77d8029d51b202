"""Scores that can be compared, by hand and by law, and a calibration that comes back as it was kept."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.calibration import (
    Calibration,
    LanguageMeans,
    TermFrequencies,
    fuse,
    idf,
    is_outgrown,
    lexical_score,
    note_of,
    read_calibration,
    term_key,
    weight_beside,
)
from sunrise.domain.elsewhere import Elsewhere
from sunrise.errors import DataError

TERMS = sorted((term_key(term), count) for term, count in (("backup", 40), ("tea", 2), ("备份", 7)))
KNOWN = Calibration(
    model_id="fake/1",
    column="vector_fake_1",
    created_ms=1_000,
    rows=100,
    sampled=90,
    documents=LanguageMeans((0.5, 0.0), (0.0, 0.25)),
    questions=LanguageMeans((0.0, 0.125), (0.125, 0.0)),
    cosine_mean=0.02,
    cosine_deviation=0.1,
    terms=TermFrequencies(100, 1.25, tuple(key for key, _ in TERMS), tuple(count for _, count in TERMS)),
)

ELSEWHERE = Elsewhere("today", (0.0, 1.0), 0.0078125, bytes([127, 0, 128, 3]))

numbers = st.floats(-4, 4, width=32)
vectors = st.tuples(numbers, numbers)


def test_a_memory_is_centred_by_the_share_of_each_language() -> None:
    # Half of each mean is (0.25, 0.125); what is left of (1, 0.125) is (0.75, 0).
    assert KNOWN.centre((1.0, 0.125), 0.5) == (1.0, 0.0)
    assert KNOWN.centre((3.5, 4.0), 1.0) == pytest.approx((0.6, 0.8))
    assert KNOWN.centre((3.0, 4.25), 0.0) == pytest.approx((0.6, 0.8))


def test_a_query_is_centred_by_what_a_question_adds_too() -> None:
    # Of the memories' mean counts what the questions leave: 1 - 0.125² = 63/64.
    assert KNOWN.queries == LanguageMeans((0.4921875, 0.125), (0.125, 0.24609375))
    assert KNOWN.centre_query((3.4921875, 4.125), 1.0) == pytest.approx((0.6, 0.8))
    alone = replace(KNOWN, questions=None)
    assert alone.centre_query((3.5, 4.0), 1.0) == alone.centre((3.5, 4.0), 1.0)


def test_what_all_texts_of_a_model_share_is_not_taken_off_twice() -> None:
    alike = LanguageMeans((1.0, 0.0), (0.6, 0.8))
    crowded = replace(KNOWN, documents=LanguageMeans((0.9, 0.1), (0.5, 0.7)), questions=alike)
    assert crowded.queries.cjk == (1.0, 0.0)
    assert crowded.queries.other == pytest.approx((0.6, 0.8))


def test_a_vector_that_is_the_mean_has_no_direction_left() -> None:
    assert KNOWN.centre((0.5, 0.0), 1.0) == (0.0, 0.0)


@given(vector=vectors, share=st.floats(0, 1))
def test_what_is_centred_has_length_one_and_points_away_from_the_mean(
    vector: tuple[float, float], share: float
) -> None:
    centred = KNOWN.centre(vector, share)
    away = [one - two for one, two in zip(vector, KNOWN.documents.at(share), strict=True)]
    if math.hypot(*away) > 1e-6:
        assert math.hypot(*centred) == pytest.approx(1.0)
        assert sum(a * b for a, b in zip(centred, away, strict=True)) == pytest.approx(math.hypot(*away))


def test_a_cosine_is_told_in_deviations_of_chance() -> None:
    assert KNOWN.dense_score(0.02) == 0.0
    assert KNOWN.dense_score(0.42) == pytest.approx(1.0)
    assert KNOWN.dense_score(-0.18) == pytest.approx(-0.5)
    # Where all memories are alike, noise must not decide.
    assert replace(KNOWN, cosine_deviation=0.0).dense_score(0.06) == pytest.approx(1.0)


def test_a_score_by_words_is_the_share_of_what_could_be() -> None:
    assert lexical_score(2.0, 8.0) == 0.25
    # BM25 gives a word that stands there often more than its idf.
    assert lexical_score(11.0, 8.0) == 1.0
    assert lexical_score(0.0, 0.0) == 0.0


def test_words_that_stand_nowhere_lower_the_share() -> None:
    found, absent = KNOWN.idf_sum(["backup"]), KNOWN.idf_sum(["backup", "zebra"])
    assert found == pytest.approx(math.log(1 + 60.5 / 40.5))
    assert absent - found == pytest.approx(math.log(1 + 99.25 / 1.75))
    assert KNOWN.idf_sum([]) == 0.0


def test_frequencies_are_found_by_the_term_and_others_are_as_rare_as_the_rest() -> None:
    assert [KNOWN.terms.of(term) for term in ("backup", "tea", "备份")] == [40, 2, 7]
    assert {KNOWN.terms.of(term) for term in ("", "zebra", "teas", "\ud800")} == {1.25}
    assert TermFrequencies(0, 0.0, (), ()).of("tea") == 0.0


@given(df=st.integers(0, 1000), more=st.integers(1, 1000), documents=st.integers(1, 1000))
def test_a_frequent_term_tells_less_but_never_nothing(df: int, more: int, documents: int) -> None:
    assert 0.0 < idf(df + more, documents) <= idf(df, documents)


@given(dense=st.floats(-2, 4), lexical=st.floats(0, 1), weight=st.floats(0, 1))
def test_a_fused_score_lies_between_the_two(dense: float, lexical: float, weight: float) -> None:
    fused = fuse(dense, lexical, weight)
    assert min(dense, lexical) - 1e-9 <= fused <= max(dense, lexical) + 1e-9
    assert fuse(dense + 1, lexical, weight) >= fused


@given(dense=st.floats(-2, 1.5), lexical=st.floats(0, 1), more=st.floats(0, 1), weight=st.floats(0, 0.5))
def test_more_words_never_make_a_score_less(dense: float, lexical: float, more: float, weight: float) -> None:
    def fused(words: float) -> float:
        return fuse(dense, words, weight_beside(words, weight))

    assert fused(min(1.0, lexical + more)) >= fused(lexical) - 1e-9


def test_meaning_counts_half_beside_all_words_and_whole_beside_few() -> None:
    assert (weight_beside(1.0, 0.5), weight_beside(0.0, 0.5)) == (0.25, 0.5)
    assert weight_beside(0.5, 0.5) == pytest.approx(0.5 * (1 - 1 / 32))


def test_halves_count_alike_unless_said_otherwise() -> None:
    assert fuse(0.5, 1.0) == 0.75
    assert (fuse(0.5, 1.0, 1.0), fuse(0.5, 1.0, 0.0)) == (0.5, 1.0)


@given(
    means=st.lists(st.tuples(vectors, vectors), min_size=1, max_size=2),
    figures=st.tuples(st.floats(-1, 1), st.floats(0, 1)),
    counts=st.dictionaries(st.integers(0, 2**32 - 1), st.integers(2, 2**32 - 1), max_size=20),
)
def test_a_calibration_comes_back_as_it_was_kept(
    means: list[Any], figures: tuple[float, float], counts: dict[int, int]
) -> None:
    ordered = dict(sorted(counts.items()))
    kept = replace(
        KNOWN,
        documents=LanguageMeans(*means[0]),
        questions=LanguageMeans(*means[1]) if len(means) > 1 else None,
        cosine_mean=figures[0],
        cosine_deviation=figures[1],
        terms=TermFrequencies(5, 1.5, tuple(ordered), tuple(ordered.values())),
    )
    assert Calibration.from_dict(json.loads(json.dumps(kept.to_dict()))) == kept
    farther = replace(kept, elsewhere=ELSEWHERE)
    assert Calibration.from_dict(json.loads(json.dumps(farther.to_dict()))) == farther


def test_the_id_is_of_the_figures_and_not_of_the_time() -> None:
    assert replace(KNOWN, created_ms=9).id == KNOWN.id
    others = [
        replace(KNOWN, model_id="fake/2"),
        replace(KNOWN, rows=101),
        replace(KNOWN, cosine_mean=0.03),
        replace(KNOWN, questions=None),
        replace(KNOWN, terms=replace(KNOWN.terms, rest=1.0)),
        replace(KNOWN, elsewhere=ELSEWHERE),
    ]
    assert len({one.id for one in [KNOWN, *others]}) == 7
    assert len(KNOWN.id) == 12


@pytest.mark.parametrize(
    "damage",
    [
        {"schema": "sunrise.calibration.v0"},
        {"id": "000000000000"},
        {"cosine_mean": 0.3},
        {"terms": None},
        {"rows": "many"},
        {"documents": {"cjk": "AAA", "other": ""}},
        {"documents": {"cjk": "AAAAAAA=", "other": ""}},
        {"documents": {"cjk": 5, "other": 5}},
        {"elsewhere": {}},
        {"elsewhere": ELSEWHERE.to_dict() | {"shares": []}},
        {"elsewhere": ELSEWHERE.to_dict() | {"numbers": "AAAA"}},
        {"elsewhere": ELSEWHERE.to_dict() | {"numbers": "?"}},
    ],
)
def test_what_is_damaged_is_refused(damage: dict[str, Any]) -> None:
    with pytest.raises(DataError) as caught:
        Calibration.from_dict(KNOWN.to_dict() | damage)
    assert caught.value.reason == "calibration_damaged"


def test_a_note_is_read_for_its_own_model_and_column_alone() -> None:
    text = json.dumps(KNOWN.to_dict())
    assert note_of("vector_fake_1") == "calibration.vector_fake_1"
    assert read_calibration(text, model_id="fake/1", column="vector_fake_1") == KNOWN
    assert read_calibration(text, model_id="fake/2", column="vector_fake_1") is None
    assert read_calibration(text, model_id="fake/1", column="vector") is None
    for damaged in (None, "", "{", "[]", "null", text[:-9], text.replace('"rows": 100', '"rows": 101')):
        assert read_calibration(damaged, model_id="fake/1", column="vector_fake_1") is None


@pytest.mark.parametrize(
    ("rows", "expected"), [(109, False), (110, True), (91, False), (90, True), (0, True)]
)
def test_a_table_outgrows_its_calibration_up_and_down(rows: int, expected: bool) -> None:
    assert is_outgrown(KNOWN, rows=rows, growth=0.1) is expected
    assert is_outgrown(replace(KNOWN, rows=rows), rows=rows, growth=0.1) is False
