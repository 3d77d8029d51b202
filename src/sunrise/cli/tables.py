"""Plain tables for a terminal."""

from __future__ import annotations

import re
import shutil
import sys
import unicodedata
from collections.abc import Iterator, Sequence

_NARROWEST = 20
"""A last column is not made narrower than this, whatever the terminal."""

_PIECE = re.compile(r"\S+\s*")


def table(rows: Sequence[Sequence[str]], *, header: Sequence[str], within: int | None = None) -> str:
    """
    Return rows in aligned columns under a header; wide East Asian characters count double.

    ``within`` is how many columns a line may have: the last cell goes on below itself where it is longer.

    >>> print(table([["grade", "ok"]], header=["flow", "verdict"]))
    flow   verdict
    grade  ok
    """
    every = [list(header), *(list(row) for row in rows)]
    widths = [max(_width(row[column]) for row in every) for column in range(len(header))]
    if within is not None:
        before = sum(widths[:-1]) + 2 * (len(widths) - 1)
        widths[-1] = max(min(widths[-1], within - before), _NARROWEST)
    return "\n".join(line for row in every for line in _lines(row, widths))


def terminal_width() -> int | None:
    """Return the columns of the terminal that is printed to, None where it is none: a pipe has no width."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def columns_of(text: str) -> int:
    """
    Return how many columns a text takes; wide East Asian characters take two.

    >>> columns_of("tea"), columns_of("綠茶")
    (3, 4)
    """
    return _width(text)


def shortened(text: str, columns: int) -> str:
    """
    Return a text that takes no more columns, with a mark where it was cut.

    >>> shortened("部署前必須備份資料庫", 9)
    '部署前必…'
    """
    if _width(text) <= columns:
        return text
    taken, end = 0, 0
    for character in text:
        taken += _width(character)
        if taken > columns - 1:
            break
        end += 1
    return f"{text[:end]}…"


def _lines(row: list[str], widths: list[int]) -> Iterator[str]:
    *cells, last = row
    for number, part in enumerate(_wrapped(last, widths[-1])):
        shown = [*(cells if number == 0 else [""] * len(cells)), part]
        padded = (cell + " " * (width - _width(cell)) for cell, width in zip(shown, widths, strict=True))
        yield "  ".join(padded).rstrip()


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for piece in _PIECE.findall(text):
        if lines[-1] and _width(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        for character in piece:
            if not character.isspace() and _width(lines[-1] + character) > width:
                lines.append("")
            lines[-1] += character
    return [line.rstrip() for line in lines]


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
