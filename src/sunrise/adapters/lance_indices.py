"""Which indices the memories table wants, when each pays, and how long old versions must live."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from sunrise.adapters.lance_border import retry_conflicts
from sunrise.ports import IndexState, TableState

VECTOR_INDEX_FROM_ROWS: Final = 20_000
"""Below this a flat scan is as quick as an index, and exact."""

SHORTEST_KEEP: Final = timedelta(days=7)
"""A gateway that holds the table open reads an old version until it writes; lancedb's own guard is a week."""

_MAX_TERM_CHARS: Final = 256
"""Longer tokens are left out of the full-text index; paths and hashes must fit."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    column: str
    kind: str


_LAYOUT: Final = (
    _Wanted("id", "btree"),
    _Wanted("createdAt", "btree"),
    *(_Wanted(name, "bitmap") for name in ("scope", "importance_label", "state", "category", "trust_tier")),
    _Wanted("terms", "fts"),
    _Wanted("vector", "ivf_sq"),
)


def build_missing(table: Any) -> tuple[str, ...]:
    """Build each index of the layout that pays and is missing or broken; return the columns."""
    built = []
    for wanted in _missing(table):
        build = partial(table.create_index, wanted.column, config=_config(wanted.kind))
        retry_conflicts(build, refresh=table.checkout_latest)
        built.append(wanted.column)
    return tuple(built)


def keep_window(table: Any, *, keep: timedelta) -> timedelta:
    """
    Return how long versions must live so that a clean-up meets no tagged one.

    A tagged version inside the window of deletion makes ``optimize`` raise after it has compacted and before
    it has indexed the new rows, so that unindexed rows would pile up for as long as the tag lives.
    """
    tagged = {tag["version"] for tag in table.tags.list().values()}
    ages = [_age(version["timestamp"]) for version in table.list_versions() if version["version"] in tagged]
    oldest = max(ages, default=timedelta(0))
    return max(keep, SHORTEST_KEEP, oldest + timedelta(days=1) if tagged else timedelta(0))


def table_state(table: Any) -> TableState:
    """Return the figures of a table."""
    stats = table.stats()
    return TableState(
        version=int(table.version),
        rows=int(stats["num_rows"]),
        bytes=int(stats["total_bytes"]),
        fragments=int(stats["fragment_stats"]["num_fragments"]),
        versions=len(table.list_versions()),
        tags={name: int(tag["version"]) for name, tag in sorted(table.tags.list().items())},
        indices=tuple(_index_states(table)),
    )


def config_of(column: str) -> Any:
    """Return how the index of a column is built; a column beyond the layout gets an ordered one."""
    return _config(next((wanted.kind for wanted in _LAYOUT if wanted.column == column), "btree"))


def has_index(table: Any, column: str) -> bool:
    """Return whether a column has an index."""
    return any(column in index.columns for index in table.list_indices())


def _missing(table: Any) -> Iterator[_Wanted]:
    table.checkout_latest()
    present = set(table.schema.names)
    indexed = {column for index in table.list_indices() for column in index.columns}
    for wanted in _LAYOUT:
        if wanted.column not in present or (wanted.column in indexed and _answers(table, wanted)):
            continue
        if _pays(table, wanted):
            yield wanted


def _answers(table: Any, wanted: _Wanted) -> bool:
    # An index whose files are gone is still listed, its statistics look well, and optimize passes over it.
    try:
        if wanted.kind == "fts":
            query = table.search("a", query_type="fts", fts_columns=wanted.column)
            query.select(["id", "_score"]).limit(1).to_arrow()
        elif wanted.kind != "ivf_sq":
            table.search().where(f"{wanted.column} IS NULL").select(["id"]).limit(1).to_arrow()
    except (RuntimeError, OSError):
        return False
    return True


def _pays(table: Any, wanted: _Wanted) -> bool:
    if wanted.kind == "fts":
        # An index trained on nothing would only say "ready" where nothing can be found.
        return int(table.count_rows("terms IS NOT NULL")) > 0
    if wanted.kind == "ivf_sq":
        return int(table.count_rows("vector IS NOT NULL")) >= VECTOR_INDEX_FROM_ROWS
    return True


def _config(kind: str) -> Any:
    from lancedb.index import FTS, Bitmap, BTree, IvfSq  # noqa: PLC0415

    if kind == "btree":
        return BTree()
    if kind == "bitmap":
        return Bitmap()
    if kind == "ivf_sq":
        return IvfSq(distance_type="cosine")
    # The terms are analysed before they get here; the index must only cut at spaces.
    return FTS(
        base_tokenizer="whitespace",
        max_token_length=_MAX_TERM_CHARS,
        lower_case=False,
        stem=False,
        remove_stop_words=False,
        ascii_folding=False,
        with_position=False,
    )


def _index_states(table: Any) -> Iterator[IndexState]:
    for index in sorted(table.list_indices(), key=lambda one: str(one.name)):
        stats = table.index_stats(index.name)
        yield IndexState(
            name=index.name,
            column=",".join(index.columns),
            kind=str(index.index_type),
            unindexed_rows=int(stats.num_unindexed_rows) if stats is not None else 0,
        )


def _age(timestamp: datetime) -> timedelta:
    # lancedb tells the time of a version without a zone, in local time.
    return datetime.now().astimezone() - timestamp.astimezone()
