from __future__ import annotations

from dataclasses import replace

import pytest

from reports.run_page import render_run_page
from reports.sections import Section
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.errors import ConfigurationError
from tests.reports.pages import PageChecker
from tests.reports.samples import NOON, harvest, history, writeback


def text(receipt: RunReceipt, **options: object) -> str:
    return PageChecker(render_run_page(replace(receipt, groups={}), **options)).text  # type: ignore[arg-type]


def test_verdict_comes_first(pages: dict[str, str]) -> None:
    shown = PageChecker(pages["run"]).text
    assert shown.index("All well: harvest finished") < shown.index("Counts")


def test_balance_shows_its_sum() -> None:
    assert "✓ seen 10 = inserted 8 + duplicate 1 + quarantined 1 , adds up" in text(harvest()).replace(
        "1,", "1 ,"
    )


@pytest.mark.parametrize(
    ("quarantined", "says"), [(4, "which makes 13: 3 too many"), (0, "which makes 9: 1 unaccounted for")]
)
def test_broken_balance_shows_the_gap_and_spoils_the_verdict(quarantined: int, says: str) -> None:
    shown = text(harvest(quarantined=quarantined))
    assert "✗ seen 10 ≠ inserted 8" in shown
    assert says in shown
    assert "do not add up" in shown
    assert "All well" not in shown


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (RunStatus.OK, "All well: harvest finished"),
        (RunStatus.ANOMALY, "Needs a look: harvest finished"),
        (RunStatus.FAILED, "Failed: harvest stopped after 1.6 s (store_gone)."),
        (RunStatus.CRASHED, "Crashed: the process"),
        (RunStatus.BUSY, "Stood aside: another run"),
        (RunStatus.SKIPPED, "Skipped: harvest had no need to run (store_gone)."),
        (RunStatus.RUNNING, "Running: harvest"),
    ],
)
def test_every_status_has_its_sentence(status: RunStatus, says: str) -> None:
    assert says in text(replace(harvest(status=status), reason="store_gone"))


def test_times_are_in_the_operators_zone() -> None:
    shown = text(harvest(), zone="Europe/Berlin")
    assert "2025-11-27 05:00 +01:00" in shown
    assert "Europe/Berlin" in shown


def test_unknown_zone_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="Mars/Olympus"):
        text(harvest(), zone="Mars/Olympus")


def test_dry_run_is_announced() -> None:
    assert "nothing was written" in text(writeback())
    assert "nothing was written" not in text(harvest())


def test_anomalies_come_before_the_counts() -> None:
    shown = text(writeback())
    assert shown.index("missing_ids") < shown.index("Counts")


def test_shortened_refs_say_how_many_more() -> None:
    assert "and 50 more" in text(writeback())
    assert "more" not in text(replace(harvest(), refs={"touched": ("obs:1",)}))


def test_page_links_to_the_index_and_its_parent(pages: dict[str, str]) -> None:
    assert PageChecker(pages["run_anomaly"]).links == ["../index.html", "sunrise-0001.html"]


def test_hostile_text_stays_text(pages: dict[str, str]) -> None:
    page = pages["run_hostile"]
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert not {"\x00", "\u202e", "\ud800"} & set(page)
    assert "javascript:" not in page


def test_history_shows_finished_runs_of_this_flow_only() -> None:
    alien = replace(writeback(), flow="grade")
    page = render_run_page(replace(harvest(), groups={}), history=[*history(), alien])
    assert "Last 11 runs" in PageChecker(page).text  # ten finished ones and this; one was skipped
    assert "A red square marks" in page


def test_one_run_is_no_history() -> None:
    assert "Last" not in text(harvest(), history=[harvest()])


def test_section_without_rows_says_so() -> None:
    assert "Verdicts Nothing to show." in text(harvest(), detail=[Section(title="Verdicts")])


def test_receipt_of_the_least_kind_renders() -> None:
    bare = RunReceipt(run_id="r", flow="report", status=RunStatus.RUNNING, started_ms=NOON)
    assert "Running: report has not finished yet." in text(bare)
