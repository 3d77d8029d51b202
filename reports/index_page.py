"""The front page of the report site: is all well, flow by flow, then the recent runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from reports.charts import Svg, sparkline
from reports.engine import render
from reports.formats import plural, stamp
from reports.verdicts import MainFigure, Tone, Verdict, judge, main_figure
from sunrise.domain.receipts import RunReceipt, RunStatus

__all__ = ["render_index_page"]

RECENT_RUNS = 100
SPARK_RUNS = 20
GRACE_MS = 5 * 60_000
"""A flow that is due this minute may still be starting."""

PARENT_FLOW = "sunrise"


@dataclass(frozen=True, slots=True)
class _Flow:
    name: str
    run: RunReceipt | None
    verdict: Verdict
    figure: MainFigure | None
    spark: Svg
    note: str
    due_ms: int | None
    overdue_ms: int


@dataclass(frozen=True, slots=True)
class _Run:
    run: RunReceipt
    verdict: Verdict
    figure: MainFigure | None
    nested: bool


@dataclass(frozen=True, slots=True)
class _Headline:
    sentence: str
    tone: Tone
    looks: tuple[_Flow, ...]


def render_index_page(
    receipts: Sequence[RunReceipt],
    *,
    generated_ms: int,
    zone: str,
    due: Mapping[str, int | None] = MappingProxyType({}),
    waiting: int = 0,
    held_back: int | None = None,
) -> str:
    """
    Return the HTML of the site's ``index.html``.

    *due* gives for every scheduled flow when its next run should start (epoch milliseconds; None when it has
    no schedule); one that lies in the past is a missed run. Flows are listed in its order, the parent flow
    first and unscheduled ones last. *receipts* may come in any order. *waiting* rows are in quarantine.
    *held_back* rows were collapsed or hidden as they came that day; None where nobody counted.

    Raises:
        ConfigurationError: The zone is not in the time zone database.
    """
    newest = sorted(receipts, key=lambda run: (run.started_ms, run.run_id), reverse=True)
    names = list(dict.fromkeys([*due, *sorted({run.flow for run in newest})]))
    names.sort(key=lambda name: name != PARENT_FLOW)
    flows = [
        _flow(name, newest, generated_ms=generated_ms, due_ms=due.get(name), zone=zone) for name in names
    ]
    return render(
        "index.html.j2",
        headline=_headline(flows, newest, zone),
        flows=flows,
        runs=_nested(newest[:RECENT_RUNS]),
        total=len(newest),
        waiting=waiting,
        held_back=held_back,
        today=stamp(generated_ms, zone=zone).short.partition(",")[0],
        generated_ms=generated_ms,
        when=partial(stamp, zone=zone),
        zone=zone,
    )


def _flow(
    name: str, newest: Sequence[RunReceipt], *, generated_ms: int, due_ms: int | None, zone: str
) -> _Flow:
    runs = [run for run in newest if run.flow == name]
    latest = runs[0] if runs else None
    standing = next((run for run in runs if _decides(run)), latest)
    running = latest is not None and latest.status is RunStatus.RUNNING
    overdue_ms = 0
    if due_ms is not None and not running and generated_ms > due_ms + GRACE_MS:
        overdue_ms = generated_ms - due_ms
    shown = [run for run in reversed(runs) if run.status is not RunStatus.SKIPPED][-SPARK_RUNS:]
    figures = [figure.value for figure in map(main_figure, shown) if figure]
    return _Flow(
        name=name,
        run=standing,
        verdict=judge(standing) if standing else Verdict("Never run", "", Tone.QUIET),
        figure=main_figure(standing) if standing else None,
        spark=sparkline(figures if len(figures) > 1 else (), title=f"{name}, last runs"),
        note=_since(latest, zone) if latest and latest is not standing else "",
        due_ms=due_ms,
        overdue_ms=overdue_ms,
    )


def _decides(run: RunReceipt) -> bool:
    # A skipped, unfinished or dry run mends nothing: the run before it still tells how the flow stands.
    return run.status not in {RunStatus.RUNNING, RunStatus.SKIPPED} and not run.dry_run


def _since(run: RunReceipt, zone: str) -> str:
    word = "dry run" if run.dry_run and run.status is not RunStatus.RUNNING else judge(run).word.lower()
    # The page is read hours after it was written: it names moments, not how long ago they were.
    return f"since then {word}, {stamp(run.started_ms, zone=zone).short}"


def _headline(flows: Sequence[_Flow], newest: Sequence[RunReceipt], zone: str) -> _Headline:
    looks = tuple(flow for flow in flows if flow.verdict.needs_look or flow.overdue_ms)
    if looks:
        bad = any(flow.verdict.tone is Tone.BAD for flow in looks)
        sentence = f"{plural(len(looks), 'flow needs', 'flows need')} a look."
        return _Headline(sentence, Tone.BAD if bad else Tone.LOOK, looks)
    if not newest:
        return _Headline("Nothing has run yet.", Tone.QUIET, ())
    last = stamp(newest[0].started_ms, zone=zone).short
    return _Headline(
        f"All quiet: {plural(len(flows), 'flow')}, none needs a look. Last run {last}.",
        Tone.GOOD,
        (),
    )


def _nested(newest: Sequence[RunReceipt]) -> list[_Run]:
    """Put the runs a parent started right below it, in the order they ran; the rest stay newest first."""
    listed = {run.run_id for run in newest}
    children: dict[str, list[RunReceipt]] = {}
    for run in reversed(newest):
        if run.parent_run_id in listed and run.parent_run_id != run.run_id:
            children.setdefault(run.parent_run_id or "", []).append(run)
    nested = {run.run_id for family in children.values() for run in family}
    ordered: list[_Run] = []
    for run in newest:
        if run.run_id not in nested:
            ordered += _family(run, children, depth=0)
    return ordered


def _family(run: RunReceipt, children: Mapping[str, Sequence[RunReceipt]], *, depth: int) -> list[_Run]:
    rows = [_Run(run, judge(run), main_figure(run), nested=depth > 0)]
    for child in children.get(run.run_id, ()):
        rows += _family(child, children, depth=depth + 1)
    return rows
