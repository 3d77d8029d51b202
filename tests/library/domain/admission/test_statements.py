from __future__ import annotations

import pytest

from sunrise.domain.admission.statements import (
    MAX_STATEMENTS,
    bare,
    clauses_of,
    statements_of,
    told_in,
    unframed,
)


@pytest.mark.parametrize(
    "wrapped",
    [
        "The cat sleeps on the stove",
        "- The cat sleeps on the stove",
        "* [fact] The cat sleeps on the stove",
        "Key point: The cat sleeps on the stove",
        "According to the house rules, The cat sleeps on the stove",
        "The cat sleeps on the stove (importance 7)",
        "The cat sleeps on the stove <!-- importance: 7 -->",
        '{"fact": "The cat sleeps on the stove", "category": "pet"}',
        '{"text": "[rule] The cat sleeps on the stove", "score": 0.9}',
    ],
)
def test_what_an_extractor_puts_around_a_statement_is_taken_off(wrapped: str) -> None:
    assert statements_of(wrapped) == ("The cat sleeps on the stove",)


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("Tea is at four.\n- Cake is on Sunday.", ("Tea is at four.", "Cake is on Sunday.")),
        ("Tea is at four. Also: Cake is on Sunday.", ("Tea is at four.", "Cake is on Sunday.")),
        ("四點喝茶。另外，週日有蛋糕。", ("四點喝茶。", "週日有蛋糕。")),
        ("備註：四點喝茶", ("四點喝茶",)),
        ("Version 2.5 of tea is out, e.g. in Brno", ("Version 2.5 of tea is out, e.g. in Brno",)),
        ("12:30", ()),
        ('{"facts": ["Tea is at four.", "Cake is on Sunday."]}', ("Tea is at four.", "Cake is on Sunday.")),
        ("Tea is at four; cake is on Sunday", ("Tea is at four;", "cake is on Sunday")),
        ("(Tea is at four)", ("Tea is at four",)),
        ("**Tea is at four**", ("Tea is at four",)),
        ("<memory>Tea is at four</memory>", ("Tea is at four",)),
        ("2026-05-01: Tea is at four", ("Tea is at four",)),
        ("Lesson: restarts drop the tea", ("Lesson: restarts drop the tea",)),
    ],
)
def test_a_text_is_cut_where_a_new_statement_begins(text: str, statements: tuple[str, ...]) -> None:
    assert statements_of(text) == statements


@pytest.mark.parametrize(
    "text",
    [
        '{"invoice": 12, "amount": 40}',
        '{"from": "Ann Lee of Brno", "to": "Bob Ray of Lyon"}',
        '{"tool": {"name": "read a file"}, "text": "Ann reads the file"}',
        '{"text": "broken',
        "{not json}",
        '{"text": "' + "word " * 1000 + '"}',
    ],
)
def test_json_that_is_more_than_one_sentence_stays_as_it_is(text: str) -> None:
    assert bare(text) == text


def test_a_document_is_not_cut() -> None:
    assert len(statements_of("\n".join(["Tea is at four."] * MAX_STATEMENTS))) == MAX_STATEMENTS
    assert statements_of("\n".join(["Tea is at four."] * (MAX_STATEMENTS + 1))) == ()


def test_clauses_frames_and_tails_are_taken_apart() -> None:
    assert clauses_of("it is known: tea is at four, while cake waits") == (
        "it is known",
        "tea is at four",
        "cake waits",
    )
    assert unframed("The assistant was reminded that tea is at four") == "tea is at four"
    assert unframed("Ann was reminded that tea is at four") == "Ann was reminded that tea is at four"
    assert unframed("It is known that a b") == "It is known that a b"
    assert told_in("Tea is at four (importance 7)") == "Tea is at four"
