"""Cursors: opaque, whole, and of one list alone."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.page_cursor import PageEnd, read_cursor, written_cursor
from sunrise.errors import DataError

ENDS = st.builds(PageEnd, st.none() | st.floats(0, 2**53), st.text(), st.integers(1, 10_000))


@given(ENDS, st.dictionaries(st.text(), st.text() | st.integers()))
def test_a_cursor_says_where_the_page_ended(end: PageEnd, filters: dict[str, Any]) -> None:
    cursor = written_cursor(end, filters)
    assert read_cursor(cursor, filters) == end
    assert cursor.isascii()
    assert cursor.isprintable()


def test_a_cursor_of_another_list_is_refused() -> None:
    cursor = written_cursor(PageEnd(5.0, "a"), {"scope": "ops"})
    with pytest.raises(DataError, match="other filters") as error:
        read_cursor(cursor, {"scope": "home"})
    assert error.value.reason == "bad_cursor"


def coded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "cursor",
    [
        "", "x", "ключ", "!!!!", coded("[]"), coded("{}"), coded('["a", "b", 1, "c"]'),
        coded('[1, 2, 3, "c"]'), coded('[1, "a", 0, "c"]'), coded('[1, "a", true, "c"]'),
        coded("[" * 100_000), coded('[1e999, "a", 1.5, "c"]'),
    ],
)  # fmt: skip
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(DataError) as error:
        read_cursor(cursor, {})
    assert error.value.reason == "bad_cursor"


@given(st.text())
def test_no_text_at_all_breaks_the_reader(cursor: str) -> None:
    with pytest.raises(DataError):
        read_cursor(cursor, {})
