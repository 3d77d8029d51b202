"""The flow that grades importance."""

from __future__ import annotations

from typing import Any

from sunrise.domain.importance import ImportanceLabel
from tasks.grade import grade_batch, ungraded_batches
from tasks.grade_figures import label_history
from tasks.lazy_flow import flow
from tasks.prefect_bridge import as_state
from tasks.run_frame import Run, run_flow


@flow(name="grade")
def grade_importance(home: str | None = None, dry_run: bool = False) -> Any:
    """
    Give every observation without a grade its score, label and reasons.

    Fills empty grades and never touches one that is there. Running it again sees only what is new or still
    without a grade. The receipt shows total_seen as the sum of graded_filled, skipped_existing,
    skipped_disabled, scorer_errors and quarantined, and how many got each label.
    """
    return as_state(run_flow("grade", grade, home=home, dry_run=dry_run))


def grade(run: Run) -> None:
    """Batch by batch: read, score, fill."""
    run.balance(
        "total_seen", "graded_filled", "skipped_existing", "skipped_disabled", "scorer_errors", "quarantined"
    )
    run.groups["label_counts"] = dict.fromkeys(map(str, ImportanceLabel), 0)
    run.facts["scorer"] = run.home.settings.grade.scorer
    for rows in ungraded_batches(run):
        grade_batch(run, rows)
    run.rate("rows_per_second", run.counts["total_seen"])
    run.sections.append(label_history(run.home, run.groups["label_counts"]))
    if run.counts["scorer_errors"]:
        run.anomaly("scorer_errors", "the scorer failed on some rows", run.counts["scorer_errors"])


if __name__ == "__main__":
    grade_importance()
