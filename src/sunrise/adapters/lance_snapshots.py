"""Tagged versions of the memories table: read, hashed, copied and restored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from sunrise.adapters.lance_border import connect, retry_conflicts, told_as_ours
from sunrise.adapters.row_hashes import RowSum, cell_hashes, schema_hash
from sunrise.ports.snapshots import TableContent

_BATCH_ROWS: Final = 2048


class LanceSnapshots:
    """What a snapshot asks of a memories table; a part of ``LanceMemories``."""

    _table: Any

    def content(self, at: str | int | None = None) -> TableContent:
        """Return what a version holds, the newest if none is named; reads every cell."""
        with told_as_ours("cannot read a version of the memories table"), self._at(at):
            rows = RowSum()
            for batch in _batches(self._table):
                rows.add(batch)
            version, schema = int(self._table.version), self._table.schema
            return TableContent(version, rows.rows, schema_hash(schema), rows.hexdigest())

    def cell_hashes(self, at: str | int | None = None) -> Iterator[pa.RecordBatch]:
        """Yield ``id`` and a hash of each other cell (as uint64) of all rows of a version, in batches."""
        with told_as_ours("cannot read a version of the memories table"), self._at(at):
            names = [name for name in self._table.schema.names if name != "id"]
            for batch in _batches(self._table):
                hashes = cell_hashes(batch, names)
                columns = [batch.column("id"), *(pa.array(hashes[name], pa.uint64()) for name in names)]
                yield pa.RecordBatch.from_arrays(columns, names=["id", *names])

    def restore(self, tag: str) -> int:
        """Make a new version that holds what a tag names, and return its number."""
        with told_as_ours("cannot restore the memories table"):
            retry_conflicts(lambda: self._table.restore(tag), refresh=self._table.checkout_latest)
            self._table.checkout_latest()
            return int(self._table.version)

    def copy_to(self, folder: Path, *, tag: str) -> int:
        """Write what a tag names as a table of the same name in another folder; return its rows."""
        with told_as_ours("cannot copy a version of the memories table"), self._at(tag):
            schema = self._table.schema
            reader = pa.RecordBatchReader.from_batches(schema, _batches(self._table))
            made = connect(folder).create_table(self._table.name, data=reader, schema=schema)
            return int(made.count_rows())

    @contextmanager
    def _at(self, at: str | int | None) -> Iterator[None]:
        self._table.checkout_latest()
        try:
            if at is not None:
                self._table.checkout(at)
            yield
        finally:
            self._table.checkout_latest()


def _batches(table: Any) -> Iterator[pa.RecordBatch]:
    names = table.schema.names
    for batch in table.search().select(names).to_batches(_BATCH_ROWS):
        yield batch.select(names)
