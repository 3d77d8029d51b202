from __future__ import annotations

from reports.charts import HistoryPoint, bar_chart, history_chart, sparkline


def test_nothing_to_draw_is_no_drawing() -> None:
    assert bar_chart({}, title="x") == ""
    assert bar_chart({"a": 0}, title="x") == ""
    assert history_chart([HistoryPoint(1)], title="x") == ""
    assert sparkline([]) == ""


def test_bars_tell_their_numbers_and_use_the_pages_ink() -> None:
    svg = bar_chart({"nice": 2, "must": 3_000}, title="label_counts")
    assert 'aria-label="label_counts: must 3,000, nice 2"' in svg
    assert "currentColor" in svg
    assert "#010203" not in svg
    assert "http" not in svg
    assert "<svg " in svg
    assert " width=" not in svg


def test_equal_charts_are_drawn_once() -> None:
    assert bar_chart({"a": 1}, title="x") is bar_chart({"a": 1}, title="x")


def test_labels_cut_to_the_same_text_stay_two_bars() -> None:
    svg = bar_chart({"the same long beginning one": 7, "the same long beginning two": 5}, title="x")
    assert svg.count("the same long begin…") == 2


def test_many_bars_are_folded_without_losing_count() -> None:
    svg = bar_chart({f"key{index:02}": 1 for index in range(40)}, title="x")
    assert "25 others 25" in svg


def test_markup_in_a_label_stays_text() -> None:
    svg = bar_chart({"</svg><script>\"'\\\u2028": 1}, title='"><script>')
    assert "<script" not in svg
    assert svg.count("</svg>") == 1


def test_history_tells_duration_and_count() -> None:
    svg = history_chart(
        [HistoryPoint(900, 4), HistoryPoint(1_900, 5, well=False)], title="runs", count_name="seen"
    )
    assert "900 ms with seen 4, 1.9 s with seen 5" in svg


def test_figures_that_are_no_numbers_are_left_out() -> None:
    nan = float("nan")
    assert 'aria-label="last runs: 1, 2"' in sparkline([1, nan, 2])
    assert "runs: 5 ms, 6 ms with mrr 2" in history_chart(
        [HistoryPoint(5, nan), HistoryPoint(6, 2)], title="runs", count_name="mrr"
    )


def test_sparkline_survives_equal_values() -> None:
    assert "nan" not in sparkline([3, 3, 3])
    assert 'aria-label="last runs: 1, 2.5"' in sparkline([1, 2.5])
