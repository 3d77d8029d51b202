"""Steps of the evaluation: read golden sets, ask recall, and tell what was lost since last time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from reports.sections import Section
from sunrise.bootstrap import Home
from sunrise.domain.records import Rejected
from sunrise.domain.retrieval_metrics import mean
from sunrise.ports import MemoryTable
from tasks.eval_answers import Answer
from tasks.eval_figures import NDCG_DEPTH, latency_of, measures
from tasks.eval_runs import EvalRun, ask_sets, keep_run
from tasks.eval_tables import Place
from tasks.golden import GoldenSet
from tasks.golden_sets import read_golden_sets

_NOTE = "evaluate.hits"
KEPT_AS = "evaluate"
"""Name under which the flow's last answers are kept."""

GOLDEN: dict[str, pl.DataType | type[pl.DataType]] = {
    "key": pl.String,
    "query": pl.String,
    "scope": pl.String,
    "lang": pl.String,
    "category": pl.String,
    "expected": pl.List(pl.String),
}


def golden_files(home: Home) -> list[Path]:
    """Return the golden sets of the home and of the settings, by name."""
    return home.golden_files()


def read_golden(files: Sequence[Path]) -> tuple[list[GoldenSet], list[Rejected]]:
    """Return golden files of any known shape, and the lines that are none."""
    return read_golden_sets(files)


def query_frame(sets: Sequence[GoldenSet]) -> pl.DataFrame:
    """Return the queries of golden sets, one a row."""
    rows = [
        (one.key, one.query, one.scope, one.lang, one.category, list(one.relevant))
        for golden in sets
        for one in golden.queries
    ]
    return pl.DataFrame(rows, schema=GOLDEN, orient="row")


def admitted(sets: Sequence[GoldenSet], frame: pl.DataFrame) -> list[GoldenSet]:
    """Return golden sets with the queries alone that a contract let through."""
    keys = set(frame["key"])
    return [replace(one, queries=tuple(q for q in one.queries if q.key in keys)) for one in sets]


def ask_golden(home: Home, table: MemoryTable | None, sets: Sequence[GoldenSet]) -> EvalRun:
    """
    Ask recall every query and measure the answers.

    The home's own *table* answers what brings no memories along; each other set gets a table for the while.
    """
    (found,) = ask_sets(
        home.settings,
        sets,
        rankers=["recall"],
        depth=max(home.settings.evaluate.k, NDCG_DEPTH),
        at_ms=home.clock.now_ms(),
        own=None if table is None else Place(home, table),
    )
    return found


def keep_answers(home: Home, found: EvalRun) -> None:
    """Keep the answers in place of those of the flow's last run."""
    keep_run(home.path / "evals", found, ks=[home.settings.evaluate.k], name=KEPT_AS)


def newly_lost(home: Home, answers: Sequence[Answer], *, dry_run: bool) -> list[str]:
    """Return the queries that were answered last time and are not now, and remember this time's hits."""
    k = home.settings.evaluate.k
    before = set(json.loads(home.ledger.get_note(_NOTE) or "[]"))
    hits = sorted(answer.key for answer in answers if answer.is_hit(k=k))
    if not dry_run and before != set(hits):
        home.ledger.put_note(_NOTE, json.dumps(hits, ensure_ascii=False))
    return sorted(before & {answer.key for answer in answers if not answer.is_hit(k=k)})


def receipt_figures(answers: Sequence[Answer], *, k: int) -> dict[str, float]:
    """Return the measures, the share of queries that went wrong in a way, and latency in milliseconds."""
    asked = [one for one in answers if not one.is_off_topic]
    off_topic = [float(bool(one.ranked)) for one in answers if one.is_off_topic]
    means = {name: round(mean([measure(one) for one in asked]), 4) for name, measure in measures([k]).items()}
    answered = {"off_topic_answered": round(mean(off_topic), 4)} if off_topic else {}
    wrong = round(mean([float(one.wrong_scope) for one in answers]), 4)
    latency = {f"{name}_ms": value for name, value in latency_of(answers).items()}
    return {**means, "wrong_scope": wrong, **answered, **latency}


def categories_section(answers: Sequence[Answer], *, k: int) -> Section:
    """Return the table of measures by category for the page."""
    groups: dict[str, list[Answer]] = {}
    for one in answers:
        if not one.is_off_topic:
            groups.setdefault(one.category, []).append(one)
    names = (f"hit@{k}", f"recall@{k}", "mrr")
    by_name = measures([k])
    rows: list[tuple[str | int | float, ...]] = []
    for name, members in sorted(groups.items()):
        means = (round(mean([by_name[measure](one) for one in members]), 3) for measure in names)
        rows.append((name, len(members), *means))
    return Section(title="By category", columns=("category", "queries", *names), rows=tuple(rows))
