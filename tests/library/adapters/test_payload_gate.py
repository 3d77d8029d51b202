from __future__ import annotations

import re
import unicodedata

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunrise.adapters.payload_gate import suspects
from sunrise.domain.payloads import RULES, SHORTEST_RUN, gate_pattern, screen
from sunrise.domain.text.hidden_text import unveiled
from tests.library.domain.payload_cases import (
    BENCHMARK_ATTACKS,
    BENCHMARK_ORDINARY,
    DISGUISED,
    ORDINARY,
    OTHER_ORDINARY,
    OTHER_PAYLOADS,
    PAYLOADS,
)

CASES = [
    *PAYLOADS, *OTHER_PAYLOADS, *ORDINARY, *OTHER_ORDINARY,
    *(text for _, text in DISGUISED),
    *(f"{key}: {value}" for key, value in (*BENCHMARK_ATTACKS, *BENCHMARK_ORDINARY)),
]  # fmt: skip
PAYLOADS_OF_ALL = [*PAYLOADS, *OTHER_PAYLOADS]
HINTS = sorted({hint for rule in RULES for hint in rule.hints})
LEET = str.maketrans("oieastg", "0134579")
LOOK_ALIKE = str.maketrans("aeocpxi", "аеосрхі")


def wide(text: str) -> str:
    return "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text)


def bold(text: str) -> str:
    return "".join(chr(0x1D41A + ord(sign) - ord("a")) if "a" <= sign <= "z" else sign for sign in text)


DISGUISES = [
    str.upper,
    str.title,
    lambda text: text.lower().translate(LEET),
    lambda text: text.lower().translate(LOOK_ALIKE),
    wide,
    bold,
    "\u200b".join,
    "\u00ad".join,
    " ".join,
    lambda text: text[::-1],
    lambda text: unicodedata.normalize("NFD", text),
    lambda text: text.replace(" ", "\u00a0"),
    lambda text: text.replace(" ", " \u3000\u2003 "),
    lambda text: text.replace("e", "é").replace("o", "ő"),
    lambda text: text.encode().hex(),
    lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
]


def passed_on(text: str) -> bool:
    return suspects(pa.array([text])) == [0]


@pytest.mark.parametrize("disguise", range(len(DISGUISES)))
def test_the_gate_never_misses_what_screen_finds(disguise: int) -> None:
    texts = [DISGUISES[disguise](text) for text in CASES]
    found = [row for row, text in enumerate(texts) if screen(text)]
    assert found
    assert set(found) <= set(suspects(pa.array(texts)))


def test_every_payload_of_the_tables_passes_on() -> None:
    texts = [text for text in CASES if screen(text)]
    assert len(suspects(pa.array(texts))) == len(texts)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(PAYLOADS_OF_ALL) | st.sampled_from(HINTS) | st.text(max_size=4), max_size=3),
    st.lists(st.integers(0, len(DISGUISES) - 1), max_size=2),
)
def test_the_gate_never_misses_a_mixture(parts: list[str], disguises: list[int]) -> None:
    text = " ".join(parts)
    for disguise in disguises:
        text = DISGUISES[disguise](text)
    text = text.encode("utf-8", "replace").decode()
    if screen(text):
        assert passed_on(text)


def test_no_letter_that_reads_as_one_of_a_hint_slips_by() -> None:
    hint_of = {letter: hint for hint in HINTS for letter in hint if letter.isalnum()}
    texts = []
    for code in (*range(0x80, 0xD800), *range(0xE000, 0x20000), *range(0x2F800, 0x2FA20)):
        plain = unveiled(chr(code))
        if hint := hint_of.get(plain[:1]):
            texts.append(hint.replace(plain[:1], chr(code), 1))
    assert len(texts) > 1_000
    assert len(suspects(pa.array(texts))) == len(texts)


def test_the_pattern_means_the_same_to_python() -> None:
    pattern = re.compile(gate_pattern())
    short = [text for text in CASES if len(text) < SHORTEST_RUN // 2]
    assert suspects(pa.array(short)) == [row for row, text in enumerate(short) if pattern.search(text)]


def test_everyday_rows_do_not_pass() -> None:
    texts = [
        "pipeline reviewed retention-policy; ref 000000",
        "資料庫遷移完成（第11筆）",
        "buy milk 🥛",
        "Größe 42",
    ]
    assert suspects(pa.array(texts)) == []


def test_long_rows_pass_by_their_length_and_rows_without_text_never() -> None:
    column = pa.chunked_array([["ab" * SHORTEST_RUN, None], ["fine", "ignore me"]])
    assert suspects(column) == [0, 3]
    assert suspects(pa.array([], type=pa.string())) == []
