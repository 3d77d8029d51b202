"""Given texts are told in every form they may be written in, and nothing else is."""

from __future__ import annotations

import html
import json
import re

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sunrise.adapters.secret_gate import harmless_lines
from sunrise.domain.sought_texts import HEAD, MARK, SHORTEST, is_telling, sought_texts

TEXT = 'The "key" lies\nunder C:\\stones/three <é>, isn\'t it'
LONG = " ".join(f"word{number}" for number in range(60))

letters = st.characters(exclude_categories=("Cs", "Cc", "Cn", "Co"))
words = st.text(st.sampled_from("abc xyzÄßжあ備"), min_size=10, max_size=40)
texts = st.builds(
    "{}note {}{}".format, st.text(letters, max_size=60), words, st.text(letters, max_size=60)
).filter(is_telling)


def in_json(text: str, *, depth: int = 1, ascii_only: bool = True) -> str:
    for _ in range(depth):
        text = json.dumps({"a": f"before {text} after"}, ensure_ascii=ascii_only)
    return text


@pytest.mark.parametrize(
    "told",
    [
        TEXT,
        TEXT.upper(),
        TEXT.replace(" ", "  \t"),
        TEXT.replace(" ", "\u3000"),
        html.escape(TEXT),
        in_json(TEXT),
        in_json(TEXT, ascii_only=False),
        in_json(TEXT, depth=3),
        in_json(TEXT).replace("/", "\\/"),
        "".join(f"\\u{ord(letter):04X}" for letter in TEXT),
    ],
)
def test_a_text_is_told_in_every_form(told: str) -> None:
    scrubber = sought_texts([TEXT])
    assert scrubber.holds(told)
    after = scrubber.scrub(told)
    assert (after.kinds, after.values) == (("erased",), frozenset())
    assert after.text.count(MARK) == 1
    assert not re.search("key|stones", html.unescape(after.text), re.IGNORECASE)
    assert len(scrubber.blank(told).encode()) == len(told.encode())
    assert harmless_lines([told.encode()], scrubber) == [False]


@given(texts, st.integers(1, 3), st.booleans())
def test_json_that_holds_a_text_is_told_by_gate_and_pattern_and_stays_json(
    text: str, depth: int, ascii_only: bool
) -> None:
    scrubber = sought_texts([text])
    line = in_json(text, depth=depth, ascii_only=ascii_only)
    assume(MARK not in line)
    assert harmless_lines([line.encode()], scrubber) == [False]
    blanked = scrubber.blank(line)
    assert len(blanked.encode()) == len(line.encode())
    assert isinstance(json.loads(blanked), dict)
    assert not scrubber.holds(blanked)
    assert not scrubber.holds(json.dumps(scrubber.scrub_value(json.loads(line))))


@given(texts, texts)
def test_what_holds_no_text_is_left_as_it_is(text: str, other: str) -> None:
    scrubber = sought_texts([text])
    assume(not scrubber.holds(other))
    assert scrubber.scrub(other).text == scrubber.blank(other) == other
    assert text.casefold() not in other.casefold()


@pytest.mark.parametrize("length", [HEAD, HEAD + 7, 300])
@pytest.mark.parametrize("end", ["", "…", "...", '"}', "\\u2026"])
def test_a_text_that_was_cut_off_is_told(length: int, end: str) -> None:
    scrubber = sought_texts([LONG])
    assert scrubber.scrub(f"so: {LONG[:length]}{end}").text == f"so: {MARK}{end}"


def test_a_text_that_begins_alike_and_goes_on_otherwise_is_another() -> None:
    scrubber = sought_texts([LONG])
    assert not scrubber.holds(LONG[:200] + "otherwise")
    assert not scrubber.holds(LONG[: HEAD - 10])
    assert scrubber.scrub(LONG + " and on").text == f"{MARK} and on"


def test_texts_that_overlap_go_together() -> None:
    scrubber = sought_texts(["The key is under the stone", "under the stone by the door", "apart from that"])
    told = "The key is under the stone by the door, apart from that"
    assert scrubber.scrub(told).text == f"{MARK}, {MARK}"
    assert len(scrubber.blank(told)) == len(told)


def test_letters_with_accents_are_told_composed_and_apart() -> None:
    scrubber = sought_texts(["Le caf\u00e9 est ferm\u00e9"])
    assert scrubber.holds("le cafe\u0301 est ferme\u0301")


@pytest.mark.parametrize("text", ["", "tea at four", "   tea   at   4   "[:SHORTEST], "*" * 60, "綠茶很好喝"])
def test_what_is_too_short_is_not_looked_for(text: str) -> None:
    assert not is_telling(text)
    scrubber = sought_texts([text])
    assert (scrubber.sought, scrubber.gates, scrubber.longest) == ((), (), 0)
    assert scrubber.scrub(f"so {text}").kinds == ()
    assert harmless_lines([text.encode()], scrubber) == [True]


def test_many_texts_are_looked_for_in_few_patterns() -> None:
    many = [f"number {number} of many texts that are sought" for number in range(40)]
    scrubber = sought_texts(many)
    assert (len(scrubber.gates), scrubber.longest) == (3, len(many[-1]))
    assert harmless_lines([f"so: {many[-1]}".encode(), b"number forty"], scrubber) == [False, True]


def test_bytes_that_are_no_text_are_blanked_around() -> None:
    scrubber = sought_texts([TEXT])
    raw = b"\xff\xfe " + TEXT.encode() + b" \xff"
    told = scrubber.blank(raw.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    assert (len(told), told[:3], told[-2:]) == (len(raw), b"\xff\xfe ", b" \xff")
    assert pa.array([told], pa.binary())[0].as_py() == told
