"""Progress is shown late, and differently to a person and to a file."""

from __future__ import annotations

import io
import time

import pytest

from tasks import progress
from tasks.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_short_work_shows_nothing() -> None:
    stream = io.StringIO()
    with Progress("harvest", unit="rows", stream=stream) as shown:
        shown.advance(10)

    assert stream.getvalue() == ""


def test_a_file_gets_plain_lines_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    stream = io.StringIO()
    with Progress("harvest", unit="rows", stream=stream) as shown:
        time.sleep(0.01)
        shown.advance(1_500)
        shown.advance(1_500)

    (line,) = stream.getvalue().splitlines()
    assert line.startswith("harvest: 1,500 rows, ")
    assert line.endswith(" a second")


def test_a_terminal_gets_a_bar_that_is_wiped_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    stream = Terminal()
    with Progress("harvest", unit="rows", stream=stream) as shown:
        shown.advance(1_500)
        shown.advance(1_500)
        shown._bar.refresh()  # type: ignore[union-attr]

    assert "harvest" in stream.getvalue()
    assert "3,000 rows" in stream.getvalue()
    assert stream.getvalue().endswith("\x1b[2K")
