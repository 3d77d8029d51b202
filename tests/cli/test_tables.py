"""Tables for a terminal."""

from __future__ import annotations

import pytest

from sunrise.cli.tables import table, terminal_width


def test_a_long_last_cell_goes_on_below_itself() -> None:
    text = table([["a", "one two three four five six"]], header=["n", "words"], within=24)
    assert text.splitlines() == ["n  words", "a  one two three four", "   five six"]


def test_wide_characters_take_two_columns_and_break_anywhere() -> None:
    text = table([["a", "備份資料庫之前先停止服務與排程"]], header=["n", "字"], within=23)
    assert text.splitlines() == ["n  字", "a  備份資料庫之前先停止", "   服務與排程"]


def test_without_a_terminal_nothing_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    assert terminal_width() is None
    assert table([["a", "x" * 300]], header=["n", "w"]).splitlines()[1] == "a  " + "x" * 300


def test_columns_that_leave_no_room_leave_some_all_the_same() -> None:
    text = table([["k" * 50, "one two three four"]], header=["n", "w"], within=40)
    assert text.splitlines()[1] == "k" * 50 + "  one two three four"


@pytest.mark.parametrize("cell", ["", "  ", "a"])
def test_an_empty_cell_is_a_line(cell: str) -> None:
    assert len(table([["a", cell]], header=["n", "w"], within=60).splitlines()) == 2
