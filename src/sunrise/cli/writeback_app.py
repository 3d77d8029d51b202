"""The commands that write back to the memories. What they do is imported inside them."""

from __future__ import annotations

from typing import Annotated

import typer

from sunrise.cli.options import DryRunOption, HomeOption, JsonOption

ForceOption = Annotated[
    bool,
    typer.Option(
        "--force", "--overwrite", help="Overwrite importance, label and category where they differ."
    ),
]
ForceFieldsOption = Annotated[
    str | None,
    typer.Option(
        metavar="FIELDS", help="Overwrite these only, by commas; scope and trust_tier must be named."
    ),
]
LimitOption = Annotated[int | None, typer.Option(min=1, help="Change so many memories at most.")]
BatchOption = Annotated[int | None, typer.Option(min=1, help="Change so many in one merge; else all.")]


def writeback(
    home: HomeOption = None,
    force: ForceOption = False,
    force_fields: ForceFieldsOption = None,
    limit: LimitOption = None,
    batch: BatchOption = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Look at every linked memory, not only at what is new.")
    ] = False,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Fill what the memories lack from the ledger, or overwrite what is forced."""
    from sunrise.cli import writeback_commands

    asked = writeback_commands.Asked(force, force_fields, limit, batch, dry_run=dry_run)
    writeback_commands.writeback(home, asked, everything=everything, as_json=as_json)


def writeback_lancedb(
    db: Annotated[str, typer.Option(metavar="LEDGER", help="A ledger of sunrise, or of openclaw-mem.")],
    lancedb: Annotated[str, typer.Option(metavar="PATH", help="A LanceDB directory or URI.")],
    table: Annotated[str, typer.Option(metavar="NAME", help="The table of memories in it.")],
    limit: LimitOption = None,
    batch: BatchOption = None,
    dry_run: DryRunOption = False,
    force: ForceOption = False,
    force_fields: ForceFieldsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a ledger back to any LanceDB table: openclaw-mem's flags, receipt and exit codes."""
    from sunrise.cli import writeback_commands

    asked = writeback_commands.Asked(force, force_fields, limit, batch, dry_run=dry_run)
    writeback_commands.writeback_lancedb(db, lancedb, table, asked, as_json=as_json)
