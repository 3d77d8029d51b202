"""Plain tables for a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def table(rows: Sequence[Sequence[str]], *, header: Sequence[str]) -> str:
    """
    Return rows in aligned columns under a header; wide East Asian characters count double.

    >>> print(table([["grade", "ok"]], header=["flow", "verdict"]))
    flow   verdict
    grade  ok
    """
    every = [list(header), *(list(row) for row in rows)]
    widths = [max(_width(row[column]) for row in every) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in every
    )


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
