from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.own_words import Foreign, own_lines, without_foreign_blocks

MINE = "I prefer tea"
MEMORIES = "<relevant-memories>\n1. [other] I prefer coffee\n</relevant-memories>"


@pytest.mark.parametrize(
    "block",
    [
        MEMORIES,
        "<relevant-memories>1. I prefer coffee</relevant-memories>",
        "<!-- receipt: I prefer coffee -->",
        '```json\n{"text": "I prefer coffee"}\n```',
        "~~~\nI prefer coffee\n~~~",
        'Conversation info (untrusted metadata):\n```json\n{"id": "I prefer coffee"}\n```',
        "Conversation context (untrusted, chronological):\n#100 Petr: I prefer coffee\n",
        "[Replying to Petr id:12]\nI prefer coffee\n[/Replying]",
        "BEGIN_QUOTED_NOTES\nI prefer coffee\nEND_QUOTED_NOTES",
        "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nI prefer coffee\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>",
        '<<<EXTERNAL_UNTRUSTED_CONTENT id="1">>>\nI prefer coffee\n<<<END_EXTERNAL_UNTRUSTED_CONTENT>>>',
    ],
)
def test_what_was_put_in_is_left_out_wherever_it_stands(block: str) -> None:
    told = [
        line.text for line in own_lines(f"hello\n\n{block}\n\n{MINE}") if line.foreign is None and line.text
    ]
    assert told == ["hello", MINE]


@pytest.mark.parametrize(
    "cut_off",
    [
        "```\nI prefer coffee",
        "<relevant-memories>\nI prefer coffee",
        "<!-- I prefer coffee",
        "BEGIN_QUOTED_NOTES\nx",
    ],
)
def test_what_was_cut_off_has_no_end(cut_off: str) -> None:
    assert without_foreign_blocks(f"{MINE}\n{cut_off}").strip() == MINE


def test_of_two_kinds_of_tags_only_the_closed_ones_hold_a_block() -> None:
    text = "<working-set> is odd <relevant-memories>a</relevant-memories> b <working-set> c"
    left = "<working-set> is odd  b <working-set> c"
    assert without_foreign_blocks(text) == left
    nested = "<working-set>a <relevant-memories>b</relevant-memories> c</working-set>d"
    assert without_foreign_blocks(nested) == "d"


def test_many_tags_without_an_end_cost_little() -> None:
    text = "<relevant-memories>x" * 50_000
    assert without_foreign_blocks(text) == text


def test_a_tag_within_a_sentence_is_a_word() -> None:
    assert (
        without_foreign_blocks("why is <relevant-memories> in my log")
        == "why is <relevant-memories> in my log"
    )


@pytest.mark.parametrize(
    ("line", "foreign"),
    [
        ("> I prefer coffee", Foreign.QUOTED),
        ("user: I prefer coffee", Foreign.QUOTED),
        ("助理：我喜歡咖啡", Foreign.QUOTED),
        ("$ sunrise run grade", Foreign.MACHINE),
        ("ERROR: preference not found", Foreign.MACHINE),
        ("2026-11-27 21:00:01 I prefer coffee", Foreign.MACHINE),
        ("npm ERR! always", Foreign.MACHINE),
        ("const preferred = 'tea';", Foreign.MACHINE),
        ('{"a": [1, 2], "b": {}}', Foreign.MACHINE),
        ("[[a|b]] $x{1} <c>", Foreign.MACHINE),
        ("不要用「您」，用「你」就好。", None),
        ("I prefer `uv` to `pip`, always.", None),
        ("Note: the price is $5.", None),
    ],
)
def test_a_line_that_is_not_the_owners_is_known(line: str, foreign: Foreign | None) -> None:
    assert own_lines(line)[0].foreign is foreign


@pytest.mark.parametrize(
    "text",
    [
        "Translate this: I prefer coffee",
        "please summarise the following:\nI prefer coffee",
        "Here is the email:\nI prefer coffee",
        "請翻譯：我喜歡咖啡",
        "帮我检查一下这段话：我喜欢咖啡",
        "次の文を要約して：私はコーヒーが好きです",
        "다음 글을 번역해 줘: 나는 커피를 좋아해",
    ],
)
def test_what_is_to_be_worked_on_is_material(text: str) -> None:
    assert {line.foreign for line in own_lines(text)} == {Foreign.MATERIAL}


def test_what_is_to_be_remembered_is_no_material() -> None:
    assert {line.foreign for line in own_lines("請記住以下內容：\n我不吃辣")} == {None}


def test_what_was_forwarded_is_anothers_to_the_end() -> None:
    lines = own_lines("see below\n---------- Forwarded message ---------\nI prefer coffee")
    assert [line.foreign for line in lines] == [None, Foreign.QUOTED, Foreign.QUOTED]


def test_lines_of_several_speakers_are_a_transcript() -> None:
    lines = own_lines("Petr: I prefer coffee\nDana: I prefer tea\nwhat do they want")
    assert [line.foreign for line in lines] == [Foreign.QUOTED, Foreign.QUOTED, None]
    assert own_lines("Dana: I prefer tea")[0].foreign is None
    assert {line.foreign for line in own_lines("TODO: tea\nTODO: milk\n決議：用 Go\nRule: no calls")} == {
        None
    }


@given(st.text(max_size=300))
def test_any_text_has_lines(text: str) -> None:
    assert all("\n" not in line.text for line in own_lines(text))
