"""Charts as inline SVG that take their ink from the page, so one drawing serves light and dark."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any, NewType
from unicodedata import east_asian_width

from reports.formats import duration, number

if TYPE_CHECKING:
    import altair as alt

__all__ = [
    "HistoryPoint",
    "Svg",
    "bar_chart",
    "history_chart",
    "plain_bars",
    "plain_history",
    "sparkline",
]

Svg = NewType("Svg", str)
"""Markup made by this module; a page prints it without escaping."""

MAX_BARS = 16
"""More bars than this are folded into one, so that a chart stays readable."""

# Vega needs a real colour where the page's own is meant: the renderer swaps this one for currentColor.
_INK = "#010203"
# These two keep a contrast of at least 3 on both the light and the dark paper.
_ACCENT = "#c26a24"
_ALARM = "#d2454f"
_FONT = "system-ui, sans-serif"
_WIDTH = 340
_NAME_LETTERS = 20
# Vega's own short form writes 0.985 as 985m and zero as 0k.
_TICK = "format(datum.value, abs(datum.value) >= 1000 ? '~s' : '~g')"


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """One past run in a history chart; ``well`` is whether it needed nobody's look."""

    duration_ms: int
    count: float | None = None
    well: bool = True


def bar_chart(data: Mapping[str, int], *, title: str) -> Svg:
    """Return horizontal bars, the longest first, with their numbers; empty when there is nothing to draw."""
    bars = _longest_first(data)
    return _bars(bars, title) if bars else Svg("")


def plain_bars(data: Mapping[str, int]) -> Svg:
    """Return the bars of :func:`bar_chart` as a table, in no time: nothing is loaded to draw it."""
    bars = _longest_first(data)
    if not bars:
        return Svg("")
    longest = max(count for _, count in bars)
    rows = (
        f'<tr><th scope="row"><span class="clamp">{escape(label)}</span></th>'
        f'<td class="num">{number(count)}</td><td class="track">'
        f'<span class="bar" style="width:{100 * max(count, 0) / longest:.1f}%"></span></td></tr>'
        for label, count in bars
    )
    return Svg(f'<table class="steps bars"><tbody>{"".join(rows)}</tbody></table>')


def plain_history(points: Sequence[HistoryPoint], *, title: str, count_name: str = "") -> Svg:
    """Return how long past runs took as columns, oldest first, in no time; empty below two runs."""
    if len(points) < 2:
        return Svg("")
    longest = max(point.duration_ms for point in points) or 1
    columns = (
        f'<span{"" if point.well else " class=bad"} style="height:{100 * point.duration_ms / longest:.1f}%">'
        "</span>"
        for point in points
    )
    label = _label(title, _spoken(points, _plain(count_name)))
    caption = f"duration, up to {duration(longest)}"
    return Svg(
        f'<p class="soft">{caption}</p>'
        f'<div class="columns" role="img" aria-label="{label}">{"".join(columns)}</div>'
    )


def history_chart(points: Sequence[HistoryPoint], *, title: str, count_name: str = "") -> Svg:
    """Return duration, and below it the main count, of past runs, oldest first; empty below two runs."""
    if len(points) < 2:
        return Svg("")
    drawn = tuple(
        point if math.isfinite(point.count or 0) else replace(point, count=None) for point in points
    )
    return _history(drawn, title, _plain(count_name))


