"""What a receipt amounts to: one word, one sentence, one tone, and the one number to watch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from reports.formats import duration, plural
from sunrise.domain.receipts import RunReceipt, RunStatus

__all__ = ["MainFigure", "Tone", "Verdict", "judge", "main_figure"]


class Tone(StrEnum):
    """How much a verdict asks of the operator; the style sheet gives each a colour."""

    GOOD = "good"
    LOOK = "look"
    BAD = "bad"
    QUIET = "quiet"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict: ``word`` for a list, ``sentence`` for the top of a page."""

    word: str
    sentence: str
    tone: Tone

    @property
    def needs_look(self) -> bool:
        """Whether an operator should open the page."""
        return self.tone in {Tone.LOOK, Tone.BAD}


@dataclass(frozen=True, slots=True)
class MainFigure:
    """The number of a run that a list has room for."""

    name: str
    value: float


def judge(receipt: RunReceipt) -> Verdict:
    r"""
    Return the verdict on a run. A run that ended OK but does not add up is not all well.

    >>> done = RunReceipt(run_id="r", flow="grade", status=RunStatus.OK, started_ms=0, finished_ms=900)
    >>> judge(done).sentence
    'All well: grade finished in 900\xa0ms.'
    """
    return _JUDGES[receipt.status](receipt)


def main_figure(receipt: RunReceipt) -> MainFigure | None:
    """Return the count this flow is watched by: the known one, else its first balance, count or figure."""
    names = [_MAIN_COUNTS.get(receipt.flow, ""), *(balance.whole for balance in receipt.balances)]
    known = next((name for name in names if name in receipt.counts), None)
    name = known or next(iter(receipt.counts), None)
    if name is not None:
        return MainFigure(name, receipt.counts[name])
    return next((MainFigure(name, value) for name, value in receipt.figures.items()), None)


_MAIN_COUNTS = {
    "harvest": "inserted",
    "grade": "graded_filled",
    "writeback": "updated",
    "index": "rows",
    "lifecycle": "archived",
}


def _finished(receipt: RunReceipt) -> Verdict:
    spent = duration(receipt.duration_ms)
    if not receipt.adds_up:
        return Verdict(
            "Does not add up",
            f"Needs a look: {receipt.flow} finished, but its counts do not add up.",
            Tone.BAD,
        )
    if receipt.anomalies or receipt.status is RunStatus.ANOMALY:
        found = plural(len(receipt.anomalies), "anomaly", "anomalies") if receipt.anomalies else "an anomaly"
        return Verdict(
            "Needs a look", f"Needs a look: {receipt.flow} finished in {spent} and met {found}.", Tone.LOOK
        )
    sums = " and its counts add up" if receipt.balances else ""
    return Verdict("All well", f"All well: {receipt.flow} finished in {spent}{sums}.", Tone.GOOD)


def _failed(receipt: RunReceipt) -> Verdict:
    return Verdict(
        "Failed",
        f"Failed: {receipt.flow} stopped after {duration(receipt.duration_ms)}{_because(receipt)}.",
        Tone.BAD,
    )


def _crashed(receipt: RunReceipt) -> Verdict:
    return Verdict(
        "Crashed",
        f"Crashed: the process of this {receipt.flow} run ended without saying how{_because(receipt)}.",
        Tone.BAD,
    )


def _busy(receipt: RunReceipt) -> Verdict:
    return Verdict(
        "Stood aside",
        f"Stood aside: another run held the lease of {receipt.flow}{_because(receipt)}.",
        Tone.LOOK,
    )


def _skipped(receipt: RunReceipt) -> Verdict:
    return Verdict("Skipped", f"Skipped: {receipt.flow} had no need to run{_because(receipt)}.", Tone.QUIET)


def _running(receipt: RunReceipt) -> Verdict:
    return Verdict("Running", f"Running: {receipt.flow} has not finished yet.", Tone.QUIET)


def _because(receipt: RunReceipt) -> str:
    return f" ({receipt.reason})" if receipt.reason else ""


_JUDGES: dict[RunStatus, Callable[[RunReceipt], Verdict]] = {
    RunStatus.OK: _finished,
    RunStatus.ANOMALY: _finished,
    RunStatus.FAILED: _failed,
    RunStatus.CRASHED: _crashed,
    RunStatus.BUSY: _busy,
    RunStatus.SKIPPED: _skipped,
    RunStatus.RUNNING: _running,
}
