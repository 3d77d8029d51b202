from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.memory_notes import MemoryNote, note_key, split_notes

PAGE = """---
title: Long-term memory
---
# Long-Term Memory

An opening paragraph
over two lines.

## Tea
- sencha at 16:00 <!-- trigger: tea, afternoon --> <!-- importance: 7 --> <!-- project: github.com/o/r -->
- no sugar
  and no milk
  - never cold
* last

1. first
2) second
### Kettle ###
Heat it:
```sh
# no heading
- no bullet

heat 80
```
and wait
------
the end
"""


def texts(page: str) -> list[str]:
    return [note.text for note in split_notes(page)]


def headings(page: str) -> list[tuple[str, ...]]:
    return [note.heading for note in split_notes(page)]


def test_a_page_is_one_note_for_each_bullet_or_paragraph() -> None:
    assert texts(PAGE) == [
        "An opening paragraph\nover two lines.",
        "sencha at 16:00",
        "no sugar\nand no milk",
        "never cold",
        "last",
        "first",
        "second",
        "Heat it:\n```sh\n# no heading\n- no bullet\n\nheat 80\n```\nand wait",
        "the end",
    ]


def test_notes_stand_under_the_path_of_their_headings() -> None:
    page = "# A\na\n## B\nb\n### C\nc\n## D <!-- new -->\nd\n# E\n\nTitle\n===\nt\n\nPart\n---\np"
    assert list(zip(texts(page), headings(page), strict=True)) == [
        ("a", ("A",)),
        ("b", ("A", "B")),
        ("c", ("A", "B", "C")),
        ("d", ("A", "D")),
        ("t", ("Title",)),
        ("p", ("Title", "Part")),
    ]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# T #", "T"),
        ("## T ###", "T"),
        ("# C#", "C#"),
        ("#", ""),
        ("# #", ""),
        ("   #\tT", "T"),
        ("# a  b", "a  b"),
    ],
)
def test_a_heading_may_be_closed(line: str, title: str) -> None:
    assert headings(f"{line}\nx") == [(title,)]


@pytest.mark.parametrize(
    "page",
    [
        "<!--" * 100_000,
        "# a" + " " * 100_000 + "b",
        "`" * 99_999,
        "- " * 50_000,
        "-" * 100_000 + "x",
        "**" * 99_999,
    ],
)
def test_a_page_made_to_be_slow_is_not(page: str) -> None:
    started = time.perf_counter()
    split_notes(page)
    assert time.perf_counter() - started < 10


def test_lines_are_counted_from_the_first_of_the_file() -> None:
    assert [note.line for note in split_notes(PAGE)][:3] == [6, 10, 11]


def test_annotations_leave_the_text_and_fill_the_fields() -> None:
    note = split_notes(PAGE)[1]
    assert (note.importance, note.triggers, note.project) == (0.7, ("tea", "afternoon"), "github.com/o/r")


