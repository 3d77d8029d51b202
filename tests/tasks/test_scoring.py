from __future__ import annotations

import random
import re
import sys
import unicodedata
from collections.abc import Iterable

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunrise.domain.scoring.evidence import Evidence
from sunrise.domain.scoring.heuristic_v1 import HEURISTIC_V1
from sunrise.domain.scoring.scorers import SCORERS
from sunrise.domain.scoring.signals import Scorer, Signal
from sunrise.domain.scoring.task_markers import is_task
from tasks.scoring import LIKE_LETTERS, rust_pattern, score_frame
from tests.library.domain.scoring.v2_cases import MUST, MUST_NOT

Row = tuple[str, str | None, str]
EVERY = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
UUID = "3f0c9a1e-1111-4222-8333-444455556666"


def frame(rows: Iterable[Row]) -> pl.DataFrame:
    schema = {"kind": pl.String, "tool_name": pl.String, "summary": pl.String}
    table = pl.DataFrame(list(rows), schema=schema, orient="row")
    return table.select(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias("id"), pl.all())


def assert_same(rows: list[Row], scorer: Scorer) -> None:
    """Compare frame and single interpreter, bit by bit."""
    given_ = score_frame(frame(rows), scorer)
    assert given_.columns == ["id", "score", "label", "method", "version", "rationale", "reasons"]
    assert given_["id"].to_list() == list(range(1, len(rows) + 1))
    for row, cells in zip(rows, given_.drop("id").iter_rows(), strict=True):
        kind, tool_name, summary = row
        one = scorer.grade(kind=kind, tool_name=tool_name, summary=summary)
        wanted = (one.score, str(one.label), one.method, one.version, one.rationale, list(one.reasons))
        assert cells == wanted, row


def words_of(scorer: Scorer) -> list[str]:
    every = [one for signal in scorer.signals for case in signal.cases for one in case] + [scorer.spoken]
    return sorted({word for one in every for word in (*one.words, *one.marks, *one.hints, *one.blind_hints)})


PIECES = [
    *{word for scorer in SCORERS.values() for word in words_of(scorer)},
    *(text for text, _ in (*MUST, *MUST_NOT)),
    "TODO", "Ｔｏｄｏ：", "ＴＡＳＫ", "ТODO", "toᴰo", "REMİNDER", "remınder", "taſK", "TASK", "- [x] ",
    "> ", "(iv) ", "【TASK】", "要做", "⾒做", "待辦", "やるごと", "ﾔﾙｺﾄ", "by 2026-01-01",
    "by\u30002026-01-01", "by ２０２６-01-01", "3pm", "15:00", "15:00é", "１５:００", "é15:00", "call",
    "約", "大約", "no error", "沒有錯誤", "ok", "Ok\u0301", "öok", "ok²", "ok_", "OK", "nice\u200d",
    "thanks\u1b41", "https://\x1c", "https://\x85", "https://é", "HTTPS://A", "agents.x", "éagents.x",
    UUID, f"é{UUID}", f"{UUID}\u0301", "Σ", "ΑΣ", "ß", "ı", "İ", "👩\u200d💻", "\x00", "\n", "\r\n",
    "\x1f", "\x1c", "\x85", "\u2028", "\u3000", " ", ": ", "-", ".", "，", "\ufffd", "a", "Z", "9", "٣",
    "पा", "e\u0301", "ǅ", "ﬁ", "…",
]  # fmt: skip

