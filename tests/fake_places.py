"""The part of the stand-in for the memories table that reads and writes rows by their places."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from sunrise.adapters.lance_rows import existing


class FakePlaces:
    """A place is the number of the row."""

    rows: pa.Table

    def placed(self, columns: Sequence[str], *, where: str) -> pa.Table:
        numbered = self.rows.append_column("_rowid", pa.array(range(self.rows.num_rows), pa.uint64()))
        names = existing(columns, schema=self.rows.schema)
        return type(self)(numbered)._where(where).select([*names, "_rowid"])  # type: ignore[call-arg, attr-defined]

    def write_placed(self, rows: pa.Table, column: str, values: Sequence[str | None]) -> int:
        held, met = self.rows.to_pylist(), 0
        places, texts = rows["_rowid"].to_pylist(), rows["text"].to_pylist()
        for place, text, value in zip(places, texts, values, strict=True):
            if place < len(held) and held[place]["text"] == text:
                held[place][column] = value
                met += 1
        self._become(pa.Table.from_pylist(held, schema=self.rows.schema))
        return met

    def delete_placed(self, rows: pa.Table) -> int:
        places = set(rows["_rowid"].to_pylist())
        stays = [place not in places for place in range(self.rows.num_rows)]
        if places:
            self._become(self.rows.filter(pa.array(stays, pa.bool_())))
        return stays.count(False)

    def _become(self, rows: pa.Table) -> None: ...
