"""What the page of a grading run shows beside its counts: scores, reasons, other scorers, and the past."""

from __future__ import annotations

import re
from contextlib import suppress

import polars as pl

from reports.sections import Section
from sunrise.bootstrap import Home
from sunrise.domain.importance import ImportanceLabel
from sunrise.domain.scoring.scorers import SCORERS
from tasks.run_frame import Run
from tasks.scoring import score_frame

SAMPLED = 2_000
"""Rows of a batch that the other scorers grade too: enough for a share, too few to cost the run its time."""

BINS = tuple(f"0.{tenth}" for tenth in range(10))
"""The tenths of the score, named by where they begin; a score of 1 is in the last."""
UNGRADED = "none"

_PAST_RUNS = 10
_SENTENCE = re.compile(r"[^.]+\.")


def count_grades(run: Run, rows: pl.DataFrame, grades: pl.DataFrame) -> None:
    """Count the grades of a batch by score and by reason, and where another scorer would label otherwise."""
    for tenth, count in binned(grades["score"]).items():
        if count:
            run.tally("scores", tenth, count)
    for rationale, count in grades["rationale"].value_counts().iter_rows():
        for sentence in _SENTENCE.findall(rationale):
            run.tally("reasons", sentence.strip(), count)
    _compare_scorers(run, rows, grades)


def label_history(home: Home, counts: dict[str, int]) -> Section:
    """Return the labels of this run and of those before it, newest first."""
    labels = [str(label) for label in ImportanceLabel]
    past = [run for run in home.ledger.runs(flow="grade", limit=_PAST_RUNS + 1) if run.finished_ms]
    before = [
        (run.run_id, run.groups.get("label_counts", {})) for run in past if run.counts.get("graded_filled")
    ]
    rows = [("this run", counts), *before[:_PAST_RUNS]]
    return Section(
        title="Labels over time",
        columns=("run", *labels),
        rows=tuple((name, *(given.get(label, 0) for label in labels)) for name, given in rows),
    )


def binned(scores: pl.Series) -> dict[str, int]:
    """
    Return how many scores are in each tenth, and how many rows have none.

    >>> {name: rows for name, rows in binned(pl.Series([0.0, 0.05, 0.7, 1.0, None])).items() if rows}
    {'0.0': 2, '0.7': 1, '0.9': 1, 'none': 1}
    """
    counts = dict.fromkeys((*BINS, UNGRADED), 0)
    tenths = (scores.cast(pl.Float64) * 10).floor().clip(0, 9).cast(pl.Int64)
    for tenth, rows in tenths.value_counts().iter_rows():
        counts[UNGRADED if tenth is None else BINS[tenth]] += rows
    return counts


def _compare_scorers(run: Run, rows: pl.DataFrame, grades: pl.DataFrame) -> None:
    sample = rows.head(SAMPLED)
    given = grades.select("id", "label")
    for name, other in _other_labels(run, sample):
        both = sample.select("id").join(given, on="id").join(other, on="id", suffix="_other")
        differing = both.filter(pl.col("label") != pl.col("label_other"))
        run.tally("scorers_compared", name, both.height)
        move = pl.format("{}: {}->{}", pl.lit(name), "label", "label_other").alias("move")
        for moved, count in differing.group_by(move).len().sort("move").iter_rows():
            run.tally("scorers_disagree", moved, count)


def _other_labels(run: Run, sample: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    found: list[tuple[str, pl.DataFrame]] = []
    for name, scorer in SCORERS.items():
        if name != run.home.settings.grade.scorer:
            # What is only compared with must not cost a grade.
            with suppress(Exception, pl.exceptions.PanicException):
                found.append((name, score_frame(sample, scorer).select("id", "label")))
    return found
