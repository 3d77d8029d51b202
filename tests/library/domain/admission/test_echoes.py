from __future__ import annotations

import pytest

from sunrise.domain.admission.echoes import echoes, quotes, said


def echo(one: str, earlier: str, likeness: float, *, row: str = "", hints: int = 1) -> bool:
    return echoes(said(one), said(earlier), said(row or earlier), likeness, hints=hints)


@pytest.mark.parametrize(
    ("one", "earlier", "likeness", "is_echo"),
    [
        ("Order 10467 was paid back on 8 April", "四月八日已退款 10467", 0.41, True),
        ("Order 10467 was paid back on 9 April", "四月八日已退款 10467", 0.41, False),
        ("The grave is swept at 7:30", "早上七點半掃墓", 0.6, True),
        ("The check is at 15:00", "回診是下午三點", 0.6, True),
        ("Twenty-one days, 21 in all", "一共二十一天", 0.6, True),
        ("Two of 12 came", "Two of twelve came", 0.6, True),
        ("The shop is open on 10 May, Ann bakes", "The shop is never open on 10 May, Ann bakes", 0.6, False),
        ("The beat ends at 22:30, not 23:00", "The end goes from 23:00 to 22:30", 0.6, True),
        ("The bus to Brno is red today", "The bus to Brno is blue today", 0.95, False),
        ("The bus to Brno is late today", "The bus to Brno comes late today", 0.95, True),
        ("Ask Ann about wise-import", "pr-digest and wise-import ran", 0.47, False),
        ("Ask Ann about wise-import", "pr-digest and wise-import ran", 0.5, True),
    ],
)  # fmt: skip
def test_an_echo_has_no_figure_of_its_own_and_keeps_the_turn(
    one: str, earlier: str, likeness: float, is_echo: bool
) -> None:
    assert echo(one, earlier, likeness) is is_echo


def test_the_whole_row_bears_the_figures_and_its_denial() -> None:
    row = "Renewal failed: DNS; the certificate ends on 24 April"
    assert echo("It cannot be renewed and ends on 24 April", "it ends on 24 April", 0.6, row=row)
    assert not echo("It cannot be renewed and ends on 24 April", "it ends on 24 April", 0.6)


@pytest.mark.parametrize(
    ("statement", "earlier", "is_quoted"),
    [
        ("Memory: the bread is in the blue box", "the bread is in the blue box, Ann says", True),
        ("the bread is in the bl…", "the bread is in the blue box, Ann says", True),
        ("the bread is in the blue box", "the bread is in the red box", False),
        (
            "It is not so that the bread is in the blue box of Ann",
            "the bread is in the blue box of Ann",
            False,
        ),
        ("tea", "tea", False),
    ],
)
def test_a_quotation_stands_in_one_piece(statement: str, earlier: str, is_quoted: bool) -> None:
    assert quotes(statement, earlier) is is_quoted
