from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.text.cleaning import clip, clip_start
from sunrise.domain.text.model_input import clamped, folded

FAMILY = "👩‍👩‍👧"


def test_a_text_that_fits_is_kept_whole() -> None:
    assert clamped("a b c", max_chars=5, head_chars=1) == "a b c"
    assert clamped("茶", max_chars=1, head_chars=1, max_bytes=3) == "茶"
    assert clamped("", max_chars=5, head_chars=1, max_bytes=1) == ""


def test_of_a_text_that_is_too_long_head_and_tail_stay() -> None:
    text = "H" * 500 + "m" * 10_000 + "T" * 5499
    assert clamped(text, max_chars=6000, head_chars=500) == "H" * 500 + " " + "T" * 5499


@pytest.mark.parametrize(("head_chars", "expected"), [(0, " 6789"), (3, "012 9"), (4, "0123"), (99, "01234")])
def test_the_head_takes_its_share_and_no_more_than_all(head_chars: int, expected: str) -> None:
    assert clamped("0123456789", max_chars=5, head_chars=head_chars) == expected


def test_no_character_is_cut_in_two_at_either_end() -> None:
    text = f"ab{FAMILY}{'x' * 50}{FAMILY}yz"
    assert clamped(text, max_chars=9, head_chars=4) == "ab yz"
    assert clip_start("cafe\u0301", 1) == ""
    assert clip_start("cafe\u0301", 2) == "e\u0301"


def test_marks_without_a_letter_are_cut_plainly() -> None:
    assert clip_start("\u0301" * 100, 40) == "\u0301" * 40
    assert clip_start("\u0301" * 100, 20) == ""


def test_a_negative_length_is_refused() -> None:
    with pytest.raises(ValueError, match="-1"):
        clip_start("tea", -1)


def test_bytes_are_counted_as_they_are_sent() -> None:
    kept = clamped("茶" * 1000 + "tail", max_chars=6000, head_chars=10, max_bytes=100)
    assert kept.startswith("茶" * 10 + " ")
    assert kept.endswith("茶tail")
    assert 80 < len(kept.encode()) <= 100
    assert clamped("\ud83d" * 10, max_chars=10, head_chars=10, max_bytes=6) == "\ufffd\ufffd"


@given(st.text(), st.integers(1, 50), st.integers(0, 60), st.integers(0, 80))
def test_what_is_kept_is_never_longer_and_can_be_sent(
    text: str, max_chars: int, head_chars: int, max_bytes: int
) -> None:
    kept = clamped(text, max_chars=max_chars, head_chars=head_chars, max_bytes=max_bytes)
    assert len(kept) <= max_chars
    assert not max_bytes or len(kept.encode()) <= max_bytes


@given(st.text(), st.integers(0, 60))
def test_the_end_of_a_text_is_a_part_of_it(text: str, max_chars: int) -> None:
    kept = clip_start(text, max_chars)
    assert len(kept) <= max_chars
    assert text.endswith(kept)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60), st.integers(0, 60))
def test_where_no_mark_stands_both_ends_make_up_the_whole(text: str, at: int) -> None:
    plain = "".join(one for one in text if unicodedata.category(one)[0] == "L" and one.isalnum())
    at = min(at, len(plain))
    assert clip(plain, at) + clip_start(plain, len(plain) - at) == plain


def test_both_scripts_and_wide_letters_become_one() -> None:
    assert folded("備份資料庫 ＡＢＣ", 50) == folded("备份资料库 ABC", 50) == "备份资料库 ABC"


def test_what_grows_is_cut_again() -> None:
    assert len(folded("\ufdfa" * 50, 100)) == 100


@given(st.text(), st.integers(0, 40))
def test_what_a_model_gets_can_be_encoded_and_holds_no_nul(text: str, max_chars: int) -> None:
    given_ = folded(text, max_chars)
    assert len(given_) <= max_chars
    assert b"\x00" not in given_.encode()
    assert "\ufdfa" not in given_
