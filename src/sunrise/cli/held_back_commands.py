"""What the commands do that bring rows back which admission held back as they entered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NoReturn

import typer

from sunrise import rooms
from sunrise.bootstrap import open_home
from sunrise.cli.exit_codes import code_for
from sunrise.cli.output import say
from sunrise.cli.tables import table
from sunrise.cli.trust_commands import TIER_NAMES, terminal_text
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.records import HeldBack
from sunrise.errors import DataError
from sunrise.settings import load_settings

_SHOWN_SOURCES = 10


def revive(
    home: str | None,
    *,
    source: str | None,
    run: str | None,
    trust: str | None,
    dry_run: bool,
    as_json: bool,
) -> NoReturn:
    """Bring back all rows of a source or a run that were held back at entry; a dry run only shows them."""
    if trust is not None and trust not in TIER_NAMES:
        raise typer.BadParameter(f"no such tier: {trust!r}; there are {', '.join(TIER_NAMES)}")
    settings = load_settings(home)
    wanted = rooms.load("tasks.revive:WantedRows")(source, run, trust)
    held_back = rooms.load("tasks.revive:held_back")
    with open_home(settings) as place:
        try:
            rows: list[HeldBack] = held_back(place, wanted)
        except DataError as error:
            raise typer.BadParameter(str(error)) from error
        if not rows:
            every: list[HeldBack] = held_back(place, rooms.load("tasks.revive:WantedRows")())
            raise typer.BadParameter(_nothing(every))
    receipt: RunReceipt = rooms.load("tasks.revive:revive_held_back")(
        str(settings.home), wanted, dry_run=dry_run
    )
    say({"receipt": receipt.to_dict()}, _told(receipt), as_json=as_json)
    raise SystemExit(code_for(receipt.status))


def _told(receipt: RunReceipt) -> str:
    if receipt.status not in (RunStatus.OK, RunStatus.ANOMALY):
        return f"{receipt.status}: {receipt.reason or 'nothing was changed'}"
    by_source = receipt.groups.get("revived_by_source", {})
    rows = [[terminal_text(name), str(count)] for name, count in sorted(by_source.items())]
    shown = table(rows, header=["source", "rows"]) if rows else ""
    revived, forgotten = receipt.counts["revived"], receipt.counts["forgotten"]
    said = f"{revived} rows would be brought back" if receipt.dry_run else f"{revived} rows are in use again"
    if forgotten:
        said += f"; {forgotten} stay away, because they were forgotten"
    undo = "" if receipt.dry_run else f"to take it back: sunrise undo {receipt.run_id}"
    return "\n".join(filter(None, (shown, said, undo)))


def _nothing(held: Sequence[HeldBack]) -> str:
    """Return what to say where no row is meant: of which sources there are any."""
    if not held:
        return "no row is held back at entry"
    sources = Counter(row.source or "an unknown source" for row in held).most_common(_SHOWN_SOURCES)
    named = ", ".join(f"{terminal_text(name)} ({rows})" for name, rows in sources)
    return f"no such row is held back at entry; there are rows of {named}"
