"""The flow that measures recall."""

from __future__ import annotations

from typing import Any

from contracts.measurement import GoldenFrame
from tasks.evaluate import (
    ask,
    categories_section,
    figures_of,
    golden_files,
    newly_lost,
    read_golden,
)
from tasks.lazy_flow import flow
from tasks.memories import open_memories
from tasks.prefect_bridge import as_state
from tasks.run_frame import Run, SkipRun, run_flow


@flow(name="evaluate")
def measure_recall(home: str | None = None, dry_run: bool = False) -> Any:
    """
    Ask recall every query of the golden sets and measure the answers.

    Changes no record; remembers which queries were answered. The receipt shows queries = hits + misses +
    quarantined, recall@k, hit@k, MRR and latency, and names the queries that were answered before and are
    not now.
    """
    return as_state(run_flow("evaluate", evaluate, home=home, dry_run=dry_run))


def evaluate(run: Run) -> None:
    """Read, ask, measure, compare with last time."""
    run.balance("queries", "hits", "misses", "quarantined")
    files = run.step(golden_files, run.home)
    if not files:
        raise SkipRun("no_golden_set")
    read, malformed = run.step(read_golden, files)
    run.refuse(malformed)
    golden = run.admit(GoldenFrame, read, source="golden", key="key")
    answers = run.step(ask, run.home, open_memories(run), golden)
    hits = sum(answer.hit for answer in answers)
    run.count(queries=read.height + len(malformed), hits=hits, misses=len(answers) - hits)
    limits = run.home.settings.evaluate
    run.figures |= figures_of(answers, k=limits.k)
    run.facts["embedder"] = run.home.embedder().model_id
    if answers:
        run.sections.append(categories_section(answers, k=limits.k))
    lost = run.step(newly_lost, run.home, answers, dry_run=run.dry_run)
    run.count(newly_lost=len(lost))
    run.name("newly_lost", lost)
    if lost:
        run.anomaly("queries_lost", "queries that were answered before are not now", len(lost))
    if answers and hits / len(answers) < limits.min_hit:
        run.anomaly("hit_rate_low", f"{hits} of {len(answers)} queries were answered", len(answers) - hits)
    if run.counts["quarantined"]:
        run.anomaly("golden_set_damaged", "lines of the golden sets were refused", run.counts["quarantined"])


if __name__ == "__main__":
    measure_recall()
