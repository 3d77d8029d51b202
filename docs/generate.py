"""
Writes the pages of ``docs/reference`` from the code: ``python -m docs.generate [--check]``.

With ``--check`` nothing is written, and the exit code is 1 when a page is stale.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from docs.library_pages import cli_page, errors_page, settings_page
from docs.receipt_page import receipt_page
from docs.room_pages import contracts_page, flows_page, ledger_page
from docs.service_pages import openapi_page, service_page

REFERENCE = Path(__file__).resolve().parent / "reference"

PAGES: dict[str, Callable[[], str]] = {
    "cli.md": cli_page,
    "contracts.md": contracts_page,
    "errors.md": errors_page,
    "flows.md": flows_page,
    "ledger.md": ledger_page,
    "openapi.json": openapi_page,
    "receipt.md": receipt_page,
    "service.md": service_page,
    "settings.md": settings_page,
}


def stale_pages(folder: Path = REFERENCE) -> list[str]:
    """Return the names of the pages that the code no longer writes as they stand."""
    return [name for name, write in PAGES.items() if _read(folder / name) != write()]


def write_pages(folder: Path = REFERENCE) -> None:
    """Write every page."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, write in PAGES.items():
        (folder / name).write_text(write(), encoding="utf-8", newline="\n")


def main() -> int:
    """Write, or check."""
    parser = argparse.ArgumentParser(prog="python -m docs.generate", description=(__doc__ or "").strip())
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 when a page is stale"
    )
    if not parser.parse_args().check:
        write_pages()
        return 0
    stale = stale_pages()
    if stale:
        sys.stderr.write(f"stale: {', '.join(stale)}; run `make docs`\n")
    return int(bool(stale))


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


if __name__ == "__main__":
    sys.exit(main())
