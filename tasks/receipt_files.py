"""Receipts and pages on disk: whole or not there at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from reports.entries_page import render_entries_page
from reports.index_page import render_index_page
from reports.quarantine_page import render_quarantine_page
from reports.run_page import draw_charts, lacks_charts, render_run_page
from reports.sections import Section
from sunrise.domain.forget import Forgotten
from sunrise.domain.receipts import RunReceipt, receipt_file
from sunrise.domain.records import EntryCount, Quarantined
from sunrise.errors import StoreError

HISTORY = 30
"""Runs of the same flow that a page looks back on."""

FORGOTTEN_ROWS = 50
"""Forgotten memories that the page of what entered lists."""

QUARANTINE_ROWS = 200
"""Refused rows that their page lists."""

INDEX_RUNS = 600
"""Runs that the first page draws on: about four days of every flow."""

_HEAD_CHARS = 2000
"""What of a page says whether it has its charts."""


def write_receipt(folder: Path, receipt: RunReceipt) -> Path:
    """Write a receipt as JSON under ``YYYY/MM`` of its start (UTC) and return the path."""
    path = folder / receipt_file(receipt)
    write_whole(path, json.dumps(receipt.to_dict(), ensure_ascii=False, indent=2) + "\n")
    return path


def read_receipts(folder: Path, *, since_ms: int = 0) -> tuple[tuple[RunReceipt, ...], tuple[Path, ...]]:
    """Return the receipts of runs that began since a moment, oldest first, and the files that are none."""
    receipts: list[RunReceipt] = []
    unreadable: list[Path] = []
    # The folders are named by month (UTC), so that years of receipts need not be opened.
    first = f"{datetime.fromtimestamp(since_ms / 1000, tz=UTC):%Y/%m}"
    months = [path for path in folder.glob("*/*") if f"{path.parent.name}/{path.name}" >= first]
    for path in sorted(file for month in months for file in month.glob("*.json")):
        try:
            receipts.append(RunReceipt.from_dict(json.loads(path.read_text(encoding="utf-8"))))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            unreadable.append(path)
    recent = (receipt for receipt in receipts if receipt.started_ms >= since_ms)
    return tuple(sorted(recent, key=lambda r: (r.started_ms, r.run_id))), tuple(unreadable)


def page_path(reports: Path, run_id: str) -> Path:
    """Return where the page of a run lies."""
    return reports / "runs" / f"{run_id}.html"


def write_run_page(
    reports: Path,
    receipt: RunReceipt,
    *,
    history: Sequence[RunReceipt],
    zone: str,
    detail: Sequence[Section] = (),
    charts: bool = True,
) -> Path:
    """Render and write the page of one run, with charts or with plain bars in their place."""
    path = page_path(reports, receipt.run_id)
    write_whole(path, render_run_page(receipt, history=history, zone=zone, detail=detail, charts=charts))
    return path


def draw_run_page(reports: Path, receipt: RunReceipt, *, history: Sequence[RunReceipt], zone: str) -> None:
    """Put charts into the page of one run that was written without."""
    path = page_path(reports, receipt.run_id)
    page = path.read_text(encoding="utf-8", errors="replace")
    write_whole(path, draw_charts(page, receipt, history=history, zone=zone))


def wants_charts(page: Path) -> bool:
    """Say whether a page was written without the charts that it could have."""
    try:
        with page.open(encoding="utf-8", errors="replace") as file:
            return lacks_charts(file.read(_HEAD_CHARS))
    except OSError:
        return False


def write_index_page(
    reports: Path,
    receipts: Sequence[RunReceipt],
    *,
    generated_ms: int,
    zone: str,
    due: Mapping[str, int | None],
    waiting: int,
    held_back: int | None = None,
) -> Path:
    """Render and write the site's first page."""
    path = reports / "index.html"
    page = render_index_page(
        receipts, generated_ms=generated_ms, zone=zone, due=due, waiting=waiting, held_back=held_back
    )
    write_whole(path, page)
    return path


def write_quarantine_page(
    reports: Path,
    rows: Sequence[Quarantined],
    *,
    by_reason: Mapping[str, int],
    generated_ms: int,
    zone: str,
) -> Path:
    """Render and write the page of what was refused."""
    path = reports / "quarantine.html"
    page = render_quarantine_page(rows, by_reason=by_reason, generated_ms=generated_ms, zone=zone)
    write_whole(path, page)
    return path


def write_entries_page(
    reports: Path,
    entries: Sequence[EntryCount],
    *,
    today: str,
    generated_ms: int,
    zone: str,
    forgotten: Sequence[Forgotten] = (),
) -> Path:
    """Render and write the page of what entered, and of what was forgotten."""
    path = reports / "entries.html"
    page = render_entries_page(
        entries, today=today, generated_ms=generated_ms, zone=zone, forgotten=forgotten
    )
    write_whole(path, page)
    return path


def write_whole(path: Path, text: str) -> None:
    """
    Write a text file so that a reader, or a kill, never meets half of it.

    Raises:
        StoreError: The file cannot be written: no room, no permission.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
            Path(partial).chmod(0o644)
            Path(partial).replace(path)
        except BaseException:
            Path(partial).unlink(missing_ok=True)
            raise
    except OSError as error:
        msg = f"{path} cannot be written: {error}"
        raise StoreError(msg) from error
