"""Every kind of page once, rendered for all report tests."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reports.charts import bar_chart
from reports.index_page import render_index_page
from reports.run_page import render_run_page
from reports.sections import Section
from sunrise.domain.receipts import Anomaly, RunReceipt, RunStatus
from tests.reports.samples import HOSTILE, HOUR, NOON, ZONE, harvest, history, hostile, writeback


@pytest.fixture(scope="session")
def pages() -> dict[str, str]:
    quality = Section(
        title="Quality",
        note="Against the golden set of 120 queries.",
        columns=("metric", "value", "verdict"),
        rows=(("recall@10", 0.9412, "holds"), ("MRR", 0.71, "down by 3 %")),
        chart=bar_chart({"found": 113, "lost": 2}, title="queries"),
    )
    odd = Section(title=HOSTILE, note=HOSTILE, columns=(HOSTILE, "n"), rows=((HOSTILE, 1),))
    day = RunReceipt(
        run_id="sunrise-0001",
        flow="sunrise",
        status=RunStatus.ANOMALY,
        started_ms=NOON - 60_000,
        finished_ms=NOON + 1_500_000,
        anomalies=(Anomaly("child", "writeback needs a look"),),
    )
    trial = replace(harvest("evaluate-9", parent="gone-17"), flow="evaluate", dry_run=True)
    running = replace(harvest("grade-2", finished=False, status=RunStatus.RUNNING), flow="grade")
    receipts = [*history(), harvest(parent=day.run_id), writeback(), day, hostile(), trial, running]
    due = {"harvest": NOON + 2 * HOUR, "lifecycle": NOON - 5 * HOUR, "snapshot": None}
    quiet = [*history()[:8], harvest()]
    return {
        "run": render_run_page(harvest(), history=history(), detail=[quality]),
        "run_anomaly": render_run_page(writeback()),
        "run_hostile": render_run_page(hostile(), detail=[odd]),
        "run_running": render_run_page(running),
        "index": render_index_page(receipts, generated_ms=NOON + HOUR, zone=ZONE, due=due),
        "index_quiet": render_index_page(quiet, generated_ms=NOON + HOUR, zone=ZONE),
        "index_empty": render_index_page([], generated_ms=NOON, zone=ZONE),
    }
