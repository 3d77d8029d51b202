from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flows.evaluate import evaluate
from flows.index import index
from sunrise.bootstrap import Home
from sunrise.domain.receipts import RunReceipt, RunStatus
from tasks.eval_answers import Answer
from tasks.evaluate import (
    admitted,
    categories_section,
    newly_lost,
    query_frame,
    read_golden,
    receipt_figures,
)
from tests.homes import CONFIG, run_body

QUERIES: tuple[dict[str, Any], ...] = (
    {"id": "q-backup", "query": "backup database deploy", "expected": ["mem:m-backup"], "category": "words"},
    {"id": "q-tea", "query": "green tea", "expected": ["The user likes green tea"], "category": "text"},
    {"id": "q-none", "query": "quantum chromodynamics", "expected": ["mem:m-zh"]},
)

MEMORY_LINES: tuple[dict[str, Any], ...] = (
    {"kind": "memory", "id": "a", "text": "The user likes green tea"},
    {"kind": "memory", "id": "b", "text": "Lunch is at noon"},
)
MEMORY_QUERIES: tuple[dict[str, Any], ...] = (
    {"kind": "query", "id": "q1", "query": "which tea", "relevant": ["a"]},
    {"kind": "query", "id": "q2", "query": "moons of Saturn", "category": "off-topic", "relevant": []},
)


def golden(path: Path, *lines: dict[str, Any] | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in lines]
    path.write_text("\n".join(texts) + "\n\n", encoding="utf-8")
    return path


def answer(key: str, *, rank: int | None, ms: float = 1.0, category: str = "all") -> Answer:
    """One right answer, at a rank or nowhere."""
    others = tuple(f"mem:{place}" for place in range(10))
    ranked = others if rank is None else (*others[: rank - 1], "mem:right", *others[rank - 1 :])
    return Answer(
        golden="g", key=key, lang="en", category=category, relevant=("mem:right",), ranked=ranked, ms=ms
    )


def test_lines_that_are_no_queries_are_refused_without_their_secrets(tmp_path: Path) -> None:
    key = "sk-ant-api03-" + "a1B2" * 20
    path = golden(
        tmp_path / "g.jsonl",
        QUERIES[0],
        "{",
        "[]",
        '{"query": "q"}',
        '{"query": "q", "expected": "mem:a"}',
        '{"query": "q", "expected": [1]}',
        '{"query": "q", "expected": ["mem:a"], "scope": 5}',
        '{"expected": ["mem:a"]}',
        f"not json {key}",
        {"query": "no id", "expected": ["mem:a"], "lang": "en"},
    )
    sets, rejected = read_golden([path])
    assert query_frame(sets)["key"].to_list() == ["q-backup", "g.jsonl:10"]
    assert [one.line for one in rejected] == [2, 3, 4, 5, 6, 7, 8, 9]
    assert all(one.reason.startswith("malformed_golden.") for one in rejected)
    assert key not in rejected[-1].sample


def test_no_files_are_no_queries() -> None:
    sets, rejected = read_golden([])
    assert (query_frame(sets).height, rejected) == (0, [])


def test_queries_that_a_contract_refused_are_not_asked(tmp_path: Path) -> None:
    sets, _ = read_golden([golden(tmp_path / "g.jsonl", *QUERIES)])
    frame = query_frame(sets)
    kept = admitted(sets, frame.filter(frame["key"] != "q-tea"))
    assert [one.key for one in kept[0].queries] == ["q-backup", "q-none"]


def test_figures_worked_by_hand() -> None:
    answers = [
        answer("a", rank=1, ms=1.0),
        answer("b", rank=2, ms=3.0, category="text"),
        answer("c", rank=None, ms=2.0),
        replace(answer("d", rank=1), relevant=(), category="off-topic", wrong_scope=True),
        replace(answer("e", rank=1), relevant=(), category="off-topic", ranked=()),
    ]
    assert receipt_figures(answers, k=5) == {
        "recall@5": 0.6667, "hit@5": 0.6667, "mrr": 0.5, "ndcg@10": 0.5436,
        "wrong_scope": 0.2, "off_topic_answered": 0.5, "p50_ms": 1.0, "p95_ms": 3.0,
    }  # fmt: skip
    assert receipt_figures([], k=5)["hit@5"] == 0.0
    assert categories_section(answers, k=5).rows == (("all", 2, 0.5, 0.5, 0.5), ("text", 1, 1.0, 1.0, 0.5))


