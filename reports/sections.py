"""An extra part of a run page that one flow needs: a table, a chart, or both."""

from __future__ import annotations

from dataclasses import dataclass

from reports.charts import Svg

__all__ = ["Cell", "Section"]

Cell = str | int | float
"""What a table cell may hold; numbers are formatted and set flush right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """
    A titled part of a run page.

    ``rows`` are as long as ``columns``; the first cell of a row heads it. ``chart`` is what a function of
    :mod:`reports.charts` returned; it is the one text that a page does not escape.
    """

    title: str
    note: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    chart: Svg | None = None
