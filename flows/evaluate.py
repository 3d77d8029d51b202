"""The flow that measures recall."""

from __future__ import annotations

from typing import Any

from contracts.measurement import GoldenFrame
from tasks.evaluate import (
    admitted,
    ask_golden,
    categories_section,
    golden_files,
    keep_answers,
    newly_lost,
    query_frame,
    read_golden,
    receipt_figures,
)
from tasks.lazy_flow import flow
from tasks.memories import open_memories
from tasks.prefect_bridge import as_state
from tasks.run_frame import Run, SkipRun, run_flow


@flow(name="evaluate")
def measure_recall(home: str | None = None, dry_run: bool = False) -> Any:
    """
    Ask recall every query of the golden sets and measure the answers.

    Changes no record; remembers which queries were answered. A set that brings memories along is asked in a
    table of its own. The receipt shows queries = hits + misses + quarantined, recall@k, hit@k, MRR, nDCG and
    latency, and names the queries that were answered before and are not now.
    """
    return as_state(run_flow("evaluate", evaluate, home=home, dry_run=dry_run))


def evaluate(run: Run) -> None:
    """Read, ask, measure, compare with last time."""
    run.balance("queries", "hits", "misses", "quarantined")
    files = run.step(golden_files, run.home)
    if not files:
        raise SkipRun("no_golden_set")
    sets, malformed = run.step(read_golden, files)
    run.refuse(malformed)
    read = query_frame(sets)
    sets = admitted(sets, run.admit(GoldenFrame, read, source="golden", key="key"))
    table = open_memories(run) if any(not one.memories for one in sets) else None
    found = run.step(ask_golden, run.home, table, sets)
    run.write(keep_answers, run.home, found)
    answers = found.answers
    limits = run.home.settings.evaluate
    hits = sum(answer.is_hit(k=limits.k) for answer in answers)
    run.count(queries=read.height + len(malformed), hits=hits, misses=len(answers) - hits)
    run.figures |= receipt_figures(answers, k=limits.k)
    run.facts["embedder"] = found.embedder
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
