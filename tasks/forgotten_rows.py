"""A step at the ledger's door: what was forgotten does not come in again."""

from __future__ import annotations

from collections import Counter

import polars as pl

from sunrise.domain.text.analysis import terms, written_terms
from sunrise.ports import Ledger
from tasks.entry_counts import CountedRows

FORGOTTEN = "forgotten"
"""The rule under which such rows are counted, beside those of admission."""


def without_forgotten(ledger: Ledger, rows: pl.DataFrame) -> tuple[pl.DataFrame, CountedRows]:
    """Return the rows whose text was not forgotten in their scope, and the others counted by origin."""
    if rows.is_empty() or not ledger.buried():
        return rows, Counter()
    looked_at = rows.select("summary", "summary_en", "tool_name", "terms").iter_rows()
    may_be = ledger.may_be_forgotten([_terms_of_summary(*row) for row in looked_at])
    suspects = rows.filter(pl.Series(may_be, dtype=pl.Boolean))
    said = ledger.forgotten_texts(
        [(text.strip(), scope or None) for text, scope in suspects.select("summary", "scope").iter_rows()]
    )
    gone = suspects.filter(pl.Series(said, dtype=pl.Boolean))
    kept = rows.filter(~rows["key"].is_in(gone["key"].to_list()))
    return kept, Counter((FORGOTTEN, origin) for origin in gone["source_kind"].to_list())


def _terms_of_summary(summary: str, summary_en: str | None, tool_name: str | None, analysed: str) -> str:
    """Return the terms of the summary alone: behind them stand those of what is told beside it."""
    if summary_en:
        return written_terms(summary)
    return written_terms(summary, analysed.removesuffix(f" {terms(tool_name)}") if tool_name else analysed)
