"""Rows of the memories table by their places: for rows that no id tells apart."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

import pyarrow as pa

from sunrise.adapters import lance_queries, lance_rows
from sunrise.adapters.lance_border import retry_conflicts, told_as_ours
from sunrise.domain.filters import sql_text

_ROWS_A_COMMIT: Final = 1000

# An update knows no places in its values, so that a row is known there by what it says.
_MARK: Final = "md5(coalesce(text, ''))"


class LancePlaces:
    """The part of the memories table that reads and writes rows by their places."""

    _table: Any

    def placed(self, columns: Sequence[str], *, where: str) -> pa.Table:
        """Return columns of the rows that a filter lets through, with the place of each as ``_rowid``."""
        with told_as_ours("cannot scan the memories table"):
            names = lance_rows.existing(columns, schema=self._table.schema)
            return lance_queries.rows(self._table, where, names).select([*names, lance_queries.ROW_ID])

    def write_placed(self, rows: pa.Table, column: str, values: Sequence[str | None]) -> int:
        """Set a text of rows that were read with ``text`` and their places; return how many were met."""
        met = 0
        for part in _parts(rows, values):
            marks = ", ".join(sql_text(mark) for mark, _, _ in part)
            where = f"{_at([place for _, place, _ in part])} AND {_MARK} IN ({marks})"
            if part[0][2] is None:
                value = "cast(NULL as string)"
            else:
                texts = ", ".join(sql_text(str(one)) for _, _, one in part)
                value = f"[{texts}][cast(array_position([{marks}], {_MARK}) as bigint)]"
            update = partial(self._table.update, where=where, values_sql={column: value})
            with told_as_ours("cannot write to the memories table"):
                met += int(retry_conflicts(update, refresh=self._table.checkout_latest).rows_updated)
        return met

    def delete_placed(self, rows: pa.Table) -> int:
        """Delete rows that were read with their places; return how many were met. Of none nothing is made."""
        places, met = rows.column(lance_queries.ROW_ID).to_pylist(), 0
        for part in (places[at : at + _ROWS_A_COMMIT] for at in range(0, len(places), _ROWS_A_COMMIT)):
            gone = partial(self._table.delete, _at(part))
            with told_as_ours("cannot delete from the memories table"):
                met += int(retry_conflicts(gone, refresh=self._table.checkout_latest).num_deleted_rows)
        return met


def _at(places: Sequence[int]) -> str:
    return f"{lance_queries.ROW_ID} IN ({', '.join(map(str, places))})"


def _parts(rows: pa.Table, values: Sequence[str | None]) -> Iterator[list[tuple[str, int, str | None]]]:
    """Yield the rows in parts, by mark, place and value: in none says one what another says."""
    texts = rows.column("text").to_pylist()
    marks = (hashlib.md5((text or "").encode(), usedforsecurity=False).hexdigest() for text in texts)
    left = list(zip(marks, rows.column(lance_queries.ROW_ID).to_pylist(), values, strict=True))
    while left:
        part: dict[str, tuple[str, int, str | None]] = {}
        rest = []
        for one in left:
            fits = one[0] not in part and (one[2] is None) == (left[0][2] is None)
            if fits and len(part) < _ROWS_A_COMMIT:
                part[one[0]] = one
            else:
                rest.append(one)
        yield list(part.values())
        left = rest
