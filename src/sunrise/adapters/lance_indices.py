"""Which indices the memories table wants and when each pays; they are built, rebuilt and dropped here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import accumulate
from typing import Any, Final

from sunrise.adapters.lance_border import retry_conflicts
from sunrise.adapters.lance_files import local_folder, manifests
from sunrise.adapters.memory_schema import own_columns, vector_columns
from sunrise.ports import IndexState, TableState

VECTOR_INDEX_FROM_ROWS: Final = 20_000
"""Below this a flat scan is as quick as an index, and exact."""

SHORTEST_KEEP: Final = timedelta(hours=1)
"""A reader that holds the table open reads an old version until it refreshes; its files stay that long."""

PARTITIONS_SEARCHED: Final = 50
"""How much of a vector index a search looks at."""

PARTITIONS_SKIMMED: Final = 20
"""As much where candidates do: at a million rows 98.1 % of fifty in place of 98.6, in half the time."""

REFINED: Final = 5
"""So many times the asked hits are measured again by their true vectors."""

_COUNTED_ROWS: Final = 4096

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
)


def build_missing(table: Any) -> tuple[str, ...]:
    """Build each index of the layout that pays and is missing; return the columns."""
    table.checkout_latest()
    indexed = indexed_columns(table)
    return _build(table, [one for one in _layout(table) if one.column not in indexed and _pays(table, one)])


def rebuild(table: Any, columns: Sequence[str]) -> tuple[str, ...]:
    """Build the indices of these columns anew in place of those that are there; return the columns."""
    table.checkout_latest()
    return _build(table, [_wanted(name) for name in columns if name in table.schema.names])


def drop_needless(table: Any) -> tuple[str, ...]:
    """Drop each index of vectors that no longer pays, and of columns that are gone; return the names."""
    table.checkout_latest()
    dropped = []
    for index in table.list_indices():
        if _is_needless(table, list(index.columns)):
            retry_conflicts(partial(table.drop_index, index.name), refresh=table.checkout_latest)
            dropped.append(str(index.name))
    return tuple(dropped)


def keep_window(table: Any, *, keep: timedelta) -> timedelta:
    """
    Return how long versions must live so that a clean-up meets no tagged one.

    A tagged version inside the window of deletion makes ``optimize`` raise after it has compacted and before
    it has indexed the new rows, so that unindexed rows would pile up for as long as the tag lives.
    """
    tagged = {tag["version"] for tag in table.tags.list().values()}
    if not tagged:
        return max(keep, SHORTEST_KEEP)
    return max(keep, SHORTEST_KEEP, max(_ages(table, tagged), default=timedelta(0)) + timedelta(days=1))


def table_state(table: Any) -> TableState:
    """Return the figures of a table."""
    stats = table.stats()
    return TableState(
        version=int(table.version),
        rows=int(stats["num_rows"]),
        bytes=int(stats["total_bytes"]),
        fragments=int(stats["fragment_stats"]["num_fragments"]),
        versions=_count_versions(table),
        tags={name: int(tag["version"]) for name, tag in sorted(table.tags.list().items())},
        indices=tuple(_index_states(table)),
    )


def config_of(column: str) -> Any:
    """Return how the index of a column is built; a column beyond the layout gets an ordered one."""
    return _config(_wanted(column).kind)


def has_index(table: Any, column: str) -> bool:
    """Return whether a column has an index."""
    return column in indexed_columns(table)


def indexed_columns(table: Any) -> set[str]:
    """Return the columns that have an index."""
    return {column for index in table.list_indices() for column in index.columns}


def _layout(table: Any) -> Iterator[_Wanted]:
    present = set(table.schema.names)
    yield from (wanted for wanted in _LAYOUT if wanted.column in present)
    yield from (_Wanted(column, "ivf_sq") for column in vector_columns(table.schema))


def _wanted(column: str) -> _Wanted:
    if column.startswith("vector"):
        return _Wanted(column, "ivf_sq")
    return next((one for one in _LAYOUT if one.column == column), _Wanted(column, "btree"))


def _build(table: Any, wanted: Sequence[_Wanted]) -> tuple[str, ...]:
    for one in wanted:
        build = partial(table.create_index, one.column, config=_config(one.kind), replace=True)
        retry_conflicts(build, refresh=table.checkout_latest)
    return tuple(one.column for one in wanted)


def _pays(table: Any, wanted: _Wanted) -> bool:
    if wanted.kind == "fts":
        # An index trained on nothing would only say "ready" where nothing can be found.
        return int(table.count_rows("terms IS NOT NULL")) > 0
    if wanted.kind == "ivf_sq":
        return _has_vectors(table, wanted.column, VECTOR_INDEX_FROM_ROWS)
    return True


def _is_needless(table: Any, columns: Sequence[str]) -> bool:
    names = set(table.schema.names)
    if not set(columns) <= names:
        return True
    vectors = [name for name in columns if name in vector_columns(table.schema)]
    if set(columns) & set(own_columns(table.schema)) - set(vectors):
        # Nobody searches the column of a model that another took the place of.
        return True
    # Half as many as it is built from: a table that goes to and fro is not indexed at every turn.
    return not all(_has_vectors(table, name, VECTOR_INDEX_FROM_ROWS // 2) for name in vectors)


def _has_vectors(table: Any, column: str, at_least: int) -> bool:
    if int(table.count_rows()) < at_least:
        return False
    # A filter on the column would read all of it; this ends as soon as there are enough.
    batches = table.search().select([column]).to_batches(_COUNTED_ROWS)
    counts = accumulate(len(batch) - batch.column(column).null_count for batch in batches)
    return any(count >= at_least for count in counts)


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


def _count_versions(table: Any) -> int:
    # lancedb reads every manifest to list the versions: minutes after tens of thousands of adds.
    folder = local_folder(table)
    return len(table.list_versions() if folder is None else manifests(folder))


def _ages(table: Any, tagged: set[int]) -> Iterator[timedelta]:
    folder, now = local_folder(table), datetime.now().astimezone()
    if folder is not None:
        for one in manifests(folder):
            if one.version in tagged:
                yield now - datetime.fromtimestamp(one.path.stat().st_mtime).astimezone()
        return
    for version in table.list_versions():
        if version["version"] in tagged:
            # lancedb tells the time of a version without a zone, in local time.
            yield now - version["timestamp"].astimezone()
