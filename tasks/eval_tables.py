"""The memories that golden queries are asked about: those of the home, or the set's own, kept apart."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pydantic import ValidationError

from sunrise.bootstrap import Home, existing_memories, open_home
from sunrise.errors import ConfigurationError, DataError
from sunrise.ports import MemoryTable
from sunrise.sections.batch import NotifySettings
from sunrise.settings import MemoriesSettings, Settings
from tasks.calibration import calibrate_if_due
from tasks.golden import GoldenMemory, GoldenSet
from tasks.index import fit_indices, optimize
from tasks.lease_keeper import LeaseKeeper
from tasks.memories import open_memories
from tasks.run_frame import Run
from tasks.taking_in import take_in
from tasks.vectors import embed_missing

_INDEX = "index"


@dataclass(frozen=True, slots=True)
class Place:
    """An open home with the table that is asked; ``quarantined`` counts memories of the set that it hides."""

    home: Home
    table: MemoryTable
    quarantined: int = 0

    @property
    def model_id(self) -> str:
        """The model whose vectors answer."""
        return self.home.recall_embedder(self.table).model_id

    @property
    def calibration(self) -> str | None:
        """The id of the calibration that the ranking goes by."""
        embedder = self.home.recall_embedder(self.table)
        found = self.home.calibration(self.table, embedder)
        return found.id if found else None


@contextmanager
def place_of(golden: GoldenSet, settings: Settings, *, own: Place | None = None) -> Iterator[Place]:
    """
    Open the table that a golden set asks about, for the time of a block.

    *own* is the home's table where it is open already.

    Memories that the set brings along go into a home of their own that is gone afterwards; they are taken in,
    embedded, indexed and calibrated as the index flow does it. Nothing of the real home is touched.

    Raises:
        DataError: The set brings no memories and the home has none; reason ``no_memories_table``.
    """
    if not golden.memories and own is not None:
        yield own
        return
    if not golden.memories:
        with open_home(settings) as home:
            table = existing_memories(settings)
            if table is None:
                msg = f"{golden.name} brings no memories, and {settings.memories_uri} holds none"
                raise DataError(msg, reason="no_memories_table")
            yield Place(home, table)
        return
    with (
        tempfile.TemporaryDirectory(prefix="sunrise-eval-") as folder,
        open_home(_apart(settings, Path(folder), golden)) as home,
    ):
        yield _loaded(home, golden.memories)


def with_embedder(settings: Settings, name: str | None) -> Settings:
    """
    Return settings that name another embedder.

    Raises:
        ConfigurationError: There is none of this name.
    """
    if name is None:
        return settings
    section = settings.embedder
    try:
        other = type(section).model_validate({**section.model_dump(), "name": name})
    except ValidationError as error:
        msg = f"no such embedder: {name!r}"
        raise ConfigurationError(msg) from error
    return settings.replaced(embedder=other)


def _apart(settings: Settings, folder: Path, golden: GoldenSet) -> Settings:
    # Built from settings in hand: whoever read them anew would find the real table in the environment.
    return settings.replaced(
        home=folder,
        memories=MemoriesSettings(default_scope=settings.memories.default_scope),
        notify=NotifySettings(),
        sources=(),
        index=settings.index.model_copy(update={"embed_rows": len(golden.memories)}),
        timezone=golden.zone or settings.timezone,
    )


def _loaded(home: Home, memories: tuple[GoldenMemory, ...]) -> Place:
    run = Run(
        flow=_INDEX,
        run_id="eval",
        home=home,
        dry_run=False,
        started_ms=home.clock.now_ms(),
        lease=LeaseKeeper(home.ledger, _INDEX, run_id="eval"),
    )
    with run.lease:
        table = open_memories(run)
        table.add(_rows(memories))
        take_in(run, table)
        embed_missing(run, table)
        fit_indices(run, table)
        optimize(table, home)
        calibrate_if_due(run, table, rows=len(memories))
    return Place(home, table, run.counts.get("memories_quarantined", 0))


def _rows(memories: tuple[GoldenMemory, ...]) -> pa.Table:
    return pa.table(
        {
            "id": pa.array([one.id for one in memories], pa.string()),
            "text": pa.array([one.text for one in memories], pa.string()),
            "importance": pa.array([one.importance for one in memories], pa.float64()),
            "importance_label": pa.array([one.label for one in memories], pa.string()),
            "createdAt": pa.array([float(one.created_ms) for one in memories], pa.float64()),
            "scope": pa.array([one.scope for one in memories], pa.string()),
            "state": pa.array([one.state for one in memories], pa.string()),
            "source_ref": pa.array([one.source_ref for one in memories], pa.string()),
        }
    )
