from __future__ import annotations

import pytest

from reports.quarantine_page import render_quarantine_page, why
from sunrise.domain.records import Quarantined, QuarantineState
from tests.reports.pages import PageChecker
from tests.reports.samples import NOON, ZONE


def row(number: int = 1, reason: str = "malformed_json", sample: str = '{"torn": ') -> Quarantined:
    return Quarantined(number, "spool/a.jsonl", "843", 4, reason, sample, NOON, QuarantineState.WAITING)


def read(*rows: Quarantined, **by_reason: int) -> PageChecker:
    page = render_quarantine_page(rows, by_reason=by_reason, generated_ms=NOON, zone=ZONE)
    return PageChecker(page)


def test_each_row_says_where_it_stands_and_why_it_was_refused() -> None:
    text = read(row(), malformed_json=1).text
    assert "1 row waits to be mended or dropped." in text
    assert "it is not JSON: torn, or broken by hand" in text
    assert "line 4, position 843" in text
    assert '{"torn":' in text


def test_an_empty_quarantine_says_so() -> None:
    assert "Nothing waits" in read().text


def test_more_rows_than_are_listed_are_counted() -> None:
    text = read(row(), malformed_json=3, wrong_type=4).text
    assert "7 rows wait" in text
    assert "The oldest 1 of 7." in text


def test_a_hostile_sample_is_only_text() -> None:
    page = render_quarantine_page(
        [row(sample="<script>alert(1)</script>" + "x" * 400)],
        by_reason={"malformed_json": 1},
        generated_ms=NOON,
        zone=ZONE,
    )
    assert "<script>" not in page
    assert "x" * 250 not in page


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("line_too_long", "it is longer than a line may be"),
        ("importance_score.out_of_range", "importance_score: a number is beyond its limits"),
        ("made_up", "it does not keep its contract"),
    ],
)
def test_reasons_are_told_in_words(reason: str, words: str) -> None:
    assert why(reason) == words
