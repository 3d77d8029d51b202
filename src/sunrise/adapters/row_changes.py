"""What a commit changed in the rows of a table, told by the fragments that it wrote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sunrise.adapters import lance_queries
from sunrise.adapters.held_columns import RowIds
from sunrise.adapters.held_rows import HeldRows, RowChanges
from sunrise.adapters.lance_manifest import TableVersion, data_files, physical_rows

MOST_ROWS: Final = 1024
"""What changes more than that changes most of the table: it is read anew, beside the answers."""

_NO_COLUMN: Final = 1 << 63
"""Where a file has a column that another file holds anew, a number above this stands for it."""


class TooMuchChangedError(Exception):
    """To read all rows anew takes less than to read what changed."""


def read_changes(held: HeldRows, table: Any, before: TableVersion, now: TableVersion) -> RowChanges | None:
    """Return what a later version changed in the rows that are held; None where all must be read anew."""
    if before.schema != now.schema:
        return None
    changed = _Changed(held, table, before, now)
    try:
        for number in sorted(before.fragments.keys() | now.fragments.keys()):
            if before.fragments.get(number) != now.fragments.get(number):
                changed.look(number)
    except TooMuchChangedError:
        return None
    return changed.found()


@dataclass(slots=True)
class _Changed:
    held: HeldRows
    table: Any
    before: TableVersion
    now: TableVersion
    left: list[RowIds] = field(default_factory=list)
    came: list[RowIds] = field(default_factory=list)

    def look(self, number: int) -> None:
        """Find the rows that a fragment lost, got, or has with other values."""
        known, part = self.held.row_ids_in(number), self.now.fragments.get(number)
        if part is None:
            self._note(left=known)
        elif (rows := physical_rows(part)) <= MOST_ROWS:
            first = np.uint64(number << 32)
            self._note(left=known, came=first + np.arange(rows, dtype=np.uint64))
        elif number in self.before.fragments:
            self._compare(number, known, self._rewritten(number, part))
        else:
            raise TooMuchChangedError

    def found(self) -> RowChanges:
        """Return what was found, and read the rows that came."""
        left = np.concatenate([*self.left, np.zeros(0, np.uint64)])
        wanted = np.concatenate([*self.came, np.zeros(0, np.uint64)])
        came = lance_queries.taken(self.table, wanted, sorted(self.held.names))
        return RowChanges(left, came.sort_by(lance_queries.ROW_ID))

    def _note(self, *, left: RowIds, came: RowIds | None = None) -> None:
        self.left.append(left)
        if came is not None:
            self.came.append(came)
        if sum(map(len, self.came)) > MOST_ROWS or sum(map(len, self.left)) > MOST_ROWS:
            raise TooMuchChangedError

    def _rewritten(self, number: int, part: bytes) -> list[str]:
        """Return the columns of a fragment that are held and stand in another file than before."""
        before, now = data_files(self.before.fragments[number]), data_files(part)
        numbers = [one for one, file in now.items() if one < _NO_COLUMN and before.get(one) != file]
        names = [self.now.columns.get(one, "") for one in numbers]
        if self.held.vectors.keys() & set(names):
            raise TooMuchChangedError
        return [name for name in names if name in self.held.names]

    def _compare(self, number: int, known: RowIds, columns: Sequence[str]) -> None:
        """A merge into an indexed table writes whole columns of a fragment anew: few values may differ."""
        begin, end = number << 32, (number + 1) << 32
        where = f"_rowid >= {begin} AND _rowid < {end}"
        now = lance_queries.rows(self.table, where, list(columns)).sort_by(lance_queries.ROW_ID)
        row_ids: RowIds = now.column(lance_queries.ROW_ID).to_numpy()
        both = np.intersect1d(known, row_ids, assume_unique=True)
        now = now.filter(pa.array(np.isin(row_ids, both, assume_unique=True)))
        differs = np.zeros(len(both), np.bool_)
        for differing in self._differing(both, now, columns):
            differs |= differing
        self._note(
            left=np.concatenate([np.setdiff1d(known, both, assume_unique=True), both[differs]]),
            came=np.concatenate([np.setdiff1d(row_ids, both, assume_unique=True), both[differs]]),
        )

    def _differing(self, row_ids: RowIds, now: pa.Table, columns: Sequence[str]) -> Iterator[np.ndarray]:
        for name in columns:
            mine, theirs = self.held.values(row_ids, name), now.column(name).combine_chunks()
            unequal = pc.fill_null(pc.not_equal(mine, theirs), fill_value=False)
            yield pc.or_(unequal, pc.xor(pc.is_null(mine), pc.is_null(theirs))).to_numpy(zero_copy_only=False)
