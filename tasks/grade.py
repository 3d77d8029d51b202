"""Steps of grading: give each observation without a grade its score, label and reasons."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from contracts.observations import GradeFrame, UngradedFrame
from sunrise.bootstrap import Home
from sunrise.domain.scoring.heuristic_v1 import grade
from tasks.run_frame import Run

_SOURCE = "ledger.observations"
_GRADES = {
    "id": pl.Int64,
    "score": pl.Float64,
    "label": pl.String,
    "method": pl.String,
    "version": pl.Int64,
    "rationale": pl.String,
}


def ungraded_batches(run: Run) -> Iterator[pl.DataFrame]:
    """Yield observations that no grading run saw yet, or that still lack a grade, in batches by id."""
    after_id = 0
    while True:
        rows = run.step(read_ungraded, run.home, after_id=after_id)
        if rows.is_empty():
            return
        after_id = rows["id"].to_list()[-1]
        yield rows


def read_ungraded(home: Home, *, after_id: int) -> pl.DataFrame:
    """Return the next batch past an id."""
    return pl.DataFrame(home.ledger.ungraded(after_id=after_id, limit=home.settings.grade.batch_rows))


def grade_batch(run: Run, rows: pl.DataFrame) -> None:
    """Grade one batch and count what came of each row."""
    kept = run.admit(UngradedFrame, rows, source=_SOURCE, key="id")
    ungraded = kept.filter(pl.col("importance_label").is_null())
    run.count(total_seen=rows.height, skipped_existing=kept.height - ungraded.height)
    if run.home.settings.grade.scorer == "off":
        run.count(skipped_disabled=ungraded.height)
        return
    scored, errors = run.step(score_rows, ungraded)
    grades = run.admit(GradeFrame, scored, source=_SOURCE, key="id")
    filled = run.write(save_grades, run.home, grades, run_id=run.run_id, seen_up_to=rows["id"].to_list()[-1])
    filled = grades.height if filled is None else filled
    # Where fewer were filled, somebody graded the row between reading and writing: theirs stands.
    run.count(scorer_errors=errors, graded_filled=filled, skipped_existing=grades.height - filled)
    for label, count in grades["label"].value_counts().iter_rows():
        run.tally("label_counts", label, count)


def score_rows(rows: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """
    Return the grades of rows, and how many rows the scorer failed on.

    A failing scorer costs its row the grade, never the run (fail-open): the row is tried again next time.
    """
    grades: list[tuple[object, ...]] = []
    errors = 0
    for row_id, kind, tool_name, summary in rows.select("id", "kind", "tool_name", "summary").iter_rows():
        try:
            given = grade(kind=kind, tool_name=tool_name, summary=summary)
        except Exception:
            errors += 1
            continue
        grades.append((row_id, given.score, str(given.label), given.method, given.version, given.rationale))
    return pl.DataFrame(grades, schema=_GRADES, orient="row"), errors


def save_grades(home: Home, grades: pl.DataFrame, *, run_id: str, seen_up_to: int) -> int:
    """Fill the grades that are still empty and move the watermark; return how many were filled."""
    return home.ledger.save_grades(grades.to_arrow(), run_id=run_id, seen_up_to=seen_up_to)
