"""The upkeep of the memories table: its figures, its indices, and what clears away what is old."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sunrise.adapters import lance_files, lance_indices, lance_probes
from sunrise.adapters.lance_border import retry_conflicts, told_as_ours
from sunrise.adapters.memory_schema import terms_described
from sunrise.ports import IndexProbe, TableFiles, TableState


class LanceUpkeep:
    """What keeps a memories table in shape; a part of ``LanceMemories``."""

    _table: Any

    def state(self) -> TableState:
        """Return the table's figures."""
        with told_as_ours("cannot read the state of the memories table"):
            self._table.checkout_latest()
            return lance_indices.table_state(self._table)

    def files(self) -> TableFiles | None:
        """Return the figures of the table's files; None in object storage, or with too many versions."""
        with told_as_ours("cannot look at the files of the memories table"):
            folder = lance_files.local_folder(self._table)
            return None if folder is None else lance_files.table_files(folder)

    def build_missing_indices(self) -> tuple[str, ...]:
        """Build each index that the layout wants and the table lacks; return the columns."""
        with told_as_ours("cannot index the memories table"):
            return lance_indices.build_missing(self._table)

    def rebuild_indices(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Build the indices of these columns anew, whatever is there; return the columns."""
        with told_as_ours("cannot rebuild an index of the memories table"):
            return lance_indices.rebuild(self._table, columns)

    def drop_needless_indices(self) -> tuple[str, ...]:
        """Drop each index that no longer pays or whose column is gone; return the names."""
        with told_as_ours("cannot drop an index of the memories table"):
            return lance_indices.drop_needless(self._table)

    def probe_indices(self, *, seed: int) -> tuple[IndexProbe, ...]:
        """Ask each index for rows that are known to be there: a broken one reports nothing by itself."""
        with told_as_ours("cannot probe the indices of the memories table"):
            return lance_probes.probe(self._table, seed=seed)

    def count_padded(self, column: str) -> int:
        """Return how many vectors end in zeros, as shorter ones do that were filled up; reads the column."""
        with told_as_ours("cannot look through the vectors"):
            batches = self._table.search().select([column]).to_batches(lance_probes.SCANNED_ROWS)
            return sum(lance_probes.padded(batch.column(column)) for batch in batches)

    def optimize(self, *, keep: timedelta) -> None:
        """
        Compact, index new rows, and drop versions older than ``keep`` that no tag holds.

        Versions live for an hour at least, and as long as the oldest tag: remove stale tags first.

        Raises:
            ConflictError: Another writer changes the rows faster than they can be compacted.
        """
        with told_as_ours("cannot optimize the memories table"):
            retry_conflicts(lambda: self._optimize_once(keep), refresh=self._table.checkout_latest)

    def note_terms(self, made_as: str) -> None:
        """Note on their column how the terms of all rows were made."""
        said = {"path": "terms", "metadata": terms_described(made_as)}
        with told_as_ours("cannot note how the terms were made"):
            retry_conflicts(
                lambda: self._table.update_field_metadata(said), refresh=self._table.checkout_latest
            )

    def _optimize_once(self, keep: timedelta) -> None:
        folder = lance_files.local_folder(self._table)
        # While a sweep is under way, branches hold versions in the place of tags.
        if folder is not None and not self._table.branches.list():
            tagged = {int(tag["version"]) for tag in self._table.tags.list().values()}
            lance_files.thin_versions(folder, tagged, older_than=lance_indices.SHORTEST_KEEP)
        self._table.optimize(cleanup_older_than=lance_indices.keep_window(self._table, keep=keep))
