"""Search by words in a table that another program made and that no index flow has analysed yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from sunrise.adapters.held_terms import HeldTerms
from sunrise.domain.text.analysis import terms as terms_of

MOST_ROWS: Final = 1024
"""So many texts are analysed while a caller waits: some tens of milliseconds, until the first index flow."""


def search_unanalysed(
    table: Any, terms: str, *, columns: Sequence[str], where: str | None, limit: int
) -> pa.Table | None:
    """
    Return the best rows for analysed terms by BM25 over their texts, with ``terms`` and ``_score``.

    None where the table has too many rows for that.
    """
    if table.count_rows() > MOST_ROWS:
        return None
    query = table.search().select(list(dict.fromkeys([*columns, "text"])))
    rows = (query.where(where) if where else query).to_arrow()
    analysed = pa.chunked_array([pa.array(list(map(_terms, rows.column("text").to_pylist())), pa.string())])
    held = HeldTerms(analysed)
    places, scores = held.best(terms.split(), np.arange(len(rows), dtype=np.uint32), limit)
    found = rows.select(list(columns)).append_column("terms", analysed).take(pa.array(places))
    return found.append_column("_score", pa.array(scores, pa.float32()))


def _terms(text: str | None) -> str:
    return terms_of(text or "")
