"""The flow that grades anew what was graded before."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from tasks.lazy_flow import flow
from tasks.prefect_bridge import as_state
from tasks.regrade import Regrade, chosen_scorer, graded_batches, regrade_batch, show_moves
from tasks.run_frame import Run, run_flow


@flow(name="regrade")
def regrade_importance(
    home: str | None = None,
    dry_run: bool = False,
    scorer: str | None = None,
    since_ms: int | None = None,
    scope: str | None = None,
    force: Sequence[str] = (),
) -> Any:
    """
    Score observations again, and replace the grades that our own scorers gave where they differ.

    A grade that an operator or a capture gave stands, but for the fields that are forced. A dry run is a
    preview. A snapshot is taken before anything changes, every change stands in the audit trail, and running
    it again changes nothing. The receipt shows seen = regraded + unchanged + protected + scorer_errors +
    quarantined, which labels move where, and the scores before and after.
    """
    asked = Regrade(scorer=scorer, since_ms=since_ms, scope=scope, force=tuple(force))
    return as_state(run_flow("regrade", partial(regrade, asked=asked), home=home, dry_run=dry_run))


def regrade(run: Run, *, asked: Regrade) -> None:
    """Batch by batch: read, score, compare, replace; then show what moved."""
    run.balance("seen", "regraded", "unchanged", "protected", "scorer_errors", "quarantined")
    run.count(labels_moved=0)
    run.groups.update(label_moves={}, scores_before={}, scores_after={})
    scorer = chosen_scorer(run.home, asked)
    run.facts.update(scorer=scorer.method, forced=", ".join(asked.force) or "none")
    moved = [regrade_batch(run, rows, asked, scorer=scorer) for rows in graded_batches(run, asked)]
    show_moves(run, moved)
    run.rate("rows_per_second", run.counts["seen"])
    if run.counts["scorer_errors"]:
        run.anomaly("scorer_errors", "the scorer failed on some rows", run.counts["scorer_errors"])


if __name__ == "__main__":
    regrade_importance()