@pytest.mark.parametrize(
    ("written", "score"),
    [
        ("1", 0.1),
        ("10", 1.0),
        ("7.5", 0.75),
        ("high", 0.8),
        ("unknown", None),
        ("0", None),
        ("11", None),
        ("nan", None),
        ("very", None),
        ("", None),
    ],
)
def test_importance_is_a_tenth(written: str, score: float | None) -> None:
    (note,) = split_notes(f"- fact <!-- Importance: {written} -->")
    assert (note.text, note.importance) == ("fact", score)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("", []),
        ("\ufeff# T\n\n- a", ["a"]),
        ("- a\r\n- b\r\n", ["a", "b"]),
        ("<!-- openclaw-memory-promotion:k -->\n- a", ["a"]),
        ("<!-- many\n\n- lines\n-->\n- a", ["a"]),
        ("<!-- never closed\n- a", ["<!-- never closed", "a"]),
        ("- a\n  <!-- importance: 3 -->", ["a"]),
        ("- see `<!-- importance: 3 -->`", ["see `<!-- importance: 3 -->`"]),
        ("```\n<!-- importance: 3 -->\n```", ["```\n<!-- importance: 3 -->\n```"]),
        ("- **Name:**\n- **Name:** Dana\n- __Zone__:\n- **Name**", ["**Name:** Dana", "**Name**"]),
        ("- a\n\n  still a\n\nnot a", ["a\n\nstill a", "not a"]),
        ("- run\n  ```\n  x\n    y\n  ```\n- b", ["run\n```\nx\n  y\n```", "b"]),
        ("- ```\n  x\n  ```\n- b", ["```\nx\n```", "b"]),
        ("a\n\n```\nx\n```\n\nb", ["a", "```\nx\n```", "b"]),
        ("````\n```\n````\nb", ["````\n```\n````\nb"]),
        ("~~~\nopen to the end\n\n- x", ["~~~\nopen to the end\n\n- x"]),
        ("a\n\n---\n\nb\n***\nc", ["a", "b", "c"]),
        ("-\n- \n- a", ["a"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |\n|---|---|\n| 1 | 2 |"]),
        ("#hashtag\n2026. was long\n-5 degrees", ["#hashtag\n2026. was long\n-5 degrees"]),
        ("---\nno front matter", ["no front matter"]),
        # One tool put its own front matter before that of another.
        ("---\npermalink: x\n---\n\n---\nname: y\nmeta:\n  type: z\n---\n\n- tea", ["tea"]),
        ("---\ntitle: x\ntags:\n- a\n# why\n---\ntea", ["tea"]),
        ("---\ntitle: x\nslip\nlast: y\n---\ntea", ["tea"]),
        ("---\n---\ntea", ["tea"]),
        ("---\ntitle: x\n---", []),
        # Between two rules stands text, where it does not read as fields.
        ("---\n\nBlue is the cellar key.\n\n---\n\n- tea", ["Blue is the cellar key.", "tea"]),
        ("---\n- 藍色是地窖鑰匙\n---\n- tea", ["藍色是地窖鑰匙", "tea"]),
        ("---\nNote: read\n\nfirst\n\nsecond\n\n---", ["Note: read", "first", "second"]),
        ("---\ntitle: x\n---\n\n---\n\nTime zone: Lisbon\n\n---\n\n- tea", ["Time zone: Lisbon", "tea"]),
        ("- [ ] buy tea\n- [x] sleep", ["[ ] buy tea", "[x] sleep"]),
        ("- 茶は十六時\n\n记忆治理", ["茶は十六時", "记忆治理"]),
    ],
)
def test_a_wild_page_is_read(page: str, expected: list[str]) -> None:
    assert texts(page) == expected


def test_a_nested_bullet_knows_the_one_above() -> None:
    page = (
        "- drinks <!-- importance: 4 -->\n  - tea\n    - green\n  - water\n\n    even cold\n- food\n\nafter"
    )
    assert [(note.text, note.under) for note in split_notes(page)] == [
        ("drinks", None),
        ("tea", "drinks"),
        ("green", "tea"),
        ("water\n\neven cold", "drinks"),
        ("food", None),
        ("after", None),
    ]


def keys(page: str) -> set[str]:
    return {note_key(note, path="MEMORY.md") for note in split_notes(page)}


BEFORE = "## A\n- one\n- two words\n- three\n## B\n- one"


@pytest.mark.parametrize(
    ("after", "added"),
    [
        (BEFORE, 0),
        ("## A\n- three\n- one\n- two words\n## B\n- one", 0),
        ("## A\n- one\n\n- two\n  words <!-- importance: 9 -->\n* three\n## B\n\none", 0),
        ("## A\n- one\n- two other words\n- three\n## B\n- one", 1),
        ("## A\n- one\n- three\n## B\n- one\n- two words", 1),
    ],
)
def test_an_edit_adds_one_note_and_an_order_none(after: str, added: int) -> None:
    assert len(keys(BEFORE)) == 4
    assert len(keys(after) - keys(BEFORE)) == added


def test_files_and_owners_keep_their_notes_apart() -> None:
    note = MemoryNote(text="tea", line=1)
    told = {
        note_key(note, path="MEMORY.md"),
        note_key(note, path="USER.md"),
        note_key(note, path="MEMORY.md", owner="ada"),
    }
    assert len(told) == 3
    assert note_key(MemoryNote(text="half \ud83d", line=1), path="MEMORY.md").startswith("markdown:")


@given(st.text(alphabet=st.sampled_from("ab -*#`~<!>\n1.\t:记|"), max_size=120))
def test_any_page_is_read_and_no_word_is_made_up(page: str) -> None:
    notes = split_notes(page)
    words = set(re.findall(r"[ab记]+", page))
    assert all(note.text == note.text.strip() != "" for note in notes)
    assert {word for note in notes for word in re.findall(r"[ab记]+", note.text)} <= words
