from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.token_counts import estimated_tokens
from tests.library.domain.token_passages import PASSAGES

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))


@pytest.mark.parametrize("name", PASSAGES)
def test_a_passage_is_counted_within_a_quarter(name: str) -> None:
    tokens, text = PASSAGES[name]
    assert len(text) >= 200
    assert estimated_tokens(text) == pytest.approx(tokens, rel=0.25)


@pytest.mark.parametrize(("name", "tokens"), [("traditional chinese", 344), ("simplified chinese", 284)])
def test_four_hundred_han_characters_are_within_a_quarter(name: str, tokens: int) -> None:
    han = "".join(character for character in PASSAGES[name][1] * 3 if "\u4e00" <= character <= "\u9fff")[:400]
    assert len(han) == 400
    assert estimated_tokens(han) == pytest.approx(tokens, rel=0.25)


def test_the_passages_together_are_within_a_twentieth() -> None:
    counted = sum(estimated_tokens(text) for _, text in PASSAGES.values())
    assert counted == pytest.approx(sum(tokens for tokens, _ in PASSAGES.values()), rel=0.05)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("hello world", 2),
        ("1234567", 3),
        ("in 2026", 4),
        ("a\n\n\nb", 2),
        ("\ud83d", 2),
    ],
)
def test_short_texts(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


@given(ANY_TEXT, ANY_TEXT)
def test_a_text_costs_no_more_than_its_parts(one: str, other: str) -> None:
    parts = estimated_tokens(one) + estimated_tokens(other)
    assert 0 <= estimated_tokens(f"{one}\n{other}") <= parts + 3


@given(ANY_TEXT)
def test_every_text_has_a_count_that_never_passes_four_a_character(text: str) -> None:
    assert 0 <= estimated_tokens(text) <= 4 * len(text)
