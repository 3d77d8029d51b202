"""The flow that softly archives what nobody uses."""

from __future__ import annotations

from functools import partial
from typing import Any

from sunrise.domain.retention import Verdict
from tasks.archiving import (
    WITHHELD,
    carry_out,
    count_going,
    count_judged,
    expired,
    read_preview,
    show_withheld,
    still_going,
    withheld,
)
from tasks.lazy_flow import flow
from tasks.lifecycle import judge_all
from tasks.prefect_bridge import as_state
from tasks.run_frame import Run, run_flow


@flow(name="lifecycle")
def archive_unused(home: str | None = None, dry_run: bool = False, approve: str | None = None) -> Any:
    """
    Archive records that were not used for the time of their tier, and revive those that were used again.

    Nothing is deleted: an archived record is hidden from recall, stays whole, and comes back when it is
    used. Memories whose time is over are archived too. A run that would archive more than
    `lifecycle.max_archived_share` of a store archives nothing, is an anomaly, and shows what would have gone;
    with `approve` and the id of such a run exactly that is archived, as far as it still holds. A snapshot is
    taken before anything changes, and every change stands in the audit trail. The receipt shows seen =
    archived + withheld + revived + already_archived + protected, by tier, importance and reason.
    """
    body = lifecycle if approve is None else partial(approve_archiving, approved=approve)
    return as_state(run_flow("lifecycle", body, home=home, dry_run=dry_run))


def lifecycle(run: Run) -> None:
    """Judge every record of both stores, then carry out the verdicts."""
    run.balance("seen", "archived", WITHHELD, "revived", "already_archived", "protected")
    table, judged = judge_all(run)
    held_back = withheld(judged, run)
    count_judged(run, judged, held_back)
    if held_back:
        show_withheld(run, held_back)
        run.count(expired=0)
        carry_out(run, table, [one for one in judged if one.verdict is Verdict.REVIVE])
        return
    ended = run.step(expired, table, judged, now_ms=run.started_ms)
    run.count(expired=len({one.record_ref for one in ended}))
    carry_out(run, table, judged, ended)


def approve_archiving(run: Run, *, approved: str) -> None:
    """Archive what another run held back, as far as it would still be archived."""
    run.balance("seen", "archived", "no_longer")
    run.facts["approved"] = approved
    previewed = run.step(read_preview, run.home, approved)
    table, judged = judge_all(run)
    going = still_going(judged, previewed)
    for one in going:
        count_going(run, one, "archived")
    others = len(previewed) - len(going)
    run.count(seen=others, no_longer=others)
    carry_out(run, table, going)


if __name__ == "__main__":
    archive_unused()