def sparkline(values: Sequence[float], *, title: str = "last runs") -> Svg:
    """Return a line the height of a word, drawn by hand because a list needs many; empty without values."""
    values = [value for value in values if math.isfinite(value)]
    if not values:
        return Svg("")
    low, high = min(values), max(values)
    step = 92 / max(len(values) - 1, 1)
    points = [
        (4 + index * step, 20 - 16 * ((value - low) / (high - low) if high > low else 0.5))
        for index, value in enumerate(values)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[-1] if len(points) > 1 else (50.0, 12.0)
    label = _label(title, map(number, values))
    return Svg(
        f'<svg class="spark" viewBox="0 0 100 24" role="img" aria-label="{label}">'
        f'<polyline points="{line}" fill="none" stroke="currentColor" stroke-width="1.5" '
        'stroke-linejoin="round" stroke-linecap="round"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{_ACCENT}"/></svg>'
    )


def _longest_first(data: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Return what to draw, the smallest folded into one; nothing when no bar would be seen."""
    bars = sorted(data.items(), key=lambda item: (-item[1], item[0]))
    if not any(count > 0 for _, count in bars):
        return ()
    if len(bars) > MAX_BARS:
        rest = bars[MAX_BARS - 1 :]
        bars = [*bars[: MAX_BARS - 1], (f"{len(rest)} others", sum(count for _, count in rest))]
    return tuple((_plain(label), count) for label, count in bars)


@lru_cache(maxsize=256)
def _bars(bars: tuple[tuple[str, int], ...], title: str) -> Svg:
    # Altair and vl-convert take a second to load; a page without charts must not pay for them.
    import altair as alt  # noqa: PLC0415

    rows = [{"order": order, "count": count, "text": number(count)} for order, (_, count) in enumerate(bars)]
    # Room to the right of the longest bar for its number.
    reach = alt.Scale(domain=[0, max(count for _, count in bars) * 1.25], nice=False)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("count:Q", axis=None, scale=reach),
        y=alt.Y("order:O", title=None, axis=_names([label for label, _ in bars])),
    )
    marks = base.mark_bar(color=_ACCENT, height={"band": 0.62})
    texts = base.mark_text(align="left", dx=5, color=_INK, fontSize=12).encode(text="text:N")
    chart = alt.layer(marks, texts).properties(
        width=_WIDTH,
        height=26 * len(bars) + 4,
        autosize=alt.AutoSizeParams(type="fit", contains="padding"),
    )
    return _svg(chart, label=_label(title, (f"{label} {number(count)}" for label, count in bars)))


@lru_cache(maxsize=64)
def _history(points: tuple[HistoryPoint, ...], title: str, count_name: str) -> Svg:
    import altair as alt  # noqa: PLC0415 (as in _bars)

    scale, unit = _unit(max(point.duration_ms for point in points))
    rows = [
        {"run": index, "spent": point.duration_ms / scale, "count": point.count, "well": point.well}
        for index, point in enumerate(points)
    ]
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=alt.X("run:O", axis=None))
    spent = base.encode(y=_measure("spent:Q", f"duration, {unit}"))
    dots = spent.mark_point(filled=True, size=42, opacity=1).encode(
        color=alt.Color(
            "well:N", scale=alt.Scale(domain=[True, False], range=[_ACCENT, _ALARM]), legend=None
        ),
        shape=alt.Shape(
            "well:N", scale=alt.Scale(domain=[True, False], range=["circle", "square"]), legend=None
        ),
    )
    line = spent.mark_line(color=_INK, strokeWidth=1.2, opacity=0.55)
    panels: list[Any] = [alt.layer(line, dots).properties(width=_WIDTH - 56, height=90)]
    if any(point.count is not None for point in points):
        counts = base.mark_bar(color=_ACCENT).encode(y=_measure("count:Q", count_name))
        panels.append(counts.properties(width=_WIDTH - 56, height=70))
    label = _label(title, _spoken(points, count_name))
    return _svg(alt.vconcat(*panels, spacing=14), label=label)


def _spoken(points: Iterable[HistoryPoint], count_name: str) -> Iterator[str]:
    for point in points:
        count = "" if point.count is None else f" with {count_name} {number(point.count)}"
        yield duration(point.duration_ms) + count


def _names(labels: Sequence[str]) -> alt.Axis:
    """Name the bars by position, so that two labels cut to the same text stay two bars."""
    import altair as alt  # noqa: PLC0415 (as in _bars)

    shown = [_plain(label, limit=_NAME_LETTERS) for label in labels]
    # The renderer measures with another font than the browser draws with: a wider rule of our own.
    extent = (
        max(sum(13 if east_asian_width(letter) in "WF" else 7.4 for letter in name) for name in shown) + 8
    )
    return alt.Axis(
        labelExpr=f"{json.dumps(shown)}[datum.value]", labelLimit=0, minExtent=extent, maxExtent=extent
    )


def _measure(field: str, title: str) -> alt.Y:
    import altair as alt  # noqa: PLC0415 (as in _bars)

    axis = alt.Axis(
        title=title, tickCount=3, labelExpr=_TICK, grid=True, minExtent=38, maxExtent=38,
        titleAngle=0, titleAlign="left", titleAnchor="end", titleX=-38, titleY=-8, titleFontWeight="normal",
    )  # fmt: skip
    return alt.Y(field, axis=axis, scale=alt.Scale(zero=True))


def _unit(longest_ms: int) -> tuple[float, str]:
    if longest_ms < 2_000:
        return 1, "ms"
    return (1_000, "s") if longest_ms < 180_000 else (60_000, "min")


def _svg(chart: alt.LayerChart | alt.FacetChart | alt.VConcatChart, *, label: str) -> Svg:
    import altair as alt  # noqa: PLC0415 (as in _bars)
    import vl_convert  # noqa: PLC0415 (as in _bars)

    axis = {
        "labelColor": _INK, "titleColor": _INK, "domain": False, "ticks": False, "labelFontSize": 12,
        "titleFontSize": 12, "labelPadding": 6, "gridColor": _INK, "gridOpacity": 0.14,
    }  # fmt: skip
    spec = chart.configure(font=_FONT, background="transparent", axis=axis, view={"stroke": None}).to_dict()
    version = "_".join(alt.SCHEMA_VERSION.split(".")[:2])
    return _fluid(vl_convert.vegalite_to_svg(spec, vl_version=version), label=label)


_ROOT = re.compile(r"<svg\b[^>]*?viewBox=\"([^\"]*)\"[^>]*>")
# Vega describes every mark to screen readers; under one labelled image those are noise and bytes.
_NOISE = re.compile(r"\s(?:role|aria-[a-z]+|pointer-events|class)=\"[^\"]*\"")
_LONG_FRACTION = re.compile(r"(\d\.\d\d)\d{4,}")


def _fluid(svg: str, *, label: str) -> Svg:
    """Return the drawing without fixed size, fixed ink and namespaces: it scales with its box."""
    root = _ROOT.search(svg)
    box = root.group(1) if root else f"0 0 {_WIDTH} 100"
    inner = _NOISE.sub("", svg[root.end() if root else 0 :].replace(_INK, "currentColor"))
    inner = _LONG_FRACTION.sub(r"\1", inner)
    return Svg(f'<svg class="chart" viewBox="{box}" role="img" aria-label="{label}">{inner}')


def _label(title: str, numbers: Iterable[str]) -> str:
    return escape(_plain(f"{title}: {', '.join(numbers)}", limit=2000))


def _plain(text: str, *, limit: int = 80) -> str:
    # A drawing has no style sheet to contain a text that is too long, or has no glyphs at all.
    shown = "".join(
        " " if letter.isspace() else letter if letter.isprintable() else "\ufffd" for letter in text
    )
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
