"""The flow that gives every memory a vector of the model that the settings name."""

from __future__ import annotations

from functools import partial
from typing import Any

from tasks.lazy_flow import flow
from tasks.prefect_bridge import as_state
from tasks.run_frame import Run, run_flow
from tasks.vectors import change_model


@flow(name="embed")
def embed_memories(home: str | None = None, dry_run: bool = False, drop_old: bool = False) -> Any:
    """
    Embed the memories with the model of the settings beside the old vectors, then switch in one step.

    Until the switch the old vectors answer. Vectors of others are never touched, and texts neither. A run
    that was killed goes on where it was; on a table in good order it changes nothing. The receipt shows
    seen = embedded + kept + empty + failed + gone. A dry run estimates how long it takes.
    """
    return as_state(run_flow("embed", partial(embed, drop_old=drop_old), home=home, dry_run=dry_run))


def embed(run: Run, *, drop_old: bool = False) -> None:
    """Find what is missing, make it, switch."""
    change_model(run, drop_old=drop_old)


if __name__ == "__main__":
    embed_memories()
