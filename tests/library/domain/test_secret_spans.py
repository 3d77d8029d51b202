"""What was taken out of a text: its kinds, and the secrets themselves, for a search."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.secret_spans import kinds_taken, scrubbed, scrubbed_json, searchable, values_taken

TOKEN = "gh" + "p_" + "a1B2" * 9
OTHER = "sk" + "-ant-" + "c3D4" * 6


def test_each_secret_of_a_text_is_told() -> None:
    found = scrubbed(f"first {TOKEN}, then {OTHER} and password: hunter2!")
    assert (
        found.text
        == "first [redacted:github-token], then [redacted:anthropic-key] and password: [redacted:password]"
    )
    assert found.kinds == ("anthropic-key", "github-token", "password")
    assert found.values == {TOKEN, OTHER, "hunter2!"}


def test_a_text_without_a_secret_stays_and_tells_nothing() -> None:
    found = scrubbed("nothing here")
    assert (found.text, found.kinds, found.values) == ("nothing here", (), frozenset())


def test_a_mark_that_was_there_before_is_no_secret() -> None:
    found = scrubbed(f"[redacted:token] and {TOKEN}")
    assert found.values == {TOKEN}


def test_secrets_side_by_side_are_told_as_one() -> None:
    before, after = f"{TOKEN}{OTHER}", "[redacted:github-token][redacted:anthropic-key]"
    assert values_taken([before], [after]) == {before}


def test_a_text_that_was_written_anew_tells_nothing() -> None:
    assert values_taken(["abc"], ["no [redacted:token] of it"]) == frozenset()


def test_json_stays_json_and_its_numbers_stay_numbers() -> None:
    found = scrubbed_json(json.dumps({"n": 1.5, "said": [TOKEN]}), dumps=json.dumps)
    assert json.loads(found.text) == {"n": 1.5, "said": ["[redacted:github-token]"]}
    assert (found.kinds, found.values) == (("github-token",), {TOKEN})


def test_json_without_a_secret_keeps_its_spaces() -> None:
    assert scrubbed_json('{ "a" :1 }', dumps=json.dumps).text == '{ "a" :1 }'


def test_what_is_no_json_is_read_as_a_text() -> None:
    assert scrubbed_json(f"{{ torn {TOKEN}", dumps=json.dumps).text == "{ torn [redacted:github-token]"


def test_a_mark_under_the_name_of_a_secret_is_not_marked_again() -> None:
    once = scrubbed_json(json.dumps({"password": TOKEN}), dumps=json.dumps)
    assert once.kinds
    assert scrubbed_json(once.text, dumps=json.dumps).kinds == ()


def test_kinds_are_those_that_were_added() -> None:
    before, after = ["[redacted:a]", "x", "y"], ["[redacted:a]", "[redacted:b]", "[redacted:b]"]
    assert kinds_taken(before, after) == ("b",)


def test_short_values_and_words_are_not_searched_for() -> None:
    assert searchable([TOKEN, "pin-12", "swordfish", " swordfish "]) == {TOKEN}


@given(st.lists(st.sampled_from([TOKEN, OTHER, "tea, ", "and\n", "密 "]), max_size=8))
def test_every_secret_that_stands_apart_is_told(words: list[str]) -> None:
    found = scrubbed(" ".join(words))
    assert found.values == {word for word in words if word in (TOKEN, OTHER)}
