"""The page of one run: the verdict first, then what it did, then the evidence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from reports.charts import HistoryPoint, Svg, bar_chart, history_chart, plain_bars, plain_history
from reports.engine import render
from reports.formats import stamp
from reports.sections import Section
from reports.verdicts import judge, main_figure
from sunrise.domain.receipts import Balance, RunReceipt, RunStatus

__all__ = ["draw_charts", "lacks_charts", "render_run_page"]

HISTORY_RUNS = 30
"""How many past runs a history chart shows at most."""

# Nothing that a page prints can look like one of these: it escapes what it prints.
_LACKING = '<meta name="sunrise-charts" content="none">'
_DRAWN = '<meta name="sunrise-charts" content="drawn">'
_SLOT = re.compile(r"<!--chart (?P<name>[a-z0-9]+)-->.*?<!--/chart-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Sum:
    whole: tuple[str, int]
    parts: tuple[tuple[str, int], ...]
    gap: int

    @property
    def found(self) -> int:
        return self.whole[1] - self.gap


@dataclass(frozen=True, slots=True)
class _Group:
    name: str
    counts: tuple[tuple[str, int], ...]
    chart: Svg


@dataclass(frozen=True, slots=True)
class _Refs:
    kind: str
    refs: tuple[str, ...]
    more: int


@dataclass(frozen=True, slots=True)
class _Step:
    name: str
    ms: float
    share: float


@dataclass(frozen=True, slots=True)
class _History:
    chart: Svg
    runs: int
    first_ms: int
    last_ms: int
    any_bad: bool


def render_run_page(
    receipt: RunReceipt,
    *,
    history: Sequence[RunReceipt] = (),
    zone: str = "Asia/Taipei",
    detail: Sequence[Section] = (),
    charts: bool = True,
) -> str:
    """
    Return the HTML page of one run, to be written as ``runs/<run_id>.html``.

    *history* may hold runs of any flow in any order; only this flow's finished runs are drawn. *detail* is
    shown after the counts. Without *charts* the same numbers stand in plain bars, which cost no second of
    loading; :func:`draw_charts` puts the charts in their place later.

    Raises:
        ConfigurationError: The zone is not in the time zone database.
    """
    drawn_bars = bar_chart if charts else _plain_bars
    past = _history(receipt, history, charts=charts)
    groups = [
        _Group(name, tuple(counts.items()), drawn_bars(counts, title=name))
        for name, counts in receipt.groups.items()
    ]
    lacking = not charts and (past is not None or any(group.chart for group in groups))
    return render(
        "run.html.j2",
        charts="none" if lacking else "drawn",
        receipt=receipt,
        verdict=judge(receipt),
        when=partial(stamp, zone=zone),
        zone=zone,
        sums=[_sum(balance, receipt) for balance in receipt.balances],
        groups=groups,
        refs=[_refs(kind, refs, receipt) for kind, refs in receipt.refs.items() if refs],
        steps=_steps(receipt),
        history=past,
        detail=detail,
    )


def lacks_charts(page: str) -> bool:
    """Say whether a page was written with plain bars where :func:`draw_charts` can put charts."""
    return _LACKING in page


def draw_charts(
    page: str, receipt: RunReceipt, *, history: Sequence[RunReceipt] = (), zone: str = "Asia/Taipei"
) -> str:
    """
    Return a page of a run with its charts drawn; all else in it stays, what only its flow knew too.

    Raises:
        ConfigurationError: The zone is not in the time zone database.
    """
    whole = render_run_page(receipt, history=history, zone=zone)
    drawn = {slot["name"]: slot[0] for slot in _SLOT.finditer(whole)}
    page = _SLOT.sub(lambda slot: drawn.get(slot["name"], slot[0]), page)
    return page.replace(_LACKING, _DRAWN)


def _plain_bars(counts: Mapping[str, int], *, title: str) -> Svg:  # noqa: ARG001  the caption says it
    return plain_bars(counts)


def _sum(balance: Balance, receipt: RunReceipt) -> _Sum:
    counts = receipt.counts
    return _Sum(
        (balance.whole, counts.get(balance.whole, 0)),
        tuple((part, counts.get(part, 0)) for part in balance.parts),
        balance.gap(counts),
    )


def _refs(kind: str, refs: tuple[str, ...], receipt: RunReceipt) -> _Refs:
    # The refs of `missing` may be listed as `missingIds`, as openclaw-mem names them.
    names = (kind, *(kind.removesuffix(suffix) for suffix in ("Ids", "_ids", "_refs")))
    whole = next((receipt.counts[name] for name in names if name in receipt.counts), len(refs))
    return _Refs(kind, refs, max(0, whole - len(refs)))


def _steps(receipt: RunReceipt) -> list[_Step]:
    longest = max((step.ms for step in receipt.steps), default=0)
    return [
        _Step(step.name, step.ms, 100 * step.ms / longest if longest > 0 else 0) for step in receipt.steps
    ]


def _history(receipt: RunReceipt, history: Sequence[RunReceipt], *, charts: bool) -> _History | None:
    by_id = {run.run_id: run for run in (*history, receipt) if run.flow == receipt.flow}
    silent = {RunStatus.RUNNING, RunStatus.SKIPPED, RunStatus.BUSY}
    runs = sorted(
        (run for run in by_id.values() if run.duration_ms is not None and run.status not in silent),
        key=lambda run: (run.started_ms, run.run_id),
    )[-HISTORY_RUNS:]
    if len(runs) < 2:
        return None
    figure = main_figure(receipt) or main_figure(runs[-1])
    name = figure.name if figure else ""
    points = [
        HistoryPoint(
            run.duration_ms or 0, run.counts.get(name, run.figures.get(name)), not judge(run).needs_look
        )
        for run in runs
    ]
    draw = history_chart if charts else plain_history
    chart = draw(points, title=f"last runs of {receipt.flow}", count_name=name)
    any_bad = not all(point.well for point in points)
    return _History(chart, len(runs), runs[0].started_ms, runs[-1].started_ms, any_bad)
