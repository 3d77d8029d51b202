from __future__ import annotations

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from sunrise.domain.text.analysis import query_terms, terms
from sunrise.domain.text.dated_terms import date_words, dated_terms

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
