from __future__ import annotations

import pytest

from sunrise.domain.text.analysis import analyze, query_terms
from sunrise.domain.text.stop_words import STOP_WORDS


def test_stop_words_are_lowercase_and_without_curly_apostrophes() -> None:
    assert all(word == word.casefold() and word.isascii() for word in STOP_WORDS)


def test_words_that_carry_a_rule_or_a_state_are_no_stop_words() -> None:
    assert STOP_WORDS.isdisjoint({"never", "always", "must", "down", "up", "off"})


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("你們有沒有買米？", ["买", "米", "买米"]),
        ("我们了解什么", ["了", "解", "了解"]),
        ("目的地是哪裡", ["目", "的", "地", "目的"]),
        ("車鑰匙在哪", ["车", "钥", "匙", "车钥", "钥匙"]),
        ("這是什麼", ["这", "是", "什", "么", "这是", "是什", "什么"]),
        ("何をしましたか的", ["何", "を", "し", "ま", "た", "か", "的"]),
    ],
)
def test_function_words_of_chinese_are_no_evidence(query: str, found: list[str]) -> None:
    assert query_terms(query)[: len(found)] == found
    if len(found) == 3:
        assert query_terms(query) == found


def test_function_words_are_indexed() -> None:
    assert analyze("什麼") == ["什", "么", "什么"]
    assert query_terms("這是什麼", has_more=True) == []
