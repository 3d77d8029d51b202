"""Options that many commands have."""

from __future__ import annotations

from typing import Annotated

import typer

HomeOption = Annotated[
    str | None,
    typer.Option("--home", metavar="DIR", help="The home; else SUNRISE_HOME, else ~/.sunrise."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Do everything but write.")]
VerboseOption = Annotated[
    bool, typer.Option("--verbose", "-v", help="Say whether the running service answered.")
]
