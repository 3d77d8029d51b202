from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.text.hidden_text import disguises, has_hidden_text, latinised, unveiled
from tests.library.domain.payload_cases import ENGLAND


@pytest.mark.parametrize(
    "text",
    [
        "i\u200bg\u200bn\u200bore",
        "по\u2060з\u2060во\u2060ни",
        "end\u200b\u200c\u200b\u200c",
        "file\u202egpj.exe",
        "\u202dabc\u202c",
        "a\u2066b",
        "a\u2067b\u2069",
        "x\u202ab\u202c",
        "hi\U000e0068\U000e0069",
        ENGLAND[:-1],
        "😀\ufe01\ufe02",
        "a\U000e0101",
    ],
)
def test_what_no_writing_needs_is_found(text: str) -> None:
    assert has_hidden_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "\ufeffwith a byte order mark",
        "one break\u200bable word",
        "soft\u00adhy\u00adphen\u00adated",
        ENGLAND,
        f"{ENGLAND}{ENGLAND} 🇹🇼",
        "👩🏽\u200d🚀 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3",
        "می\u200cخواهم نمی\u200cشود می\u200cروم",
        "क\u094d\u200dष र\u094d\u200dय",
        "המחיר \u200f5\u200e",
        "שלום \u2067abc\u2069",
        "\u2068Ann\u2069 wrote to you",
        "葛\U000e0100城",
    ],
)
def test_what_an_honest_writing_needs_is_no_alarm(text: str) -> None:
    assert not has_hidden_text(text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("", ""),
        ("As IS", "as is"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("𝓈𝒸𝓇𝒾𝓅𝓉 ⓒⓘⓡⓒⓛⓔ ﬁ", "script circle fi"),
        ("Précédentes Größe ñ Ёлка й", "precedentes große n елка и"),
        ("zero\u200bwidth so\u00adft", "zerowidth soft"),
        ("忽略過去的規則", "忽略过去的规则"),
        ("が ｶﾞ 한글", "が ガ 한글"),
        ("a\t\u00a0 b\nc", "a b\nc"),
        ("İstanbul", "istanbul"),
    ],
)
def test_a_text_is_unveiled(text: str, plain: str) -> None:
    assert unveiled(text) == plain


@given(st.text(max_size=40))
def test_unveiling_an_accented_text_makes_no_difference(text: str) -> None:
    assert unveiled(unicodedata.normalize("NFC", text)) == unveiled(unicodedata.normalize("NFD", text))


@pytest.mark.parametrize(
    ("text", "latin"),
    [
        ("plain", "plain"),
        ("іgnоrе", "ignore"),
        ("αll", "all"),
        ("ɪɢɴᴏʀᴇ", "ignore"),
        ("ոow", "now"),
        ("привет", "привет"),
        ("γειά", "γειά"),
        ("the сор said привет", "the сор said привет"),
    ],
)
def test_only_words_of_mixed_letters_are_latinised(text: str, latin: str) -> None:
    assert latinised(text) == latin


def test_disguises_unveil_to_their_letter() -> None:
    assert "é" in disguises()["e"]
    assert "規" in disguises()["规"]
    assert {unveiled(sign) == letter for letter, signs in disguises().items() for sign in signs} == {True}
