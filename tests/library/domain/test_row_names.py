"""Rows that no id tells apart are named by what they hold, and one of them keeps the id."""

from __future__ import annotations

from typing import Any

import pytest

from sunrise.domain.row_names import IDENTIFYING, id_in, keeps_id, names_among, of_ids, row_name

ROW: dict[str, Any] = {
    "id": "k1", "text": "tea", "scope": "home", "createdAt": 5.0, "category": "fact", "trust_tier": "trusted",
    "state": "active",
}  # fmt: skip


def test_a_name_is_of_all_that_tells_rows_apart_and_of_nothing_else() -> None:
    others = [{**ROW, name: "other"} for name in IDENTIFYING]
    assert len({row_name(row) for row in (ROW, *others)}) == 1 + len(IDENTIFYING)
    assert row_name({**ROW, "importance": 0.5, "terms": "tea"}) == row_name(ROW)
    # A column that a table lacks is an empty one.
    assert row_name({"id": None, "text": "tea"}) == row_name({"id": "", "text": "tea", "scope": None})


@pytest.mark.parametrize(
    ("name", "found"),
    [
        (row_name(ROW), "k1"), (row_name({"id": None}), ""), (f"a~b~{'0' * 12}", "a~b"), ("k1", None),
        ("k1~0123", None), (f"k1~{'G' * 12}", None), (f"two\nlines~{'a' * 12}", "two\nlines"),
    ],
)  # fmt: skip
def test_the_id_stands_in_the_name(name: str, found: str | None) -> None:
    assert id_in(name) == found


def test_an_id_is_enough_where_it_is_one_rows() -> None:
    rows = [ROW, {**ROW, "id": "k2"}, {**ROW, "text": "milk"}, {**ROW, "id": None}]
    assert names_among(rows) == [row_name(ROW), "k2", row_name(rows[2]), row_name(rows[3])]


def test_which_row_keeps_the_id() -> None:
    late, early, never = (
        {**ROW, "createdAt": 9.0},
        {**ROW, "text": "milk"},
        {**ROW, "createdAt": float("nan")},
    )
    assert keeps_id([late, early, never], []) == 1
    assert keeps_id([never, late], []) == 1
    told = [("Stored: tea", "work"), ("Stored: milk", "home"), ("Stored: tea", "home")]
    # The first is of another scope, the second newer than the third.
    assert keeps_id([late, early], told) == 1
    assert keeps_id([late, early], told[2:]) == 0
    # An empty text stands in every other one, and is told by none.
    assert keeps_id([{**ROW, "text": "", "createdAt": 9.0}, early], told[2:]) == 1
    equal = sorted(({**ROW, "category": one} for one in "ab"), key=row_name)
    assert (keeps_id(equal, []), keeps_id(equal[::-1], [])) == (0, 1)


def test_a_filter_of_ids_quotes_them() -> None:
    assert of_ids(["it's", ""]) == "(id IN ('it''s') OR (id IS NULL OR id = ''))"
    assert of_ids([""]) == "(false OR (id IS NULL OR id = ''))"
