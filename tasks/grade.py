"""Steps of grading: give each observation without a grade its score, label and reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import polars as pl

from contracts.observations import GradeFrame, UngradedFrame
from sunrise.bootstrap import Home, existing_memories
from sunrise.domain.importance import NICE_TO_HAVE_FROM, ImportanceLabel
from sunrise.domain.records import split_ref
from sunrise.domain.scoring.heuristic_v1 import HEURISTIC_V1
from sunrise.domain.scoring.scorers import SCORERS
from sunrise.domain.scoring.signals import PURPOSE_RATIONALE, Grade, Scorer
from sunrise.sections.batch import GradeSettings
from tasks.grade_figures import count_grades
from tasks.run_frame import Run
from tasks.scoring import score_frame

if TYPE_CHECKING:
    from sunrise.adapters.http_scorer import HttpScorer

_SOURCE = "ledger.observations"
_SCORED = ("id", "kind", "tool_name", "summary")
_MOST_DIGITS = 18
"""What has more is no row's id."""

_GRADES = {
    "id": pl.Int64,
    "score": pl.Float64,
    "label": pl.String,
    "method": pl.String,
    "version": pl.Int64,
    "rationale": pl.String,
}


class RowScorer(Protocol):
    """A scorer that is no table: it is handed rows and returns a grade for each, or None."""

    def score(self, rows: Sequence[Mapping[str, Any]]) -> list[Grade | None]:
        """Return the grades of rows, in their order; None for each that got none."""
        ...


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
    scored, errors = run.step(score_rows, ungraded, scorer_of(run.home.settings.grade))
    scored = run.step(lift_stored_on_purpose, run.home, scored)
    grades = run.admit(GradeFrame, scored, source=_SOURCE, key="id")
    filled = run.write(save_grades, run.home, grades, run_id=run.run_id, seen_up_to=rows["id"].to_list()[-1])
    filled = grades.height if filled is None else filled
    # Where fewer were filled, somebody graded the row between reading and writing: theirs stands.
    run.count(scorer_errors=errors, graded_filled=filled, skipped_existing=grades.height - filled)
    for label, count in grades["label"].value_counts().iter_rows():
        run.tally("label_counts", label, count)
    run.step(count_grades, run, ungraded, grades)


def scorer_of(settings: GradeSettings) -> Scorer | HttpScorer:
    """Return the scorer that the settings name; they must not say off."""
    if settings.scorer != "http":
        return SCORERS[settings.scorer]
    from sunrise.adapters.http_scorer import HttpScorer

    return HttpScorer(settings.http_url, timeout_s=settings.http_timeout_s)


def score_rows(rows: pl.DataFrame, scorer: Scorer | RowScorer = HEURISTIC_V1) -> tuple[pl.DataFrame, int]:
    """
    Return the grades of rows, and how many rows the scorer failed on.

    A failing scorer costs its row the grade, never the run (fail-open): the row is tried again next time.
    """
    if not isinstance(scorer, Scorer):
        return _frame_of(rows, scorer.score(rows.select(_SCORED).to_dicts()))
    try:
        return score_frame(rows, scorer).select(*_GRADES), 0
    except (Exception, pl.exceptions.PanicException):
        # One row that cannot be read must not cost the others theirs.
        return _frame_of(rows, [_grade_or_none(scorer, *row) for row in rows.select(_SCORED[1:]).iter_rows()])


def lift_stored_on_purpose(home: Home, grades: pl.DataFrame) -> pl.DataFrame:
    """Return grades of which none that was stored on purpose is below ``nice_to_have``."""
    if grades.is_empty():
        return grades
    bounds = grades.select(pl.col("id").min().alias("first"), pl.col("id").max().alias("last")).row(0)
    kept = home.ledger.stored_on_purpose(after_id=bounds[0] - 1, up_to=bounds[1])
    is_lifted = pl.col("id").is_in(list(kept)) & (pl.col("score") < NICE_TO_HAVE_FROM)
    lifted = {
        "score": NICE_TO_HAVE_FROM,
        "label": str(ImportanceLabel.NICE_TO_HAVE),
        "rationale": PURPOSE_RATIONALE,
    }
    return grades.with_columns(
        pl.when(is_lifted).then(pl.lit(value)).otherwise(pl.col(name)).alias(name)
        for name, value in lifted.items()
    )


def graded_cells(home: Home, ref: str) -> dict[str, str | None] | None:
    """
    Return the kind, tool_name and summary by which a record is graded, or None where there is no such record.

    A memory is graded by its text alone, with its category as the kind.

    Raises:
        ValueError: The text is not the ref of an observation or a memory.
    """
    kind, key = split_ref(ref)
    if kind == "obs":
        return _observation_cells(home, int(key)) if key.isdecimal() and len(key) <= _MOST_DIGITS else None
    if kind != "mem":
        msg = f"no ref of an observation or a memory: {ref!r}"
        raise ValueError(msg)
    table = existing_memories(home.settings)
    rows = [] if table is None else table.by_ids([key], ["text", "category"]).to_pylist()
    return (
        {"kind": rows[0]["category"] or "", "tool_name": None, "summary": rows[0]["text"]} if rows else None
    )


def _observation_cells(home: Home, row_id: int) -> dict[str, str | None] | None:
    found = home.ledger.regradable(after_id=row_id - 1, limit=1).to_pylist()
    if not found or found[0]["id"] != row_id:
        return None
    return {name: found[0][name] for name in _SCORED[1:]}


def _grade_or_none(scorer: Scorer, kind: str, tool_name: str | None, summary: str) -> Grade | None:
    try:
        return scorer.grade(kind=kind, tool_name=tool_name, summary=summary)
    except Exception:
        return None


def _frame_of(rows: pl.DataFrame, given: list[Grade | None]) -> tuple[pl.DataFrame, int]:
    grades = [
        (row_id, one.score, str(one.label), one.method, one.version, one.rationale)
        for row_id, one in zip(rows["id"].to_list(), given, strict=True)
        if one is not None
    ]
    return pl.DataFrame(grades, schema=_GRADES, orient="row"), len(given) - len(grades)


def save_grades(home: Home, grades: pl.DataFrame, *, run_id: str, seen_up_to: int) -> int:
    """Fill the grades that are still empty and move the watermark; return how many were filled."""
    return home.ledger.save_grades(grades.to_arrow(), run_id=run_id, seen_up_to=seen_up_to)