texts = st.lists(
    st.one_of(st.sampled_from(PIECES), st.text(st.characters(exclude_categories=["Cs"]), max_size=3)),
    max_size=8,
).map("".join)
kinds = st.sampled_from(["note", "task", " TASK ", "tas\u212a", "", "Task\u3000"])
tools = st.one_of(st.none(), texts, st.sampled_from(["chat", "cron", " ", "\x1f"]))
rows_of_all_kinds = st.lists(st.tuples(kinds, tools, texts), max_size=12)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(SCORERS))
@settings(max_examples=120, deadline=None)
@given(rows=rows_of_all_kinds)
def test_a_frame_is_graded_as_each_of_its_rows_is(name: str, rows: list[Row]) -> None:
    assert_same(rows, SCORERS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", list(SCORERS))
def test_twenty_thousand_rows_are_graded_as_each_of_them_is(name: str) -> None:
    chance = random.Random(7)
    plain = ["the", "gateway", "restarted", "backup", "token", "book", "in", "after", "nightly", "run", "07"]
    rows: list[Row] = [
        (
            chance.choice(["note", "tool", "task"]),
            chance.choice([None, "exec", "cron.run", "task_runner", "記憶"]),
            chance.choice([" ", "", "："]).join(
                chance.choice(PIECES if chance.random() < 0.2 else plain) for _ in range(chance.randrange(12))
            ),
        )
        for _ in range(20_000)
    ]
    assert_same(rows, SCORERS[name])


@pytest.mark.parametrize("name", list(SCORERS))
def test_every_piece_alone_and_between_letters_is_graded_the_same(name: str) -> None:
    around = ("{}", "x{}x", "é{}é", " {} ", "a: {}", "{}\n")
    assert_same([("note", None, form.format(piece)) for piece in PIECES for form in around], SCORERS[name])


@pytest.mark.parametrize("name", list(SCORERS))
def test_long_texts_are_graded_as_short_ones_are(name: str) -> None:
    chance = random.Random(3)
    rows: list[Row] = [
        ("note", None, " ".join(chance.choices(PIECES, k=chance.randrange(5, 200)))) for _ in range(300)
    ]
    assert_same(rows, SCORERS[name])


def test_no_rows_give_no_grades() -> None:
    assert score_frame(frame([]), HEURISTIC_V1).height == 0


@pytest.mark.slow
def test_the_same_letters_of_ascii_are_left_by_both_engines_in_lower_case() -> None:
    lowered = pl.Series(EVERY).str.to_lowercase().to_list()
    for character, by_polars in zip(EVERY, lowered, strict=True):
        ascii_left = re.sub(r"[^\x00-\x7f]", "", by_polars)
        assert ascii_left == re.sub(r"[^\x00-\x7f]", "", character.lower()), hex(ord(character))


def test_every_character_that_can_stand_in_a_marker_for_another_is_looked_at() -> None:
    seen = pl.Series(EVERY).str.contains(LIKE_LETTERS).to_list()
    letters = re.compile("[todaskremin]", re.IGNORECASE)
    spoken = "".join(word for scorer in SCORERS.values() for word in scorer.spoken.words)
    wanted = re.compile(f"[{spoken}]")
    for character, looked_at in zip(EVERY, seen, strict=True):
        normal = unicodedata.normalize("NFKC", character)
        stands_for = letters.search(normal) or wanted.search(normal)
        if stands_for and not character.isascii() and character not in spoken:
            assert looked_at, hex(ord(character))


def test_a_task_in_letters_that_only_look_so_is_found() -> None:
    rows: list[Row] = [("note", None, text) for text in ("ＴＯＤＯ x", "ⓉⓄⒹⓄ x", "𝐓𝐀𝐒𝐊 x", "ТОDО x")]
    assert [is_task(text) for _, _, text in rows] == [True, True, True, False]
    assert score_frame(frame(rows), HEURISTIC_V1)["score"].to_list() == [0.5, 0.5, 0.5, 0.3]


K = re.compile("k", re.ASCII)


def table_of(*cases: tuple[Evidence, ...]) -> Scorer:
    only = Signal(name="only", weight=0.2, sentence="Seen.", cases=cases)
    return Scorer(method="m", version=1, signals=(only,))


@pytest.mark.parametrize(
    "scorer",
    [
        table_of((Evidence(pattern=re.compile(r"\bok\b")),)),
        table_of((Evidence(pattern=re.compile(r"\w\d\s\S"), hints=("k",)),)),
        table_of((Evidence(words=("é",), marks=("Ok", "約")), Evidence(words=("o",)))),
        table_of((Evidence(words=("ok",), blind=re.compile("no ok", re.ASCII), blind_hints=("no",)),)),
        table_of((Evidence(words=("ok",), blind=re.compile(r"\wo", re.ASCII), blind_hints=("k",)),)),
        table_of((Evidence(words=("ok",), blind=re.compile(r"\w ok"), blind_hints=("o",)),)),
        table_of(
            (
                Evidence(
                    pattern=re.compile("[oa]k", re.ASCII),
                    hints=("ok",),
                    blind=re.compile("ook", re.ASCII),
                    blind_hints=("oo",),
                ),
            )
        ),
        table_of(
            (Evidence(pattern=K, blind=re.compile("ok", re.ASCII), blind_hints=("o",)),),
            (Evidence(marks=("No",), blind=K, blind_hints=("o",)),),
            (Evidence(words=("約",), blind=K),),
        ),
    ],
    ids=range(8),
)  # fmt: skip
@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(st.text("okaN1é約 ²\x1c\n", max_size=8).map(lambda text: ("note", None, text)), max_size=20)
)
def test_any_table_is_read_alike(scorer: Scorer, rows: list[Row]) -> None:
    assert_same(rows, scorer)


def test_patterns_are_told_to_the_other_engine() -> None:
    assert rust_pattern(re.compile(r"a\.\b\\[\s\d]")) == r"a\.(?-u:\b)\\[[\t-\r ][0-9]]"
