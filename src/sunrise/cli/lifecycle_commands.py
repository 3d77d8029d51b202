"""What the command does that lets go what a lifecycle run held back."""

from __future__ import annotations

from typing import NoReturn

import typer

from sunrise import rooms
from sunrise.bootstrap import open_home_to_read
from sunrise.cli.undo_commands import leave, run_line, run_on_demand
from sunrise.domain.receipts import RunReceipt
from sunrise.errors import DataError
from sunrise.settings import load_settings

LIFECYCLE_FLOW = "flows.lifecycle:archive_unused"


def approve(home: str | None, run_id: str, *, dry_run: bool, as_json: bool) -> NoReturn:
    """Archive what a run held back, print what came of it, and leave with the code of the verdict."""
    settings = load_settings(home)
    # A mistyped run is a wrong value, and must not leave a failed run in the ledger.
    with open_home_to_read(settings) as opened:
        try:
            rooms.load("tasks.archiving:read_preview")(opened, run_id)
        except DataError as error:
            raise typer.BadParameter(f"{error}: see `sunrise receipts`") from error
    receipt = run_on_demand(LIFECYCLE_FLOW, settings, approve=run_id, dry_run=dry_run)
    leave(receipt, _lines(receipt), as_json=as_json)


def _lines(receipt: RunReceipt) -> list[str]:
    named = ("archived_by_tier", "archived_by_importance", "archived_by_reason")
    lines = [
        f"archived     {key:<18} {rows}"
        for group in named
        for key, rows in sorted(receipt.groups.get(group, {}).items())
    ]
    left = receipt.counts.get("no_longer", 0)
    if left:
        lines.append(f"left alone   {left} were used, graded or archived since")
    return [*lines, *run_line(receipt, "archived")]
