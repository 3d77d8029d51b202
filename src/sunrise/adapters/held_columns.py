"""Plain columns of rows in memory, by the places of the rows, and which rows a filter lets through."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sunrise.adapters.held_filters import Condition, Mask, conditions, mask

Places = npt.NDArray[np.uint32]
RowIds = npt.NDArray[np.uint64]

_MASKS: Final = 64
"""So many conditions are kept with the rows that they let through, 100 KB each for 100,000 rows."""


class OutdatedError(Exception):
    """Another writer was at work: what is held is of an older version than what was read."""


class HeldColumns:
    """Rows that were read at once, and rows that came later behind them."""

    def __init__(self, first: pa.RecordBatch, later: pa.RecordBatch | None = None) -> None:
        # Rows are taken out of one batch in two thirds of the time that a table needs.
        self.first = first
        self._later = first.slice(0, 0) if later is None else later

    def __len__(self) -> int:
        return len(self.first) + len(self._later)

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.first.schema.names)

    @property
    def later_rows(self) -> int:
        """How many rows came later."""
        return len(self._later)

    def take(self, places: Places, names: Sequence[str]) -> pa.RecordBatch:
        """Return some columns of the rows at some places, in the order of the places."""
        first, later = self.first.select(names), self._later.select(names)
        is_later = places >= len(first)
        if not is_later.any():
            return first.take(pa.array(places))
        parts = (first.take(pa.array(places[~is_later])), later.take(pa.array(places[is_later] - len(first))))
        order = np.argsort(np.concatenate([np.flatnonzero(~is_later), np.flatnonzero(is_later)]))
        return pa.concat_batches(parts).take(pa.array(order))

    def since(self, row: int) -> tuple[pa.RecordBatch, ...]:
        """Return the rows from one place on."""
        return (self.first.slice(row), self._later.slice(max(0, row - len(self.first))))

    def followed(self, came: pa.RecordBatch) -> HeldColumns:
        """Return the columns with rows that came later."""
        return HeldColumns(self.first, pa.concat_batches([self._later, came]))


class HeldMasks:
    """
    Which rows the conditions of filters let through. A place holds one row for good, so what was told stands.

    Shared by all versions of what is held: one that knows fewer rows reads no further.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, Mask] = OrderedDict()

    def let_through(self, where: str, columns: HeldColumns, there: Mask) -> Places:
        """
        Return the places of the rows that are there and that a filter lets through, ascending.

        Raises:
            UnreadableFilterError: The filter says something that only the table understands.
        """
        found = there.copy()
        for text, condition in conditions(where):
            found &= self._mask(text, condition, columns)
        return np.flatnonzero(found).astype(np.uint32)

    def _mask(self, text: str, condition: Condition, columns: HeldColumns) -> Mask:
        known = self._known.pop(text, None)
        if known is None or len(known) < len(columns):
            rest = columns.since(0 if known is None else len(known))
            told = [mask(condition, part) for part in rest if len(part)]
            known = np.concatenate([*([] if known is None else [known]), *told, np.zeros(0, np.bool_)])
        self._known[text] = known
        while len(self._known) > _MASKS:
            self._known.popitem(last=False)
        return known[: len(columns)]


class RowPlaces:
    """Where the row of each address is held."""

    def __init__(self, row_ids: RowIds, places: Places) -> None:
        self._row_ids, self._places = row_ids, places

    @classmethod
    def of_rows(cls, row_ids: RowIds) -> RowPlaces:
        """Return the places of rows that lie in the order of their addresses' list."""
        order = np.argsort(row_ids)
        return cls(row_ids[order], order.astype(np.uint32))

    def of(self, row_ids: RowIds) -> Places:
        """
        Return the places of the rows at some addresses.

        Raises:
            OutdatedError: One of them is not held.
        """
        at = np.searchsorted(self._row_ids, row_ids)
        if len(at) and (at.max() >= len(self._row_ids) or (self._row_ids[at] != row_ids).any()):
            raise OutdatedError
        return self._places[at]

    def in_fragment(self, fragment: int) -> RowIds:
        """Return the addresses of the rows of a fragment, ascending."""
        ends = np.array([fragment << 32, (fragment + 1) << 32], np.uint64)
        return self._row_ids[slice(*np.searchsorted(self._row_ids, ends))]

    def followed(self, left: RowIds, came: RowIds, first_place: int) -> RowPlaces:
        """Return the places without rows that left, and with rows that came, which lie behind all others."""
        row_ids, places = self._row_ids, self._places
        if len(left):
            stays = np.ones(len(row_ids), np.bool_)
            stays[np.searchsorted(row_ids, left)] = False
            row_ids, places = row_ids[stays], places[stays]
        order = np.argsort(came)
        at = np.searchsorted(row_ids, came[order])
        new = (first_place + order).astype(np.uint32)
        return RowPlaces(np.insert(row_ids, at, came[order]), np.insert(places, at, new))
