"""Terms that an older analysis made, or that are of days in another zone, are made anew, once."""

from __future__ import annotations

from collections.abc import Iterator
from zoneinfo import ZoneInfo

import polars as pl
import pyarrow as pa

from sunrise.adapters.memory_schema import terms_made_as
from sunrise.domain.text.dated_terms import MADE_AS, dated_terms
from sunrise.ports import MemoryTable
from tasks.run_frame import Run

_BATCH = 20_000
_READ = ("id", "text", "terms", "createdAt")
_EMPTY = pl.DataFrame(schema={"id": pl.String, "terms": pl.String, "made": pl.String})
_SCHEMA = pa.schema({"id": pa.string(), "terms": pa.string()})


def renew_terms(run: Run, table: MemoryTable) -> None:
    """
    Make the terms anew that are not as today's are made.

    The table says how its terms were made, so a snapshot that was put back is noticed too. Killed in between,
    the next run looks again and writes only what is left.
    """
    zone = run.home.settings.timezone
    made_as = f"{MADE_AS} {zone}"
    if terms_made_as(table.schema()) == made_as:
        return
    version = table.newest_version()
    stale = run.step(read_stale, table, zone)
    run.count(terms_renewed=stale.height)
    run.write(write_terms, table, stale, version=version, made_as=made_as)


def read_stale(table: MemoryTable, zone: str) -> pl.DataFrame:
    """Return the id, the terms and the new ones of rows whose terms are not those of their text and day."""
    found = pl.concat([_EMPTY, *_stale(table, ZoneInfo(zone))])
    return found.filter(pl.col("id").is_unique())


def write_terms(table: MemoryTable, stale: pl.DataFrame, *, version: int, made_as: str) -> int:
    """Put terms in place of those that were read at a version, and say how all are made; return how many."""
    for part in stale.iter_slices(_BATCH):
        rows = part.select("id", pl.col("made").alias("terms")).to_arrow()
        table.overwrite(
            rows.cast(_SCHEMA), read=part.select("id", "terms").to_arrow().cast(_SCHEMA), version=version
        )
        version = table.newest_version()
    table.note_terms(made_as)
    return stale.height


def _stale(table: MemoryTable, zone: ZoneInfo) -> Iterator[pl.DataFrame]:
    for batch in table.batches(_READ):
        if "terms" not in batch.schema.names:
            return
        rows = pl.DataFrame(batch).filter(pl.col("terms").is_not_null() & (pl.col("id") != ""))
        created = rows["createdAt"] if "createdAt" in rows.columns else [None] * rows.height
        texts = rows["text"].fill_null("")
        made = [dated_terms(text, when, zone) for text, when in zip(texts, created, strict=True)]
        news = rows.select("id", "terms", pl.Series("made", made, dtype=pl.String))
        yield news.filter(pl.col("terms") != pl.col("made"))
