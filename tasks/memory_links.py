"""Whether a new row may name a memory: only one of its own scope, so that no scope writes into another."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from sunrise.domain.filters import DEFAULT_SCOPE
from sunrise.errors import SunriseError
from sunrise.ports import MemoryTable

HELD = "held_scope"


def links_to_refuse(
    rows: pl.DataFrame, table: Callable[[], MemoryTable | None], *, by_token: bool
) -> pl.DataFrame:
    """
    Return the rows whose link to a memory is not to be kept; the memories are asked for once.

    What came ``by_token`` may name a memory of its own scope, and one without a scope is of the default one;
    where the memories cannot be looked at, it names none. A row of a file of this machine may also name a
    memory that has no scope yet, or that nobody knows yet, and a row without a scope any: the writeback looks
    again.
    """
    linked = rows.filter(pl.col("memory_id").is_not_null())
    asked = linked if by_token else linked.filter(pl.col("scope").is_not_null())
    if asked.is_empty():
        return asked
    try:
        held = _scopes(table(), asked["memory_id"].unique().to_list())
    except SunriseError:
        held = None
    if held is None:
        return asked if by_token else asked.clear()
    both = asked.join(held, left_on="memory_id", right_on="id", how="left")
    return both.filter(_is_elsewhere(by_token=by_token)).unique("key").select(asked.columns)


def without_links(rows: pl.DataFrame, refused: pl.DataFrame) -> pl.DataFrame:
    """Return rows that name a memory no more where that was refused."""
    if refused.is_empty():
        return rows
    is_refused = pl.col("key").is_in(refused["key"].implode())
    return rows.with_columns(pl.when(~is_refused).then(pl.col("memory_id")).alias("memory_id"))


def _scopes(table: MemoryTable | None, ids: list[str]) -> pl.DataFrame | None:
    if table is None:
        return None
    held = pl.DataFrame(table.by_ids(ids, ["id", "scope"]))
    scope = pl.col("scope") if "scope" in held.columns else pl.lit(None, dtype=pl.String)
    return held.select("id", scope.fill_null("").str.strip_chars().alias(HELD)).unique()


def _is_elsewhere(*, by_token: bool) -> pl.Expr:
    """Say whether a memory is of another scope; of an id that stands there twice one is enough."""
    held, own = pl.col(HELD), pl.col("scope")
    if not by_token:
        return held.is_not_null() & (held != "") & (held != own)
    whole = pl.when(held == "").then(pl.lit(DEFAULT_SCOPE)).otherwise(held)
    return ~whole.eq_missing(own) | held.is_null()
