"""Filters read in memory let through what SQL lets through, and leave alone what they do not understand."""

from __future__ import annotations

import pyarrow as pa
import pytest

from sunrise.adapters.held_filters import UnreadableFilterError, conditions, mask

ROWS = pa.RecordBatch.from_pydict({
    "id": ["a", "b", "it's", None],
    "state": ["archived", None, "", "active"],
    "createdAt": [1.0, 2.5, None, -3.0],
})  # fmt: skip


def let_through(where: str) -> list[int]:
    masks = [mask(condition, ROWS) for _, condition in conditions(where)]
    return [at for at in range(len(ROWS)) if all(one[at] for one in masks)]


@pytest.mark.parametrize(
    ("where", "places"),
    [
        ("id = 'it''s'", [2]),
        ("state <> 'archived'", [2, 3]),
        ("state IS NULL OR state <> 'archived'", [1, 2, 3]),
        ("(state is null or state != 'archived') and createdAt > -3", [1]),
        ("NOT state IN ('archived', '')", [3]),
        ("state NOT IN ('archived', '')", [3]),
        # Whether an unknown value is among others is unknown, and so is the contrary.
        ("NOT (id = 'a')", [1, 2]),
        ("NOT (state = 'active' AND id = 'b')", [0, 2]),
        ("createdAt >= 2.5 OR createdAt <= -3e0", [1, 3]),
        ("createdAt IS NOT NULL AND true", [0, 1, 3]),
        ("false", []),
        ("id = 'a' AND false OR true", [0, 1, 2, 3]),
    ],
)
def test_a_filter_lets_through_what_sql_does(where: str, places: list[int]) -> None:
    assert let_through(where) == places


@pytest.mark.parametrize(
    "where",
    [
        "id LIKE 'a%'",
        "lower(id) = 'a'",
        "id = ",
        "id = 'a' createdAt",
        "(id = 'a'",
        "id = state",
        "id IN ()",
        "`id` = 'a'",
        "id = 'a",
        "createdAt = 'a'",
        "id = 1",
        "mood = 'x'",
        "",
    ],
)
def test_what_is_not_understood_is_said(where: str) -> None:
    with pytest.raises(UnreadableFilterError):
        let_through(where)


def test_what_is_no_number_is_left_to_the_table() -> None:
    rows = pa.RecordBatch.from_pydict({"createdAt": [float("nan")]})
    ((_, condition),) = conditions("createdAt > 1")
    with pytest.raises(UnreadableFilterError):
        mask(condition, rows)
