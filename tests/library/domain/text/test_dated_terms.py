from __future__ import annotations

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.text.analysis import query_terms, terms
from sunrise.domain.text.dated_terms import (
    date_words,
    dated_terms,
    day_terms,
    text_terms,
    with_any_day,
    with_day,
)

MAY_THIRD = 1_777_766_400_000
"""Midnight in UTC."""


@pytest.mark.parametrize("query", ["2026-05-03", "2026-05", "May 2026", "2026年5月"])
def test_a_day_is_found_as_people_write_it(query: str) -> None:
    assert set(query_terms(query)) <= set(dated_terms("green tea", MAY_THIRD, UTC).split())


def test_a_day_is_that_of_the_zone() -> None:
    assert date_words(MAY_THIRD - 1, ZoneInfo("Asia/Taipei")).startswith("2026-05-03")
    assert date_words(MAY_THIRD - 1, UTC).startswith("2026-05-02")


@pytest.mark.parametrize("created", [None, float("nan"), float("inf"), 1e300])
def test_a_memory_of_no_day_has_the_terms_of_its_text(created: float | None) -> None:
    assert dated_terms("green tea", created, UTC) == terms("green tea")


@given(
    st.text() | st.lists(st.sampled_from(["@day", "day", "@", "tea", "ops@day.example", " "])).map(" ".join)
)
def test_text_and_day_are_told_apart_again(text: str) -> None:
    stored = dated_terms(text, MAY_THIRD, UTC)
    assert text_terms(stored) == terms(text)
    assert with_day(text, day_terms(stored)) == stored
    assert (day_terms(stored) == "") is (not text.strip())


@given(st.text(), st.text())
def test_the_same_text_of_any_day_lies_within_its_bounds_and_no_other(text: str, other: str) -> None:
    low, high = with_any_day(terms(text))
    if text.strip() and other.strip():
        assert low <= dated_terms(text, MAY_THIRD, UTC) < high
        assert (low <= dated_terms(other, MAY_THIRD, UTC) < high) is (terms(other) == terms(text))
