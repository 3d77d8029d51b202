from __future__ import annotations

from sunrise.domain.text.stop_words import STOP_WORDS


def test_stop_words_are_lowercase_and_without_curly_apostrophes() -> None:
    assert all(word == word.casefold() and word.isascii() for word in STOP_WORDS)


def test_words_that_carry_a_rule_or_a_state_are_no_stop_words() -> None:
    assert STOP_WORDS.isdisjoint({"never", "always", "must", "down", "up", "off"})
