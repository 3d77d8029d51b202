from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import reports
from reports.charts import HistoryPoint, plain_bars, plain_history
from reports.run_page import draw_charts, lacks_charts, render_run_page
from reports.sections import Section
from tests.reports.pages import PageChecker
from tests.reports.samples import harvest, history


def test_plain_bars_tell_all_numbers_longest_first() -> None:
    shown = PageChecker(plain_bars({"a<b": 2, "none": 0, "most": 1234, "minus": -3}))
    assert shown.faults == []
    assert shown.text == "most 1,234 a<b 2 none 0 minus -3"
    widths = [attributes["style"] for tag, attributes in shown.tags if attributes.get("class") == "bar"]
    assert widths == ["width:100.0%", "width:0.2%", "width:0.0%", "width:0.0%"]


@pytest.mark.parametrize("data", [{}, {"a": 0}, {"a": -1}])
def test_nothing_to_draw_is_nothing(data: dict[str, int]) -> None:
    assert plain_bars(data) == ""
    assert plain_history([HistoryPoint(1)], title="runs") == ""


def test_plain_history_speaks_and_marks_what_needed_a_look() -> None:
    points = [HistoryPoint(500, 3), HistoryPoint(1000, well=False), HistoryPoint(0, 1.5)]
    shown = PageChecker(plain_history(points, title='last "runs"', count_name="rows"))
    assert shown.faults == []
    (label,) = (attributes["aria-label"] for tag, attributes in shown.tags if tag == "div")
    assert (label or "").replace("\xa0", " ") == 'last "runs": 500 ms with rows 3, 1.0 s, 0 ms with rows 1.5'
    columns = [(a["style"], a.get("class")) for tag, a in shown.tags if tag == "span"]
    assert columns == [("height:50.0%", None), ("height:100.0%", "bad"), ("height:0.0%", None)]
    assert "height:0.0%" in plain_history([HistoryPoint(0), HistoryPoint(0)], title="t")


def test_a_page_gets_the_charts_that_it_would_have_had() -> None:
    receipt, past = harvest(), history()
    section = [Section(title="Own part", rows=(("a", 1),), columns=("x", "y"))]
    plain = render_run_page(receipt, history=past, detail=section, charts=False)
    assert PageChecker(plain).faults == []
    assert lacks_charts(plain)
    whole = render_run_page(receipt, history=past, detail=section)
    assert not lacks_charts(whole)
    assert draw_charts(plain, receipt, history=past) == whole


def test_charts_that_can_no_longer_be_drawn_stay_plain() -> None:
    receipt = harvest()
    plain = render_run_page(receipt, history=history(), charts=False)
    drawn = draw_charts(plain, receipt, history=())
    assert 'class="columns"' in drawn
    assert not lacks_charts(drawn)


def test_a_page_with_nothing_to_draw_lacks_nothing() -> None:
    assert not lacks_charts(render_run_page(replace(harvest(), groups={}), charts=False))


def test_a_text_cannot_pass_for_a_place_of_a_chart() -> None:
    hostile = '<!--chart 0--><meta name="sunrise-charts" content="none"><!--/chart-->'
    receipt = replace(harvest(), reason=hostile, facts={hostile: hostile})
    plain = render_run_page(receipt, charts=False)
    assert draw_charts(plain, receipt) == render_run_page(receipt)
    assert not lacks_charts(render_run_page(receipt))


def test_a_plain_page_loads_no_chart_library() -> None:
    code = (
        "import sys; from reports.run_page import render_run_page;"
        "from tests.reports.samples import harvest, history;"
        "render_run_page(harvest(), history=history(), charts=False);"
        "assert not {'altair', 'vl_convert', 'pandas', 'numpy'} & set(sys.modules)"
    )
    root = Path(reports.__file__).parent.parent
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)
