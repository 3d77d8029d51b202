from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.importance import ImportanceLabel, label_from_score
from sunrise.domain.scoring.heuristic_v1 import SIGNALS, TASK, grade

SHARED = Path(__file__).parents[5] / "shared/data/openclaw-mem"
UUID = "3f0c9a1e-1111-4222-8333-444455556666"


@pytest.mark.parametrize("name", ["HEURISTIC_TESTCASES.jsonl", "importance_grading_set.v1.jsonl"])
def test_every_label_and_score_of_the_golden_set(name: str) -> None:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"no shared data at {path}")
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(cases) == 34
    for case in cases:
        seen, expect = case["obs"], case["expect"]
        graded = grade(kind=seen["kind"], tool_name=seen["tool_name"], summary=seen["summary"])
        assert graded.label == expect["label"], case["id"]
        assert expect["score_min"] <= graded.score <= expect["score_max"], case["id"]


@pytest.mark.parametrize(
    ("summary", "score"),
    [
        ("blue sky", 0.30),
        ("", 0.30),
        ("token sk-abc", 0.0),
        ("begin RSA private key", 0.0),
        ("AKIA everywhere", 0.0),
        ("akia in lower case", 0.30),
        ("prefer tabs", 0.70),
        ("一定用空格", 0.70),
        ("we decided", 0.60),
        ("採用方案", 0.60),
        ("created a folder", 0.30),
        ("created a repo", 0.60),
        ("see https://a.io", 0.50),
        ("HTTPS://A.IO", 0.50),
        (f"id {UUID}", 0.50),
        (f"id {UUID.upper()}", 0.50),
        (f"id x{UUID}", 0.30),
        ("set agents.defaults.model", 0.50),
        ("OPENCLAW_HOME", 0.50),
        ("openclaw_home", 0.30),
        ("uv run it", 0.70),
        ("openclaw-mem is up", 0.50),
        ("every day", 0.50),
        ("it failed", 0.45),
        ("it failed, root cause known", 0.55),
        ("workaround alone", 0.30),
        ("TODO write", 0.50),
        ("TODO write by 2026-01-01", 0.60),
        ("TODO 明天寫", 0.60),
        ("write by 2026-01-01", 0.30),
        ("TODO decide", 0.50),
        ("ok", 0.05),
        ("book", 0.30),
        ("謝謝", 0.05),
        ("merged", 0.10),
        ("merged, it failed", 0.45),
        ("TODO done", 0.50),
        ("meeting at 3pm", 0.15),
        ("meeting at 15:00", 0.15),
        ("meeting at noon", 0.30),
        ("開會 15:00", 0.15),
        ("TODO meeting at 3pm", 0.50),
        ("ok, done, meeting at 3pm", 0.0),
        ("we must decide: cron every day", 1.0),
    ],
)
def test_score_worked_out_by_hand(summary: str, score: float) -> None:
    assert grade(kind="note", tool_name=None, summary=summary).score == pytest.approx(score)


def test_rationale_is_two_reasons_and_one_penalty() -> None:
    graded = grade(kind="note", tool_name="chat", summary="ok, we must decide on cron; it is done")
    assert graded.reasons == (
        "States a preference or a rule for what comes later.",
        "Records a decision to hold to.",
        "Tells how something is run.",
    )
    assert graded.penalties == ("Is small talk or an acknowledgement.", "Only reports progress.")
    assert graded.rationale == " ".join((*graded.reasons[:2], graded.penalties[0]))


def test_nothing_seen_says_so() -> None:
    graded = grade(kind="note", tool_name=None, summary="blue sky")
    assert (graded.rationale, graded.reasons, graded.penalties) == ("No signal seen.", (), ())
    assert graded.label is ImportanceLabel.IGNORE
    assert (graded.method, graded.version) == ("heuristic-v1", 1)


def test_the_tool_is_part_of_the_text() -> None:
    assert grade(kind="note", tool_name=" cron ", summary="blue sky").score == pytest.approx(0.5)
    assert grade(kind="note", tool_name="cron", summary=" ").score == pytest.approx(0.5)


def test_the_kind_alone_can_make_a_task() -> None:
    assert grade(kind="task", tool_name=None, summary="blue sky").score == pytest.approx(0.5)


def test_floats_are_added_in_the_order_of_the_table() -> None:
    graded = grade(kind="task", tool_name=None, summary="see https://a.io before noon")
    assert graded.score == 0.30 + 0.20 + 0.20 + 0.10  # a hair below 0.80, as in openclaw-mem
    assert graded.label is ImportanceLabel.NICE_TO_HAVE


def test_a_signal_refers_only_to_rows_above_it() -> None:
    above = {TASK}
    for signal in SIGNALS:
        assert set(signal.unless) <= above
        assert signal.only_after is None or signal.only_after in above
        above.add(signal.name)


@given(st.text(), st.text(max_size=8), st.one_of(st.none(), st.text(max_size=8)))
def test_any_text_gets_a_score_that_agrees_with_its_label(summary: str, kind: str, tool: str | None) -> None:
    graded = grade(kind=kind, tool_name=tool, summary=summary)
    assert 0 <= graded.score <= 1
    assert graded.label is label_from_score(graded.score)
    assert graded == grade(kind=kind, tool_name=tool, summary=summary)
