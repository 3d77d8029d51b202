"""The part of the fake memories table that a snapshot asks: versions that a tag holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from sunrise.adapters.row_hashes import RowSum, cell_hashes, schema_hash
from sunrise.ports.snapshots import TableContent


class FakeSnapshots:
    """Versions are kept once they are tagged."""

    rows: pa.Table
    version: int
    tags: dict[str, int]
    held: dict[int, pa.Table]

    def content(self, at: str | int | None = None) -> TableContent:
        version, rows = self._at(at)
        total = RowSum()
        total.add(rows)
        return TableContent(version, rows.num_rows, schema_hash(rows.schema), total.hexdigest())

    def cell_hashes(self, at: str | int | None = None) -> Iterator[pa.RecordBatch]:
        _, rows = self._at(at)
        names = [name for name in rows.column_names if name != "id"]
        hashes = cell_hashes(rows, names)
        columns = [rows.column("id"), *(pa.array(hashes[name], pa.uint64()) for name in names)]
        yield from pa.Table.from_arrays(columns, names=["id", *names]).to_batches()

    def restore(self, tag: str) -> int:
        _, self.rows = self._at(tag)
        self.version += 1
        return self.version

    def copy_to(self, folder: Path, *, tag: str) -> int:
        raise NotImplementedError

    def _at(self, at: str | int | None) -> tuple[int, pa.Table]:
        version = self.version if at is None else at if isinstance(at, int) else self.tags[at]
        return version, self.rows if version == self.version else self.held[version]
