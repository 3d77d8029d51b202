"""The command that measures recall: what it prints, keeps and refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from sunrise.cli.eval_commands import evaluate_golden
from sunrise.errors import DataError

LINES: tuple[dict[str, Any], ...] = (
    {"kind": "memory", "id": "a", "text": "The user likes green tea"},
    {"kind": "memory", "id": "b", "text": "Lunch is at noon"},
    {"kind": "query", "id": "q1", "query": "which tea", "relevant": ["a"], "category": "words"},
    {"kind": "query", "id": "q2", "query": "moons of Saturn", "relevant": [], "category": "off-topic"},
    {"kind": "query", "id": "q3", "query": "when is lunch", "relevant": ["b"], "forbidden": ["a"]},
)

Command = Callable[..., str]


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in LINES), encoding="utf-8")
    return path


@pytest.fixture
def call(tmp_path: Path, golden: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command on a home without anything, by words alone."""

    def run(*files: Path | str, **options: Any) -> str:
        given: dict[str, Any] = {"embedder": "none", "k": "1,5", "limit": None, "ranker": "recall"}
        given |= {"baseline": None, "save": None, "as_json": False, **options}
        evaluate_golden(str(tmp_path / "home"), [str(one) for one in files or (golden,)], **given)
        return capsys.readouterr().out

    return run


def test_a_person_reads_tables_and_a_program_an_object(call: Command, tmp_path: Path) -> None:
    out = call()
    assert "all               3        100.0     100.0     100.0  100.0  1.000  1.000" in out
    assert "off-topic    0.0 % of such queries returned something" in out
    assert "stale first  0.0 % of the queries that forbid an answer" in out
    data = json.loads(call(as_json=True))
    assert data["recall"] == data["hit"] == {"1": 100.0, "5": 100.0}
    assert (data["mrr"], data["ndcg"], data["queries"]) == (1.0, 1.0, 3)
    assert (data["wrong_scope"], data["off_topic_answered"]) == (0.0, 0.0)
    assert data["by_category"].keys() == {"all", "words"}
    assert data["by_language"].keys() == {"en"}
    assert Path(data["kept"]).parent == tmp_path / "home" / "evals"
    # Only what was kept is in the home: no table and no ledger was made in it.
    assert [one.name for one in (tmp_path / "home").iterdir()] == ["evals"]


def test_an_earlier_run_is_compared_by_name_and_as_the_last(call: Command, golden: Path) -> None:
    call(save="first")
    text = golden.read_text(encoding="utf-8").replace("which tea", "unheard of")
    golden.write_text(text, encoding="utf-8")
    told = json.loads(call(baseline="first", as_json=True))["baseline"]
    assert (told["name"], told["pairs"], told["golden_changed"]) == ("first", 2, True)
    assert told["differences"]["hit@1"]["difference"] == -0.5
    out = call(baseline="last")
    assert "the same" in out
    assert "the golden sets are not those of that run" not in out


def test_another_ranker_as_the_baseline_is_asked_beside(call: Command) -> None:
    told = json.loads(call(baseline="bm25", as_json=True))["baseline"]
    assert (told["ranker"], told["pairs"]) == ("bm25", 2)


def test_several_sets_have_their_figures_each(call: Command, golden: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(golden.read_text(encoding="utf-8") + "{\n", encoding="utf-8")
    data = json.loads(call(golden, other, as_json=True))
    assert (data["queries"], data["refused"]) == (6, 1)
    assert {name: one["queries"] for name, one in data["by_set"].items()} == {"tiny": 3, "other": 3}
    assert "refused      1 lines of golden sets" in call(golden, other)


def test_the_set_that_comes_along_is_named_own(call: Command) -> None:
    data = json.loads(call("own", limit=10, as_json=True))
    assert (data["queries"], data["golden"].keys(), data["unresolved"]) == (10, {"own.v1"}, 0)


@pytest.mark.parametrize("k", ["0", "1,101", "five", "", "1;2"])
def test_depths_must_be_numbers_that_recall_takes(call: Command, k: str) -> None:
    with pytest.raises(typer.BadParameter, match="--k takes depths"):
        call(k=k)


def test_rankers_and_golden_sets_must_be_there(call: Command, tmp_path: Path) -> None:
    with pytest.raises(typer.BadParameter, match="no such ranker"):
        call(ranker="magic")
    (tmp_path / "empty.jsonl").write_text(json.dumps(LINES[0]), encoding="utf-8")
    with pytest.raises(DataError, match="hold no query"):
        call(tmp_path / "empty.jsonl")
    with pytest.raises(DataError, match="cannot be read"):
        call(tmp_path / "none.jsonl")


def test_without_vectors_the_dense_leg_has_nothing_to_say(call: Command) -> None:
    with pytest.raises(DataError, match="there are no vectors to search"):
        call(ranker="dense")
