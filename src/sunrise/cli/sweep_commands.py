"""What the command of the sweep does."""

from __future__ import annotations

from typing import NoReturn

from sunrise import rooms
from sunrise.cli.exit_codes import code_for
from sunrise.cli.output import say
from sunrise.cli.receipt_lines import receipt_table
from sunrise.domain.receipts import RunReceipt
from sunrise.domain.schedule import ON_DEMAND_ENTRYPOINTS
from sunrise.settings import load_settings

_NAMED = {
    "records": "redacted",
    "spool_scrubbed": "scrubbed",
    "receipts_scrubbed": "scrubbed",
    "reports_scrubbed": "scrubbed",
    "quarantine_files_scrubbed": "scrubbed",
    "snapshots_given_up": "given up",
    "backups_holding": "holds",
    "still_holds": "still holds",
}


def sweep_home(home: str | None, *, dry_run: bool, backups: bool, as_json: bool) -> NoReturn:
    """Run the sweep, print what it found by kind and by name, and leave with the code of its verdict."""
    settings = load_settings(home)
    module, _, name = ON_DEMAND_ENTRYPOINTS["sweep"].rpartition(".")
    flow = rooms.load(f"{module}:{name}")
    receipt: RunReceipt = flow.fn(home=str(settings.home), dry_run=dry_run, backups=backups)
    say(
        {"receipt": receipt.to_dict()},
        "\n".join((receipt_table([receipt]), *_lines(receipt))),
        as_json=as_json,
    )
    raise SystemExit(code_for(receipt.status))


def _lines(receipt: RunReceipt) -> list[str]:
    kinds = sorted(receipt.groups.get("redacted_by_kind", {}).items())
    lines = [f"{kind:<20} {count}" for kind, count in kinds]
    lines += [f"{word:<12} {ref}" for name, word in _NAMED.items() for ref in receipt.refs.get(name, ())]
    lines += [f"{one.code}: {one.message}" for one in receipt.anomalies]
    return ["", *lines, f"undo: {receipt.facts['undo']}"] if lines else []
