from __future__ import annotations

from importlib.resources import files

import pytest

from sunrise.domain.text.han_folding import TRADITIONAL_TO_SIMPLIFIED, fold_han


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("記憶治理需要明確的權限邊界", "记忆治理需要明确的权限边界"),
        ("简体字不变", "简体字不变"),
        ("ASCII stays", "ASCII stays"),
        ("カタカナ", "カタカナ"),
        ("", ""),
    ],
)
def test_traditional_characters_become_simplified_and_nothing_else_changes(text: str, folded: str) -> None:
    assert fold_han(text) == folded


def test_the_table_is_the_first_choices_of_opencc() -> None:
    dictionary = files("opencc").joinpath("dictionary", "TSCharacters.txt").read_text(encoding="utf-8")
    pairs = [line.split("\t") for line in dictionary.splitlines()]
    expected = {ord(traditional): choices.split()[0] for traditional, choices in pairs}
    assert {code: char for code, char in expected.items() if ord(char) != code} == TRADITIONAL_TO_SIMPLIFIED


def test_one_character_becomes_one_character() -> None:
    assert {len(simplified) for simplified in TRADITIONAL_TO_SIMPLIFIED.values()} == {1}
