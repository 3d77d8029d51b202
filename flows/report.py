"""The flow that rebuilds the report site."""

from __future__ import annotations

from typing import Any

from tasks.lazy_flow import flow
from tasks.prefect_bridge import as_state
from tasks.report import publish
from tasks.run_frame import Run, run_flow


@flow(name="report")
def publish_site(home: str | None = None, dry_run: bool = False) -> Any:
    """
    Give every receipt of the last months its page, remove older pages, and write the index anew.

    Touches nothing but the report site. The receipt shows receipts = pages_kept + pages_written + unreadable.
    """
    return as_state(run_flow("report", report, home=home, dry_run=dry_run))


def report(run: Run) -> None:
    """Rebuild what is missing and say which receipts cannot be read."""
    run.balance("receipts", "pages_kept", "pages_written", "unreadable")
    done = run.step(publish, run.home, dry_run=run.dry_run)
    run.count(
        receipts=done.receipts,
        pages_kept=done.pages_kept,
        pages_written=done.pages_written,
        unreadable=len(done.unreadable),
        pages_removed=done.pages_removed,
    )
    if done.unreadable:
        run.name("unreadable", done.unreadable)
        run.anomaly("receipts_unreadable", "receipt files cannot be read", len(done.unreadable))


if __name__ == "__main__":
    publish_site()
