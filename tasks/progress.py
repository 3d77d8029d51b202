"""How far a long step has come: a bar on a terminal, a line now and then elsewhere, none for short work."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

PATIENCE_SECONDS = 1.0
"""Work that is done by then shows nothing."""

LINE_SECONDS = 10.0
"""Between two lines where there is no terminal to draw on."""


class Progress:
    """Counts rows on standard error while a step works: standard output belongs to the result."""

    def __init__(self, what: str, *, unit: str, stream: TextIO | None = None) -> None:
        self._what, self._unit = what, unit
        self._stream = stream or sys.stderr
        self._done = 0
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        self._start = time.monotonic()
        self._next_line = self._start + PATIENCE_SECONDS
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, rows: int) -> None:
        """Count rows that are done, and show them when it is time."""
        self._done += rows
        now = time.monotonic()
        if now - self._start < PATIENCE_SECONDS:
            return
        if self._stream.isatty():
            self._draw(rows)
        elif now >= self._next_line:
            self._next_line = now + LINE_SECONDS
            rate = self._done / (now - self._start)
            self._stream.write(f"{self._what}: {self._done:,} {self._unit}, {rate:,.0f} a second\n")
            self._stream.flush()

    def _draw(self, rows: int) -> None:
        if self._bar is None:
            self._bar = _bar(self._stream, self._unit)
            self._bar.start()
            # How much there is to come nobody knows: others go on writing.
            self._bar.add_task(self._what, total=None, completed=self._done)
            return
        self._bar.advance(self._bar.task_ids[0], rows)


def _bar(stream: TextIO, unit: str) -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn(f"{{task.completed:,.0f}} {unit}"),
        TimeElapsedColumn(),
        console=Console(file=stream, force_terminal=True),
        transient=True,
    )
