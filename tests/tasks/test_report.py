from __future__ import annotations

from pathlib import Path

from flows.report import report
from reports.sections import Section
from sunrise.domain.receipts import RunReceipt, RunStatus
from tasks.receipt_files import page_path, wants_charts
from tasks.run_frame import Run
from tests.homes import run_body


def go(path: Path, *, dry_run: bool = False) -> RunReceipt:
    return run_body(path, report, flow="report", dry_run=dry_run)


def work(path: Path) -> RunReceipt:
    return run_body(path, lambda run: run.count(seen=1))


def test_every_receipt_has_its_page_and_every_page_its_receipt(home_path: Path) -> None:
    first, second = work(home_path), work(home_path)
    reports = home_path / "reports"
    page_path(reports, first.run_id).unlink()
    stray = page_path(reports, "nobody")
    stray.write_text("stray")
    (reports / "index.html").unlink()
    dry = go(home_path, dry_run=True)
    counts = ("receipts", "pages_kept", "pages_written", "unreadable", "pages_removed")
    # The second page is there, with plain bars where its charts will be.
    assert [dry.counts[name] for name in counts] == [2, 0, 2, 0, 1]
    assert stray.exists()
    receipt = go(home_path)
    # The dry run has left a receipt and a page of its own.
    assert [receipt.counts[name] for name in counts] == [3, 1, 2, 0, 1]
    assert first.run_id in page_path(reports, first.run_id).read_text("utf-8")
    assert not stray.exists()
    index = (reports / "index.html").read_text("utf-8")
    assert first.run_id in index
    assert second.run_id in index
    # From now on only the page of the report before is new.
    assert [go(home_path).counts["pages_written"] for _ in range(2)] == [1, 1]


def test_a_run_leaves_plain_bars_and_the_report_draws_charts(home_path: Path) -> None:
    def body(run: Run) -> None:
        run.tally("by_kind", "<note>", 7)
        run.sections.append(Section(title="Known to the flow alone", note="kept & shown"))

    page = page_path(home_path / "reports", run_body(home_path, body).run_id)
    plain = page.read_text("utf-8")
    assert "<svg" not in plain
    assert '<table class="steps bars">' in plain
    assert wants_charts(page)
    go(home_path, dry_run=True)
    assert page.read_text("utf-8") == plain
    assert go(home_path).counts["pages_written"] >= 1
    drawn = page.read_text("utf-8")
    assert 'aria-label="by_kind: &lt;note&gt; 7"' in drawn
    assert "steps bars" not in drawn
    assert "Known to the flow alone" in drawn
    assert not wants_charts(page)
    assert not wants_charts(page.with_name("gone.html"))


def test_receipts_that_cannot_be_read_are_told_of(home_path: Path) -> None:
    receipt = work(home_path)
    folder = next((home_path / "receipts").rglob(f"{receipt.run_id}.json")).parent
    (folder / "torn.json").write_text("{")
    done = go(home_path)
    assert (done.status, done.counts["unreadable"]) == (RunStatus.ANOMALY, 1)
    assert done.refs["unreadable"] == ("torn.json",)


def test_an_empty_home_has_a_site_too(home_path: Path) -> None:
    assert go(home_path).counts["receipts"] == 0
    assert (home_path / "reports" / "index.html").is_file()
