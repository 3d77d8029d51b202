"""Memories that are erased: what they said in any version, and the files that still hold it."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sunrise.adapters import lance_rows, lance_sweep
from sunrise.adapters.lance_border import told_as_ours
from sunrise.adapters.lance_sweep import BATCH_ROWS, HOLD, ROWS_IN_FRAGMENT, gathered, is_text, others, within
from sunrise.adapters.secret_gate import redact_column
from sunrise.domain.erasure import MemoriesHolding
from sunrise.domain.row_names import ROW_COLUMNS, id_in, row_name
from sunrise.domain.scrubber import Scrubber
from sunrise.domain.secret_spans import MemorySecrets
from sunrise.domain.sought_texts import sought_texts

_NOTHING: Final = sought_texts(())


@dataclass
class _Version:
    """
    What one version shows: fragments, those that hold wanted memories and their texts.

    ``saying`` are the fragments and ids of other memories that say one of the texts.
    """

    fragments: set[int] = field(default_factory=set)
    stained: set[int] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    saying: set[tuple[int, str]] = field(default_factory=set)


class LanceErasure:
    """What an erasure asks of a memories table; a part of ``LanceMemories``."""

    _table: Any

    def texts_of(self, ids: Set[str]) -> frozenset[str]:
        """Return what memories say in the newest version, and said in any that is left."""
        with told_as_ours("cannot read the versions of the memories table"):
            looks = _versions(self._table, ids, _NOTHING)
            return frozenset(text for _, seen in looks for text in seen.texts if text.strip())

    def find_erased(self, ids: Set[str], scrubber: Scrubber) -> MemoriesHolding:
        """Look through every version for these memories, and for what they said; nothing is written."""
        with told_as_ours("cannot look through the memories table"):
            return _find(self._table, ids, scrubber)

    def erase(self, found: MemoriesHolding, *, tags: bool) -> int:
        """
        Leave no version that holds what was found, but for tagged ones unless *tags* are given up too.

        Return how many versions were deleted.
        """
        with told_as_ours("cannot delete versions of the memories table"):
            table = self._table
            stained = MemorySecrets(
                seen=0,
                stained_fragments=found.stained_fragments | _with_gaps(table),
                stained_versions=found.stained_versions,
                stained_tags=found.stained_tags if tags else (),
            )
            return lance_sweep.forget(table, stained, also=_texts(table))


def _find(table: Any, ids: Set[str], scrubber: Scrubber) -> MemoriesHolding:
    (newest, now), *older = _versions(table, ids, scrubber)
    # A live memory that says the same stays, and so does what it said before.
    holders = {name for _, name in now.saying}
    gone = {place for _, seen in older for place, name in seen.saying if name not in holders}
    stains = now.stained.union(gone, *(seen.stained for _, seen in older))
    versions = {version for version, seen in older if seen.fragments & stains}
    tags = {name: int(tag["version"]) for name, tag in sorted(table.tags.list().items())}
    if newest in tags.values() and now.fragments & stains:
        versions.add(newest)
    return MemoriesHolding(
        holders=tuple(sorted(holders)),
        stained_fragments=frozenset(now.fragments & stains),
        stained_versions=tuple(sorted(versions)),
        stained_tags=tuple(name for name, version in tags.items() if version in versions),
        unfinished=any(name.startswith(HOLD) for name in table.branches.list()),
    )


def _versions(table: Any, ids: Set[str], scrubber: Scrubber) -> Iterator[tuple[int, _Version]]:
    """Yield what each version shows: the newest, then the oldest first, where rows show that went later."""
    table.checkout_latest()
    newest = int(table.version)
    yield newest, _look(table, ids, scrubber, fresh=None)
    for version, fresh in others(table, newest).items():
        try:
            table.checkout(version)
            seen = _look(table, ids, scrubber, fresh=fresh)
        except (RuntimeError, ValueError, OSError):
            # Somebody deleted it meanwhile.
            continue
        finally:
            table.checkout_latest()
        yield version, seen


def _look(table: Any, ids: Set[str], scrubber: Scrubber, *, fresh: Set[int] | None) -> _Version:
    """Look through the version that is checked out, or through some of its fragments only."""
    addresses = table.search().select(["_rowaddr"]).to_arrow().column("_rowaddr")
    seen = _Version(set(pc.unique(pc.divide(addresses, ROWS_IN_FRAGMENT)).to_pylist()))
    if fresh is not None and not (fresh := fresh & seen.fragments):
        return seen
    texts = _texts(table)
    told_by = lance_rows.existing(ROW_COLUMNS, schema=table.schema)
    query = table.search().select(list(dict.fromkeys([*told_by, *texts, "_rowaddr"])))
    query = query.where(within(min(fresh), max(fresh))) if fresh else query
    for rows in gathered(query.to_batches(BATCH_ROWS)):
        mine = _mine(rows, ids)
        for row in _taken(rows, mine):
            seen.stained.add(row["_rowaddr"] // ROWS_IN_FRAGMENT)
            seen.texts.add(row["text"] or "")
        saying = set[int]().union(*(redact_column(rows.column(name), scrubber).kinds for name in texts))
        for row in _taken(rows, saying - mine):
            seen.saying.add((row["_rowaddr"] // ROWS_IN_FRAGMENT, row["id"] or ""))
    return seen


def _mine(rows: pa.Table, ids: Set[str]) -> set[int]:
    """Return which rows have one of these ids, or are called by one of these names of rows."""
    mine = set(pc.indices_nonzero(pc.is_in(rows.column("id"), value_set=_as(rows, ids))).to_pylist())
    shared = sorted({one for name in ids if (one := id_in(name)) is not None})
    if shared:
        held = pc.fill_null(rows.column("id").cast(pa.string()), "")
        may_be = pc.indices_nonzero(pc.is_in(held, value_set=pa.array(shared, pa.string())))
        called = zip(may_be.to_pylist(), rows.take(may_be).to_pylist(), strict=True)
        mine |= {place for place, row in called if row_name(row) in ids}
    return mine


def _texts(table: Any) -> list[str]:
    return [one.name for one in table.schema if is_text(one.type) and one.name != "id"]


def _as(rows: pa.Table, ids: Set[str]) -> pa.Array:
    return pa.array(sorted(ids), rows.schema.field("id").type)


def _taken(rows: pa.Table, numbers: Set[int]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = rows.take(pa.array(sorted(numbers), pa.int64())).to_pylist()
    return found


def _with_gaps(table: Any) -> frozenset[int]:
    """
    Return the fragments of the newest version that lack a row: it still stands in their files.

    No version may be left that shows what it was. One that lacks its last row shows no gap; then all count.
    """
    table.checkout_latest()
    newest = max(table.list_versions(), key=lambda one: int(one["version"]))
    lacking = int(newest["metadata"].get("total_deletion_file_rows", 0))
    if not lacking:
        return frozenset()
    numbers = table.search().select(["_rowaddr"]).to_arrow().column("_rowaddr").to_numpy()
    fragments, counts = np.unique(numbers // ROWS_IN_FRAGMENT, return_counts=True)
    lengths = [
        int(numbers[numbers // ROWS_IN_FRAGMENT == one].max() % ROWS_IN_FRAGMENT) + 1 for one in fragments
    ]
    gaps = np.array(lengths) - counts
    return frozenset((fragments if gaps.sum() < lacking else fragments[gaps > 0]).tolist())
