"""How the ledger's grades and a memory's own importance are brought to agree before a writeback."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from sunrise.domain.importance import LOWEST_SCORES, ImportanceLabel
from tasks.memory_updates import HELD


def without_less_than_a_purpose(rows: pl.DataFrame) -> pl.DataFrame:
    """
    Leave out the grades `ignore` of memories that somebody stored on purpose, unless they were stated.

    Another observation of such a memory, as the capture of the call that stored it, is no reason to lower it.
    """
    is_kept = (pl.col("importance_from") == "on_purpose").any().over("memory_id")
    is_stated = (pl.col("importance_from") == "stated").fill_null(value=False)
    is_less = is_kept & ~is_stated & (pl.col("importance_label") == str(ImportanceLabel.IGNORE))
    return rows.with_columns(
        pl.when(is_less).then(None).otherwise(pl.col(name)).alias(name)
        for name in ("importance", "importance_label")
    )


def with_agreeing_importance(both: pl.DataFrame, *, forced: Collection[str]) -> pl.DataFrame:
    """
    Let what is filled of score and label agree with what the memory has of the two.

    A memory with a score of its own gets the label that this score stands for, and one with a label of its
    own a score of that label: the ledger's grade may be that of another judge. What is forced stays the
    ledger's.
    """
    score, label = pl.col("importance" + HELD), pl.col("importance_label" + HELD)
    has_label = label.is_not_null() & (label.str.strip_chars() != "")
    label_of_own, score_of_own = _label_of(score), _score_of(label)
    agrees = (score_of_own == _score_of(_label_of(pl.col("importance")))).fill_null(value=False)
    values = {
        "importance_label": (score.is_between(0, 1) & ~has_label, label_of_own),
        "importance": (score.is_null() & score_of_own.is_not_null() & ~agrees, score_of_own),
    }
    other = {"importance_label": "importance", "importance": "importance_label"}
    return both.with_columns(
        pl.when(is_own).then(value).otherwise(pl.col(name)).alias(name)
        for name, (is_own, value) in values.items()
        if other[name] not in forced
    )


def _label_of(score: pl.Expr) -> pl.Expr:
    """Return the label of scores; the frame's form of :func:`sunrise.domain.importance.label_from_score`."""
    found: pl.Expr = pl.lit(None, pl.String)
    for label, lowest in sorted(LOWEST_SCORES.items(), key=lambda one: one[1]):
        found = pl.when(score >= lowest).then(pl.lit(str(label))).otherwise(found)
    return found


def _score_of(label: pl.Expr) -> pl.Expr:
    lowest = {str(label): score for label, score in LOWEST_SCORES.items()}
    return label.replace_strict(lowest, default=None, return_dtype=pl.Float64)
