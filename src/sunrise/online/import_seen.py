"""What an import met before: ids and texts of the table, and of the rows that it took already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sunrise.domain.filters import DEFAULT_SCOPE, sql_text
from sunrise.domain.text.analysis import written_terms
from sunrise.domain.text.dated_terms import text_terms, with_any_day
from sunrise.domain.transfer import Dedupe
from sunrise.ports import MemoryReader


class SeenRows:
    """
    Remembers rows by the hashes of their ids and texts: some tens of bytes a row, whatever they hold.

    Two texts are the same when their analysed terms are, in one scope; see
    :func:`sunrise.domain.duplicates.sameness`.
    """

    def __init__(self, table: MemoryReader | None, dedupe: Dedupe) -> None:
        self._table = table
        self._ids: set[int] = set()
        self._texts: set[int] = set()
        self._by_text = dedupe == Dedupe.ID_TEXT
        if self._by_text and table is not None:
            self._texts.update(_texts_of(table))

    def ids_in_table(self, ids: Sequence[str]) -> frozenset[str]:
        """Return which of these ids the table has."""
        if not ids or self._table is None:
            return frozenset()
        return frozenset(self._table.by_ids(ids, ["id"]).column("id").to_pylist())

    def has_id(self, memory_id: str) -> bool:
        """Return whether this import took a row of this id already."""
        return hash(memory_id) in self._ids

    def has_text(self, scope: str | None, text: str, analysed: str) -> bool:
        """Return whether a row says the same in the same scope."""
        return self._by_text and _text_key(scope, text, analysed) in self._texts

    def add(self, memory_id: str, scope: str | None, text: str, analysed: str) -> None:
        """Remember a row that is taken."""
        self._ids.add(hash(memory_id))
        if self._by_text:
            self._texts.add(_text_key(scope, text, analysed))


def _texts_of(table: MemoryReader) -> Iterable[int]:
    names = table.schema().names
    if "terms" in names:
        where = "terms IS NOT NULL AND terms <> ''"
        for batch in table.batches(["scope", "terms", "text"], where=where):
            for row in batch.to_pylist():
                if analysed := text_terms(row["terms"]):
                    yield _text_key(row.get("scope"), "", written_terms(row["text"] or "", analysed))
    # What nobody took in yet has no terms, and signs have those of their day alone.
    low, high = map(sql_text, with_any_day(""))
    unknown = f"(terms IS NULL OR terms = '' OR (terms >= {low} AND terms < {high}))"
    where_new = unknown if "terms" in names else None
    for batch in table.batches(["scope", "text"], where=where_new):
        for row in batch.to_pylist():
            text = row["text"] or ""
            yield _text_key(row.get("scope"), text, written_terms(text))


def _text_key(scope: str | None, text: str, analysed: str) -> int:
    # Signs alone have no terms, and are the same only as themselves.
    return hash((scope or DEFAULT_SCOPE, analysed or text.strip()))
