from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.scoring.evidence import Evidence, whole_words
from sunrise.domain.scoring.scorers import SCORERS
from sunrise.domain.scoring.signals import TASK, Scorer, Signal, text_of

SMALL = Scorer(
    method="small",
    version=3,
    base=0.5,
    signals=(
        Signal(name="good", weight=0.25, sentence="Good.", cases=((Evidence(words=("good", "fine")),),)),
        Signal(
            name="pair",
            weight=0.5,
            sentence="A pair.",
            unless=(TASK,),
            cases=((Evidence(marks=("Cat",)), Evidence(pattern=re.compile(r"\d+"))),),
        ),
        Signal(name="later", weight=-1.0, sentence="After good.", only_after="good"),
    ),
)


def test_a_scorer_is_read_from_its_table() -> None:
    graded = SMALL.grade(kind="note", tool_name=None, summary="Cat 12")
    assert (graded.score, graded.reasons, graded.method, graded.version) == (1.0, ("A pair.",), "small", 3)
    assert SMALL.grade(kind="task", tool_name=None, summary="Cat 12").score == 0.5
    assert SMALL.grade(kind="note", tool_name=None, summary="cat 12").score == 0.5
    good = SMALL.grade(kind="note", tool_name=None, summary="a fine day")
    assert (good.score, good.penalties, good.rationale) == (0.0, ("After good.",), "Good. After good.")


def test_an_explanation_names_each_signal_with_its_words() -> None:
    told = SMALL.explain(kind="note", tool_name=None, summary="good and fine Cat 12 or 7")
    assert (told.base, told.grade) == (
        0.5,
        SMALL.grade(kind="note", tool_name=None, summary="good and fine Cat 12 or 7"),
    )
    assert [(one.name, one.weight, one.words) for one in told.fired] == [
        ("good", 0.25, ("good", "fine")),
        ("pair", 0.5, ("Cat", "12", "7")),
        ("later", -1.0, ()),
    ]


def test_a_task_is_explained_by_what_makes_it_one() -> None:
    told = SCORERS["heuristic-v1"].explain(kind="task", tool_name="chat", summary="- [ ] TODO: 待辦 today")
    words = {one.name: one.words for one in told.fired}
    assert words["action"] == ("kind task", "待辦", "TODO")
    assert words["deadline"] == ("today",)


@pytest.mark.parametrize("name", list(SCORERS))
def test_a_signal_refers_only_to_rows_above_it(name: str) -> None:
    above = {TASK}
    for signal in SCORERS[name].signals:
        assert set(signal.unless) <= above
        assert signal.only_after is None or signal.only_after in above
        assert signal.weight != 0
        above.add(signal.name)


def test_scorers_are_known_by_their_method() -> None:
    assert list(SCORERS) == ["heuristic-v1", "heuristic-v2"]
    assert all(scorer.method == name for name, scorer in SCORERS.items())


PIECES = st.sampled_from(
    [
        "TODO",
        "must",
        "no error",
        "error",
        "ok",
        "sk-",
        "約",
        "大約",
        "15:00",
        "meeting",
        "cron",
        "必ず",
        "沒有錯誤",
    ]
)


@given(
    st.sampled_from(list(SCORERS.values())),
    st.lists(st.one_of(PIECES, st.text(max_size=4)), max_size=8).map(" ".join),
    st.sampled_from(["note", "task"]),
)
def test_an_explanation_adds_up_to_its_grade(scorer: Scorer, summary: str, kind: str) -> None:
    told = scorer.explain(kind=kind, tool_name=None, summary=summary)
    assert told.grade == scorer.grade(kind=kind, tool_name=None, summary=summary)
    total = told.base
    for one in told.fired:
        assert one.words
        total += one.weight
    assert told.grade.score == max(0.0, min(total, 1.0))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("error", True),
        ("terror", False),
        ("errors", False),
        ("error_code", False),
        ("有error發生", True),
        ("an error.", True),
    ],
)
def test_a_whole_word_ends_where_no_letter_of_ascii_follows(text: str, seen: bool) -> None:
    assert whole_words("error").seen_in(text, text) is seen


def test_only_the_shortest_forms_are_hints() -> None:
    assert whole_words("prefers", "prefer", "rule").hints == ("prefer", "rule")


BLINDED = Evidence(words=("b",), marks=("M",), blind=re.compile("no [bm]"), blind_hints=("no ",))


@pytest.mark.parametrize(
    ("text", "found"),
    [("b", ("b",)), ("no b", ()), ("no b b", ("b",)), ("no M", ("M",)), ("x", ())],
)
def test_what_is_taken_out_does_not_show_and_marks_are_not_taken_out(
    text: str, found: tuple[str, ...]
) -> None:
    assert BLINDED.found_in(text, text.lower()) == found
    assert BLINDED.seen_in(text, text.lower()) is bool(found)


def test_nothing_is_read_across_what_was_taken_out() -> None:
    across = Evidence(words=("do not",), blind=re.compile("xx"), blind_hints=("xx",))
    assert not across.seen_in("do xxnot", "do xxnot")
    joined = Evidence(words=("ab",), blind=re.compile("x"), blind_hints=("x",))
    assert not joined.seen_in("axb", "axb")


def test_the_text_is_the_tool_and_the_summary() -> None:
    assert text_of(None, "\u3000a ") == "a"
    assert text_of("\x1ft", "a") == "t: a"
    assert text_of("", " ") == ""
