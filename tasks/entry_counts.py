"""Counts at the ledger's door: what happened to rows, for what reason, by where they come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import polars as pl

from sunrise.domain.admission.rule_names import BY_FORM
from sunrise.domain.records import EntryCount
from sunrise.domain.trust import TRUSTED, Origin

CountedRows = Counter[tuple[str, str]]
"""Rows by reason and origin."""

BURST_ROWS = 200
BURST_MS = 10 * 60_000
"""More rows than this of one session in ten minutes are a burst: one source that floods the memory."""

_TEXTS = ("summary", "summary_en", "detail_json")


def with_marks(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows out of which a secret was taken."""
    return rows.filter(pl.any_horizontal(pl.col(_TEXTS).str.contains("[redacted:", literal=True)))


def redacted_kinds(rows: pl.DataFrame) -> CountedRows:
    """Count rows by the kinds of secrets that were taken out of them."""
    marks = pl.concat_str(_TEXTS, separator=" ", ignore_nulls=True).str.extract_all(r"\[redacted:[a-z0-9-]+")
    pairs = rows.select(marks.list.unique().alias("kind"), "source_kind").explode("kind").drop_nulls()
    kinds = pairs.with_columns(pl.col("kind").str.strip_prefix("[redacted:"))
    return Counter((str(kind), str(origin)) for kind, origin in kinds.iter_rows())


def distrust_reasons(rows: pl.DataFrame) -> CountedRows:
    """Count rows by the first reason for which each was quarantined as it entered."""
    held = rows.filter(pl.col("trust_reason").is_not_null()).select("trust_reason", "source_kind")
    return Counter(
        (str(reason).removeprefix("payload:").split(",")[0], str(origin))
        for reason, origin in held.iter_rows()
    )


def entry_counts(day: str, outcome: str, counted: CountedRows) -> Iterator[EntryCount]:
    """Return counts as the ledger adds them up by day."""
    for (reason, origin), rows in sorted(counted.items()):
        yield EntryCount(day, outcome, reason, origin, rows)


def by_reason(counted: CountedRows) -> Counter[str]:
    """Return counts without the origins."""
    total: Counter[str] = Counter()
    for (reason, _), rows in counted.items():
        total[reason] += rows
    return total


def trusted_and_held_back(rows: pl.DataFrame) -> tuple[int, int]:
    """
    Count the trusted rows that entered, and those of them that were judged to be worth too little.

    A heartbeat and a "thanks" are trusted too; they are known by their form, and it is no news that they go.
    """
    trusted = rows.filter(pl.col("trust_tier") == TRUSTED)
    judged = trusted["entry_rule"].is_not_null() & ~trusted["entry_rule"].is_in(sorted(BY_FORM))
    return trusted.height, int(judged.sum())


def bursts(rows: pl.DataFrame) -> Counter[str]:
    """
    Return by origin how many rows came from a session that had written two hundred in the ten minutes before.

    The owner's own rows are not counted, nor those without a session.
    """
    others = rows.filter((pl.col("source_kind") != Origin.OWNER) & pl.col("session_key").is_not_null())
    if others.height <= BURST_ROWS:
        return Counter()
    before = pl.col("ts_ms").shift(BURST_ROWS).over("session_key", "agent_id")
    above = others.sort("ts_ms").filter(pl.col("ts_ms") - before < BURST_MS)
    counted = above.group_by("source_kind").len().sort("source_kind")
    return Counter({str(origin): int(number) for origin, number in counted.iter_rows()})
