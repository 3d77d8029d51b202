"""Searches as lancedb's own thread runs them, each asked of it once: its sync tables ask it six times."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from threading import Lock
from typing import Any, Final

import numpy as np
import pyarrow as pa

from sunrise.adapters import lance_indices

ROW_ID: Final = "_rowid"
"""Where lancedb puts the address of a row, which is another one after a compaction."""


def by_words(table: Any, terms: str, *, columns: list[str], where: str | None, limit: int) -> pa.Table:
    """Return the best rows for terms by BM25, in no sure order, with ``_score``."""

    async def ask() -> pa.Table:
        query = _filtered(table, where)
        # A plain text is an OR of its terms; lancedb reads no query syntax into it.
        query = query.nearest_to_text(terms, columns="terms").select([*columns, "_score"]).limit(limit)
        return await query.to_arrow()

    return _asked(ask())


def by_vector(
    table: Any,
    vector: np.ndarray,
    *,
    column: str,
    columns: list[str],
    where: str | None,
    limit: int,
    is_exact: bool,
) -> pa.Table:
    """Return the nearest rows by cosine, in no sure order, with ``_distance``."""

    async def ask() -> pa.Table:
        query = _filtered(table, where).nearest_to(vector).column(column).distance_type("cosine")
        # Both only say how to use an index; without one the scan is exact anyway.
        if is_exact:
            query = query.nprobes(lance_indices.PARTITIONS_SEARCHED).refine_factor(lance_indices.REFINED)
        else:
            query = query.nprobes(lance_indices.PARTITIONS_SKIMMED)
        return await query.select([*columns, "_distance"]).limit(limit).to_arrow()

    return _asked(ask())


def row_ids(table: Any, where: str) -> np.ndarray:
    """Return the addresses of the rows that a filter lets through."""
    found: np.ndarray = rows(table, where, []).column(ROW_ID).to_numpy()
    return found


def rows(table: Any, where: str, columns: list[str]) -> pa.Table:
    """Return the rows that a filter lets through, with their addresses."""

    async def ask() -> pa.Table:
        return await _filtered(table, where).select(columns).with_row_id().to_arrow()

    return _asked(ask())


def taken(table: Any, row_ids: np.ndarray, columns: list[str]) -> pa.Table:
    """Return the rows at some addresses, with the addresses; those that are gone are left out."""

    async def ask() -> pa.Table:
        return await _inner(table).take_row_ids(row_ids.tolist()).select(columns).with_row_id().to_arrow()

    return _asked(ask())


def version(table: Any) -> int:
    """Return the number of the newest version."""
    return int(_asked(_inner(table).version()))


def _filtered(table: Any, where: str | None) -> Any:
    query = _inner(table).query()
    return query.where(where) if where else query


def _inner(table: Any) -> Any:
    return table._table  # noqa: SLF001  the table that lancedb's sync one asks; nothing public leads to it


def _asked(question: Any) -> Any:
    # lancedb starts this thread anew in a process that was forked.
    from lancedb import background_loop  # noqa: PLC0415 (as lancedb everywhere)

    loop: Any = background_loop.LOOP
    with _ONE_AT_A_TIME[0]:
        return loop.run(question)


_ONE_AT_A_TIME: list[AbstractContextManager[Any]] = [nullcontext()]
"""
A lock in a process that was forked, and nothing elsewhere.

There lancedb makes its threads anew when it is asked. Asked twice at once it hung or crashed once in three
times, asked one at a time once in twenty: its threads for computing are gone. Spawn, do not fork.
"""


def _begin_in_child() -> None:
    _ONE_AT_A_TIME[0] = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)
