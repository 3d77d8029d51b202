"""Steps of the report flow: every receipt has its page, every page its receipt, and the index is new."""

from __future__ import annotations

from dataclasses import dataclass, field

from sunrise.bootstrap import Home
from sunrise.domain.retention import DAY_MS
from tasks.receipt_files import (
    HISTORY,
    draw_run_page,
    page_path,
    read_receipts,
    wants_charts,
    write_run_page,
)
from tasks.run_frame import refresh_index


@dataclass
class Published:
    """What the site holds now."""

    receipts: int = 0
    pages_kept: int = 0
    pages_written: int = 0
    unreadable: list[str] = field(default_factory=list)
    pages_removed: int = 0


def publish(home: Home, *, dry_run: bool) -> Published:
    """
    Write the pages that are missing, draw the charts that pages lack, and write the index anew.

    A run leaves its page with plain bars, because to load what draws would take it a second. Pages without
    a recent receipt are removed. A receipt is never removed: the page of any run can be made again from it.
    """
    since = home.clock.now_ms() - home.settings.report.keep_days * DAY_MS
    receipts, unreadable = read_receipts(home.receipts, since_ms=since)
    done = Published(receipts=len(receipts) + len(unreadable), unreadable=[path.name for path in unreadable])
    for place, receipt in enumerate(receipts):
        page = page_path(home.reports, receipt.run_id)
        is_there = page.is_file()
        if is_there and not wants_charts(page):
            done.pages_kept += 1
            continue
        done.pages_written += 1
        if dry_run:
            continue
        earlier = [one for one in receipts[:place] if one.flow == receipt.flow][-HISTORY:]
        write = draw_run_page if is_there else write_run_page
        write(home.reports, receipt, history=earlier, zone=home.settings.timezone)
    known = {receipt.run_id for receipt in receipts}
    for page in (home.reports / "runs").glob("*.html"):
        if page.stem not in known:
            done.pages_removed += 1
            if not dry_run:
                page.unlink(missing_ok=True)
    if not dry_run:
        refresh_index(home)
    return done
