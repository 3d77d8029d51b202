from __future__ import annotations

import json
import re
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sunrise.domain.secrets import RULES, Redaction, blanked, gate_pattern, is_only_redacted, redact
from tests.library.domain.secret_formats import Case, look_alikes, secrets

MARK = re.compile(r"\[redacted:[a-z0-9-]+\]|\[\*+\]")
HINTS = sorted({rule.hints[0] for rule in RULES})


def traces(case: Case, text: str) -> list[str]:
    """Return what eight letters in a row of the secret are still there, outside of marks."""
    rest = MARK.sub("\n", text)
    pieces = [case.secret[start : start + 8] for start in range(max(1, len(case.secret) - 7))]
    return [piece for piece in pieces if piece in rest and piece not in case.text.replace(case.secret, "")]


@pytest.mark.parametrize("seed", range(5))
def test_of_every_secret_nothing_is_left(seed: int) -> None:
    made = secrets(seed)
    assert len(made) == 300
    assert [case for case in made if traces(case, redact(case.text).text)] == []
    assert [case for case in made if traces(case, blanked(case.text))] == []
    assert [case for case in made if case.kind not in redact(case.text).kinds] == []


def test_the_gate_looks_at_every_secret_and_at_no_plain_note() -> None:
    gate = re.compile(gate_pattern())
    assert [case.text for case in secrets(5) if not gate.search(case.text)] == []
    assert gate.search('{"summary": "cron updated config; ref 000002", "sessionKey": "agent:main"}') is None


@pytest.mark.parametrize("seed", range(5))
def test_what_only_resembles_a_secret_raises_no_alarm(seed: int) -> None:
    made = look_alikes(seed)
    assert len(made) == 300
    assert [case.text for case in made if redact(case.text).kinds] == []
    assert [case.text for case in made if blanked(case.text) != case.text] == []


@pytest.mark.parametrize("seed", range(3))
def test_the_rest_of_the_sentence_stays(seed: int) -> None:
    for case in secrets(seed):
        before, _, after = case.text.partition(case.secret)
        redacted = redact(case.text).text
        assert redacted.startswith(before[:20]), case
        assert redacted.endswith(after), case
        assert blanked(case.text).endswith(after), case


@pytest.mark.parametrize("seed", range(3))
def test_marks_and_blanks_hold_no_secret(seed: int) -> None:
    for case in secrets(seed):
        redacted, blank = redact(case.text).text, blanked(case.text)
        assert redact(redacted) == Redaction(redacted), case
        assert (blanked(blank), redact(blank)) == (blank, Redaction(blank)), case


@pytest.mark.parametrize("seed", range(3))
def test_a_blanked_line_is_the_same_json_without_the_secret(seed: int) -> None:
    for case in secrets(seed):
        record = {"id": 7, "summary": case.text, "detail": {"note": [case.text, True]}}
        line = json.dumps(record, ensure_ascii=False)
        blank = blanked(line)
        assert len(blank) == len(line)
        value = json.loads(blank)
        assert (value["id"], value["detail"]["note"][1]) == (7, True)
        assert traces(case, value["summary"]) == [], case


PIECES = st.one_of(
    st.sampled_from([case.text for case in secrets(21)[:120]]),
    st.sampled_from(
        ["password=", "token: ", "密碼是 ", '"', "\\", "\\n", "\\\\", "://u:", "@", "[***]", "-----BEGIN "]
    ),
    st.text(max_size=5),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=5).map("".join))
@example("password=\\n\\\\\\\\")
def test_a_blank_has_the_length_of_what_it_hides(text: str) -> None:
    blank = blanked(text)
    assert len(blank.encode("utf-8", "surrogatepass")) == len(text.encode("utf-8", "surrogatepass"))
    assert blanked(blank) == blank
    assert redact(blank) == Redaction(blank)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=4).map("".join), st.booleans())
def test_a_blanked_line_stays_json(text: str, ascii_only: bool) -> None:
    line = json.dumps({"a": text, "b": ["x", text], text: 1}, ensure_ascii=ascii_only)
    assert list(map(type, json.loads(blanked(line)).values())) == list(map(type, json.loads(line).values()))


def test_a_blank_counts_bytes_and_not_letters() -> None:
    assert blanked("密碼：Pässwört9！") == "密碼：[***********" + "*]"
    assert blanked("git clone https://me:p9@a.io/b") == "git clone https://me:**@a.io/b"


@pytest.mark.parametrize(
    "text",
    [
        "[redacted:password]",
        "password: [redacted:password].",
        "my api key is [redacted:openai-key]",
        "export DB_PASSWORD='[redacted:password]'",
        '{"token": "[********]"}',
        "我的密碼是 [redacted:password]。",
        "the GitHub token: [redacted:github-token], and the npm token: [redacted:npm-token]",
        "Authorization: Bearer [redacted:authorization]",
    ],
)
def test_a_text_of_marks_and_their_names_is_only_redacted(text: str) -> None:
    assert is_only_redacted(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "my api key",
        "password: see vault",
        "the router in the attic has password: [redacted:password]",
        "postgres://app:[redacted:database-password]@db.internal/main",
        "保險箱的密碼是 [redacted:password]",
    ],
)
def test_a_text_that_says_more_is_not_only_redacted(text: str) -> None:
    assert not is_only_redacted(text)


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ('{\\"password\\": \\"hunter2\\"}', '{\\"password\\": \\"[redacted:password]\\"}'),
        ("one\\nnpm_" + "a1B2c3" * 6, "one\\n[redacted:npm-token]"),
        ("密碼是 Abc12345，別忘了", "密碼是 [redacted:password]，別忘了"),
        ("password is hunter2!", "password is [redacted:password]"),
        ("card 4111 1111 1111 1112", "card 4111 1111 1111 1112"),
        ("4111111111111111 and nothing beside it", "4111111111111111 and nothing beside it"),
        ("ssn 900-12-3456", "ssn 900-12-3456"),
        ("the token class OAuth2TokenProviderV3", "the token class OAuth2TokenProviderV3"),
        (
            "the api key of getUser2FromCache is a1B2c3D4e5F6g7H8",
            "the api key of getUser2FromCache is [redacted:key]",
        ),
    ],
)
def test_borders_are_drawn_where_a_reader_would(text: str, redacted: str) -> None:
    assert redact(text).text == redacted


def test_lines_of_a_key_that_stand_in_quotes_go_with_it() -> None:
    text = 'k = "-----BEGIN PRIVATE KEY-----\\n" +\n  "MIIEowIBAAKCAQEA\\n" +\n  "abcdefgh=="; done()'
    assert redact(text).text == 'k = "[redacted:private-key]"; done()'
    assert blanked(text) == f'k = "[{"*" * 27}]" +\n  "[{"*" * 16}]" +\n  "[{"*" * 8}]"; done()'


@pytest.mark.slow
@pytest.mark.parametrize("hint", HINTS)
def test_reading_hints_takes_as_much_longer_as_the_text_is(hint: str) -> None:
    def seconds(size: int) -> float:
        text = hint * (size // len(hint.encode()))
        started = time.process_time()
        redact(text)
        return time.process_time() - started

    # Four times the text would take sixteen times as long where each hint is looked at from each other one.
    assert min(seconds(1_000_000) for _ in range(2)) < 8 * min(seconds(250_000) for _ in range(3))
