from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sunrise.domain.importance import ImportanceLabel
from sunrise.domain.scoring.evidence import Evidence
from sunrise.domain.scoring.heuristic_v2 import HEURISTIC_V2
from sunrise.domain.scoring.negations import BLIND
from sunrise.domain.scoring.word_lists import ENGLISH, JAPANESE, SIMPLIFIED, TRADITIONAL
from tests.library.domain.scoring.v2_cases import MUST, MUST_NOT

SHARED = Path(__file__).parents[5] / "shared/data/openclaw-mem/importance_grading_set.v1.jsonl"


def fired(summary: str) -> set[str]:
    explanation = HEURISTIC_V2.explain(kind="note", tool_name=None, summary=summary)
    return {one.name for one in explanation.fired}


def score(summary: str, *, kind: str = "note") -> float:
    return HEURISTIC_V2.grade(kind=kind, tool_name="chat", summary=summary).score


def evidences() -> Iterator[Evidence]:
    for signal in HEURISTIC_V2.signals:
        for case in signal.cases:
            yield from case
    yield HEURISTIC_V2.spoken


def test_every_label_and_score_of_the_golden_set() -> None:
    if not SHARED.exists():
        pytest.skip(f"no shared data at {SHARED}")
    cases = [json.loads(line) for line in SHARED.read_text(encoding="utf-8").splitlines()]
    assert len(cases) == 34
    for case in cases:
        seen, expect = case["obs"], case["expect"]
        graded = HEURISTIC_V2.grade(kind=seen["kind"], tool_name=seen["tool_name"], summary=seen["summary"])
        assert graded.label == expect["label"], case["id"]
        assert expect["score_min"] <= graded.score <= expect["score_max"], case["id"]
        assert (graded.method, graded.version) == ("heuristic-v2", 1)


@pytest.mark.parametrize(("summary", "signal"), MUST_NOT)
def test_a_text_that_only_looks_like_it_does_not_show_the_signal(summary: str, signal: str) -> None:
    assert signal not in fired(summary)


@pytest.mark.parametrize(("summary", "signal"), MUST)
def test_a_text_that_says_it_shows_the_signal(summary: str, signal: str) -> None:
    assert signal in fired(summary)


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ("blue sky", 0.30),
        ("a task-oriented disk-cache", 0.30),
        ("ran without errors", 0.30),
        ("ran with errors", 0.45),
        ("the router's password is [redacted:password]", 0.0),
        ("we decided: always back up", 1.0),
        ("規則：部署前必須備份", 0.70),
        ("规则：部署前必须备份", 0.70),
        ("必ずバックアップする", 0.70),
        ("meeting at 3pm", 0.15),
        ("merged", 0.10),
        ("merged, no errors", 0.10),
        ("merged, with errors", 0.45),
    ],
)
def test_score_worked_out_by_hand(summary: str, expected: float) -> None:
    assert score(summary) == pytest.approx(expected)


def test_a_negation_takes_out_itself_and_nothing_else() -> None:
    assert "incident" in fired("no errors in the first run, an error in the second")
    assert "policy" in fired("not required today, but required on Monday")
    assert "calendar" in fired("大約 15:00 約 Amy")


def test_a_secret_mark_makes_a_decision_one_to_ignore() -> None:
    graded = HEURISTIC_V2.grade(kind="note", tool_name=None, summary="we decided on [redacted:password]")
    assert graded.label is ImportanceLabel.IGNORE


def test_words_of_all_languages_are_in_lower_case_and_the_signals_know_them() -> None:
    lists = (ENGLISH, TRADITIONAL, SIMPLIFIED, JAPANESE)
    assert all(word == word.lower() for words in lists for some in words.values() for word in some)
    named = {signal.name for signal in HEURISTIC_V2.signals} | {"task", "made", "made_thing", "command"}
    assert {name for words in (*lists, BLIND) for name in words} <= named


def test_patterns_mean_the_same_to_both_engines() -> None:
    # No case that is ignored, no class that Unicode widens, nothing that looks around.
    patterns = [one for each in evidences() for one in (each.pattern, each.blind) if one is not None]
    assert len(patterns) > 10
    for one in patterns:
        assert one.flags & re.ASCII
        assert not one.flags & re.IGNORECASE
        assert not re.search(r"\(\?[=!<]|\\[1-9]", one.pattern)


def test_what_is_not_looked_at_has_a_hint() -> None:
    for summary, signal in MUST_NOT:
        pattern, hints = BLIND.get(signal, (None, ()))
        if pattern is not None and pattern.search(summary.lower()):
            assert any(hint in summary.lower() for hint in hints), summary


@pytest.mark.parametrize(
    "text",
    [
        "begin " * 40_000 + "private key",
        "no any " * 30_000 + "error",
        "no errors, errors " * 10_000,
        "無任何" * 50_000 + "失敗",
        "無" + "任何" * 50_000,
        "call 約" * 30_000,
        "every " * 30_000 + "15:00 meeting",
        "a-" * 80_000 + "agents." * 10_000,
        "TODO " + "by " * 50_000,
    ],
    ids=range(9),
)  # fmt: skip
def test_no_text_is_slow(text: str) -> None:
    started = time.perf_counter()
    HEURISTIC_V2.explain(kind="note", tool_name=None, summary=text)
    assert time.perf_counter() - started < 2
