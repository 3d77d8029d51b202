from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.text.cleaning import clean, clip

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("plain", "plain"),
        ("", ""),
        ("a\nb\tc", "a\nb\tc"),
        ("a\x00b\x07c\x1bd\re\x7ff", "a b c d e f"),
        ("half \ud83d here", "half \ufffd here"),
        ("\udc00", "\ufffd"),
        ("whole 😀", "whole 😀"),
        ("中\x00文", "中 文"),
    ],
)
def test_controls_become_spaces_and_lone_surrogates_a_replacement(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@given(ANY_TEXT)
def test_a_clean_text_can_be_encoded_and_stays_as_it_is(text: str) -> None:
    cleaned = clean(text)
    assert cleaned.encode().decode() == cleaned
    assert len(cleaned) == len(text)
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize(
    ("text", "max_chars", "clipped"),
    [
        ("memory", 10, "memory"),
        ("memory", 6, "memory"),
        ("memory", 3, "mem"),
        ("memory", 0, ""),
        ("cafe\u0301s", 4, "caf"),
        ("cafe\u0301s", 5, "cafe\u0301"),
        ("a👨\u200d👩\u200d👧b", 2, "a"),
        ("a👨\u200d👩\u200d👧b", 3, "a"),
        ("a👨\u200d👩\u200d👧b", 6, "a👨\u200d👩\u200d👧"),
        ("ok✔\ufe0f", 3, "ok"),
        ("ok👍🏽", 3, "ok"),
        ("x\ud83d\ude00", 2, "x"),
        ("e\u0301", 1, ""),
    ],
)
def test_clip_ends_between_whole_characters(text: str, max_chars: int, clipped: str) -> None:
    assert clip(text, max_chars) == clipped


def test_a_text_of_marks_alone_is_cut_at_the_length() -> None:
    assert clip("\u0301" * 100, 60) == "\u0301" * 60


def test_a_negative_length_is_refused() -> None:
    with pytest.raises(ValueError, match="-1"):
        clip("memory", -1)


@given(ANY_TEXT, st.integers(0, 50))
def test_clip_gives_a_beginning_no_longer_than_asked(text: str, max_chars: int) -> None:
    clipped = clip(text, max_chars)
    assert len(clipped) <= max_chars
    assert text.startswith(clipped)
