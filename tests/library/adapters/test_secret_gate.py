from __future__ import annotations

import json
import random
import re
import uuid
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sunrise.adapters.jsonl_lines import dump_json
from sunrise.adapters.secret_gate import RedactedColumn, harmless_lines, redact_column
from sunrise.domain.capture import capture_row
from sunrise.domain.secrets import RULES, gate_pattern, redact
from sunrise.errors import DataError
from tests.library.domain.secret_formats import look_alikes, secrets

# Put together at run time, so that no scanner takes this file for a leak.
R20, R36 = "a1B2c3D4e5F6g7H8i9J0", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
HINTS = sorted({hint for rule in RULES for hint in rule.hints})
NAMES = [
    "password", "passwd", "pwd", "PASSWORD", "paſſword", "api_key", "apiKey", "API-KEY",
    "aws_secret_access_key", "token", "to\u212aen", "access_token", "secret", "client_secret", "密碼",
    "パスワード", "비밀번호", "金鑰", "令牌", "SESSION_KEY", "APP_KEY", "authorization", "bearer", "Bearer ",
    "sessionKey",
]  # fmt: skip
GLUE = [
    ":",
    "=",
    "=>",
    "：",
    "＝",
    " ",
    "\n",
    "\t",
    "\r",
    "\x08",
    "\x7f",
    "\u3000",
    "\xa0",
    '"',
    "'",
    "`",
    "「",
    "\\",
    "/",
]
VALUES = [
    R20,
    R36,
    "swordfish",
    "hunter2",
    "AA" + R36,
    "//u:pw1234@host",
    "123456789",
    "MTk4" + R20,
    "AKIA" + "A" * 16,
]
fragments = st.one_of(st.sampled_from(HINTS + NAMES + GLUE + VALUES), st.text(max_size=3))
texts = st.lists(fragments, max_size=6).map("".join)
fields = st.sampled_from(
    [
        "id",
        "event_id",
        "tool_call_id",
        "kind",
        "tool_name",
        "summary",
        "summary_en",
        "session_key",
        "scope",
        "ts",
    ]
)
values = st.recursive(
    texts | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
records = st.dictionaries(fields | texts, values, max_size=5)


def row(record: dict[str, Any], *, harmless: bool) -> object:
    try:
        return capture_row(record, dumps=dump_json, fallback_ms=0, now_ms=1, harmless=harmless)
    except DataError as error:
        return error.reason


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(records, st.booleans(), st.booleans())
@example({"summary": "x", "tool_call_id": "AA" + R36, "kind": "123456789", "session_key": "s"}, False, False)
@example({"summary": "x", "id": "//user:" + R20 + "@host"}, False, False)
@example({"summary": "x", "kind": "GHP_" + R36}, False, False)
@example({"summary": "x", "session_key": "my-token", "kind": "t", "tool_call_id": R20}, False, False)
@example({"summary": "-----BEGIN\rPRIVATE KEY-----"}, False, False)
@example({"summary": "http://u:pass1@h"}, True, True)
def test_what_the_gate_lets_pass_holds_no_secret(
    record: dict[str, Any], ascii_only: bool, slashes: bool
) -> None:
    text = json.dumps(record, ensure_ascii=ascii_only)
    # Both are JSON: an escape may stand for any letter, and for a slash.
    line = (text.replace("/", r"\/") if slashes else text).encode("utf-8", "surrogatepass")
    if harmless_lines([line]) == [True]:
        assert row(json.loads(text), harmless=True) == row(json.loads(text), harmless=False)


@pytest.mark.parametrize("hint", HINTS)
def test_an_escaped_hint_does_not_pass(hint: str) -> None:
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in hint)
    assert harmless_lines([f'{{"summary":"{escaped}"}}'.encode()]) == [False]


@pytest.mark.parametrize(
    "name", ["tokens-per-minute", "TODO: monkey patch", "sessionKey", "passed", "key-value"]
)
def test_everyday_words_pass(name: str) -> None:
    assert harmless_lines([json.dumps({"summary": name, "sessionKey": "agent:main"}).encode()]) == [True]


@pytest.mark.slow
def test_letters_that_pass_for_ascii_are_all_known() -> None:
    letters = (chr(code) for code in range(128, 0x110000) if not 0xD800 <= code < 0xE000)
    alike = {
        letter
        for letter in letters
        if re.fullmatch("[a-z]", letter, re.IGNORECASE) or re.search("[a-z]", letter.lower())
    }
    assert harmless_lines([letter.encode() for letter in alike]) == [False] * len(alike)


def test_the_pattern_means_the_same_to_python() -> None:
    pattern = re.compile(gate_pattern().encode())
    lines = [json.dumps({"summary": f"a {name}{glue}{R20}"}).encode() for name in NAMES for glue in GLUE]
    assert harmless_lines(lines) == [pattern.search(line) is None for line in lines]


def test_no_lines_are_no_trouble() -> None:
    assert harmless_lines([]) == []


@pytest.mark.parametrize("seed", range(3))
def test_the_gate_stops_every_generated_secret(seed: int) -> None:
    made = [case.text for case in secrets(seed)]
    lines = [text.encode() for text in made]
    escaped = [json.dumps({"summary": text}).encode() for text in made]
    plain = [json.dumps({"summary": text}, ensure_ascii=False).encode() for text in made]
    assert harmless_lines(lines + escaped + plain) == [False] * 3 * len(made)


@settings(max_examples=200, deadline=None)
@given(texts)
@example("(my) card 4111 1111 1111 1111")
@example("\tcard\t411111111111")
@example('the api key is\t"a1B2c3D4e5F6g7H8')
@example("token\\a1B2c3D4e5F6g7H8i9J0")
def test_the_gate_stops_what_is_found_in_a_plain_text(text: str) -> None:
    raw = text.encode("utf-8", "surrogatepass")
    assert not redact(text).kinds or harmless_lines([raw]) == [False]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_a_column_is_redacted_as_each_of_its_texts(kind: pa.DataType) -> None:
    made = [case.text for case in (*secrets(9), *look_alikes(9))]
    column = pa.chunked_array(
        [pa.array(made[:7], type=kind), pa.array([None], type=kind), made[7:]], type=kind
    )
    by_text = {row: redact(text) for row, text in enumerate(column.to_pylist()) if text is not None}
    redacted = redact_column(column)
    assert redacted.texts.type == kind
    assert redacted.texts.to_pylist() == [by_text[row].text if row != 7 else None for row in range(601)]
    assert redacted.kinds == {row: redaction.kinds for row, redaction in by_text.items() if redaction.kinds}


def test_a_column_without_a_secret_comes_back_as_it_is() -> None:
    assert redact_column(pa.array(["a note", None])) == RedactedColumn(pa.array(["a note", None]), {})
    assert redact_column(pa.array([], type=pa.string())).texts.to_pylist() == []


def test_ids_and_hashes_are_no_secrets() -> None:
    draw = random.Random(11)
    bits = [draw.getrandbits(160) for _ in range(200_000)]
    ids = [f"Stored memory {uuid.UUID(int=each >> 32)}: done" for each in bits]
    hashes = [f"commit {each:040x} was reviewed" for each in bits]
    # Beside a secret's name they are looked at, and that is slower.
    named = [f"the token of {text}, its api key too" for text in ids[:2000] + hashes[:2000]]
    assert redact_column(pa.array(ids + hashes + named)).kinds == {}
