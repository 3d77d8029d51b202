"""
Secrets in the memories table: in its rows, its older versions, its indices, and out of all their files.

A row that is gone still stands in the file of its fragment, for as long as a version that is kept reads that
file. What must go is therefore told by fragments, whose numbers are never given twice: one in which any
version shows a secret is stained, and so is every version that reads it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from sunrise.adapters import lance_files, lance_indices
from sunrise.adapters.lance_border import retry_conflicts
from sunrise.adapters.lance_rows import fitted, vector_dimension
from sunrise.adapters.memory_schema import own_columns
from sunrise.adapters.secret_gate import redact_column
from sunrise.domain.capture_identity import hidden_key
from sunrise.domain.filters import sql_text
from sunrise.domain.records import memory_ref
from sunrise.domain.secret_spans import (
    MemorySecrets,
    RedactedField,
    Scrubbed,
    SecretMemory,
    scrubbed,
)
from sunrise.domain.text.dated_terms import day_terms, with_day
from sunrise.ports import Embedder

HOLD: Final = "sunrise-sweep-hold-"
"""
Branches of this name hold the versions of clean tags while the versions between them are deleted: lancedb
refuses to delete anything older than a tag, and passes over what a branch began from.
"""

BATCH_ROWS: Final = 5000
_JUST_NOW: Final = timedelta(milliseconds=1)
ROWS_IN_FRAGMENT: Final = 1 << 32
_IDS_PER_QUERY: Final = 1000
_LEFT_ALONE: Final = ("id",)


@dataclass
class _Version:
    """What one version of the table holds."""

    rows: int = 0
    fragments: set[int] = field(default_factory=set)
    stained: set[int] = field(default_factory=set)
    found: list[SecretMemory] = field(default_factory=list)
    values: set[str] = field(default_factory=set)


def find(table: Any) -> MemorySecrets:
    """Look through every version of the table; nothing is written."""
    table.checkout_latest()
    newest = int(table.version)
    now = _look(table)
    # Oldest first: there a fragment shows the rows that were deleted from it later.
    older = {
        version: seen
        for version, fresh in others(table, newest).items()
        if (seen := _look_at(table, version, fresh=fresh))
    }
    stains = now.stained.union(*(seen.stained for seen in older.values()))
    stained = {version for version, seen in older.items() if seen.fragments & stains}
    tags = {name: int(tag["version"]) for name, tag in sorted(table.tags.list().items())}
    if any(version == newest for version in tags.values()) and now.fragments & stains:
        stained.add(newest)
    return MemorySecrets(
        seen=now.rows,
        rows=tuple(now.found),
        values=frozenset(now.values.union(*(seen.values for seen in older.values()))),
        stained_fragments=frozenset(now.fragments & stains),
        stained_versions=tuple(sorted(stained)),
        stained_tags=tuple(name for name, version in tags.items() if version in stained),
        unfinished=any(name.startswith(HOLD) for name in table.branches.list()),
    )


def redact(table: Any, found: Sequence[SecretMemory], *, embedder: Embedder, now_ms: int) -> int:
    """
    Put the redacted texts, with their terms, into the newest version; return how many rows were met.

    A vector is made anew where this embedder made it. One of another model stays: it is of a text that is
    gone, but nothing here could make it again. Our own columns are emptied; the index flow fills them.
    """
    schema = table.schema
    ids = [row.id for row in found if row.id is not None]
    named = _named_once(table, ids)
    merged = [row for row in found if row.id in named]
    values = {row.address: _values(row, schema=schema, now_ms=now_ms) for row in found}
    _embed(found, values, schema=schema, embedder=embedder)
    # One batch for each set of columns: what is not in a row of a batch would be emptied.
    by_columns: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in merged:
        new = values[row.address]
        by_columns.setdefault(tuple(sorted(new)), []).append({"id": row.id, **new})
    met = 0
    for columns, rows in by_columns.items():
        fields = pa.schema([schema.field(name) for name in ("id", *columns)])
        met += _merge(table, fitted(pa.Table.from_pylist(rows, schema=fields), schema=schema))
    for row in found:
        if row.id not in named:
            met += _update(table, f"_rowaddr = {row.address}", values=values[row.address])
    return met


def forget(table: Any, found: MemorySecrets, *, also: Iterable[str] = ()) -> int:
    """
    Move every row out of the stained fragments, build the indices of texts anew, and delete what is older.

    *also* are columns whose indices are built anew though no row of the newest version changed in them.
    Tags of stained versions are given up, the others stay. Return how many versions were deleted.
    """
    _finish_holds(table)
    for name in found.stained_tags:
        if name in table.tags.list():
            table.tags.delete(name)
    for fragment in sorted(found.stained_fragments):
        _update(table, within(fragment, fragment), values_sql={"id": "id"})
    texts = {name for row in found.rows for name in row.texts}
    _rebuild(table, {*texts, *also, "terms", "vector", *own_columns(table.schema)})
    before = {int(version["version"]) for version in table.list_versions()}
    held = _hold(table)
    _clean_up(table)
    _finish_holds(table)
    table.checkout_latest()
    after = {int(version["version"]) for version in table.list_versions()}
    return len(before - after - set(held.values()))


def _look(table: Any, *, fresh: Set[int] | None = None) -> _Version:
    """Look through the version that is checked out, or through some of its fragments only."""
    seen = _Version()
    texts = [one.name for one in table.schema if is_text(one.type) and one.name not in _LEFT_ALONE]
    addresses = table.search().select(["_rowaddr"]).to_arrow().column("_rowaddr")
    seen.rows = len(addresses)
    seen.fragments.update(pc.unique(pc.divide(addresses, ROWS_IN_FRAGMENT)).to_pylist())
    if fresh is not None and not (fresh := fresh & seen.fragments):
        return seen
    query = table.search().select([*_LEFT_ALONE, *texts, "_rowaddr"])
    query = query.where(within(min(fresh), max(fresh))) if fresh else query
    for rows in gathered(query.to_batches(BATCH_ROWS)):
        # Only the rows that hold something pass through Python.
        held: set[int] = set().union(*(redact_column(rows.column(name)).kinds for name in texts))
        for row in rows.take(pa.array(sorted(held), pa.int64())).to_pylist():
            _note(seen, row, {name: scrubbed(row[name]) for name in texts if row[name]})
    return seen


def gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield batches together: a gateway that adds one by one leaves one row in each."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(one.num_rows for one in waiting) >= BATCH_ROWS:
            yield pa.Table.from_batches(waiting)
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting)


def within(first: int, last: int) -> str:
    """Return what lets through the rows of these fragments."""
    return f"_rowaddr >= {first * ROWS_IN_FRAGMENT} AND _rowaddr < {(last + 1) * ROWS_IN_FRAGMENT}"


def _look_at(table: Any, version: int, *, fresh: Set[int] | None) -> _Version | None:
    """Look through an older version; None for one that somebody deleted meanwhile."""
    try:
        table.checkout(version)
        return _look(table, fresh=fresh)
    except (RuntimeError, ValueError, OSError):
        return None
    finally:
        table.checkout_latest()


def others(table: Any, newest: int) -> dict[int, frozenset[int] | None]:
    """
    Return the other versions, oldest first, and the fragments of each that no older one reads just so.

    None stands for all of them: nobody can tell in object storage, and a merge may write a fragment anew
    under the number that it had.
    """
    folder = lance_files.local_folder(table)
    parts = lance_files.fragment_parts(folder) if folder is not None else {}
    fresh: dict[int, frozenset[int] | None] = {}
    known = set[bytes]()
    for version in sorted(int(one["version"]) for one in table.list_versions()):
        if version != newest:
            mine = parts.get(version)
            fresh[version] = (
                None if mine is None else frozenset(n for n, part in mine.items() if part not in known)
            )
            known |= set((mine or {}).values())
    return fresh


def is_text(kind: pa.DataType) -> bool:
    """Return whether a column holds texts."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _note(seen: _Version, row: dict[str, Any], after: Mapping[str, Scrubbed]) -> None:
    taken = {name: one for name, one in after.items() if one.kinds}
    if not taken:
        return
    name = str(row["id"])
    ref = memory_ref(hidden_key(name) if scrubbed(name).kinds else name)
    seen.stained.add(row["_rowaddr"] // ROWS_IN_FRAGMENT)
    for one in taken.values():
        seen.values |= one.values
    texts = {column: one.text for column, one in taken.items() if column != "terms"}
    whole = {"text": row.get("text") or "", **texts}["text"]
    seen.found.append(
        SecretMemory(
            id=row["id"],
            address=row["_rowaddr"],
            texts={**texts, "terms": _terms(whole, row.get("terms"))}
            if taken.keys() & {"text", "terms"}
            else texts,
            text=whole,
            embedding_model=row.get("embedding_model"),
            fields=tuple(
                RedactedField(ref, column, kind) for column, one in taken.items() for kind in one.kinds
            ),
        )
    )


def _terms(whole: str, stored: str | None) -> str:
    day = day_terms(stored or "")
    return with_day(whole, "" if scrubbed(day).kinds else day)


def _values(row: SecretMemory, *, schema: pa.Schema, now_ms: int) -> dict[str, Any]:
    """Return the new columns of a row, as far as the table has them."""
    values: dict[str, Any] = {**row.texts, "updated_at_ms": now_ms}
    if "text" in row.texts:
        values |= dict.fromkeys(own_columns(schema))
    return {name: value for name, value in values.items() if name in schema.names}


def _embed(
    found: Sequence[SecretMemory],
    values: dict[int, dict[str, Any]],
    *,
    schema: pa.Schema,
    embedder: Embedder,
) -> None:
    dimension = vector_dimension(schema)
    own = [row for row in found if "text" in row.texts and row.embedding_model == embedder.model_id]
    if not own or not dimension or dimension != embedder.dimension:
        return
    for row, vector in zip(own, embedder.embed([row.text for row in own]), strict=True):
        values[row.address]["vector"] = vector.tolist()


def _named_once(table: Any, ids: Sequence[str]) -> set[str]:
    """Return the ids of these that one row has: an id that stands there twice cannot be merged by."""
    counts: dict[str, int] = {}
    wanted = [sql_text(one) for one in dict.fromkeys(ids)]
    for start in range(0, len(wanted), _IDS_PER_QUERY):
        where = f"id IN ({', '.join(wanted[start : start + _IDS_PER_QUERY])})"
        for name in table.search().where(where).select(["id"]).to_arrow().column("id").to_pylist():
            counts[name] = counts.get(name, 0) + 1
    return {name for name, rows in counts.items() if rows == 1}


def _merge(table: Any, rows: pa.Table) -> int:
    def once() -> int:
        # lancedb takes a vector that is to be emptied for one of a wrong length.
        merge = table.merge_insert("id").when_matched_update_all()
        return int(merge.execute(rows, on_bad_vectors="null").num_updated_rows)

    return retry_conflicts(once, refresh=table.checkout_latest)


def _update(table: Any, where: str, **values: Any) -> int:
    """Write the rows of a condition anew, into a fragment of their own."""

    def once() -> int:
        return int(table.update(where=where, **values).rows_updated)

    return retry_conflicts(once, refresh=table.checkout_latest)


def _rebuild(table: Any, columns: Iterable[str]) -> None:
    """Build the indices of these columns anew: what is only brought up to date keeps its old words."""
    table.checkout_latest()
    indexed = {name for index in table.list_indices() for name in index.columns}
    for name in sorted(indexed & set(columns)):
        build = partial(table.create_index, name, config=lance_indices.config_of(name), replace=True)
        retry_conflicts(build, refresh=table.checkout_latest)


def _hold(table: Any) -> dict[str, int]:
    """Let branches hold what tags hold, and take the tags off; return the versions by tag."""
    tags = {name: int(tag["version"]) for name, tag in table.tags.list().items()}
    for name, version in tags.items():
        table.branches.create(HOLD + name, from_version=version)
        table.tags.delete(name)
    return tags


def _clean_up(table: Any) -> None:
    # A version as young as this moment would stay.
    time.sleep(2 * _JUST_NOW.total_seconds())
    retry_conflicts(
        lambda: table.optimize(cleanup_older_than=_JUST_NOW),
        refresh=table.checkout_latest,
    )


def _finish_holds(table: Any) -> None:
    """Put the tags back where branches hold their versions, those of a killed sweep too."""
    table.checkout_latest()
    for branch, state in table.branches.list().items():
        if not branch.startswith(HOLD):
            continue
        name = branch.removeprefix(HOLD)
        if name not in table.tags.list():
            table.tags.create(name, int(state["parent_version"]))
        table.branches.delete(branch)
