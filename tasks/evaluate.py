"""Steps of the evaluation: read golden sets, ask recall, and tell what was lost since last time."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from reports.sections import Section
from sunrise.bootstrap import Home
from sunrise.domain.recall import RecallRequest
from sunrise.domain.records import Rejected
from sunrise.domain.retrieval_metrics import hit_at_k, recall_at_k, reciprocal_rank
from sunrise.domain.secrets import redact
from sunrise.online.recall import recall
from sunrise.ports import MemoryTable

_NOTE = "evaluate.hits"
GOLDEN: dict[str, pl.DataType | type[pl.DataType]] = {
    "key": pl.String,
    "query": pl.String,
    "scope": pl.String,
    "lang": pl.String,
    "category": pl.String,
    "expected": pl.List(pl.String),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What recall made of one golden query."""

    key: str
    category: str
    recall: float
    hit: bool
    reciprocal_rank: float
    ms: float


def golden_files(home: Home) -> list[Path]:
    """Return the golden sets of the home and of the settings, by name."""
    return home.golden_files()


def read_golden(files: list[Path]) -> tuple[pl.DataFrame, list[Rejected]]:
    """Return the queries of golden JSONL files, and the lines that are none."""
    rows: list[dict[str, Any]] = []
    rejected: list[Rejected] = []
    for path in files:
        for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
            if not line.strip():
                continue
            try:
                rows.append(_golden_row(json.loads(line), where=f"{path.name}:{number}"))
            except (ValueError, TypeError, AttributeError, KeyError) as error:
                sample = redact(line[:400].decode("utf-8", "replace")).text
                rejected.append(
                    Rejected(
                        str(path), str(number), f"malformed_golden.{type(error).__name__}", sample, number
                    )
                )
    return pl.DataFrame(rows, schema=GOLDEN), rejected


def ask(home: Home, table: MemoryTable, golden: pl.DataFrame) -> list[Answer]:
    """Ask recall every query and measure the answers."""
    embedder = home.embedder()
    depth = home.settings.evaluate.k
    answers = []
    for row in golden.iter_rows(named=True):
        scope = row["scope"] or home.settings.memories.default_scope
        request = RecallRequest(query=row["query"], scope=scope, limit=depth)
        begin = time.perf_counter()
        result = recall(request, memories=table, embedder=embedder, clock=home.clock)
        ms = (time.perf_counter() - begin) * 1000
        wanted = set(row["expected"])
        # A golden line may name an answer by its text: where ids are made anew, texts stay.
        ranked = [item.text if item.text in wanted else item.ref for item in result.items]
        answers.append(
            Answer(
                row["key"],
                row["category"] or "all",
                recall_at_k(ranked, wanted, k=depth),
                bool(hit_at_k(ranked, wanted, k=depth)),
                reciprocal_rank(ranked, wanted),
                ms,
            )
        )
    return answers


def newly_lost(home: Home, answers: list[Answer], *, dry_run: bool) -> list[str]:
    """Return the queries that were answered last time and are not now, and remember this time's hits."""
    before = set(json.loads(home.ledger.get_note(_NOTE) or "[]"))
    hits = sorted(answer.key for answer in answers if answer.hit)
    if not dry_run and before != set(hits):
        home.ledger.put_note(_NOTE, json.dumps(hits, ensure_ascii=False))
    return sorted(before & {answer.key for answer in answers if not answer.hit})


def figures_of(answers: list[Answer], *, k: int) -> dict[str, float]:
    """Return recall@k, hit@k, MRR and latency percentiles in milliseconds."""
    frame = _frame(answers)
    return {
        f"recall@{k}": round(_mean(frame, "recall"), 4),
        f"hit@{k}": round(_mean(frame, "hit"), 4),
        "mrr": round(_mean(frame, "reciprocal_rank"), 4),
        "p50_ms": round(float(frame["ms"].quantile(0.5) or 0), 2),
        "p95_ms": round(float(frame["ms"].quantile(0.95) or 0), 2),
    }


def categories_section(answers: list[Answer], *, k: int) -> Section:
    """Return the table of measures by category for the page."""
    grouped = (
        _frame(answers)
        .group_by("category")
        .agg(
            pl.len().alias("n"),
            pl.col("hit").mean(),
            pl.col("recall").mean(),
            pl.col("reciprocal_rank").mean(),
        )
    )
    rows = tuple(
        (str(name), int(n), round(hit, 3), round(found, 3), round(rank, 3))
        for name, n, hit, found, rank in grouped.sort("category").iter_rows()
    )
    return Section(
        title="By category", columns=("category", "queries", f"hit@{k}", f"recall@{k}", "mrr"), rows=rows
    )


def _golden_row(data: dict[str, Any], *, where: str) -> dict[str, Any]:
    expected = data["expected"]
    if not isinstance(expected, list) or not all(isinstance(ref, str) for ref in expected):
        msg = "expected must be a list of refs or texts"
        raise TypeError(msg)
    texts = {"query": data["query"], **{name: data.get(name) for name in ("scope", "lang", "category")}}
    if not all(value is None or isinstance(value, str) for value in texts.values()):
        msg = "query, scope, lang and category must be texts"
        raise TypeError(msg)
    return {"key": str(data.get("id") or where), **texts, "expected": expected}


def _frame(answers: list[Answer]) -> pl.DataFrame:
    return pl.DataFrame(
        [(a.category, a.recall, float(a.hit), a.reciprocal_rank, a.ms) for a in answers],
        schema={
            "category": pl.String,
            "recall": pl.Float64,
            "hit": pl.Float64,
            "reciprocal_rank": pl.Float64,
            "ms": pl.Float64,
        },
        orient="row",
    )


def _mean(frame: pl.DataFrame, column: str) -> float:
    return float(frame[column].sum()) / max(frame.height, 1)
