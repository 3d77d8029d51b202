from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.text.clamping import clamp


def test_a_short_text_comes_back_as_it_is() -> None:
    assert clamp("日本語") == "日本語"


def test_a_long_text_keeps_its_head_and_its_tail() -> None:
    cut = clamp("h" * 500 + "m" * 1_000_000 + "t" * 5499)
    assert cut == "h" * 500 + "\n" + "t" * 5499


def test_neither_end_is_cut_inside_a_character() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    cut = clamp(family + "x" * 50 + family + "z", max_chars=9, head_chars=3)
    assert cut == "\nz"


def test_a_text_of_marks_alone_is_cut_plainly() -> None:
    assert len(clamp("\u0301" * 200, max_chars=10, head_chars=0)) == 10


@pytest.mark.parametrize("limits", [(0, 0, None), (5, 6, None), (5, -1, None), (5, 1, 0)])
def test_limits_that_make_no_sense_are_refused(limits: tuple[int, int, int | None]) -> None:
    most, head, size = limits
    with pytest.raises(ValueError, match="not limits"):
        clamp("text", max_chars=most, head_chars=head, max_bytes=size)


@given(st.text(), st.integers(1, 40), st.integers(0, 40), st.none() | st.integers(1, 60))
def test_no_limit_is_passed(text: str, most: int, head: int, size: int | None) -> None:
    cut = clamp(text, max_chars=most, head_chars=min(head, most), max_bytes=size)
    assert len(cut) <= most
    assert size is None or len(cut.encode("utf-8", "surrogatepass")) <= size
