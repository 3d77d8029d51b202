from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.admission.candidate import fingerprint_text
from sunrise.domain.text.analysis import MAX_CHARS
from tests.library.domain.admission.kept import candidate


def same(one: str, other: str, **fields: object) -> bool:
    return fingerprint_text(candidate(one)) == fingerprint_text(candidate(other, **fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice pays Bob.", "alice  pays bob"),
        ("(the cache lives in RAM)", "The cache lives in RAM!"),
        ("**done**: deploy", "done: `deploy`"),
        ("記憶治理需要權限。", "记忆治理需要权限"),
        ("ＡＢＣ", "abc"),
    ],
)
def test_case_and_punctuation_around_words_do_not_matter(one: str, other: str):
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("alice pays bob", "bob pays alice"),
        ("I work at Acme", "I worked at Acme"),
        ("it is 5 degrees", "it is -5 degrees"),
        ("5 % off", "5 $ off"),
        ("x = y", "x != y"),
        ("is it done?", "is it done"),
        ("deploy 👍", "deploy 👎"),
        ("do deploy", "don't deploy"),
        ("不吃牛肉", "吃牛肉"),
        ("一点五", "一点六"),
        ("a" * 70, "b" * 70),
        ("a " * MAX_CHARS + "x", "a " * MAX_CHARS + "y"),
        ("記" * MAX_CHARS + "一", "記" * MAX_CHARS + "二"),
    ],
)
def test_what_turns_the_meaning_tells_rows_apart(one: str, other: str):
    assert not same(one, other)


@pytest.mark.parametrize(
    "fields",
    [
        {"source_kind": "web"},
        {"kind": "fact"},
        {"tool_name": "exec"},
        {"scope": "home"},
        {"agent_id": "main"},
        {"trust_tier": "untrusted"},
        {"importance_label": "ignore"},
        {"memory_id": "m"},
        {"scope": ""},
    ],
)
def test_rows_of_another_origin_are_others(fields: dict[str, object]):
    assert not same("tea", "tea", **fields)


@pytest.mark.parametrize("fields", [{"key": "k"}, {"ts_ms": 5}, {"session_key": "s"}])
def test_when_and_in_which_session_it_was_said_does_not_matter(fields: dict[str, object]):
    assert same("tea", "tea", **fields)


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_different_numbers_are_never_the_same(one, other):
    assert same(f"paid {one} euros", f"paid {other} euros") == (one == other)