def test_a_query_is_lost_once(home: Home) -> None:
    assert newly_lost(home, [answer("a", rank=1), answer("b", rank=6)], dry_run=False) == []
    assert newly_lost(home, [answer("a", rank=None)], dry_run=True) == ["a"]
    assert newly_lost(home, [answer("a", rank=None), answer("b", rank=5)], dry_run=False) == ["a"]
    assert newly_lost(home, [answer("a", rank=None), answer("b", rank=1)], dry_run=False) == []
    # A query that was taken out of the set is not lost.
    assert newly_lost(home, [], dry_run=False) == []


def go(path: Path, *, dry_run: bool = False) -> RunReceipt:
    return run_body(path, evaluate, flow="evaluate", dry_run=dry_run)


def test_a_home_without_golden_sets_is_skipped(home_path: Path) -> None:
    receipt = go(home_path)
    assert (receipt.status, receipt.reason) == (RunStatus.SKIPPED, "no_golden_set")


def test_recall_is_asked_and_measured(home_path: Path) -> None:
    run_body(home_path, index, flow="index")
    golden(home_path / "golden" / "a.jsonl", *QUERIES)
    receipt = go(home_path)
    assert receipt.status is RunStatus.OK
    assert {n: receipt.counts[n] for n in ("queries", "hits", "misses", "quarantined", "newly_lost")} == {
        "queries": 3, "hits": 2, "misses": 1, "quarantined": 0, "newly_lost": 0,
    }  # fmt: skip
    assert (receipt.figures["hit@5"], receipt.figures["mrr"]) == (0.6667, 0.6667)
    assert receipt.facts["embedder"] == "none"
    kept = json.loads((home_path / "evals" / "evaluate.json").read_text(encoding="utf-8"))
    assert (kept["figures"]["hit"], kept["golden"].keys()) == ({"5": 66.67}, {"a"})
    assert not any(one["text"] in json.dumps(kept) for one in MEMORY_LINES)


def test_a_set_with_its_own_memories_leaves_the_home_alone(home_path: Path) -> None:
    # The home has no table: this set needs none.
    (home_path / "sunrise.toml").write_text(CONFIG + '[memories]\nuri = "elsewhere"\n', encoding="utf-8")
    golden(home_path / "golden" / "b.jsonl", *MEMORY_LINES, *MEMORY_QUERIES)
    receipt = go(home_path)
    assert (receipt.status, receipt.counts["hits"], receipt.counts["misses"]) == (RunStatus.OK, 2, 0)
    assert not (home_path / "elsewhere").exists()


def test_lost_queries_low_hits_and_bad_lines_are_told_of(home_path: Path) -> None:
    run_body(home_path, index, flow="index")
    path = golden(home_path / "golden" / "a.jsonl", *QUERIES)
    go(home_path)
    with (home_path / "sunrise.toml").open("a") as file:
        file.write("[evaluate]\nmin_hit = 0.9\n")
    lost = {**QUERIES[0], "query": "something about violins"}
    golden(path, lost, QUERIES[1], "{", {"id": "x", "query": "q", "expected": []})
    receipt = go(home_path)
    assert [one.code for one in receipt.anomalies] == ["queries_lost", "hit_rate_low", "golden_set_damaged"]
    assert receipt.refs["newly_lost"] == ("q-backup",)
    assert receipt.groups["quarantined_by_reason"] == {
        "malformed_golden.JSONDecodeError": 1, "names_an_answer": 1,
    }  # fmt: skip
    assert (receipt.counts["queries"], receipt.counts["hits"], receipt.counts["misses"]) == (4, 1, 1)


@pytest.mark.parametrize("dry_run", [True, False])
def test_only_a_real_run_remembers_the_hits(dry_run: bool, home_path: Path) -> None:
    run_body(home_path, index, flow="index")
    golden(home_path / "golden" / "a.jsonl", QUERIES[1])
    assert go(home_path, dry_run=dry_run).counts["hits"] == 1
    golden(home_path / "golden" / "a.jsonl", {**QUERIES[1], "query": "violins"})
    assert go(home_path).counts["newly_lost"] == (0 if dry_run else 1)
